#include "sim/engine/flow_network.h"

#include <algorithm>
#include <utility>

#include "sim/engine/event_kinds.h"

namespace clustersim {

FlowNetwork::FlowNetwork(std::vector<double> capacity, EventQueue& queue)
    : queue_(queue), solver_(std::move(capacity)), resources_(solver_.resources()) {}

void FlowNetwork::start(FlowId id, const FlowDemand& demand) {
  if (demand.latency_s > 0) {
    queue_.schedule(queue_.now() + sim_time_from_seconds(demand.latency_s), transfer_flows, id);
  } else {
    flow(id, demand);
  }
}

void FlowNetwork::touch(ResourceId id) {
  Resource& r = resource(id);
  if (r.touched) return;
  r.touched = true;
  touched_.push_back(id);
}

void FlowNetwork::flow(FlowId id, const FlowDemand& demand) {
  const SimTime now = queue_.now();
  if (demand.amount <= 0 || demand.uses.empty()) {  // shares nothing with anybody
    const double seconds = demand.amount > 0 && demand.rate_cap > 0 ? demand.amount / demand.rate_cap : 0.0;
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
  f.amount = demand.amount;
  f.rate_cap = demand.rate_cap;
  f.uses = demand.uses;
  if (!is_merged(f.uses)) {
    f.own.assign(demand.uses.begin(), demand.uses.end());
    merge_uses(f.own);
    f.uses = f.own;
  }
  f.progress = {demand.amount, 0.0, now};
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

void FlowNetwork::end(FlowId id) {
  if (slot_of_.size() <= static_cast<std::size_t>(id) || slot_of_[static_cast<std::size_t>(id)] < 0) return;
  const std::int32_t slot = std::exchange(slot_of_[static_cast<std::size_t>(id)], -1);
  const Flow& f = flow_in(slot);
  if (rate_log_) record(f, -f.progress.rate);
  for (std::size_t i = 0; i < f.uses.size(); ++i) {
    Resource& r = resource(f.uses[i].resource);
    r.carried += f.amount * f.uses[i].weight;
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

bool FlowNetwork::alone(const Flow& flow) const {
  return std::all_of(flow.uses.begin(), flow.uses.end(), [&](const Use& use) {
    return resources_[static_cast<std::size_t>(use.resource)].users.size() == 1;
  });
}

void FlowNetwork::record(const Flow& flow, double change) {
  for (const Use& use : flow.uses) rate_log_->push_back({queue_.now(), use.resource, change * use.weight});
}

void FlowNetwork::set_rate(Flow& flow, double rate) {
  if (rate == flow.progress.rate) return;
  require(rate > 0, "max-min gives every flow a rate above zero");
  if (rate_log_) record(flow, rate - flow.progress.rate);
  flow.progress.set_rate(queue_.now(), rate);
  queue_.cancel(flow.end_event);
  flow.end_event = queue_.schedule(flow.progress.finish(), task_ends, flow.id);
}

void FlowNetwork::set_rate_alone(Flow& flow) {
  set_rate(flow, solver_.rate_alone({flow.id, flow.rate_cap, flow.uses}));
  for (const Use& use : flow.uses) {
    Resource& r = resource(use.resource);
    r.visit = visit_;
    set_saturated(r, solver_.limiting(use.resource));
  }
}

void FlowNetwork::set_rates_of_component() {
  sort_keys_.clear();  // id above, slot below
  for (const std::int32_t slot : component_slots_)
    sort_keys_.push_back(static_cast<std::uint64_t>(flow_in(slot).id) << 32 | static_cast<std::uint32_t>(slot));
  std::sort(sort_keys_.begin(), sort_keys_.end());
  solver_flows_.clear();
  for (std::size_t i = 0; i < sort_keys_.size(); ++i) {
    component_slots_[i] = static_cast<std::int32_t>(sort_keys_[i] & 0xffffffffU);
    const Flow& f = flow_in(component_slots_[i]);
    solver_flows_.push_back({f.id, f.rate_cap, f.uses});
  }
  solver_.solve(solver_flows_, rates_);
  for (std::size_t i = 0; i < component_slots_.size(); ++i) set_rate(flow_in(component_slots_[i]), rates_[i]);
  for (const ResourceId id : component_resources_) set_saturated(resource(id), solver_.limiting(id));
}

void FlowNetwork::solve() {
  ++visit_;
  for (const ResourceId seed : touched_) {
    Resource& r = resource(seed);
    r.touched = false;
    if (r.visit == visit_ || r.users.empty()) continue;
    Flow& first = flow_in(r.users.front().slot);
    if (r.users.size() == 1 && alone(first)) {
      set_rate_alone(first);
      continue;
    }
    collect_component(seed);
    set_rates_of_component();
  }
  touched_.clear();
}

double FlowNetwork::rate(FlowId id) const {
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
