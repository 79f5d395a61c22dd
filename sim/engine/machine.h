// What a run runs on: shared resources with their capacities, GPUs, and the streams that keep tasks in order.
#pragma once

#include <vector>

#include "clustersim/task_graph.h"

namespace clustersim {

// A GPU's clock moves at a moment that is known beforehand.
struct ClockChange {
  double time_s = 0;
  GpuId gpu = -1;
  double clock = 1.0;  // relative to the reference clock, > 0
};

struct MachineSpec {
  std::vector<double> resource_capacity;  // units a second, > 0 where used, by ResourceId
  int gpus = 0;
  std::vector<GpuId> stream_gpu;           // by StreamId; -1: a stream of the host, without GPU
  std::vector<double> gpu_clock;           // at the start, by GpuId; empty: 1 for all
  std::vector<ClockChange> clock_changes;  // in any order; of one instant and GPU the last listed holds
};

}  // namespace clustersim
