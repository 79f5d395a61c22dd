// Collectives message by message: which message starts when another has arrived.
//
// A task that names a MessagePattern (task_graph.h) is a set of lanes. Each lane carries one message a step:
//   the first starts with the pattern, the next when its own has been delivered and, where the lane comes after
//   another, that lane's message of the same step has been delivered too
// so a ring rank sends on what it received once its own send is through. A lane has one message under way at most, and
// so the lane's number names the flow: numbers follow those of the tasks. Kept is one small state a lane, whatever the
// number of messages.
// Checked by: tests/engine/message_runs_test.cc
#pragma once

#include <cstdint>
#include <vector>

#include "clustersim/task_graph.h"
#include "sim/engine/flow_network.h"

namespace clustersim {

// nullptr if the pattern can run on such resources, else what is wrong with it.
const char* fault_of(const MessagePattern& pattern, const std::vector<double>& resource_capacity);

class MessageRuns {
 public:
  // The graph and the network must outlive it.
  MessageRuns(const TaskGraph& graph, FlowNetwork& network);

  bool is_message(FlowId id) const { return id >= first_id_; }
  // The latency of a task with a pattern is over.
  void start(TaskId task);
  // On transfer_flows of a message.
  void flow(FlowId id);
  // On task_ends of a message; the task if that was its last message, else -1.
  TaskId end(FlowId id);

 private:
  struct Lane {
    std::int32_t run = -1;
    std::int32_t started = 0, delivered = 0;  // messages of this lane
    std::int32_t received = 0;                // delivered by the lane that it comes after
  };
  struct Run {  // a task with a pattern
    TaskId task = -1;
    std::int32_t pattern = -1;
    std::int32_t first_lane = 0;
    std::int64_t messages_left = 0;
  };

  const MessageLane& lane_of(std::int32_t lane) const;
  FlowDemand demand(std::int32_t lane) const;
  void start_next(std::int32_t lane);

  const TaskGraph& graph_;
  FlowNetwork& network_;
  FlowId first_id_;
  std::vector<Run> runs_;
  std::vector<std::int32_t> run_of_task_;  // empty where no task has a pattern
  std::vector<Lane> lanes_;
  std::vector<std::vector<std::int32_t>> feeds_;  // by pattern, then lane: the lane that comes after it, -1: none
};

}  // namespace clustersim
