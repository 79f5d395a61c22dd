// The input pipelines of all simulated GPUs: batch after batch through the stages, `prefetch` batches ahead of the GPU.
//
// A stage handles one batch at a time; a slot of the queue is free once the batch `prefetch` steps back has been taken
// up by the GPU.
// Checked by: tests/sim/input_stages_test.cc
#pragma once

#include <string>
#include <vector>

#include "clustersim/task_graph.h"

namespace clustersim {

// One stage of a GPU's input pipeline for the batch of one step.
struct InputStage {
  std::string label;    // "read", "decode", "copy"
  double amount = 0;    // bytes or core-seconds for a whole step
  double rate_cap = 0;  // units a second, 0 = none
  double latency_s = 0;
  std::vector<Use> uses;
};

// A simulated GPU: what it computes and how it is fed.
struct Rank {
  GpuId gpu = -1;
  int model = 0;  // index into DataParallelSpec::models
  StreamId compute_stream = -1;
  std::vector<StreamId> stage_streams;  // one in-order queue per input stage
  std::vector<InputStage> stages;       // empty: synthetic data already on the GPU
  double gpu_decode_s = 0;              // GPU time spent decoding the step's batch
};

class InputFeed {
 public:
  InputFeed(std::vector<Rank> ranks, int prefetch);

  // The input tasks of one step, for every rank.
  void append(TaskGraph& graph, int step);
  // The task after which the rank's batch of the present step is there; -1 without input, and from the second call on.
  TaskId batch(std::size_t rank);
  // Whether the rank's batch of a step has been taken up, and by which task.
  bool is_taken(std::size_t rank, int step) const { return taken_[rank].size() > static_cast<std::size_t>(step); }
  void take(std::size_t rank, TaskId task) { taken_[rank].push_back(task); }

 private:
  std::vector<Rank> ranks_;
  int prefetch_;
  std::vector<TaskId> ready_;               // by rank: last input task of the present step
  std::vector<std::vector<TaskId>> taken_;  // by rank, then step
};

}  // namespace clustersim
