// Send and receive as nccl-tests' sendrecv has it: rank i sends a buffer S to rank i + 1, the last to the first, all at
// once.
//
//   a GPU, to the next of its node          S
//   the last GPU of a node, to the wire     S, by the NICs that are its own; the first GPU of the next receives as much
//   across (GPU i of every node to GPU i of the next)   S from and to every GPU
//   steps                                   1
// So over several nodes one pair of GPUs crosses each border, however many NICs a node has; in a mesh of cables a pair
// has its own cable alone. Where k NICs are near g GPUs, ceil(k / g) of them are a GPU's own.
// Source: nccl-tests src/sendrecv.cu; NCCL graph/topo.cc (ncclTopoGetLocalNet). Checked by:
// tests/models/neighbours_test.cc.
#include "models/collective/algorithms.h"

namespace clustersim {

Outline neighbours(const Situation& s) {
  Outline outline{Traffic(*s.plan), {}, 0, 1, 0};
  const bool leaves = crosses_leaves(*s.plan, s.parties);
  for (const Party& party : s.parties) {
    if (s.scope == Scope::across) {
      outline.traffic.from_every_gpu(party, 1.0);
      if (leaves) outline.traffic.over_uplinks(party, party.gpus);
      continue;
    }
    outline.traffic.to_next(party, 1.0, s.between_nodes());
    if (leaves) outline.traffic.over_uplinks(party, 1.0);
  }
  const Steps steps = s.between_nodes() ? Steps{0, 1} : Steps{1, 0};
  outline.curve = ring_curve(longest_launch_s(s), slowest_inside_hop(s, false), slowest_network_hop(s, false), steps,
                             steps, s.ranks);
  outline.curve.knee_bytes *= least_low_latency_share(s);
  return outline;
}

}  // namespace clustersim
