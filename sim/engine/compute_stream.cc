#include "sim/engine/compute_stream.h"

#include <algorithm>
#include <cmath>

#include "models/compute/roofline.h"
#include "sim/engine/event_kinds.h"

namespace clustersim {

namespace {

constexpr double shares_per_unit = 1099511627776.0;  // 2^40

std::int64_t to_share(double part) { return std::llround(part * shares_per_unit); }

double free_part(std::int64_t held) {
  return 1.0 - std::min(largest_hold, static_cast<double>(held) / shares_per_unit);
}

}  // namespace

ComputeStreams::ComputeStreams(const MachineSpec& machine, const std::vector<Work>& works, EventQueue& queue)
    : works_(works), queue_(queue), gpus_(static_cast<std::size_t>(machine.gpus)) {
  require(machine.gpu_clock.empty() || machine.gpu_clock.size() == gpus_.size(), "every GPU has a clock, or none has");
  for (std::size_t i = 0; i < machine.gpu_clock.size(); ++i) {
    require(machine.gpu_clock[i] > 0, "a clock is above zero");
    gpus_[i].clock = machine.gpu_clock[i];
  }
}

void ComputeStreams::count_use(Gpu& gpu) {
  const double seconds = sim_time_to_seconds(queue_.now() - gpu.since);
  gpu.since = queue_.now();
  if (!gpu.running.empty()) {
    double activity = 0;
    for (const Running& r : gpu.running) activity += works_[static_cast<std::size_t>(r.work)].activity;
    gpu.use.compute_s += seconds;
    gpu.use.activity_s += seconds * activity / static_cast<double>(gpu.running.size());
  } else if (gpu.holders > 0) {
    gpu.use.communication_only_s += seconds;
  }
}

// Before anything about a GPU changes.
void ComputeStreams::change(GpuId id) {
  Gpu& gpu = gpu_at(id);
  count_use(gpu);
  if (gpu.touched) return;
  gpu.touched = true;
  touched_.push_back(id);
}

void ComputeStreams::start(TaskId task, WorkId work, GpuId gpu) {
  if (gpu < 0) {
    const double seconds = seconds_of(work, index_of(Conditions{}));
    queue_.schedule(queue_.now() + sim_time_from_seconds(seconds), task_ends, task);
    return;
  }
  change(gpu);
  Running r;
  r.task = task;
  r.work = work;
  r.seconds = -1;
  gpu_at(gpu).running.push_back(r);
}

void ComputeStreams::end(TaskId task, GpuId gpu) {
  if (gpu < 0) return;
  change(gpu);
  std::erase_if(gpu_at(gpu).running, [&](const Running& r) { return r.task == task; });
}

void ComputeStreams::add_holds(const std::vector<Hold>& holds, int sign) {
  for (const Hold& hold : holds) {
    change(hold.gpu);
    Gpu& gpu = gpu_at(hold.gpu);
    gpu.held_sms += sign * to_share(hold.sms);
    gpu.held_dram += sign * to_share(hold.dram);
    gpu.holders += sign;
  }
}

void ComputeStreams::hold(const std::vector<Hold>& holds) { add_holds(holds, 1); }

void ComputeStreams::release(const std::vector<Hold>& holds) { add_holds(holds, -1); }

void ComputeStreams::set_clock(GpuId gpu, double clock) {
  require(clock > 0, "a clock is above zero");
  change(gpu);
  gpu_at(gpu).clock = clock;
}

Conditions ComputeStreams::conditions(GpuId id) const {
  const Gpu& gpu = gpus_[static_cast<std::size_t>(id)];
  const double n = static_cast<double>(std::max<std::size_t>(1, gpu.running.size()));
  return {gpu.clock, free_part(gpu.held_sms) / n, free_part(gpu.held_dram) / n};
}

int ComputeStreams::index_of(const Conditions& conditions) {
  const auto next = static_cast<int>(conditions_met_.size());
  const auto [at, is_new] =
      conditions_index_.try_emplace({conditions.clock, conditions.free_sms, conditions.free_dram}, next);
  if (is_new) {
    conditions_met_.push_back(conditions);
    seconds_.emplace_back(works_.size(), -1.0);
  }
  return at->second;
}

double ComputeStreams::seconds_of(WorkId work, int conditions_index) {
  const auto i = static_cast<std::size_t>(conditions_index);
  double& seconds = seconds_[i][static_cast<std::size_t>(work)];
  if (seconds < 0) seconds = work_seconds(works_[static_cast<std::size_t>(work)], conditions_met_[i]);
  return seconds;
}

void ComputeStreams::rerate() {
  const SimTime now = queue_.now();
  for (const GpuId id : touched_) {
    Gpu& gpu = gpu_at(id);
    gpu.touched = false;
    if (gpu.running.empty()) continue;
    const int met = index_of(conditions(id));
    for (Running& r : gpu.running) {
      const double seconds = seconds_of(r.work, met);
      if (seconds == r.seconds) continue;
      if (r.seconds > 0) {
        r.left.advance(now);
        r.left.remaining *= seconds / r.seconds;
      } else {
        r.left = {seconds, 1.0, now};
      }
      r.seconds = seconds;
      queue_.cancel(r.end_event);
      r.end_event = queue_.schedule(r.left.finish(), task_ends, r.task);
    }
  }
  touched_.clear();
}

std::vector<GpuUse> ComputeStreams::gpu_uses() {
  std::vector<GpuUse> uses;
  uses.reserve(gpus_.size());
  for (Gpu& gpu : gpus_) {
    count_use(gpu);
    uses.push_back(gpu.use);
  }
  return uses;
}

}  // namespace clustersim
