#include "sim/engine/message_runs.h"

#include "clustersim/error.h"

namespace clustersim {

namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

const char* fault_of(const MessagePattern& pattern, const std::vector<double>& resource_capacity) {
  if (pattern.lanes.empty() || pattern.steps < 1) return "a pattern without messages";
  std::vector<bool> fed(pattern.lanes.size(), false);
  for (const MessageLane& lane : pattern.lanes) {
    if (!(lane.amount >= 0) || !(lane.latency_s >= 0)) return "a message of negative amount or latency";
    if (lane.first_use < 0 || lane.use_count < 0 || at(lane.first_use) + at(lane.use_count) > pattern.uses.size())
      return "a lane whose uses do not exist";
    if (lane.after < -1 || lane.after >= static_cast<std::int32_t>(pattern.lanes.size())) return "unknown lane";
    if (lane.after < 0) continue;
    if (fed[at(lane.after)]) return "two lanes after the same one";
    fed[at(lane.after)] = true;
  }
  for (const Use& use : pattern.uses) {
    if (use.resource < 0 || at(use.resource) >= resource_capacity.size()) return "unknown resource";
    if (!(resource_capacity[at(use.resource)] > 0)) return "a resource without capacity";
    if (!(use.weight > 0) || !(use.streams > 0)) return "a use without weight or streams";
  }
  return nullptr;
}

MessageRuns::MessageRuns(const TaskGraph& graph, FlowNetwork& network)
    : graph_(graph), network_(network), first_id_(static_cast<FlowId>(graph.tasks.size())) {
  for (const MessagePattern& pattern : graph.patterns) {
    std::vector<std::int32_t>& feeds = feeds_.emplace_back(pattern.lanes.size(), -1);
    for (std::size_t i = 0; i < pattern.lanes.size(); ++i)
      if (pattern.lanes[i].after >= 0) feeds[at(pattern.lanes[i].after)] = static_cast<std::int32_t>(i);
  }
  std::size_t lanes = 0;
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const std::int32_t pattern = graph.tasks[i].messages;
    if (pattern < 0) continue;
    if (run_of_task_.empty()) run_of_task_.assign(graph.tasks.size(), -1);
    run_of_task_[i] = static_cast<std::int32_t>(runs_.size());
    runs_.push_back({static_cast<TaskId>(i), pattern, static_cast<std::int32_t>(lanes), 0});
    lanes += graph.patterns[at(pattern)].lanes.size();
  }
  require(graph.tasks.size() + lanes < INT32_MAX, "tasks and lanes of messages can be numbered");
  lanes_.resize(lanes);
}

const MessageLane& MessageRuns::lane_of(std::int32_t lane) const {
  const Run& run = runs_[at(lanes_[at(lane)].run)];
  return graph_.patterns[at(run.pattern)].lanes[at(lane - run.first_lane)];
}

FlowDemand MessageRuns::demand(std::int32_t lane) const {
  const Run& run = runs_[at(lanes_[at(lane)].run)];
  const MessagePattern& pattern = graph_.patterns[at(run.pattern)];
  const MessageLane& l = pattern.lanes[at(lane - run.first_lane)];
  return {l.amount, l.latency_s, 0.0, {pattern.uses.data() + l.first_use, at(l.use_count)}};
}

void MessageRuns::start(TaskId task) {
  const std::int32_t number = run_of_task_[at(task)];
  Run& run = runs_[at(number)];
  const MessagePattern& pattern = graph_.patterns[at(run.pattern)];
  const auto count = static_cast<std::int32_t>(pattern.lanes.size());
  run.messages_left = static_cast<std::int64_t>(count) * pattern.steps;
  for (std::int32_t i = 0; i < count; ++i) lanes_[at(run.first_lane + i)].run = number;
  for (std::int32_t i = 0; i < count; ++i) start_next(run.first_lane + i);
}

void MessageRuns::start_next(std::int32_t lane) {
  Lane& state = lanes_[at(lane)];
  const Run& run = runs_[at(state.run)];
  const bool through = state.started == state.delivered;
  const bool received = lane_of(lane).after < 0 || state.received >= state.started;
  if (!through || !received || state.started == graph_.patterns[at(run.pattern)].steps) return;
  ++state.started;
  network_.start(first_id_ + lane, demand(lane));
}

void MessageRuns::flow(FlowId id) { network_.flow(id, demand(id - first_id_)); }

TaskId MessageRuns::end(FlowId id) {
  network_.end(id);
  const std::int32_t lane = id - first_id_;
  Lane& state = lanes_[at(lane)];
  Run& run = runs_[at(state.run)];
  ++state.delivered;
  start_next(lane);
  const std::int32_t fed = feeds_[at(run.pattern)][at(lane - run.first_lane)];
  if (fed >= 0) {
    ++lanes_[at(run.first_lane + fed)].received;
    start_next(run.first_lane + fed);
  }
  return --run.messages_left == 0 ? run.task : -1;
}

}  // namespace clustersim
