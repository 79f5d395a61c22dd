// What has to be done and after what, never when: the only thing that passes between models and engine.
//
// Three kinds of task:
//   compute   kernels on one stream of one GPU, in stream order; the time follows from the GPU's conditions
//   transfer  an amount that flows over resources at once (links, disks, CPU cores), shared max-min
//   delay     a fixed time, on a stream (in stream order) or on none
// A transfer's amount is in bytes of payload, or in whatever unit its resources serve a second of (core-seconds
// for CPU pools). Raw doubles here carry their unit in the name: this is the engine's inner vocabulary.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace clustersim {

using TaskId = std::int32_t;
using ResourceId = std::int32_t;  // index into the machine's shared resources (links, disks, core pools)
using StreamId = std::int32_t;    // index into the machine's streams; -1: none
using GpuId = std::int32_t;       // index into the machine's GPUs
using LabelId = std::int32_t;     // index into TaskGraph::labels

enum class TaskKind : std::uint8_t { compute, transfer, delay };

// What a span of time counts as when a step is taken apart.
enum class Part : std::uint8_t { forward_backward, communication, input, optimizer, host_overhead, straggler, other };

// One kernel at the reference clock with the whole GPU to itself.
//   seconds = fixed_s + max(math_s / (clock * free_sms), memory_s / (free_dram * min(1, clock / memory_knee)))
struct Kernel {
  double math_s = 0;    // bound by arithmetic, scales with clock and free SMs
  double memory_s = 0;  // bound by DRAM
  double fixed_s = 0;   // gap, ramp and drain, scales with nothing
};

// The kernels of one compute task, shared by every task that runs the same segment.
struct Work {
  std::vector<Kernel> kernels;
  double activity = 1.0;  // switching activity of the chip while it runs, 0..1 (power model)
};
using WorkId = std::int32_t;  // index into TaskGraph::works

// What the GPU offers to a kernel at a moment.
struct Conditions {
  double clock = 1.0;      // relative to the reference clock, > 0
  double free_sms = 1.0;   // share of SMs that no collective holds, 0 < x <= 1
  double free_dram = 1.0;  // share of DRAM bandwidth left, 0 < x <= 1
};

// A resource crossed by a transfer: `weight` units of the resource per unit of the transfer, as `streams` flows.
struct Use {
  ResourceId resource = -1;
  double weight = 1.0;
  double streams = 1.0;
};

// What a transfer takes away from a GPU while it runs.
struct Hold {
  GpuId gpu = -1;
  double sms = 0.0;   // share of the GPU's SMs, 0..1
  double dram = 0.0;  // share of the GPU's DRAM bandwidth, 0..1
};

// A collective message by message. It runs over lanes; each carries one message a step, and starts the next one when
// its own has been delivered and, where it comes after a lane, that lane's message of the same step as well.
struct MessageLane {
  std::int32_t first_use = 0, use_count = 0;  // in MessagePattern::uses; ascending by resource, each once
  std::int32_t after = -1;                    // lane, -1: none; no two lanes come after the same one
  double amount = 0;                          // bytes of each message
  double latency_s = 0;                       // of each message, before its first byte flows
};
struct MessagePattern {
  std::vector<Use> uses;
  std::vector<MessageLane> lanes;
  std::int32_t steps = 1;
};

struct Task {
  TaskKind kind = TaskKind::delay;
  Part part = Part::other;
  LabelId label = -1;
  StreamId stream = -1;       // compute and delay: the stream that runs it in order; transfer: in-order queue or -1
  WorkId work = -1;           // compute
  double amount = 0;          // transfer: bytes (or core-seconds)
  double latency_s = 0;       // delay: its length; transfer: before the first byte flows
  double rate_cap = 0;        // transfer: most units a second, 0 = none
  std::int32_t step = 0;      // training step it belongs to
  std::vector<Use> uses;      // transfer
  std::vector<Hold> holds;    // transfer
  std::vector<TaskId> after;  // all must be done before it may start
  // transfer: index into TaskGraph::patterns; -1: `amount` over `uses`. After its latency the first messages start, and
  // it ends with the last.
  std::int32_t messages = -1;
};

// Append-only. Ids are positions; a task may only come after tasks already in the graph.
struct TaskGraph {
  std::vector<Task> tasks;
  std::vector<Work> works;
  std::vector<std::string> labels;
  std::vector<MessagePattern> patterns;

  TaskId add(Task task) {
    tasks.push_back(std::move(task));
    return static_cast<TaskId>(tasks.size()) - 1;
  }
  WorkId add_work(Work work) {
    works.push_back(std::move(work));
    return static_cast<WorkId>(works.size()) - 1;
  }
  std::int32_t add_pattern(MessagePattern pattern) {
    patterns.push_back(std::move(pattern));
    return static_cast<std::int32_t>(patterns.size()) - 1;
  }
  LabelId label(const std::string& text) {  // linear search: labels are few
    for (std::size_t i = 0; i < labels.size(); ++i)
      if (labels[i] == text) return static_cast<LabelId>(i);
    labels.push_back(text);
    return static_cast<LabelId>(labels.size()) - 1;
  }
};

}  // namespace clustersim
