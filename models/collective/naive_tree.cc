// The guides' formula: a binary tree whose messages are whole buffers, one level after the other.
//
//   T = log2(n) S / B     n nodes (GPUs, in one node), B rate of a node's NICs (of a GPU's link)
// Against a ring's 2(n-1)/n: equal at 2, +33 % at 4, +71 % at 8, three times at 64. Kept to reproduce claims that use
// it; no library does this with large buffers.
#include <cmath>

#include "models/collective/algorithms.h"

namespace clustersim {

std::optional<Outline> naive_tree(const Situation& s) {
  if (s.op != CollectiveOp::all_reduce && s.op != CollectiveOp::reduce && s.op != CollectiveOp::broadcast)
    return std::nullopt;
  Outline outline{Traffic(*s.plan), {}, 0, 0, 0};
  const bool leaves = crosses_leaves(*s.plan, s.parties);
  for (const Party& party : s.parties) {
    if (!s.between_nodes()) {
      if (party.gpus > 1) outline.traffic.around_node(party, std::log2(party.gpus));
      continue;
    }
    const double bytes = std::log2(s.nodes);
    if (s.scope == Scope::across) {
      outline.traffic.from_every_gpu(party, bytes);
    } else {
      outline.traffic.along_node(party, 1.0, true);
      outline.traffic.over_wires(party, bytes, true);
    }
    if (leaves) outline.traffic.over_uplinks(party, s.scope == Scope::across ? bytes * party.gpus : bytes);
  }
  const double levels = std::ceil(std::log2(s.between_nodes() ? s.nodes : s.ranks));
  const Steps steps = s.between_nodes() ? Steps{0, levels} : Steps{levels, 0};
  outline.curve = tree_curve(longest_launch_s(s), slowest_inside_hop(s, true), slowest_network_hop(s, true), steps,
                             s.cluster->fabric.transport == Transport::efa);
  outline.steps = steps.total();
  return outline;
}

}  // namespace clustersim
