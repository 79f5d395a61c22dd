// A recorded step, again and again, on every simulated GPU.
//
// Each rank runs the pieces of its GPU's ReplayStep (replay_step.h); a collective is one task of all ranks, which waits
// for what each of them has before it. Collectives are planned for the simulated cluster:
//   group = all ranks of the recording (or not known): all GPUs, however many there are now
//   smaller groups of neighbours keep their size: the node's GPUs if these are as many, else the first so many
//   smaller groups of GPUs further apart (stride of a node or more): GPU i of every node
// or, with Job::recorded_collectives, take the time that was recorded, without loading any link.
// A GPU's batch comes through its input stages, if it has any, before the first piece.
//
// Planned collectives take nothing from kernels that were recorded beside them; added gradients do (planner.h).
// Checked by: tests/sim/replay_test.cc
#pragma once

#include <vector>

#include "models/workload/data_parallel.h"

namespace clustersim {

class Replay final : public StepSource {
 public:
  // The planners must outlive the source, as those of DataParallel. Every model of the spec has its replay.
  Replay(DataParallelSpec spec, const CollectivePlanner* planner, const MessagePlanner* messages = nullptr);
  void append_step(TaskGraph& graph, int step) override;

 private:
  void make_works(TaskGraph& graph);
  TaskId append_piece(TaskGraph& graph, std::size_t rank, std::size_t piece, int step);
  TaskId append_collective(TaskGraph& graph, std::size_t piece, int step);
  void append_decoding(TaskGraph& graph, std::size_t rank, int step);
  void add_after(Task& task, std::size_t rank, std::size_t piece, const std::vector<int>& after) const;
  const ReplayStep& replay(std::size_t rank) const;

  DataParallelSpec spec_;
  const CollectivePlanner* planner_;
  const MessagePlanner* messages_;
  InputFeed feed_;
  std::vector<Task> collectives_;           // by collective of the trace: as planned
  std::vector<std::vector<WorkId>> works_;  // by model, then piece
  std::vector<WorkId> decode_;              // by rank
  std::vector<std::vector<TaskId>> done_;   // by rank, then piece: its task in the present step
  std::vector<TaskId> step_end_;            // by rank: the last task of the step before
};

// What the planner is asked for.
CollectiveRequest replayed_request(const TraceCollective& collective, const DataParallelSpec& spec);

}  // namespace clustersim
