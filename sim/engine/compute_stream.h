// The compute tasks that run on the GPUs, at the conditions of the moment.
//
// A stream runs one task at a time (the executor sees to the order), so this part only knows what runs now. Its time is
// work_seconds(work, conditions) of models/compute/roofline.h, with
//   clock      the GPU's clock
//   free_sms   (1 - min(0.9, sum of what transfers hold of the SMs)) / n
//   free_dram  (1 - min(0.9, sum of what transfers hold of the DRAM)) / n
// n: compute tasks that run on this GPU at once, one a stream. They share it in equal parts, so that two streams
// together never do more than the GPU can [assumed: equal parts whatever the kernels' sizes].
// When conditions change, the part of the task that is done stays done:
//   seconds left = (part left) x work_seconds(work, new conditions)
// Changes only mark the GPU; rerate() at the end of the instant moves the ends of its tasks, once.
// A stream without GPU runs its work at the reference conditions (all 1).
// Times are remembered by (work, conditions), so repeated steps cost a look-up.
// Checked by: tests/engine/compute_stream_test.cc
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "clustersim/run_record.h"
#include "clustersim/task_graph.h"
#include "sim/engine/event_queue.h"
#include "sim/engine/machine.h"
#include "sim/engine/progress.h"

namespace clustersim {

// No collective takes more than this from the kernels of a GPU [assumed: they always get some SMs in the end].
inline constexpr double largest_hold = 0.9;

class ComputeStreams {
 public:
  // The works and the queue must outlive it; the queue receives task_ends (event_kinds.h).
  ComputeStreams(const MachineSpec& machine, const std::vector<Work>& works, EventQueue& queue);

  // A compute task starts, or ends, on a stream of this GPU (-1: none).
  void start(TaskId task, WorkId work, GpuId gpu);
  void end(TaskId task, GpuId gpu);

  // A transfer starts, or ends, to hold what it declares.
  void hold(const std::vector<Hold>& holds);
  void release(const std::vector<Hold>& holds);

  void set_clock(GpuId gpu, double clock);

  // Must rerate() be called before this instant is over?
  bool touched() const { return !touched_.empty(); }
  void rerate();

  // What a compute task gets on this GPU now.
  Conditions conditions(GpuId gpu) const;

  // Up to now.
  std::vector<GpuUse> gpu_uses();

 private:
  // Shares are kept as whole multiples of 2^-40, so that what is given back leaves exactly nothing behind.
  using Share = std::int64_t;

  struct Running {
    TaskId task = -1;
    WorkId work = -1;
    double seconds = 0;  // of the whole task at the present conditions; negative: not rated yet
    Progress left;       // seconds at the present conditions, rate 1
    EventId end_event = no_event;
  };
  struct Gpu {
    double clock = 1.0;
    Share held_sms = 0, held_dram = 0;
    int holders = 0;
    std::vector<Running> running;
    bool touched = false;
    SimTime since = 0;  // the use below counts up to here
    GpuUse use;
  };

  Gpu& gpu_at(GpuId id) { return gpus_[static_cast<std::size_t>(id)]; }
  void change(GpuId id);
  void count_use(Gpu& gpu);
  void add_holds(const std::vector<Hold>& holds, int sign);
  double seconds_of(WorkId work, int conditions_index);
  int index_of(const Conditions& conditions);

  const std::vector<Work>& works_;
  EventQueue& queue_;
  std::vector<Gpu> gpus_;
  std::vector<GpuId> touched_;
  std::map<std::array<double, 3>, int> conditions_index_;
  std::vector<Conditions> conditions_met_;
  std::vector<std::vector<double>> seconds_;  // by conditions index, then work; negative: not asked yet
};

}  // namespace clustersim
