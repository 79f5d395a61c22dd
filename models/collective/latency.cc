#include "models/collective/latency.h"

#include <algorithm>
#include <cmath>

#include "models/fabric/shapes.h"

namespace clustersim {
namespace {

constexpr double us = 1e-6, mib = 1048576.0;

// NCCL tuner, LL and Simple [published: nccl src/graph/tuning.cc].
constexpr double ring_base[] = {6.6 * us, 8.4 * us}, tree_base[] = {6.8 * us, 8.4 * us};
constexpr double ring_base_128 = 14.0 * us, nvlink_hop_128 = 1.9 * us, net_hop_128 = 4.0 * us;
constexpr Hop nvlink_ring{0.6 * us, 3.4 * us}, nvlink_tree{0.6 * us, 4.0 * us};
constexpr Hop pcie_ring{1.0 * us, 5.7 * us}, pcie_tree{1.0 * us, 4.0 * us};
constexpr Hop net_ring{2.7 * us, 14.0 * us}, net_tree{5.0 * us, 14.0 * us};

// Inside the nodes of several a hop of LL takes this many times as long [published: NCCL tuner].
constexpr double ll_hop_between_nodes = 1.8;
// Most that LL moves in one node, in two, in more, GB/s, and the channels of the first [published: NCCL tuner,
// llMaxBws; NCCL logs]. Others as Ampere.
struct LowLatencyRate {
  const char* architecture;
  double one_node, two_nodes, more, channels;
};
constexpr LowLatencyRate low_latency_rates[] = {
    {"Volta", 39, 39, 20.4, 12}, {"Ampere", 87.7, 22.5, 19, 24}, {"Hopper", 141, 45, 35, 24}};

// A channel takes so many bytes before another is opened, 8 (LL) or 64 (Simple) for each of 512 threads [published:
// NCCL, LL_THREAD_THRESHOLD, SIMPLE_THREAD_THRESHOLD], and passes them on from rank to rank as one piece.
constexpr double low_latency_slice = 8 * 512, full_slice = 64 * 512;
constexpr double full_channel_rate = 23.6e9;  // of a tree's channel on Ampere [published: NCCL tuner, perChMaxTreeBws]

// Rows of one node were timed by one thread that launches its GPUs' kernels one after another (nccl-tests -g); over
// several nodes each rank has a process of its own.
constexpr double launch_per_rank_s = 2.5 * us;  // [fitted: 8-byte rows of 2, 4 and 8 GPUs: 13, 18 to 23, 35 us]
constexpr double simple_factor = 1.4;           // [published: NCCL's factor on Simple; fits 8x A100 from 1 to 64 MiB]
constexpr double simple_slice = mib / 2;        // one of eight slices of NCCL's 4 MiB buffer [published: nccl]

// Bytes at which half of what lies between the small and the full protocol's time has been added. Rings and trees on
// eight ranks [fitted: 8x A100, 2 and 4 nodes of 8x A100]; what streams through switches, EFA or pairs in larger pieces
// [fitted: 8x H200, 2x 8 H100, 2x p4de, 8x A100 all-to-all].
constexpr double ring_knee_per_rank = mib / 8, tree_knee = 8 * ring_knee_per_rank;
constexpr double stream_knee = 8 * mib;
// Time to fill such a stream, and each network hop of it [fitted: 8x H200, 2x 8 H100, 8x A100 all-to-all].
constexpr double stream_fill = 60 * us;

constexpr double nvls_base = 23 * us;   // [published: NCCL tuner]
constexpr double sharp_base = 31 * us;  // [published: NCCL tuner, CollNet network hop]
// Sends and receives to eight peers are under way at a time [published: NCCL, work elements of a kernel]; a round of
// them [fitted: 8x A100 all-to-all, 87 us up to 4 MiB].
constexpr double peers_at_once = 8, pairwise_round = 67 * us;

const LowLatencyRate& low_latency_rate(const NodeSpec& node) {
  for (const LowLatencyRate& rate : low_latency_rates)
    if (node.gpu.architecture == rate.architecture) return rate;
  return low_latency_rates[1];
}

// EFA's plugin leaves only Simple where the adapter does not write in order [published: aws-ofi-nccl, p4d].
bool simple_only(const Cluster& cluster, const NodeSpec& node) {
  return cluster.fabric.transport == Transport::efa && node.gpu.architecture != "Hopper" &&
         node.gpu.architecture != "Blackwell";
}

// Time of one channel to take in and pass on `bytes`, or as much as one takes of a larger buffer.
double low_latency_piece_s(const NodeSpec& node, double bytes) {
  const LowLatencyRate& rate = low_latency_rate(node);
  return std::min(bytes, low_latency_slice) / (rate.one_node * 1e9 / rate.channels);
}
double full_piece_s(double bytes) { return std::min(bytes, full_slice) / full_channel_rate; }

}  // namespace

Hop inside_hop(const Cluster& cluster, const Party& party, bool tree, int nodes, double bytes) {
  Hop hop = tree ? pcie_tree : pcie_ring;
  if (ring_on_nvlink(party)) hop = tree ? nvlink_tree : nvlink_ring;
  if (nodes < 2) return hop;
  const NodeSpec& node = party.paths->spec();
  hop.small_s = simple_only(cluster, node) ? hop.full_s + full_piece_s(bytes)
                                           : hop.small_s * ll_hop_between_nodes + low_latency_piece_s(node, bytes);
  return hop;
}

Hop network_hop(const Cluster& cluster, const FabricPlan& plan, const Party& party, bool tree) {
  const NodeSpec& node = party.paths->spec();
  Hop hop = tree ? net_tree : net_ring;
  if (!node.nic) return hop;
  if (cluster.fabric.transport == Transport::efa) {
    const double latency = node.nic->rdma_latency.base();
    // As many latencies of the NIC as the hops above are of an InfiniBand NIC, 1 us.
    const double small = simple_only(cluster, node) ? net_ring.small_s : hop.small_s;
    hop = {small * latency / us, hop.full_s * latency / us};
  } else if (cluster.fabric.transport == Transport::tcp) {
    // The first and the last slice are copied into host memory, sent, and copied out again with nothing beside them;
    // all others overlap, since a rank sends one chunk while it receives the next [checked: 2 nodes over 10 GbE].
    const double latency = node.nic->tcp_latency.base();
    const double rate = port_rate(cluster.fabric, *node.nic) * wire_share(node, cluster, plan);
    hop = {hop.small_s + latency, hop.full_s + latency, 2 * simple_slice / rate};
  }
  const double switches = plan.nodes_per_leaf > 0 && party.count > plan.nodes_per_leaf ? 3.0 : 1.0;
  hop.small_s += switches * plan.hop_latency_s;
  hop.full_s += switches * plan.hop_latency_s;
  return hop;
}

double launch_s(const Party& party, int nodes) { return launch_per_rank_s * (nodes > 1 ? 1 : std::min(party.gpus, 8)); }

double low_latency_share(const Party& party, int nodes) {
  const NodeSpec& node = party.paths->spec();
  if (nodes < 2 || party.gpus < 2) return 1;
  const LowLatencyRate& taken = low_latency_rate(node);
  return (nodes > 2 ? taken.more : taken.two_nodes) / taken.one_node;
}

Steps ring_steps(int ranks, int nodes, int rounds) {
  const double total = static_cast<double>(rounds) * (ranks - 1);
  const double between = nodes > 1 ? static_cast<double>(rounds) * (nodes - 1) : 0.0;
  return {total - between, between};
}

Curve ring_curve(double launch, Hop inside, Hop network, Steps small, Steps full, int ranks) {
  const double ll = launch + ring_base[0] + small.inside * inside.small_s + small.between * network.small_s;
  const double once = full.between > 0 ? network.once_s : 0.0;
  const double simple = ring_base[1] + full.inside * inside.full_s + full.between * network.full_s + once;
  return {ll, std::max(0.0, launch + simple_factor * simple - ll), ring_knee_per_rank * ranks};
}

bool has_128(const Cluster& cluster, const std::vector<Party>& parties) {
  constexpr const char* designs[] = {"Volta", "Ampere", "Hopper", "Blackwell"};
  const std::string& first = parties.front().paths->spec().gpu.architecture;
  if (std::find(std::begin(designs), std::end(designs), first) == std::end(designs)) return false;
  if (cluster.fabric.transport == Transport::tcp) return false;
  return std::all_of(parties.begin(), parties.end(), [&](const Party& party) {
    const NodeSpec& node = party.paths->spec();
    return (party.gpus == 1 || ring_on_nvlink(party)) && node.gpu.architecture == first && node.gpudirect &&
           !node.acs && !simple_only(cluster, node);
  });
}

Hop gathering_hop(const Cluster& cluster, const Party& party, Hop network) {
  if (cluster.fabric.transport != Transport::efa) {
    network.middle_s = network.small_s - net_ring.small_s + net_hop_128;  // with the switches' latency
    return network;
  }
  // As many latencies of the adapter as a tree's hop of InfiniBand has microseconds: 75 us on P5, 90 on P4d, where
  // aws-ofi-nccl states 75 for both; 71 are the steps of 16 to 256 ranks on P5 [checked: nccl.csv].
  const NodeSpec& node = party.paths->spec();
  const double middle = net_tree.small_s * node.nic->rdma_latency.base() / us;
  const double full = middle + net_ring.full_s - net_hop_128;
  return {simple_only(cluster, node) ? full : middle + net_ring.small_s - net_hop_128, full, 0, middle};
}

Curve gathering_curve(double launch, Hop inside, Hop network, Steps steps, int ranks) {
  const double ll = launch + ring_base[0] + steps.inside * inside.small_s + steps.between * network.small_s;
  const double simple =
      launch + ring_base[1] + steps.inside * inside.full_s + steps.between * network.full_s + network.once_s;
  return {ll, std::max(0.0, simple - ll), ring_knee_per_rank * ranks};
}

Curve gathering_curve_128(double launch, Hop network, Steps steps) {
  return {launch + ring_base_128 + steps.inside * nvlink_hop_128 + steps.between * network.middle_s, 0, 1, "LL128"};
}

Curve tree_curve(double launch, Hop inside, Hop network, Steps steps, bool efa) {
  const double ll = launch + tree_base[0] + steps.inside * inside.small_s + steps.between * network.small_s;
  const double once = steps.between > 0 ? network.once_s : 0.0;
  const double simple = tree_base[1] + steps.inside * inside.full_s + steps.between * network.full_s + once;
  return {ll, std::max(0.0, launch + simple_factor * simple - ll), efa ? stream_knee : tree_knee};
}

Curve nvls_curve(double launch, Hop network, int nodes) {
  const double hops = nodes > 1 ? 2 * std::log2(nodes) : 0.0;
  return {launch + nvls_base + hops * network.small_s, stream_fill * (1 + hops), stream_knee};
}

Curve in_network_curve(double launch) { return {launch + sharp_base, stream_fill, stream_knee}; }

Curve pairwise_curve(double launch, Hop network, int ranks, int nodes) {
  const double rounds = std::max(1.0, std::ceil((ranks - 1) / peers_at_once));
  return {launch + rounds * pairwise_round + (nodes > 1 ? network.small_s : 0.0), stream_fill, stream_knee};
}

const char* protocol_name(const Curve& curve, double bytes, bool nvlink) {
  if (curve.protocol != nullptr) return curve.protocol;
  if (bytes < curve.knee_bytes / 8) return "LL";
  if (nvlink && bytes < 4 * curve.knee_bytes) return "LL128";
  return "Simple";
}

}  // namespace clustersim
