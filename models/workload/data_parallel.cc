#include "models/workload/data_parallel.h"

#include <algorithm>
#include <utility>

#include "clustersim/error.h"
#include "models/compute/device_model.h"
#include "models/compute/roofline.h"
#include "models/workload/memory.h"

namespace clustersim {
namespace {

constexpr double ddp_first_bucket_bytes = 1048576.0;  // [published: torch reducer.hpp, kDefaultFirstBucketBytes]
// A Horovod coordinator round with the response cache warm. [published range 50-200 us at 1,000 ranks; assumed here]
constexpr double horovod_negotiation_s = 100e-6;

bool is_horovod(const Job& job) { return job.horovod_cycle > Time(); }

// A collective waits for the coordinator, and half a cycle on average.
double negotiation_s(const Job& job) {
  return is_horovod(job) && job.overlap ? horovod_negotiation_s + 0.5 * job.horovod_cycle.base() : 0.0;
}

double seconds_of(const std::vector<Kernel>& kernels) {
  const Conditions alone;
  double sum = 0;
  for (const Kernel& k : kernels) sum += kernel_seconds(k, alone);
  return sum;
}

void append(std::vector<Kernel>& to, const std::vector<Kernel>& from) { to.insert(to.end(), from.begin(), from.end()); }

// Index of the segment that closes each bucket, by size alone.
std::vector<std::size_t> cuts_by_size(const Job& job, const std::vector<Segment>& segments) {
  std::vector<std::size_t> cuts;
  double limit = ddp_first_bucket_bytes, bytes = 0;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    bytes += segments[i].gradient_elements * bytes_per_gradient(job);
    if (bytes >= limit) {
      cuts.push_back(i);
      bytes = 0;
      limit = job.bucket.base();
    }
  }
  return cuts;
}

// Index of the segment that closes each bucket when a background thread wakes every cycle and takes what is ready.
// The next cycle cannot start before the previous reduction was handed over, so a long reduction makes the next
// bucket bigger, up to the fusion buffer.
std::vector<std::size_t> cuts_by_cycle(const Job& job, const std::vector<Segment>& segments,
                                       const CollectivePlanner* planner) {
  std::vector<std::size_t> cuts;
  double now = 0, next_cycle = job.horovod_cycle.base(), bytes = 0;
  const auto cut_after = [&](std::size_t segment) {
    cuts.push_back(segment);
    const double reduction =
        planner ? planner->plan({CollectiveOp::all_reduce, bytes, job.algorithm, Scope::world, 0}).idle_time_s : 0.0;
    next_cycle = std::max(now, next_cycle) + std::max(job.horovod_cycle.base(), reduction);
    bytes = 0;
  };
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const double own = segments[i].gradient_elements * bytes_per_gradient(job);
    if (bytes > 0 && bytes + own > job.bucket.base()) cut_after(i - 1);
    now += seconds_of(segments[i].kernels);
    bytes += own;
    if (bytes > 0 && now >= next_cycle) cut_after(i);
  }
  return cuts;
}

}  // namespace

double bytes_per_gathered_weight(const Job& job) { return activation_bytes(job.precision); }

double bytes_per_gradient(const Job& job) { return job.gradient_precision == GradientPrecision::fp16 ? 2.0 : 4.0; }

std::vector<Bucket> gradient_buckets(const Job& job, const StepModel& model, const CollectivePlanner* planner) {
  const std::vector<Segment>& segments = model.backward;
  std::vector<std::size_t> cuts;
  if (job.bucket > Bytes() && job.reduction == Reduction::all_reduce)
    cuts = is_horovod(job) && job.overlap ? cuts_by_cycle(job, segments, planner) : cuts_by_size(job, segments);
  std::vector<Bucket> buckets(1);
  for (std::size_t i = 0, cut = 0; i < segments.size(); ++i) {
    append(buckets.back().kernels, segments[i].kernels);
    buckets.back().bytes += segments[i].gradient_elements * bytes_per_gradient(job);
    if (cut < cuts.size() && cuts[cut] == i) {
      ++cut;
      if (i + 1 < segments.size()) buckets.emplace_back();
    }
  }
  return buckets;
}

DataParallel::DataParallel(DataParallelSpec spec, const CollectivePlanner* planner, const MessagePlanner* messages)
    : spec_(std::move(spec)),
      planner_(planner),
      tasks_(planner, messages, spec_.collective_stream, spec_.job.algorithm, negotiation_s(spec_.job),
             is_model_parallel(spec_.job) ? spec_.world : 0),
      feed_(spec_.ranks, spec_.prefetch) {
  require(!spec_.ranks.empty() && !spec_.models.empty(), "a data-parallel step has ranks and a model");
  require(spec_.world == 1 || planner_ != nullptr, "several ranks need a collective planner");
  // Ranks with other GPUs cut their backward pass at the same layers, or their buckets would not match.
  for (const StepModel& model : spec_.models) {
    buckets_.push_back(gradient_buckets(spec_.job, spec_.models.front(), planner_));
    std::size_t segment = 0, kernels_left = 0;
    for (Bucket& bucket : buckets_.back()) {
      kernels_left = bucket.kernels.size();
      bucket.kernels.clear();
      while (kernels_left > 0 && segment < model.backward.size()) {
        kernels_left -= std::min(kernels_left, spec_.models.front().backward[segment].kernels.size());
        append(bucket.kernels, model.backward[segment++].kernels);
      }
    }
  }
}

void DataParallel::make_works(TaskGraph& graph) {
  const double folded = spec_.job.accumulation - 1;
  for (std::size_t m = 0; m < spec_.models.size(); ++m) {
    const StepModel& model = spec_.models[m];
    forward_.push_back(graph.add_work({model.forward, 1.0}));
    optimizer_.push_back(graph.add_work({model.optimizer, 1.0}));
    backward_.emplace_back();
    std::vector<Kernel> whole = model.forward;
    double backward_s = 0;
    for (const Bucket& bucket : buckets_[m]) {
      backward_s += seconds_of(bucket.kernels);
      backward_.back().push_back(graph.add_work({bucket.kernels, 1.0}));
      append(whole, bucket.kernels);
    }
    micro_batch_s_.push_back(seconds_of(model.forward) + backward_s);
    for (Kernel& k : whole) {
      k.math_s *= folded;
      k.memory_s *= folded;
      k.fixed_s *= folded;
    }
    folded_.push_back(graph.add_work({whole, 1.0}));
  }
  for (const Rank& rank : spec_.ranks) decode_.push_back(graph.add_work({{{rank.gpu_decode_s, 0, 0}}, 1.0}));
  works_made_ = true;
}

void DataParallel::append_micro_batch(TaskGraph& graph, int step, bool last) {
  const std::size_t n = spec_.ranks.size();
  const bool reduces = exchanges() && (last || !spec_.job.no_sync);
  for (std::size_t r = 0; r < n; ++r) {
    const Rank& rank = spec_.ranks[r];
    std::vector<TaskId> after = reduced_;  // without no_sync: the gradients of the micro-batch before
    if (const TaskId batch = feed_.batch(r); batch >= 0) after.push_back(batch);
    if (rank.gpu_decode_s > 0 && !feed_.is_taken(r, step))
      tasks_.compute(graph, rank, decode_[r], Part::input, "gpu decode", step, std::exchange(after, {}));
    gradients_ready_[r] = tasks_.compute(graph, rank, forward_[static_cast<std::size_t>(rank.model)],
                                         Part::forward_backward, "forward", step, after);
    if (!feed_.is_taken(r, step)) feed_.take(r, gradients_ready_[r]);
  }
  const bool overlapped = reduces && spec_.job.overlap && spec_.job.reduction == Reduction::all_reduce;
  const std::size_t bucket_count = buckets_.front().size();
  for (std::size_t b = 0; b < bucket_count; ++b) {
    const bool final_bucket = b + 1 == bucket_count;
    for (std::size_t r = 0; r < n; ++r) {
      const Rank& rank = spec_.ranks[r];
      const auto m = static_cast<std::size_t>(rank.model);
      gradients_ready_[r] = tasks_.compute(graph, rank, backward_[m][b], Part::forward_backward, "backward", step);
      if (final_bucket && last) {
        const double micro_s = micro_batch_s_[m];
        const double launch_excess =
            spec_.job.accumulation * std::max(0.0, spec_.models[m].launch_bound.base() - micro_s);
        if (launch_excess > 0)
          gradients_ready_[r] = tasks_.delay(graph, rank, launch_excess, Part::host_overhead, "kernel launches", step);
        if (spec_.straggler_share > 0)
          gradients_ready_[r] = tasks_.delay(graph, rank, spec_.straggler_share * micro_s * spec_.job.accumulation,
                                             Part::straggler, "slowest rank", step);
      }
    }
    if (overlapped && buckets_.front()[b].bytes > 0)
      reduced_ = append_reduction(graph, step, gradients_ready_, exchanged(buckets_.front()[b].bytes));
  }
  if (!reduces || overlapped) return;
  reduced_ = gradients_ready_;
  for (const Bucket& bucket : buckets_.front())
    if (bucket.bytes > 0) reduced_ = append_reduction(graph, step, reduced_, exchanged(bucket.bytes));
}

std::vector<TaskId> DataParallel::append_reduction(TaskGraph& graph, int step, std::vector<TaskId> after,
                                                   double bytes) {
  if (spec_.job.sharding == Sharding::optimizer)
    return {tasks_.collective(graph, CollectiveOp::reduce_scatter, Scope::world, bytes, "reduce-scatter", step,
                              std::move(after))};
  if (spec_.job.reduction == Reduction::all_reduce)
    return {
        tasks_.collective(graph, CollectiveOp::all_reduce, Scope::world, bytes, "all-reduce", step, std::move(after))};
  const TaskId scattered = tasks_.collective(graph, CollectiveOp::reduce_scatter, Scope::node, bytes, "reduce-scatter",
                                             step, std::move(after));
  if (spec_.world == spec_.gpus_per_node) return {scattered};
  return {tasks_.collective(graph, CollectiveOp::all_reduce, Scope::across, bytes / spec_.gpus_per_node,
                            "all-reduce of shards", step, {scattered})};
}

void DataParallel::append_update(TaskGraph& graph, int step) {
  std::vector<TaskId> updated;
  for (std::size_t r = 0; r < spec_.ranks.size(); ++r) {
    const Rank& rank = spec_.ranks[r];
    const auto m = static_cast<std::size_t>(rank.model);
    const StepModel& model = spec_.models[m];
    TaskId id = tasks_.compute(graph, rank, optimizer_[m], Part::optimizer, "optimizer", step, reduced_);
    if (model.optimizer_host > Time())
      id = tasks_.delay(graph, rank, model.optimizer_host.base(), Part::optimizer, "optimizer launches", step);
    updated.push_back(id);
  }
  std::vector<TaskId> gathered;  // every stream waits for the weights of the others
  if (spec_.world > 1 && spec_.job.reduction == Reduction::rs_ar_ag) {
    double bytes = 0;
    for (const Bucket& bucket : buckets_.front()) bytes += bucket.bytes;
    gathered = {
        tasks_.collective(graph, CollectiveOp::all_gather, Scope::node, bytes, "all-gather", step, std::move(updated))};
  } else if (exchanges() && spec_.job.sharding == Sharding::optimizer) {
    // Beside fp32 gradients every GPU keeps fp32 weights; beside half ones half weights, whose masters are shared out.
    const double bytes = exchanged(spec_.models.front().parameters * (half_weights(spec_.job) ? 2 : 4));
    gathered = {tasks_.collective(graph, CollectiveOp::all_gather, Scope::world, bytes, "all-gather", step,
                                  std::move(updated))};
  }
  for (const Rank& rank : spec_.ranks)
    tasks_.delay(graph, rank, spec_.models[static_cast<std::size_t>(rank.model)].step_host.base(), Part::host_overhead,
                 "host synchronisation", step, gathered);
}

void DataParallel::append_step(TaskGraph& graph, int step) {
  if (!works_made_) make_works(graph);
  gradients_ready_.assign(spec_.ranks.size(), -1);
  reduced_.clear();
  feed_.append(graph, step);
  const int before_last = spec_.job.accumulation - 1;
  if (before_last > 0 && (spec_.job.no_sync || spec_.world == 1)) {
    for (std::size_t r = 0; r < spec_.ranks.size(); ++r) {
      const Rank& rank = spec_.ranks[r];
      std::vector<TaskId> after;
      if (const TaskId batch = feed_.batch(r); batch >= 0) after.push_back(batch);
      if (rank.gpu_decode_s > 0)
        tasks_.compute(graph, rank, decode_[r], Part::input, "gpu decode", step, std::exchange(after, {}));
      feed_.take(r, tasks_.compute(graph, rank, folded_[static_cast<std::size_t>(rank.model)], Part::forward_backward,
                                   "earlier micro-batches", step, after));
    }
  } else {
    for (int i = 0; i < before_last; ++i) append_micro_batch(graph, step, false);
  }
  append_model_parallel(graph, step);
  append_micro_batch(graph, step, true);
  append_update(graph, step);
}

// What a step's passes wait for beside their kernels, at once.
void DataParallel::append_model_parallel(TaskGraph& graph, int step) {
  const double passes = spec_.job.accumulation;
  const auto wait = [&](double seconds, Part part, const char* label) {
    for (const Rank& rank : spec_.ranks)
      if (seconds > 0) tasks_.delay(graph, rank, seconds, part, label, step);
  };
  wait(passes * spec_.divided.tensor_s, Part::communication, "tensor-parallel sums");
  wait(passes * spec_.divided.send_s, Part::communication, "sends between stages");
  wait(spec_.divided.bubble_s, Part::straggler, "pipeline bubble");
}

}  // namespace clustersim
