// One synchronous data-parallel training step as a task graph.
//
// On every simulated GPU: batch (read -> decode -> copy, `prefetch` batches ahead), forward, backward cut where a
// gradient bucket is full, the bucket's collective on one in-order queue shared by all ranks, optimizer, host syncs.
// Micro-batches before the last are folded into one task when they exchange nothing: kernel times add up linearly,
// so the folded task lasts exactly as long.
//
// Policies:
//   DDP       buckets in backward order, the first of 1 MiB, then `job.bucket`; launched when full (overlap) or
//             after the backward pass (no overlap)
//   Horovod   every cycle takes what is ready, up to the fusion buffer; a bucket waits half a cycle on average and
//             is copied in and out of the fusion buffer
//   ZeRO-1    a reduce-scatter in place of each bucket's all-reduce, 1 / n of the update, one all-gather of the weights
//             after it: together what an all-reduce moves. Sharded weights: sharded_step.h
//   divided   sums of layers, sends between stages and the pipeline's bubble (model_parallel.h) before the last pass;
//             gradients of a stage among the GPUs of its copies
//   rs_ar_ag  reduce-scatter in the node, all-reduce across nodes, sharded optimizer, all-gather in the node
// Source: PyTorch DDP reducer, Horovod operations.cc, MLPerf BERT submissions' distributed LAMB.
// Checked by: tests/sim/data_parallel_test.cc, tests/sim/input_stages_test.cc
#pragma once

#include <string>
#include <vector>

#include "clustersim/scenario.h"
#include "models/collective/planner.h"
#include "models/workload/input_feed.h"
#include "models/workload/model_parallel.h"
#include "models/workload/step_model.h"
#include "models/workload/step_source.h"
#include "models/workload/step_tasks.h"

namespace clustersim {

struct DataParallelSpec {
  Job job;
  std::vector<StepModel> models;  // one per kind of GPU
  std::vector<Rank> ranks;
  StreamId collective_stream = -1;
  int world = 1;               // data-parallel ranks of the whole job, folded ones included
  int gpus_per_node = 1;       // of the smallest node: gradients are scattered over so many
  int prefetch = 2;            // batches loaded ahead
  double straggler_share = 0;  // expected delay of the slowest rank over its compute time
  ModelParallelTimes divided;  // where a model is divided among GPUs; `world` are then those of one stage
};

// A group of gradients reduced together.
struct Bucket {
  std::vector<Kernel> kernels;  // backward kernels that end when it is full
  double bytes = 0;             // gradients
};

// On their way: 2 bytes under half precision, else 4; gradients as the job says.
double bytes_per_gathered_weight(const Job& job);
double bytes_per_gradient(const Job& job);

// Cuts the backward pass into buckets. `reduce_s` estimates a bucket's reduction time (Horovod's cycles only).
std::vector<Bucket> gradient_buckets(const Job& job, const StepModel& model, const CollectivePlanner* planner);

class DataParallel final : public StepSource {
 public:
  // The planners must outlive the source; `planner` is null with one rank, `messages` where a collective is one
  // transfer. What has no messages is one transfer in either case.
  DataParallel(DataParallelSpec spec, const CollectivePlanner* planner, const MessagePlanner* messages = nullptr);
  void append_step(TaskGraph& graph, int step) override;

 private:
  void append_micro_batch(TaskGraph& graph, int step, bool last);
  void append_model_parallel(TaskGraph& graph, int step);
  double exchanged(double bytes) const { return bytes * spec_.job.tensor_parallel; }  // by the GPUs of a layer
  bool exchanges() const { return spec_.world > spec_.job.tensor_parallel; }
  std::vector<TaskId> append_reduction(TaskGraph& graph, int step, std::vector<TaskId> after, double bytes);
  void append_update(TaskGraph& graph, int step);
  void make_works(TaskGraph& graph);

  DataParallelSpec spec_;
  const CollectivePlanner* planner_;
  StepTasks tasks_;
  InputFeed feed_;
  std::vector<std::vector<Bucket>> buckets_;  // by model
  std::vector<WorkId> folded_, forward_, optimizer_, decode_;
  std::vector<double> micro_batch_s_;          // by model: kernels of one micro-batch, alone on the GPU
  std::vector<std::vector<WorkId>> backward_;  // by model, then bucket
  std::vector<TaskId> gradients_ready_;        // by rank: last compute task of the current step
  std::vector<TaskId> reduced_;                // what the optimizer waits for
  bool works_made_ = false;
};

}  // namespace clustersim
