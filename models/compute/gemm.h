// Kernels of matrix products and of streaming operators on a GPU, as the engine's Kernel (math, memory, fixed time).
//
//   math   = min over tiles (tm, tn, eta) and splits s of  waves * (2 tm tn K/s / (rate * eta / SMs) + t0)   [s]
//   waves  = ceil( ceil(M/tm) * ceil(N/tn) * batch * s / SMs )
//   memory = bytes / dram                                                                                   [s]
// A product of M x N x K runs as tiles of tm x tn, one per SM at a time, so a partly filled last wave costs a whole
// one; small tiles fill it better and run at eta of the rate. t0: prologue and epilogue of a tile, in proportion to its
// area. Split-K lets s tiles share one output; its partial sums cost s M N 4 bytes of traffic and a kernel to add them.
// A streaming operator moves bytes; passes over a tensor that still lies in L2 move none (sweep_bytes).
//
// Assumes one output tile per SM. Grouped and depth-wise convolutions are not covered.
// Source: CUTLASS documentation (tiling, split-K); constants.h.
// Checked by: tests/models/gemm_test.cc
#pragma once

#include "clustersim/task_graph.h"
#include "models/compute/device_model.h"

namespace clustersim {

struct GemmShape {
  double m = 1, n = 1, k = 1;
  double batch = 1;
  double bytes = 0;      // DRAM traffic: operands and result
  bool split_k = false;  // weight gradients: small output, long K
  double math_gain = 1;  // arithmetic saved by the algorithm (Winograd); below 1: slower than a product of its size
};

Kernel gemm_kernel(const DeviceModel& device, MathFormat format, const GemmShape& shape);

// A kernel bound by DRAM: with sums in it (normalisation, softmax), or elementwise.
Kernel stream_kernel(const DeviceModel& device, double bytes);
Kernel elementwise_kernel(const DeviceModel& device, double bytes);
Kernel update_kernel(const DeviceModel& device, double bytes);  // of an optimizer
// Exchanges dimensions of a tensor; bound by DRAM or by what SMs move through shared memory.
Kernel transpose_kernel(const DeviceModel& device, double elements, double element_bytes);
// Batch normalisation: statistics, a synchronisation of the whole chip, then the second sweep.
Kernel normalisation_kernel(const DeviceModel& device, double bytes);

// DRAM bytes of `passes` reads or writes of a tensor of which `again` repeat an earlier sweep of the same operator;
// repeats are served by L2 as far as the tensor fits.
double sweep_bytes(const DeviceModel& device, double tensor_bytes, double passes, double again);

}  // namespace clustersim
