// The filling by a heap of levels (max_min.h).
#include <algorithm>
#include <functional>

#include "sim/engine/max_min.h"

namespace clustersim {

namespace {

constexpr std::size_t least_flows = 64;  // fewer are filled in rounds as fast, and so are fewer than the resources
constexpr double tie = 1e-12;            // as in max_min.cc
constexpr double is_open = -1;           // in place of a rate

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

bool MaxMinSolver::filled_alike(std::span<const MaxMinFlow> flows) const {
  if (flows.size() < std::max(least_flows, touched_.size())) return false;
  for (const MaxMinFlow& flow : flows) {
    if (flow.rate_cap > 0) return false;
    for (const Use& use : flow.uses) {
      const State& r = state_[at(use.resource)];
      if (use.weight != r.weight || use.streams != r.streams) return false;
    }
  }
  return true;
}

// Sets each touched resource's place and lists its flows by id.
void MaxMinSolver::list_users(std::span<const MaxMinFlow> flows) {
  first_user_.assign(touched_.size() + 1, 0);
  for (std::size_t t = 0; t < touched_.size(); ++t) {
    State& r = state_[at(touched_[t])];
    r.place = static_cast<std::int32_t>(t);
    r.open_streams = 0;
  }
  for (const MaxMinFlow& flow : flows)
    for (const Use& use : flow.uses) {
      ++first_user_[at(state(use).place) + 1];
      state(use).open_streams += use.streams;
    }
  for (std::size_t t = 0; t < touched_.size(); ++t) first_user_[t + 1] += first_user_[t];
  user_flows_.resize(at(first_user_.back()));
  std::vector<std::int32_t>& next = lowest_;
  next.assign(first_user_.begin(), first_user_.end() - 1);
  for (const std::int32_t i : order_)
    for (const Use& use : flows[at(i)].uses) user_flows_[at(next[at(state(use).place)]++)] = i;
}

double MaxMinSolver::bound_of(const State& r) const {
  return std::max(0.0, r.left) / r.open_streams * r.streams / r.weight;
}

// Fills lowest_ with the resources of the lowest level; false if no flow is open.
bool MaxMinSolver::next_lowest() {
  lowest_.clear();
  double least = 0;
  while (!levels_.empty() && (lowest_.empty() || levels_.front().first <= least * (1 + tie))) {
    const auto [known, place] = levels_.front();
    std::pop_heap(levels_.begin(), levels_.end(), std::greater<>());
    levels_.pop_back();
    State& r = state_[at(touched_[at(place)])];
    if (r.open_streams < 0.5 * r.streams) continue;  // all its flows are closed
    r.level = bound_of(r);
    if (r.level > known * (1 + tie)) {  // has risen since: its turn comes later
      levels_.emplace_back(r.level, place);
      std::push_heap(levels_.begin(), levels_.end(), std::greater<>());
      continue;
    }
    if (lowest_.empty()) least = r.level;
    lowest_.push_back(place);
  }
  return !lowest_.empty();
}

void MaxMinSolver::fill_by_level(std::span<const MaxMinFlow> flows, std::vector<double>& rates) {
  list_users(flows);
  levels_.clear();
  for (std::size_t t = 0; t < touched_.size(); ++t)
    levels_.emplace_back(bound_of(state_[at(touched_[t])]), static_cast<std::int32_t>(t));
  std::make_heap(levels_.begin(), levels_.end(), std::greater<>());
  std::fill(rates.begin(), rates.end(), is_open);
  while (next_lowest()) {
    ++rounds_;
    closing_.clear();
    for (const std::int32_t place : lowest_) {
      State& r = state_[at(touched_[at(place)])];
      r.limiting = true;
      for (std::int32_t u = first_user_[at(place)]; u < first_user_[at(place) + 1]; ++u) {
        const std::int32_t i = user_flows_[at(u)];
        if (rates[at(i)] != is_open) continue;  // closed, by this level or a lower one
        rates[at(i)] = r.level;
        closing_.push_back(i);
      }
    }
    for (const std::int32_t i : closing_)
      for (const Use& use : flows[at(i)].uses) {
        state(use).left -= use.weight * rates[at(i)];
        state(use).open_streams -= use.streams;
      }
  }
  for (const ResourceId id : touched_) {  // full, though others settled its last flows
    State& r = state_[at(id)];
    r.limiting = r.limiting || r.left <= tie * r.capacity;
  }
  order_.clear();
}

}  // namespace clustersim
