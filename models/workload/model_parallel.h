// Decoders whose layers are divided among GPUs: tensor parallelism t inside a node, pipeline parallelism p over stages.
//
// One model on t p GPUs, d = N / (t p) of them; m passes (micro-batches of b sequences) in a step, L layers, width h, S
// tokens, e bytes an element; v parts of a stage that are L / (p v) layers each (interleaved schedule).
//   products   1 / t of the heads, of the feed-forward width and of the vocabulary, each at its own efficiency; what
//   lies
//              between them has 1 / t of the tokens (sequence parallelism)
//   tensor     2 sums of b S h e bytes over t GPUs a layer forward, 2 backward, 2 more where layers are computed again:
//              an all-reduce, or the reduce-scatter and all-gather that move the same; nothing computes beside them
//   pipeline   1F1B: step = m slowest + (p - 1) / v others; the last stage, which has the head, is the slowest
//              sends: 2 v of b S h e bytes a pass, of t GPUs together, to the same place of the next stage; not hidden
//   data       gradients of a stage, 1 / (t p) of the parameters on a GPU, among d: simulated as those of any job
// Order of ranks: tensor, data, pipeline, so that stages lie on nodes of their own where d t GPUs fill them.
// Every GPU is taken for one of the last stage; embedding and head share no tied gradient between stages; a pass of the
// first stage waits for no input. Gradients overlap with the last pass only.
// Source: Narayanan et al. 2021 (SC21), Korthikanti et al. 2022. Not fitted.
// Checked by: tests/models/model_parallel_test.cc; beside published runs by `validate throughput`.
#pragma once

#include "clustersim/scenario.h"
#include "models/collective/planner.h"
#include "models/workload/step_model.h"

namespace clustersim {

struct ModelParallelTimes {
  double tensor_bytes = 0, tensor_alone_s = 0;  // of one sum
  double tensor_s = 0;                          // of a pass
  double send_bytes = 0, send_alone_s = 0;      // of one send, all t GPUs together
  double send_s = 0;                            // of a pass
  double bubble_s = 0;                          // of a step
  double bubble_share = 0;                      // (p - 1) / (v m)
};

bool is_model_parallel(const Job& job);

// `gpus`: of the job; `gpus_per_node`: of its smallest node.
ModelParallelTimes model_parallel_times(const Job& job, const StepModel& model, const CollectivePlanner& planner,
                                        int gpus, int gpus_per_node);

}  // namespace clustersim
