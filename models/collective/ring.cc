// Ring: every rank sends to its successor; n ranks, buffer S (bytes).
//
//   bytes sent by a rank   all_reduce 2(n-1)/n S; all_gather, reduce_scatter (n-1)/n S; broadcast, reduce S
//   serial steps           all_reduce 2(n-1);     all_gather, reduce_scatter, broadcast, reduce n-1
// Rooted operations are charged on the closing hop too, since any rank may be the root.
// Source: NCCL; Patarasu and Yuan 2009 (bandwidth-optimal rings).
#include "models/collective/algorithms.h"

namespace clustersim {
namespace {

double bytes_per_rank(CollectiveOp op, int ranks) {
  const double n = ranks;
  switch (op) {
    case CollectiveOp::all_reduce:
      return 2 * (n - 1) / n;
    case CollectiveOp::all_gather:
    case CollectiveOp::reduce_scatter:
      return (n - 1) / n;
    case CollectiveOp::reduce:
    case CollectiveOp::broadcast:
      return 1.0;
    case CollectiveOp::send_recv:
    case CollectiveOp::all_to_all:
      break;
  }
  return 0.0;
}

// A chain from the root on or towards it: a rank passes a slice on as soon as it has it, so that the pipeline of
// protocol Simple fills once, and at smaller buffers than a ring whose ranks each hold a share.
bool rooted(CollectiveOp op) { return op == CollectiveOp::reduce || op == CollectiveOp::broadcast; }
constexpr double rooted_knee_share = 0.25;  // [fitted: 8x A100 reduce and broadcast, 1 to 16 MiB]

// An all_gather or reduce_scatter over several nodes: the faster of the protocols.
void set_gathering_curve(const Situation& s, Outline& outline) {
  const Steps steps = ring_steps(s.ranks, s.nodes, 1);
  Hop network;
  for (const Party& party : s.parties)
    network = slower(network, gathering_hop(*s.cluster, party, network_hop(*s.cluster, *s.plan, party, false)));
  outline.curve = gathering_curve(longest_launch_s(s), slowest_inside_hop(s, false), network, steps, s.ranks);
  outline.curve.knee_bytes *= least_low_latency_share(s);
  if (!has_128(*s.cluster, s.parties)) return;
  const Curve other = gathering_curve_128(longest_launch_s(s), network, steps);
  const double bound_s = s.bytes * outline.traffic.seconds_per_byte();
  if (other.latency_s(s.bytes) + bound_s / share_of_128 >= outline.curve.latency_s(s.bytes) + bound_s) return;
  outline.curve = other;
  outline.traffic.scale(1 / share_of_128);
  outline.data_share = share_of_128;
}

}  // namespace

std::optional<Outline> ring(const Situation& s) {
  if (s.op == CollectiveOp::all_to_all) return std::nullopt;
  if (s.op == CollectiveOp::send_recv) return neighbours(s);
  Outline outline{Traffic(*s.plan), {}, 0, 0, 0};
  const bool leaves = crosses_leaves(*s.plan, s.parties);
  for (const Party& party : s.parties) {
    if (!s.between_nodes()) {
      if (party.gpus > 1) outline.traffic.around_node(party, bytes_per_rank(s.op, party.gpus));
      continue;
    }
    const double bytes = bytes_per_rank(s.op, s.ranks);
    if (s.scope == Scope::across) {
      outline.traffic.from_every_gpu(party, bytes);
      if (leaves) outline.traffic.over_uplinks(party, bytes * party.gpus);
      continue;
    }
    outline.traffic.along_node(party, bytes, false);
    outline.traffic.over_wires(party, bytes, false);
    if (leaves) outline.traffic.over_uplinks(party, bytes, static_cast<double>(ring_channels(party).size()));
  }
  const int rounds = s.op == CollectiveOp::all_reduce ? 2 : 1;
  const Steps small = ring_steps(s.ranks, s.nodes, rounds);
  const Steps full = ring_steps(s.ranks, s.nodes, rooted(s.op) ? 1 : 2);
  outline.curve = ring_curve(longest_launch_s(s), slowest_inside_hop(s, false), slowest_network_hop(s, false), small,
                             full, s.ranks);
  outline.curve.knee_bytes *= least_low_latency_share(s);
  if (rooted(s.op)) outline.curve.knee_bytes *= rooted_knee_share;
  if (s.between_nodes() && (s.op == CollectiveOp::all_gather || s.op == CollectiveOp::reduce_scatter))
    set_gathering_curve(s, outline);
  outline.steps = small.total();
  return outline;
}

}  // namespace clustersim
