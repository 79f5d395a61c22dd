// The workloads of the comparison with other simulators, on a machine of links alone.
//
//   k-ary fat tree   k pods of k/2 leaves of k/2 hosts, n = k^3/4 hosts; links of 100 Gbit/s and 1 us a direction
//   routes           by destination d: aggregation switch d mod k/2, then its core floor(d / (k/2)) mod k/2
//   RING100M-n       ring all-reduce of 100 MB: 2(n-1) steps, chunks of floor(100 MB / n), lockstep of neighbours
//   A2A1M-n          every host sends 1 MB to every other, all at once
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "clustersim/task_graph.h"
#include "sim/engine/machine.h"

namespace clustersim::speed {

class FatTree {
 public:
  static constexpr double bytes_per_s = 12.5e9, link_latency_s = 1e-6;

  explicit FatTree(int k) : half_(k / 2) {}

  int hosts() const { return 2 * half_ * half_ * half_; }
  int links() const { return 6 * hosts(); }

  MachineSpec machine() const {
    MachineSpec machine;
    machine.resource_capacity.assign(static_cast<std::size_t>(links()), bytes_per_s);
    return machine;
  }

  // Appends the links from one host to another, ascending, and returns how many they are.
  int append_route(std::vector<Use>& uses, int from, int to) const {
    const int n = hosts(), leaf_from = from / half_, leaf_to = to / half_;
    const int up = to % half_, core = to / half_ % half_;
    const int pod_from = leaf_from / half_, pod_to = leaf_to / half_;
    uses.push_back({from, 1.0, 1.0});
    uses.push_back({n + to, 1.0, 1.0});
    if (leaf_from == leaf_to) return 2;
    uses.push_back({2 * n + leaf_from * half_ + up, 1.0, 1.0});
    uses.push_back({3 * n + leaf_to * half_ + up, 1.0, 1.0});
    if (pod_from == pod_to) return 4;
    uses.push_back({4 * n + (pod_from * half_ + up) * half_ + core, 1.0, 1.0});
    uses.push_back({5 * n + (pod_to * half_ + up) * half_ + core, 1.0, 1.0});
    return 6;
  }

 private:
  int half_;
};

inline void add_lane(MessagePattern& pattern, const FatTree& tree, int from, int to, double bytes, int after) {
  MessageLane lane;
  lane.first_use = static_cast<std::int32_t>(pattern.uses.size());
  lane.use_count = tree.append_route(pattern.uses, from, to);
  lane.after = after;
  lane.amount = bytes;
  lane.latency_s = lane.use_count * FatTree::link_latency_s;
  pattern.lanes.push_back(lane);
}

inline MessagePattern ring(const FatTree& tree, double bytes) {
  const int n = tree.hosts();
  MessagePattern pattern;
  pattern.steps = 2 * (n - 1);
  for (int i = 0; i < n; ++i) add_lane(pattern, tree, i, (i + 1) % n, std::floor(bytes / n), (i + n - 1) % n);
  return pattern;
}

inline MessagePattern all_to_all(const FatTree& tree, double bytes) {
  MessagePattern pattern;
  const auto pairs = static_cast<std::size_t>(tree.hosts()) * static_cast<std::size_t>(tree.hosts() - 1);
  pattern.lanes.reserve(pairs);
  pattern.uses.reserve(6 * pairs);
  for (int i = 0; i < tree.hosts(); ++i)
    for (int j = 0; j < tree.hosts(); ++j)
      if (i != j) add_lane(pattern, tree, i, j, bytes, -1);
  return pattern;
}

inline TaskGraph graph_of(MessagePattern pattern) {
  TaskGraph graph;
  Task task;
  task.kind = TaskKind::transfer;
  task.messages = graph.add_pattern(std::move(pattern));
  graph.add(task);
  return graph;
}

inline double messages_of(const TaskGraph& graph) {
  return static_cast<double>(graph.patterns[0].lanes.size()) * graph.patterns[0].steps;
}

// A ring as one transfer: the same bytes on every link that it crosses, and a step's slowest hop in every step.
inline TaskGraph ring_bundle(const FatTree& tree, double bytes) {
  const MessagePattern pattern = ring(tree, bytes);
  Task task;
  task.kind = TaskKind::transfer;
  task.amount = std::floor(bytes / tree.hosts()) * pattern.steps;
  double slowest_s = 0;
  for (const MessageLane& lane : pattern.lanes) slowest_s = std::max(slowest_s, lane.latency_s);
  task.latency_s = slowest_s * pattern.steps;
  task.uses = pattern.uses;
  TaskGraph graph;
  graph.add(task);
  return graph;
}

// Closed forms, s. A ring advances at the pace of its slowest hop; in an all-to-all a host's own link is busy from the
// arrival of its nearest peers (two links) to the end.
inline double ring_s(const FatTree& tree, double bytes) {
  const int n = tree.hosts();
  return 2 * (n - 1) * (std::floor(bytes / n) / FatTree::bytes_per_s + 6 * FatTree::link_latency_s);
}
inline double all_to_all_s(const FatTree& tree, double bytes) {
  return (tree.hosts() - 1) * bytes / FatTree::bytes_per_s + 2 * FatTree::link_latency_s;
}

}  // namespace clustersim::speed
