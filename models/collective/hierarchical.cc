// Hierarchical all_reduce: reduce-scatter in every node, all_reduce of each GPU's shard with its peers, all-gather in
// every node; the phases follow each other.
//
//   T = T(reduce_scatter, node, S) + T(all_reduce, across, S/g) + T(all_gather, node, S)
// The middle phase takes what is fastest for it (ring, tree, in-network reduction). The transfer carries the bytes of
// all phases at once, so the time of the two shorter ones stands in serial_s_per_byte.
// Source: MODELS 3.6 (distributed LAMB), Horovod's hierarchical all-reduce.
#include <algorithm>

#include "models/collective/algorithms.h"

namespace clustersim {
namespace {

Situation phase(const Situation& s, CollectiveOp op, Scope scope, double bytes) {
  Situation part = s;
  part.op = op;
  part.scope = scope;
  part.bytes = bytes;
  part.nodes = scope == Scope::node ? 1 : s.nodes;
  part.ranks = scope == Scope::node ? s.most_gpus() : s.nodes;
  return part;
}

double idle_s(const Outline& outline, double bytes) {
  return outline.curve.latency_s(bytes) + bytes * (outline.traffic.seconds_per_byte() + outline.serial_s_per_byte);
}

}  // namespace

std::optional<Outline> hierarchical(const Situation& s) {
  if (s.op != CollectiveOp::all_reduce || s.scope != Scope::world || !s.between_nodes() || s.most_gpus() < 2)
    return std::nullopt;
  int fewest = s.most_gpus();
  for (const Party& party : s.parties) fewest = std::min(fewest, party.gpus);
  const double share = 1.0 / fewest;
  const Outline inside = *ring(phase(s, CollectiveOp::reduce_scatter, Scope::node, s.bytes));
  const Situation middle = phase(s, CollectiveOp::all_reduce, Scope::across, s.bytes * share);
  Outline between = *ring(middle);
  for (const auto& other : {tree(middle), in_network(middle)})
    if (other && idle_s(*other, middle.bytes) < idle_s(between, middle.bytes)) between = *other;

  Outline outline{Traffic(*s.plan), {}, 0, 2 * inside.steps + between.steps, 0};
  outline.traffic.add(inside.traffic, 2.0);
  outline.traffic.add(between.traffic, share);
  const double serial = 2 * inside.traffic.seconds_per_byte() + share * between.traffic.seconds_per_byte();
  outline.serial_s_per_byte = serial - outline.traffic.seconds_per_byte();
  // The three curves have knees of their own, so their sum is taken at this size.
  outline.curve = {2 * inside.curve.latency_s(s.bytes) + between.curve.latency_s(middle.bytes), 0.0,
                   between.curve.knee_bytes / share};
  return outline;
}

}  // namespace clustersim
