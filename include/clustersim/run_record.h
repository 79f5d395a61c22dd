// What happened in a simulated window: one span a task, samples of resources, and a fingerprint of the order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clustersim/sim_time.h"
#include "clustersim/task_graph.h"

namespace clustersim {

// A task's life. `ready` is when its predecessors were done (and, on a stream, its turn had come).
// `last_predecessor` is the one that released it: the previous task of its stream counts as one; -1 if none.
struct Span {
  TaskId task = -1;
  SimTime ready = 0;
  SimTime start = 0;
  SimTime end = 0;
  TaskId last_predecessor = -1;
};

// Use of one shared resource over the window.
struct ResourceUse {
  double busy_s = 0;       // time with at least one flow on it
  double carried = 0;      // units served (bytes, core-seconds)
  double saturated_s = 0;  // time during which its capacity was what limited some flow
};

// Use of one GPU over the window.
struct GpuUse {
  double compute_s = 0;             // some compute task ran
  double activity_s = 0;            // integral of Work::activity over compute_s
  double communication_only_s = 0;  // a transfer held the GPU and no compute task ran
};

// What flows over a resource changes by so many units a second; recorded on request only.
struct RateChange {
  SimTime time = 0;
  ResourceId resource = -1;
  double change = 0;
};

struct RunRecord {
  std::vector<Span> spans;             // indexed by TaskId
  std::vector<ResourceUse> resources;  // indexed by ResourceId
  std::vector<GpuUse> gpus;            // indexed by GpuId
  std::vector<RateChange> rates;       // in order of time; empty unless asked for
  SimTime end = 0;
  std::uint64_t events = 0;
  std::uint64_t fingerprint = 0;  // of the (time, task) pairs in order
};

}  // namespace clustersim
