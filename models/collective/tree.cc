// Double binary tree between nodes, a chain of GPUs inside each; half of the buffer on either tree; all_reduce only.
//
//   a NIC, each way   2 nodes: S (each tree sends its half up and down one cable); more: up to 2 S (one parent, two
//                     children in the one tree, a leaf in the other: (1 + 2) S/2 + S/2)
//   a GPU, each way   2 (g-1)/g S along the chain (up, then down), at 0.92 of the ring's rate
//   steps             2 ((g-1) inside + log2(nodes) between)
// g GPUs a node. With two nodes NCCL drives the cable at its full rate from Hopper on, and through the EFA plugin;
// before, it takes the tree's channels to be no wider than the ring's, so a NIC is charged 2 S.
// Source: NCCL 2.4 trees (Sanders et al. 2009), tuning.cc (0.92); nccl-tests issue 196 for two nodes.
#include <cmath>

#include "models/collective/algorithms.h"

namespace clustersim {
namespace {

constexpr double chain_share = 0.92;  // [published: NCCL tuner, tree bandwidth over bus bandwidth]

bool full_cable_with_two_nodes(const Situation& s) {
  if (s.cluster->fabric.transport == Transport::efa) return true;
  for (const Party& party : s.parties)
    if (party.paths->spec().gpu.architecture != "Hopper" && party.paths->spec().gpu.architecture != "Blackwell")
      return false;
  return true;
}

}  // namespace

double tree_crossings(const Situation& s) { return s.nodes == 2 && full_cable_with_two_nodes(s) ? 1.0 : 2.0; }

std::optional<Outline> tree(const Situation& s) {
  if (s.op != CollectiveOp::all_reduce || !s.between_nodes()) return std::nullopt;
  Outline outline{Traffic(*s.plan), {}, 0, 0, 0};
  const double crossings = tree_crossings(s);
  const bool leaves = crosses_leaves(*s.plan, s.parties);
  for (const Party& party : s.parties) {
    if (s.scope == Scope::across) {
      outline.traffic.from_every_gpu(party, crossings);
      if (leaves) outline.traffic.over_uplinks(party, crossings * party.gpus);
      continue;
    }
    outline.traffic.along_node(party, 1.0 / chain_share, true);
    outline.traffic.over_wires(party, crossings, true);
    if (leaves) outline.traffic.over_uplinks(party, crossings);
  }
  const double chain = s.scope == Scope::across ? 0.0 : 2.0 * (s.most_gpus() - 1);
  const Steps steps{chain, 2 * std::ceil(std::log2(s.nodes))};
  outline.curve = tree_curve(longest_launch_s(s), slowest_inside_hop(s, true), slowest_network_hop(s, true), steps,
                             s.cluster->fabric.transport == Transport::efa);
  outline.curve.knee_bytes *= least_low_latency_share(s);
  outline.steps = steps.total();
  return outline;
}

}  // namespace clustersim
