#include "models/workload/sharded_step.h"

#include <algorithm>
#include <utility>

#include "clustersim/error.h"
#include "models/compute/roofline.h"

namespace clustersim {

std::vector<RepeatedCollective> sharded_collectives(const Job& job, const StepModel& model, int gpus,
                                                    int gpus_per_node) {
  if (gpus < 2) return {};
  const Scope scope = job.sharding == Sharding::hybrid ? Scope::node : Scope::world;
  const double passes = job.accumulation, layers = static_cast<double>(model.backward.size()) - 2;
  const double root = model.backward.front().gradient_elements + model.backward.back().gradient_elements;
  const double layer = model.backward[1].gradient_elements;
  const auto asked = [&](CollectiveOp op, Scope where, double bytes, double times) {
    return RepeatedCollective{{op, bytes, job.algorithm, where, 0}, times};
  };
  const double weight = bytes_per_gathered_weight(job), gradient = bytes_per_gradient(job);
  std::vector<RepeatedCollective> all = {asked(CollectiveOp::all_gather, scope, root * weight, passes),
                                         asked(CollectiveOp::all_gather, scope, layer * weight, 2 * passes * layers),
                                         asked(CollectiveOp::reduce_scatter, scope, root * gradient, passes),
                                         asked(CollectiveOp::reduce_scatter, scope, layer * gradient, passes * layers)};
  if (scope == Scope::node && gpus > gpus_per_node) {
    const double reduced = job.no_sync ? 1 : passes;
    all.push_back(asked(CollectiveOp::all_reduce, Scope::across, root * gradient / gpus_per_node, reduced));
    all.push_back(asked(CollectiveOp::all_reduce, Scope::across, layer * gradient / gpus_per_node, reduced * layers));
  }
  return all;
}

ShardedStep::ShardedStep(DataParallelSpec spec, const CollectivePlanner* planner, const MessagePlanner* messages)
    : spec_(std::move(spec)),
      tasks_(planner, messages, spec_.collective_stream, spec_.job.algorithm, 0),
      feed_(spec_.ranks, spec_.prefetch),
      scope_(spec_.job.sharding == Sharding::hybrid ? Scope::node : Scope::world) {
  require(!spec_.ranks.empty() && !spec_.models.empty(), "a sharded step has ranks and a model");
  require(spec_.world == 1 || planner != nullptr, "several ranks need a collective planner");
  const StepModel& model = spec_.models.front();
  blocks_ = model.forward_ends.size();
  require(blocks_ >= 3 && model.backward.size() == blocks_, "a sharded network is embedding, layers and head");
  root_elements_ = model.backward.front().gradient_elements + model.backward.back().gradient_elements;
  layer_elements_ = model.backward[1].gradient_elements;
}

void ShardedStep::make_works(TaskGraph& graph) {
  for (const StepModel& model : spec_.models) {
    require(model.forward_ends.size() == blocks_, "all ranks run one network");
    forward_.emplace_back();
    backward_.emplace_back();
    double pass_s = 0;
    const auto add = [&](std::vector<WorkId>& works, std::vector<Kernel> kernels) {
      pass_s += work_seconds({kernels, 1.0}, {});
      works.push_back(graph.add_work({std::move(kernels), 1.0}));
    };
    std::size_t begin = 0;
    for (const std::size_t end : model.forward_ends) {
      const auto at = [&](std::size_t i) { return model.forward.begin() + static_cast<std::ptrdiff_t>(i); };
      add(forward_.back(), {at(begin), at(end)});
      begin = end;
    }
    for (const Segment& segment : model.backward) add(backward_.back(), segment.kernels);
    pass_s_.push_back(pass_s);
    optimizer_.push_back(graph.add_work({model.optimizer, 1.0}));
  }
  for (const Rank& rank : spec_.ranks) decode_.push_back(graph.add_work({{{rank.gpu_decode_s, 0, 0}}, 1.0}));
  works_made_ = true;
}

TaskId ShardedStep::gather(TaskGraph& graph, double elements, int step, std::vector<TaskId> after) {
  if (spec_.world == 1) return -1;
  return tasks_.collective(graph, CollectiveOp::all_gather, scope_, elements * bytes_per_gathered_weight(spec_.job),
                           "all-gather", step, std::move(after));
}

void ShardedStep::scatter(TaskGraph& graph, double elements, int step, bool last) {
  if (spec_.world == 1) return;
  const double bytes = elements * bytes_per_gradient(spec_.job);
  reduced_ = {tasks_.collective(graph, CollectiveOp::reduce_scatter, scope_, bytes, "reduce-scatter", step, computed_)};
  const bool between_nodes = scope_ == Scope::node && spec_.world > spec_.gpus_per_node;
  if (between_nodes && (last || !spec_.job.no_sync))
    reduced_ = {tasks_.collective(graph, CollectiveOp::all_reduce, Scope::across, bytes / spec_.gpus_per_node,
                                  "all-reduce of shards", step, reduced_)};
}

void ShardedStep::append_all(TaskGraph& graph, const std::vector<std::vector<WorkId>>& works, std::size_t block,
                             const char* label, int step, TaskId gathered) {
  computed_.resize(spec_.ranks.size());
  for (std::size_t r = 0; r < spec_.ranks.size(); ++r) {
    const Rank& rank = spec_.ranks[r];
    std::vector<TaskId> after;
    if (gathered >= 0) after.push_back(gathered);
    if (const TaskId batch = feed_.batch(r); batch >= 0) after.push_back(batch);
    if (rank.gpu_decode_s > 0 && !feed_.is_taken(r, step))
      tasks_.compute(graph, rank, decode_[r], Part::input, "gpu decode", step, std::exchange(after, {}));
    computed_[r] = tasks_.compute(graph, rank, works[static_cast<std::size_t>(rank.model)][block],
                                  Part::forward_backward, label, step, std::move(after));
    if (!feed_.is_taken(r, step)) feed_.take(r, computed_[r]);
  }
  history_.push_back(computed_);
}

// With a prefetch of one, the memory of the unit two before must be free.
void ShardedStep::append_forward(TaskGraph& graph, int step) {
  const std::size_t ahead = spec_.job.overlap ? 2 : 1;
  const std::vector<TaskId> before = computed_;
  const TaskId root = gather(graph, root_elements_, step, before);
  history_.clear();
  append_all(graph, forward_, 0, "forward", step, root);
  for (std::size_t block = 1; block + 1 < blocks_; ++block) {
    const TaskId gathered = gather(graph, layer_elements_, step, block >= ahead ? history_[block - ahead] : before);
    append_all(graph, forward_, block, "forward", step, gathered);
  }
  append_all(graph, forward_, blocks_ - 1, "forward", step, -1);
}

void ShardedStep::append_delays(TaskGraph& graph, std::size_t r, int step) {
  const Rank& rank = spec_.ranks[r];
  const auto m = static_cast<std::size_t>(rank.model);
  const double passes = spec_.job.accumulation;
  const double launch_excess_s = passes * std::max(0.0, spec_.models[m].launch_bound.base() - pass_s_[m]);
  if (launch_excess_s > 0)
    computed_[r] = tasks_.delay(graph, rank, launch_excess_s, Part::host_overhead, "kernel launches", step);
  if (spec_.straggler_share > 0)
    computed_[r] =
        tasks_.delay(graph, rank, spec_.straggler_share * pass_s_[m] * passes, Part::straggler, "slowest rank", step);
}

// A unit's all-gather is asked for before the unit in front of it computes, hence before that one's reduce-scatter.
void ShardedStep::append_backward(TaskGraph& graph, int step, bool last) {
  const std::size_t ahead = spec_.job.overlap ? 2 : 1;
  const auto gather_layer = [&](std::size_t block) {
    if (block + 1 >= blocks_) return TaskId(-1);
    return gather(graph, layer_elements_, step, history_[blocks_ + block - ahead]);
  };
  TaskId next = spec_.job.overlap ? gather_layer(1) : -1;
  append_all(graph, backward_, 0, "backward", step, -1);
  for (std::size_t block = 1; block + 1 < blocks_; ++block) {
    const TaskId gathered = spec_.job.overlap ? next : gather_layer(block);
    if (spec_.job.overlap) next = gather_layer(block + 1);
    append_all(graph, backward_, block, "backward", step, gathered);
    scatter(graph, layer_elements_, step, last);
  }
  append_all(graph, backward_, blocks_ - 1, "backward", step, -1);
  if (last)
    for (std::size_t r = 0; r < spec_.ranks.size(); ++r) append_delays(graph, r, step);
  scatter(graph, root_elements_, step, last);
}

void ShardedStep::append_update(TaskGraph& graph, int step) {
  for (std::size_t r = 0; r < spec_.ranks.size(); ++r) {
    const Rank& rank = spec_.ranks[r];
    const auto m = static_cast<std::size_t>(rank.model);
    const StepModel& model = spec_.models[m];
    computed_[r] = tasks_.compute(graph, rank, optimizer_[m], Part::optimizer, "optimizer", step, reduced_);
    if (model.optimizer_host > Time())
      computed_[r] =
          tasks_.delay(graph, rank, model.optimizer_host.base(), Part::optimizer, "optimizer launches", step);
    computed_[r] = tasks_.delay(graph, rank, model.step_host.base(), Part::host_overhead, "host synchronisation", step);
  }
}

void ShardedStep::append_step(TaskGraph& graph, int step) {
  if (!works_made_) make_works(graph);
  reduced_.clear();
  feed_.append(graph, step);
  for (int pass = 0; pass < spec_.job.accumulation; ++pass) {
    append_forward(graph, step);
    append_backward(graph, step, pass + 1 == spec_.job.accumulation);
  }
  append_update(graph, step);
}

}  // namespace clustersim
