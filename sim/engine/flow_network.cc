#include "sim/engine/flow_network.h"

#include <algorithm>
#include <utility>

#include "sim/engine/event_kinds.h"

namespace clustersim {

FlowNetwork::FlowNetwork(std::vector<double> capacity, EventQueue& queue)
    : queue_(queue), solver_(std::move(capacity)), resources_(solver_.resources()) {}

void FlowNetwork::start(TaskId id, const Task& task) {
  if (task.latency_s > 0) {
    queue_.schedule(queue_.now() + sim_time_from_seconds(task.latency_s), transfer_flows, id);
  } else {
    flow(id, task);
  }
}

void FlowNetwork::touch(ResourceId id) {
  Resource& r = resource(id);
  if (r.touched) return;
  r.touched = true;
  touched_.push_back(id);
}

void FlowNetwork::flow(TaskId id, const Task& task) {
  const SimTime now = queue_.now();
  if (task.amount <= 0 || task.uses.empty()) {  // shares nothing with anybody
    const double seconds = task.amount > 0 && task.rate_cap > 0 ? task.amount / task.rate_cap : 0.0;
    queue_.schedule(now + sim_time_from_seconds(seconds), task_ends, id);
    return;
  }
  std::int32_t slot;
  if (free_slots_.empty()) {
    slot = static_cast<std::int32_t>(flows_.size());
    flows_.emplace_back();
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  if (slot_of_.size() <= static_cast<std::size_t>(id)) slot_of_.resize(static_cast<std::size_t>(id) + 1, -1);
  slot_of_[static_cast<std::size_t>(id)] = slot;
  Flow& f = flow_in(slot);
  f.id = id;
  f.rate_cap = task.rate_cap;
  f.uses.assign(task.uses.begin(), task.uses.end());
  merge_uses(f.uses);
  f.progress = {task.amount, 0.0, now};
  f.end_event = no_event;
  f.places.resize(f.uses.size());
  for (std::size_t i = 0; i < f.uses.size(); ++i) {
    Resource& r = resource(f.uses[i].resource);
    if (r.users.empty()) r.busy_since = now;
    f.places[i] = static_cast<std::int32_t>(r.users.size());
    r.users.push_back({slot, static_cast<std::int32_t>(i)});
    touch(f.uses[i].resource);
  }
}

void FlowNetwork::end(TaskId id, const Task& task) {
  if (slot_of_.size() <= static_cast<std::size_t>(id) || slot_of_[static_cast<std::size_t>(id)] < 0) return;
  const std::int32_t slot = std::exchange(slot_of_[static_cast<std::size_t>(id)], -1);
  Flow& f = flow_in(slot);
  for (std::size_t i = 0; i < f.uses.size(); ++i) {
    Resource& r = resource(f.uses[i].resource);
    r.carried += task.amount * f.uses[i].weight;
    const User moved = r.users.back();  // takes the free place
    r.users.pop_back();
    if (moved.slot != slot) {
      r.users[static_cast<std::size_t>(f.places[i])] = moved;
      flow_in(moved.slot).places[static_cast<std::size_t>(moved.use)] = f.places[i];
    }
    if (r.users.empty()) {
      r.busy += queue_.now() - r.busy_since;
      set_saturated(r, false);
    }
    touch(f.uses[i].resource);
  }
  free_slots_.push_back(slot);
}

void FlowNetwork::set_saturated(Resource& r, bool saturated) {
  if (r.is_saturated == saturated) return;
  r.is_saturated = saturated;
  if (saturated) {
    r.saturated_since = queue_.now();
  } else {
    r.saturated += queue_.now() - r.saturated_since;
  }
}

// Fills component_resources_ and component_slots_ with what can be reached from the seed.
void FlowNetwork::collect_component(ResourceId seed) {
  component_resources_.assign(1, seed);
  component_slots_.clear();
  resource(seed).visit = visit_;
  for (std::size_t next = 0; next < component_resources_.size(); ++next) {
    for (const User& user : resource(component_resources_[next]).users) {
      Flow& f = flow_in(user.slot);
      if (f.visit == visit_) continue;
      f.visit = visit_;
      component_slots_.push_back(user.slot);
      for (const Use& use : f.uses) {
        Resource& r = resource(use.resource);
        if (r.visit == visit_) continue;
        r.visit = visit_;
        component_resources_.push_back(use.resource);
      }
    }
  }
}

void FlowNetwork::set_rates_of_component() {
  std::sort(component_slots_.begin(), component_slots_.end(),
            [&](std::int32_t a, std::int32_t b) { return flow_in(a).id < flow_in(b).id; });
  solver_flows_.clear();
  for (const std::int32_t slot : component_slots_) {
    const Flow& f = flow_in(slot);
    solver_flows_.push_back({f.id, f.rate_cap, f.uses});
  }
  solver_.solve(solver_flows_, rates_);
  for (std::size_t i = 0; i < component_slots_.size(); ++i) {
    Flow& f = flow_in(component_slots_[i]);
    if (rates_[i] == f.progress.rate) continue;
    require(rates_[i] > 0, "max-min gives every flow a rate above zero");
    f.progress.set_rate(queue_.now(), rates_[i]);
    queue_.cancel(f.end_event);
    f.end_event = queue_.schedule(f.progress.finish(), task_ends, f.id);
  }
  for (const ResourceId id : component_resources_) set_saturated(resource(id), solver_.limiting(id));
}

void FlowNetwork::solve() {
  ++visit_;
  for (const ResourceId seed : touched_) {
    resource(seed).touched = false;
    if (resource(seed).visit == visit_ || resource(seed).users.empty()) continue;
    collect_component(seed);
    set_rates_of_component();
  }
  touched_.clear();
}

double FlowNetwork::rate(TaskId id) const {
  const auto i = static_cast<std::size_t>(id);
  return i < slot_of_.size() && slot_of_[i] >= 0 ? flows_[static_cast<std::size_t>(slot_of_[i])].progress.rate : 0.0;
}

std::vector<ResourceUse> FlowNetwork::resource_uses() const {
  const SimTime now = queue_.now();
  std::vector<ResourceUse> uses;
  uses.reserve(resources_.size());
  for (const Resource& r : resources_) {
    const SimTime busy = r.busy + (r.users.empty() ? 0 : now - r.busy_since);
    const SimTime saturated = r.saturated + (r.is_saturated ? now - r.saturated_since : 0);
    uses.push_back({sim_time_to_seconds(busy), r.carried, sim_time_to_seconds(saturated)});
  }
  return uses;
}

}  // namespace clustersim
