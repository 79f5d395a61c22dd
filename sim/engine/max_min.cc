#include "sim/engine/max_min.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "clustersim/error.h"

namespace clustersim {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Bounds that differ by less are the same bound: some thousand roundings of a double.
constexpr double tie = 1e-12;
// The iteration ends when no level moves by more than this part of itself.
constexpr double settled = 1e-13;
// Whole moves first; if they go round in circles (4 in 10,000 random networks do), half and then quarter moves.
constexpr int sweeps_per_damping = 500;
constexpr int dampings = 3;

double cap_of(const MaxMinFlow& flow) { return flow.rate_cap > 0 ? flow.rate_cap : infinity; }

}  // namespace

void merge_uses(std::vector<Use>& uses) {
  const auto by_resource = [](const Use& a, const Use& b) { return a.resource < b.resource; };
  if (!std::is_sorted(uses.begin(), uses.end(), by_resource)) std::stable_sort(uses.begin(), uses.end(), by_resource);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (kept > 0 && uses[kept - 1].resource == uses[i].resource) {
      uses[kept - 1].weight += uses[i].weight;
      uses[kept - 1].streams += uses[i].streams;
    } else {
      uses[kept++] = uses[i];
    }
  }
  uses.resize(kept);
}

bool is_merged(std::span<const Use> uses) {
  for (std::size_t i = 1; i < uses.size(); ++i)
    if (uses[i - 1].resource >= uses[i].resource) return false;
  return true;
}

MaxMinSolver::MaxMinSolver(std::vector<double> capacity) : state_(capacity.size()) {
  for (std::size_t i = 0; i < capacity.size(); ++i) {
    require(capacity[i] >= 0, "a capacity is not below zero");
    state_[i].capacity = capacity[i];
  }
}

void MaxMinSolver::prepare(std::span<const MaxMinFlow> flows) {
  touched_.clear();
  order_.resize(flows.size());
  for (std::size_t i = 0; i < flows.size(); ++i) order_[i] = static_cast<std::int32_t>(i);
  const auto by_id = [&](std::int32_t a, std::int32_t b) {
    return flows[static_cast<std::size_t>(a)].id < flows[static_cast<std::size_t>(b)].id;
  };
  if (!std::is_sorted(order_.begin(), order_.end(), by_id)) std::sort(order_.begin(), order_.end(), by_id);
  for (const MaxMinFlow& flow : flows) {
    require(!flow.uses.empty() || flow.rate_cap > 0, "a flow has a resource or a cap that holds it");
    for (const Use& use : flow.uses) {
      State& r = state(use);
      if (r.touched) continue;
      require(r.capacity > 0, "a resource that is used has a capacity above zero");
      r.touched = true;
      r.limiting = false;
      r.left = r.capacity;
      r.weight = use.weight;
      r.streams = use.streams;
      touched_.push_back(use.resource);
    }
  }
  std::sort(touched_.begin(), touched_.end());
  rounds_ = sweeps_ = 0;
}

void MaxMinSolver::set_equal_levels(std::span<const MaxMinFlow> flows) {
  for (const ResourceId id : touched_) {
    State& r = state_[static_cast<std::size_t>(id)];
    r.open_streams = 0;
    r.refusals = 0;
  }
  for (const std::int32_t i : order_)
    for (const Use& use : flows[static_cast<std::size_t>(i)].uses) state(use).open_streams += use.streams;
  for (const ResourceId id : touched_) {
    State& r = state_[static_cast<std::size_t>(id)];
    r.level = r.open_streams > 0 ? std::max(0.0, r.left) / r.open_streams : infinity;
  }
}

// Writes each open flow's tightest bound into `rates` and counts, for each resource, the flows it does not hold.
void MaxMinSolver::find_refusals(std::span<const MaxMinFlow> flows, std::vector<double>& rates) {
  for (const std::int32_t i : order_) {
    const MaxMinFlow& flow = flows[static_cast<std::size_t>(i)];
    double least = cap_of(flow);
    for (const Use& use : flow.uses) least = std::min(least, state(use).level * use.streams / use.weight);
    rates[static_cast<std::size_t>(i)] = least;
    for (const Use& use : flow.uses) {
      State& r = state(use);
      if (r.level * use.streams / use.weight > least * (1 + tie)) ++r.refusals;
    }
  }
}

bool MaxMinSolver::close_settled(std::span<const MaxMinFlow> flows, const std::vector<double>& rates) {
  std::size_t open = 0;
  for (const std::int32_t i : order_) {
    const MaxMinFlow& flow = flows[static_cast<std::size_t>(i)];
    const double rate = rates[static_cast<std::size_t>(i)];
    bool closes = rate >= cap_of(flow);
    for (const Use& use : flow.uses) {
      if (state(use).refusals > 0) continue;
      state(use).limiting = true;
      closes = true;
    }
    if (closes) {
      for (const Use& use : flow.uses) state(use).left -= use.weight * rate;
    } else {
      order_[open++] = i;
    }
  }
  const bool any = open < order_.size();
  order_.resize(open);
  return any;
}

// The level at which `capacity` is used up when no stream takes more than its height. If it never is, the level up to
// which the highest demand could still rise, so that a resource with room does not hold anybody back. `streams` is the
// sum over the demands.
double MaxMinSolver::filling_level(double capacity, double streams, std::span<Demand> demands) {
  std::sort(demands.begin(), demands.end(), [](const Demand& a, const Demand& b) { return a.height < b.height; });
  double left = capacity;
  for (const Demand& demand : demands) {
    if (demand.height * streams > left) return std::max(0.0, left) / streams;
    left -= demand.height * demand.streams;
    streams -= demand.streams;
  }
  return demands.back().height + left / demands.back().streams;
}

// One pass of the iteration over all open resources, in order; true if no level wanted to move.
bool MaxMinSolver::sweep(std::span<const MaxMinFlow> flows, double damping) {
  bool still = true;
  for (std::size_t t = 0; t < touched_.size(); ++t) {
    if (users_[t].empty()) continue;
    State& r = state_[static_cast<std::size_t>(touched_[t])];
    demands_.clear();
    double streams = 0;
    for (const auto& [k, own] : users_[t]) {
      const MaxMinFlow& flow = flows[static_cast<std::size_t>(order_[static_cast<std::size_t>(k)])];
      double others = cap_of(flow);
      for (const Use& use : flow.uses)
        if (use.resource != own.resource) others = std::min(others, state(use).level * use.streams / use.weight);
      demands_.push_back({others * own.weight / own.streams, own.streams});
      streams += own.streams;
    }
    const double wanted = filling_level(r.left, streams, demands_);
    still = still && std::abs(wanted - r.level) <= settled * r.level;
    r.level += damping * (wanted - r.level);
  }
  return still;
}

void MaxMinSolver::take_rates_of_levels(std::span<const MaxMinFlow> flows, std::vector<double>& rates) {
  for (const std::int32_t i : order_) {
    const MaxMinFlow& flow = flows[static_cast<std::size_t>(i)];
    double least = cap_of(flow);
    State* holder = nullptr;
    for (const Use& use : flow.uses) {
      const double bound = state(use).level * use.streams / use.weight;
      if (bound >= least) continue;
      least = bound;
      holder = &state(use);
    }
    if (holder != nullptr) holder->limiting = true;
    rates[static_cast<std::size_t>(i)] = least;
  }
  for (std::size_t t = 0; t < touched_.size(); ++t) {  // level now holds how far it is overfull
    double load = 0;
    for (const auto& [k, use] : users_[t])
      load += rates[static_cast<std::size_t>(order_[static_cast<std::size_t>(k)])] * use.weight;
    State& r = state_[static_cast<std::size_t>(touched_[t])];
    r.level = load > r.left ? r.left / load : 1.0;
  }
  for (const std::int32_t i : order_) {
    double scale = 1.0;
    for (const Use& use : flows[static_cast<std::size_t>(i)].uses) scale = std::min(scale, state(use).level);
    rates[static_cast<std::size_t>(i)] *= scale;
  }
}

void MaxMinSolver::solve_together(std::span<const MaxMinFlow> flows, std::vector<double>& rates) {
  if (users_.size() < touched_.size()) users_.resize(touched_.size());
  for (std::size_t t = 0; t < touched_.size(); ++t) users_[t].clear();
  for (std::size_t k = 0; k < order_.size(); ++k) {
    for (const Use& use : flows[static_cast<std::size_t>(order_[k])].uses) {
      const auto at = std::lower_bound(touched_.begin(), touched_.end(), use.resource) - touched_.begin();
      users_[static_cast<std::size_t>(at)].emplace_back(static_cast<std::int32_t>(k), use);
    }
  }
  double damping = 1.0;
  bool still = false;
  for (int d = 0; d < dampings && !still; ++d, damping /= 2)
    for (int s = 0; s < sweeps_per_damping && !still; ++s, ++sweeps_) still = sweep(flows, damping);
  take_rates_of_levels(flows, rates);
  order_.clear();
}

double MaxMinSolver::rate_alone(const MaxMinFlow& flow) {
  const auto bound = [&](const Use& use) { return state(use).capacity / use.streams * use.streams / use.weight; };
  double least = cap_of(flow);
  for (const Use& use : flow.uses) least = std::min(least, bound(use));
  for (const Use& use : flow.uses) state(use).limiting = !(bound(use) > least * (1 + tie));
  return least;
}

void MaxMinSolver::solve(std::span<const MaxMinFlow> flows, std::vector<double>& rates) {
  rates.resize(flows.size());
  prepare(flows);
  if (filled_alike(flows)) fill_by_level(flows, rates);
  while (!order_.empty()) {
    ++rounds_;
    set_equal_levels(flows);
    find_refusals(flows, rates);
    if (!close_settled(flows, rates)) solve_together(flows, rates);
  }
  for (const ResourceId id : touched_) state_[static_cast<std::size_t>(id)].touched = false;
}

}  // namespace clustersim
