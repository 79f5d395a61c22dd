// DP50-n: one data-parallel step of 50 layers on n GPUs of one switch, as other simulators were timed on.
//
//   a layer   500 us forward, 1 ms backward, then an all-reduce of 2 MiB by the ring, beside the next layers
//   switch    50 GiB/s a port and direction, 500 ns a link; 1 chunk a step: 2(n-1) steps of 2 MiB / n
//   jitter    each rank's times up to 10 % longer, uniform, by counter-based random numbers
// Closed form without jitter: 50 (500 us + 1 ms) + the last layer's all-reduce, as each takes less than a layer.
// With jitter: the slowest rank takes that long; it is the last to reach every all-reduce.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "clustersim/random.h"
#include "clustersim/task_graph.h"
#include "sim/engine/machine.h"

namespace clustersim::speed {

struct StepOptions {
  int ranks = 256;
  bool messages = true;  // else each all-reduce is one transfer
  bool folded = false;   // one rank stands for all
  double jitter = 0;     // not with folded
};

struct StepWorkload {
  static constexpr int layers = 50;
  static constexpr double forward_s = 500e-6, backward_s = 1e-3, gradient_bytes = 2097152.0;
  static constexpr double bytes_per_s = 50.0 * 1073741824.0, latency_s = 2 * 500e-9;

  explicit StepWorkload(const StepOptions& o) : options(o) {
    const int simulated = o.folded ? 1 : o.ranks;
    machine.resource_capacity.assign(static_cast<std::size_t>(2 * simulated), bytes_per_s);
    machine.gpus = simulated;
    for (int r = 0; r < simulated; ++r) machine.stream_gpu.push_back(r);
    machine.stream_gpu.push_back(-1);
    const Task all_reduce = collective(simulated);
    std::vector<WorkId> forward, backward;
    for (int r = 0; r < simulated; ++r) {
      const double longer = 1 + o.jitter * random_uniform("jitter", 1, static_cast<std::uint64_t>(r));
      slowest = std::max(slowest, longer);
      forward.push_back(graph.add_work({{{longer * forward_s, 0, 0}}, 1.0}));
      backward.push_back(graph.add_work({{{longer * backward_s, 0, 0}}, 1.0}));
    }
    for (int layer = 0; layer < layers; ++layer) add_compute(forward);
    for (int layer = 0; layer < layers; ++layer) {
      Task task = all_reduce;
      task.after = add_compute(backward);
      graph.add(task);
    }
  }

  double steps() const { return 2.0 * (options.ranks - 1); }
  double all_reduce_s() const { return steps() * (gradient_bytes / options.ranks / bytes_per_s + latency_s); }
  double closed_s() const { return layers * slowest * (forward_s + backward_s) + all_reduce_s(); }
  double messages() const { return layers * steps() * (options.folded ? 1 : options.ranks); }

  StepOptions options;
  MachineSpec machine;
  TaskGraph graph;
  double slowest = 1;

 private:
  std::vector<TaskId> add_compute(const std::vector<WorkId>& works) {
    std::vector<TaskId> ids;
    for (std::size_t r = 0; r < works.size(); ++r) {
      Task task;
      task.kind = TaskKind::compute;
      task.stream = static_cast<StreamId>(r);
      task.work = works[r];
      ids.push_back(graph.add(task));
    }
    return ids;
  }

  // Rank r sends on link r and receives on link ranks + r; one that stands for all sends to itself.
  Task collective(int simulated) {
    Task task;
    task.kind = TaskKind::transfer;
    task.stream = simulated;
    MessagePattern pattern;
    pattern.steps = static_cast<std::int32_t>(steps());
    for (int r = 0; r < simulated; ++r) {
      MessageLane lane;
      lane.first_use = static_cast<std::int32_t>(pattern.uses.size());
      lane.use_count = 2;
      lane.after = (r + simulated - 1) % simulated;
      lane.amount = gradient_bytes / options.ranks;
      lane.latency_s = latency_s;
      pattern.uses.push_back({r, 1.0, 1.0});
      pattern.uses.push_back({simulated + (r + 1) % simulated, 1.0, 1.0});
      pattern.lanes.push_back(lane);
    }
    if (options.messages) {
      task.messages = graph.add_pattern(std::move(pattern));
      return task;
    }
    task.amount = gradient_bytes / options.ranks * steps();
    task.latency_s = latency_s * steps();
    for (ResourceId link = 0; link < 2 * simulated; ++link) task.uses.push_back({link, 1.0, 1.0});
    return task;
  }
};

}  // namespace clustersim::speed
