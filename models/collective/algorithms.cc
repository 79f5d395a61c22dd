#include "models/collective/algorithms.h"

#include <algorithm>

namespace clustersim {
Hop slower(Hop a, Hop b) {
  return {std::max(a.small_s, b.small_s), std::max(a.full_s, b.full_s), std::max(a.once_s, b.once_s),
          std::max(a.middle_s, b.middle_s)};
}

const std::vector<AlgorithmEntry>& collective_algorithms() {
  static const std::vector<AlgorithmEntry> table = {
      {CollectiveAlgorithm::ring, "ring", "rings through all GPUs", true, ring},
      {CollectiveAlgorithm::tree, "tree", "double binary trees between nodes, chains inside", true, tree},
      {CollectiveAlgorithm::nvls, "nvls", "the NVSwitch adds up and copies", true, nvls},
      {CollectiveAlgorithm::in_network, "in_network", "the network's switches add up", true, in_network},
      {CollectiveAlgorithm::hierarchical, "hierarchical", "inside the nodes, between them, inside again", false,
       hierarchical},
      {CollectiveAlgorithm::naive_tree, "naive_tree", "buffer x log2(n) / bandwidth, not pipelined", false, naive_tree},
  };
  return table;
}

int Situation::most_gpus() const {
  int most = 1;
  for (const Party& party : parties) most = std::max(most, party.gpus);
  return most;
}

Hop slowest_inside_hop(const Situation& situation, bool tree) {
  Hop worst;
  const double bytes = tree ? situation.bytes : situation.bytes / situation.ranks;
  for (const Party& party : situation.parties)
    worst = slower(worst, inside_hop(*situation.cluster, party, tree, situation.nodes, bytes));
  return worst;
}

Hop slowest_network_hop(const Situation& situation, bool tree) {
  Hop worst;
  for (const Party& party : situation.parties)
    worst = slower(worst, network_hop(*situation.cluster, *situation.plan, party, tree));
  return worst;
}

double longest_launch_s(const Situation& situation) {
  double longest = 0;
  for (const Party& party : situation.parties) longest = std::max(longest, launch_s(party, situation.nodes));
  return longest;
}

double least_low_latency_share(const Situation& situation) {
  double least = 1;
  if (situation.cluster->fabric.transport == Transport::efa) return least;  // its plugin has knees of its own
  for (const Party& party : situation.parties) least = std::min(least, low_latency_share(party, situation.nodes));
  return least;
}

}  // namespace clustersim
