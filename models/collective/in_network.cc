// In-network reduction (SHARP through CollNet): the network's switches add up; all_reduce over several nodes.
//
//   a NIC, each way   S: the node's sum up, the total down, at 0.75 of what RDMA collectives reach
//   an uplink, each way  S: a leaf sends one sum for all its nodes
//   a GPU, each way   2 (g-1)/g S: reduce-scatter before, all-gather after, pipelined with the network
// Source: MODELS 3.5 (0.75 of line is an assumption), NCCL CollNet. Checked on MLPerf rows through the step, not alone.
#include "models/collective/algorithms.h"

namespace clustersim {
namespace {

constexpr double sharp_share = 0.75;  // [assumed: MODELS 3.5]

}  // namespace

std::optional<Outline> in_network(const Situation& s) {
  const FabricSpec& fabric = s.cluster->fabric;
  if (s.op != CollectiveOp::all_reduce || !s.between_nodes() || !fabric.in_network_reduction ||
      fabric.transport != Transport::rdma)
    return std::nullopt;
  Outline outline{Traffic(*s.plan), {}, 0, 0, 0};
  const bool leaves = crosses_leaves(*s.plan, s.parties);
  for (const Party& party : s.parties) {
    const double bytes = 1.0 / sharp_share;
    if (s.scope == Scope::across) {
      outline.traffic.from_every_gpu(party, bytes);
      if (leaves) outline.traffic.over_uplinks(party, bytes * party.gpus);
      continue;
    }
    if (party.gpus > 1) outline.traffic.around_node(party, 2.0 * (party.gpus - 1) / party.gpus);
    outline.traffic.over_wires(party, bytes, true);
    if (leaves) outline.traffic.over_uplinks(party, bytes);
  }
  outline.curve = in_network_curve(longest_launch_s(s));
  outline.steps = 2;
  return outline;
}

}  // namespace clustersim
