// All-to-all: every rank sends a part S/n of its buffer S to every other rank directly.
//
//   a GPU, to each peer of its node   S/n          a GPU over the network   (n - g)/n S, by its nearest NICs
// Assumes equal parts. Source: NCCL point-to-point schedule; MODELS 3.7 on incast is not covered.
#include <algorithm>

#include "models/collective/algorithms.h"

namespace clustersim {

Outline pairwise(const Situation& s) {
  Outline outline{Traffic(*s.plan), {}, 0, s.ranks - 1, 0};
  const bool leaves = crosses_leaves(*s.plan, s.parties);
  for (const Party& party : s.parties) {
    if (!s.between_nodes()) {
      if (party.gpus > 1) outline.traffic.all_pairs(party, 1.0 / party.gpus);
      continue;
    }
    const double n = s.ranks;
    const int at_home = s.scope == Scope::across ? 1 : party.gpus;
    if (s.scope != Scope::across) outline.traffic.all_pairs(party, 1.0 / n);
    outline.traffic.from_every_gpu(party, (n - at_home) / n, n - at_home);
    if (!leaves) continue;
    const int below = std::min(s.plan->nodes_per_leaf, party.count);
    const double pairs = below * party.gpus * std::max(0.0, n - below * at_home);
    outline.traffic.over_uplinks(party, pairs / n, pairs);
  }
  outline.curve = pairwise_curve(longest_launch_s(s), slowest_network_hop(s, false), s.ranks, s.nodes);
  return outline;
}

}  // namespace clustersim
