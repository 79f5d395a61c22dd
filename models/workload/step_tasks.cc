#include "models/workload/step_tasks.h"

namespace clustersim {
namespace {

// A task on a rank's compute stream, of a kind still to be set.
Task stream_task(TaskGraph& graph, const Rank& rank, Part part, const char* label, int step,
                 std::vector<TaskId> after) {
  Task task;
  task.part = part;
  task.label = graph.label(label);
  task.stream = rank.compute_stream;
  task.step = step;
  task.after = std::move(after);
  return task;
}

}  // namespace

TaskId StepTasks::compute(TaskGraph& graph, const Rank& rank, WorkId work, Part part, const char* label, int step,
                          std::vector<TaskId> after) {
  Task task = stream_task(graph, rank, part, label, step, std::move(after));
  task.kind = TaskKind::compute;
  task.work = work;
  return graph.add(std::move(task));
}

TaskId StepTasks::delay(TaskGraph& graph, const Rank& rank, double seconds, Part part, const char* label, int step,
                        std::vector<TaskId> after) {
  Task task = stream_task(graph, rank, part, label, step, std::move(after));
  task.kind = TaskKind::delay;
  task.latency_s = seconds;
  return graph.add(std::move(task));
}

// The same in every step, so planned once.
const Task& StepTasks::planned(TaskGraph& graph, const CollectiveRequest& request) {
  const auto [found, is_new] = collectives_.try_emplace({{request.op, request.scope}, request.bytes});
  Task& task = found->second;
  if (!is_new) return task;
  CollectivePlan plan = planner_->plan(request);
  std::optional<MessagePlan> messages = messages_ ? messages_->plan(request, plan) : std::nullopt;
  task.kind = TaskKind::transfer;
  task.part = Part::communication;
  task.stream = collective_stream_;
  // The host launches ahead of the GPU.
  task.latency_s = messages ? messages->latency_s - plan.launch_s : plan.latency_s - plan.launch_s;
  task.latency_s += negotiation_s_;
  if (messages) {
    task.messages = graph.add_pattern(std::move(messages->pattern));
  } else {
    task.amount = plan.amount_bytes;
    task.uses = std::move(plan.uses);
  }
  task.holds = std::move(plan.holds);
  return task;
}

TaskId StepTasks::collective(TaskGraph& graph, CollectiveOp op, Scope scope, double bytes, const char* label, int step,
                             std::vector<TaskId> after) {
  Task task = planned(graph, {op, bytes, algorithm_, scope, scope == Scope::world ? ranks_ : 0});
  task.label = graph.label(label);
  task.step = step;
  task.after = std::move(after);
  return graph.add(std::move(task));
}

}  // namespace clustersim
