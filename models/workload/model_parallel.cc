#include "models/workload/model_parallel.h"

#include <algorithm>

#include "clustersim/error.h"
#include "models/compute/device_model.h"
#include "models/compute/roofline.h"

namespace clustersim {
namespace {

constexpr int sums_of_a_layer = 4;  // two blocks, forward and backward [published: Shoeybi et al. 2019]

double seconds_of(std::vector<Kernel> kernels) { return work_seconds({std::move(kernels), 1.0}, {}); }

// Both passes of all blocks but embedding and head.
double layers_s(const StepModel& model) {
  const std::size_t first = model.forward_ends.front(), last = model.forward_ends[model.forward_ends.size() - 2];
  double sum = seconds_of({model.forward.begin() + static_cast<std::ptrdiff_t>(first),
                           model.forward.begin() + static_cast<std::ptrdiff_t>(last)});
  for (std::size_t i = 1; i + 1 < model.backward.size(); ++i) sum += seconds_of(model.backward[i].kernels);
  return sum;
}

// Its launch is hidden behind what the GPU computes.
double alone_s(const CollectivePlanner& planner, CollectiveOp op, Scope scope, double bytes, int ranks) {
  const CollectivePlan plan = planner.plan({op, bytes, CollectiveAlgorithm::automatic, scope, ranks});
  return std::max(0.0, plan.idle_time_s - plan.launch_s);
}

}  // namespace

bool is_model_parallel(const Job& job) { return job.gpus_per_model() > 1; }

ModelParallelTimes model_parallel_times(const Job& job, const StepModel& model, const CollectivePlanner& planner,
                                        int gpus, int gpus_per_node) {
  require(model.forward_ends.size() >= 3, "a divided network is embedding, layers and head");
  ModelParallelTimes times;
  const int t = job.tensor_parallel, p = job.pipeline_parallel;
  const double layers = static_cast<double>(job.shape.layers) / p;
  const double activations =
      job.micro_batch() * job.tokens_per_sequence * job.shape.hidden * activation_bytes(job.precision);
  if (t > 1) {
    times.tensor_bytes = activations;
    times.tensor_alone_s = alone_s(planner, CollectiveOp::all_reduce, Scope::world, activations, t);
    times.tensor_s = layers * (sums_of_a_layer + (job.activation_checkpointing ? 2 : 0)) * times.tensor_alone_s;
  }
  if (p == 1) return times;
  const int stage = gpus / p;
  const double of_a_gpu = activations / t;
  if (stage >= gpus_per_node) {  // all GPUs of a node send at once
    times.send_bytes = of_a_gpu * gpus_per_node;
    times.send_alone_s = alone_s(planner, CollectiveOp::send_recv, Scope::across, of_a_gpu, 2 * gpus_per_node);
  } else {
    times.send_bytes = of_a_gpu;
    times.send_alone_s = alone_s(planner, CollectiveOp::send_recv, Scope::world, of_a_gpu, 2);
  }
  times.send_s = 2.0 * job.interleave * times.send_alone_s;
  times.bubble_s = (p - 1.0) / job.interleave * (layers_s(model) + times.tensor_s) + (p - 1.0) * 2 * times.send_alone_s;
  times.bubble_share = (p - 1.0) / (static_cast<double>(job.interleave) * job.accumulation);
  return times;
}

}  // namespace clustersim
