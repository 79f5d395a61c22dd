// Kernels of a convolutional network's micro-batch.
//
// Convolution as implicit product (N images, P x Q output, R x S window):
//   forward  M = N P Q, N = Cout, K = Cin R S;   data gradient  M = N H W, N = Cin, K = Cout R S / stride^2
//   weight gradient  M = Cout, N = Cin R S, K = N P Q with split-K
// Between convolutions, passes over the output tensor as the fusion profile says:
//   eager  one kernel an operator, channels last under half precision
//   nchw   the same on NCHW tensors: a layout change around every tensor-core convolution
//   fused, jit  normalisation, addition and ReLU in one kernel (TensorFlow: XLA joins only addition and ReLU)
// The stem's data gradient is not computed; its three channels are padded to four.
// Checked by: tests/models/step_model_test.cc
#pragma once

#include <vector>

#include "clustersim/scenario.h"
#include "models/compute/device_model.h"
#include "models/compute/fitted_constants.h"
#include "models/workload/layers.h"
#include "models/workload/step_model.h"

namespace clustersim {

struct MicroBatchKernels {
  std::vector<Kernel> forward;
  std::vector<std::size_t> forward_ends;  // of a transformer: StepModel::forward_ends
  std::vector<Segment> backward;
};

// The forward pass of a transformer, block by block: embedding, equal layers, head.
MicroBatchKernels forward_in_blocks(const std::vector<Kernel>& embedding, const std::vector<Kernel>& layer, int layers,
                                    const std::vector<Kernel>& head);

MicroBatchKernels cnn_kernels(const CnnNetwork& network, const Job& job, const GpuSpec& gpu,
                              const FittedConstants& fitted = {});

}  // namespace clustersim
