// What one data-parallel rank computes in a training step: kernels of one micro-batch, of the optimiser, host costs.
//
//   forward, backward   kernels of one micro-batch (Job::micro_batch() samples); backward in the order in which the
//                       gradients appear, a segment per layer or block, with the gradients that it completes
//   optimizer           kernels of one update of parameters / optimizer_shards
//   launch_bound        time the host needs to launch one micro-batch: a micro-batch takes at least that
//   optimizer_host      time the update takes beyond its kernels, because the host launches it tensor by tensor
//   step_host           time lost once a step to synchronisations between host and GPU, and to the slowest of all hosts
//   length_imbalance    factor >= 1 on compute: batches of unpadded sequences differ in tokens between ranks
// An emulated step is its time: a third forward, two thirds backward over 156 equal tensors, or over 26 equal blocks
// where weights are sharded; no optimiser, no host. Memory passes around each operator follow from the fusion profile
// (cnn_kernels.h, bert_kernels.h).
//
// Assumes the rank is alone on its GPU, and that input and communication are added by others.
// Source: shapes of the layers; models/compute/constants.h for every number, with its origin.
// Checked by: tests/models/step_model_test.cc, tests/models/single_gpu_rows_test.cc
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "clustersim/hardware.h"
#include "clustersim/scenario.h"
#include "clustersim/task_graph.h"
#include "models/compute/fitted_constants.h"
#include "models/workload/replay_step.h"

namespace clustersim {

struct Segment {
  std::string name;
  std::vector<Kernel> kernels;
  double gradient_elements = 0;
  int tensors = 0;
};

// Embedding, 24 layers and head [assumed], of equal size.
inline constexpr int emulated_blocks = 26;

struct StepModel {
  std::vector<Kernel> forward;
  // Of a transformer: kernels up to the end of each block (embedding, layers, head), which are the segments of
  // `backward` the other way round. Empty for others.
  std::vector<std::size_t> forward_ends;
  std::vector<Segment> backward;  // in backward order
  std::vector<Kernel> optimizer;
  double parameters = 0;
  int tensors = 0;
  double kernel_launches = 0;                  // of one micro-batch
  double forward_flop = 0, backward_flop = 0;  // per sample, as published: backward is twice forward
  Time launch_bound;                           // 0 with a CUDA graph
  Time optimizer_host;
  Time step_host;
  double length_imbalance = 1.0;
  std::shared_ptr<const ReplayStep> replay;  // of ModelKind::trace; `forward` is then the sum of all its kernels
};

// `ranks`: data-parallel GPUs of the job; `optimizer_shards`: ranks that share one update, 1 = each does all of it.
StepModel build_step(const Job& job, const GpuSpec& gpu, const CpuSpec& cpu, int ranks, int optimizer_shards,
                     const FittedConstants& fitted = {});

// The same on a GPU whose kernels take 1 + slowdown times as long; the host is as fast as before.
StepModel slowed(const StepModel& model, double slowdown);

// Tokens a sequence really has in the published runs of a stack, where sequence_length is only the limit.
struct TokenStatistics {
  double tokens = 0;               // mean: Job::tokens_per_sequence
  double length_square_ratio = 1;  // E[S^2] / E[S]^2: Job::length_square_ratio
};
TokenStatistics reference_tokens(Stack stack, int sequence_length);

}  // namespace clustersim
