// The tasks that steps of many ranks are made of: compute and delays on a rank's stream, collectives of all on theirs.
// Checked by: tests/sim/data_parallel_test.cc, tests/sim/sharded_step_test.cc
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "clustersim/task_graph.h"
#include "models/collective/messages.h"
#include "models/collective/planner.h"
#include "models/workload/input_feed.h"

namespace clustersim {

class StepTasks {
 public:
  // The planners must outlive the tasks; `planner` is null with one rank, `messages` where a collective is one
  // transfer. `ranks`: of a collective of the world, 0: all. `negotiation_s`: what a collective waits for besides
  // (Horovod's coordinator).
  StepTasks(const CollectivePlanner* planner, const MessagePlanner* messages, StreamId collective_stream,
            CollectiveAlgorithm algorithm, double negotiation_s, int ranks = 0)
      : planner_(planner),
        messages_(messages),
        collective_stream_(collective_stream),
        algorithm_(algorithm),
        negotiation_s_(negotiation_s),
        ranks_(ranks) {}

  TaskId compute(TaskGraph& graph, const Rank& rank, WorkId work, Part part, const char* label, int step,
                 std::vector<TaskId> after = {});
  TaskId delay(TaskGraph& graph, const Rank& rank, double seconds, Part part, const char* label, int step,
               std::vector<TaskId> after = {});
  TaskId collective(TaskGraph& graph, CollectiveOp op, Scope scope, double bytes, const char* label, int step,
                    std::vector<TaskId> after);

 private:
  const Task& planned(TaskGraph& graph, const CollectiveRequest& request);

  const CollectivePlanner* planner_;
  const MessagePlanner* messages_;
  StreamId collective_stream_;
  CollectiveAlgorithm algorithm_;
  double negotiation_s_;
  int ranks_;
  std::map<std::pair<std::pair<CollectiveOp, Scope>, double>, Task> collectives_;  // by operation, scope and bytes
};

}  // namespace clustersim
