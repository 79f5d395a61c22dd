// One training step with sharded weights (ZeRO-3, FSDP) as a task graph.
//
// Units: the root (embedding and head of the network) and every layer. P parameters, P_r of them in the root; w bytes
// of a weight that travels (2 under half precision, else 4), g of a gradient; n shards.
//   forward    all-gather of the root, then of each layer, before the unit computes
//   backward   all-gather of each layer again; the root stays whole between the passes; reduce-scatter of a unit's
//              gradients once they are there, of the root's at the end
//   every pass of a step does so; bytes a pass: gathered w (2 P - P_r), scattered g P: without a root 1.5 times what an
//   all-reduce moves where w = g
//   hybrid     the same inside each node, and after the last pass of a step an all-reduce of g P / n between nodes
// With job.overlap the all-gather of a unit runs while the one before it computes (prefetch of one: at most two layers
// are whole); without, it waits for that. All collectives share one in-order queue, as those of one process group do.
// The optimizer updates 1 / n of the weights.
// Source: Rajbhandari et al. 2020 (ZeRO); Zhao et al. 2023 and PyTorch's fully_shard (units, prefetch, order).
// Checked by: tests/sim/sharded_step_test.cc
#pragma once

#include <vector>

#include "models/workload/data_parallel.h"
#include "models/workload/step_tasks.h"

namespace clustersim {

struct RepeatedCollective {
  CollectiveRequest request;
  double times = 1;
};
// What a step asks for; none for one GPU.
std::vector<RepeatedCollective> sharded_collectives(const Job& job, const StepModel& model, int gpus,
                                                    int gpus_per_node);

class ShardedStep final : public StepSource {
 public:
  // As DataParallel; every model has forward_ends. The planners must outlive the source.
  ShardedStep(DataParallelSpec spec, const CollectivePlanner* planner, const MessagePlanner* messages = nullptr);
  void append_step(TaskGraph& graph, int step) override;

 private:
  void make_works(TaskGraph& graph);
  void append_forward(TaskGraph& graph, int step);
  void append_backward(TaskGraph& graph, int step, bool last);
  void append_update(TaskGraph& graph, int step);
  // What a rank's last backward task is followed by: launches that took longer than the GPU, the slowest rank.
  void append_delays(TaskGraph& graph, std::size_t rank, int step);
  void append_all(TaskGraph& graph, const std::vector<std::vector<WorkId>>& works, std::size_t block, const char* label,
                  int step, TaskId gathered);
  TaskId gather(TaskGraph& graph, double elements, int step, std::vector<TaskId> after);
  void scatter(TaskGraph& graph, double elements, int step, bool last);

  DataParallelSpec spec_;
  StepTasks tasks_;
  InputFeed feed_;
  Scope scope_;
  double layer_elements_ = 0, root_elements_ = 0;
  std::size_t blocks_ = 0;
  std::vector<std::vector<WorkId>> forward_, backward_;  // by model, then block in its order
  std::vector<WorkId> optimizer_, decode_;
  std::vector<double> pass_s_;                // by model: kernels of one pass, alone on the GPU
  std::vector<TaskId> computed_;              // by rank: its last task of computing; empty before the first
  std::vector<std::vector<TaskId>> history_;  // tasks of all ranks, by block in order of use, of the present pass
  std::vector<TaskId> reduced_;               // what the optimizer waits for
  bool works_made_ = false;
};

}  // namespace clustersim
