// NVLS: the NVSwitch reads a shard from every GPU, adds, and writes the sum to all; all_reduce in one node, and as
// NVLS-tree over several (the node's sum goes through the NICs on a tree).
//
//   into the switch, from a GPU     (1 + 1/g) S   its data for every shard, and its own shard's sum
//   out of the switch, to a GPU     (1/g + 1) S
//   a NIC, each way                 as a tree's
// at 0.85 (Hopper) or 0.74 (Blackwell) of the tuner's rate of a link, and 0.92 of that over several nodes.
// Check on 8x H200: 18 x 20.6 GB/s x 0.85 = 315, busbw = 315 x 2(g-1)/(g+1) = 420, 450, 473, 490 for 5 to 8 GPUs;
// measured 414, 436, 460, 473 to 482.
// Needs switches that add up, five GPUs or more. Source: NCCL tuning.cc (0.85 and 0.74), MODELS 3.5.
#include <cmath>

#include "models/collective/algorithms.h"

namespace clustersim {
namespace {

constexpr int least_gpus = 5;             // [published: nccl-tests rows of 4 and 5 GPUs, 8x H200]
constexpr double hopper_share = 0.85;     // [published: NCCL tuner; 8x H200 reach 0.83]
constexpr double blackwell_share = 0.74;  // [published: NCCL tuner]
constexpr double tree_share = 0.92;       // [published: NCCL tuner]
constexpr int thread_blocks = 16;         // [published: NCCL, at most about 16 channels]

}  // namespace

std::optional<Outline> nvls(const Situation& s) {
  if (s.op != CollectiveOp::all_reduce || s.scope == Scope::across) return std::nullopt;
  for (const Party& party : s.parties)
    if (!party.paths->switched() || !party.paths->spec().gpu_fabric.in_network_reduction || party.gpus < least_gpus)
      return std::nullopt;
  Outline outline{Traffic(*s.plan), {}, 0, 0, thread_blocks};
  const bool leaves = crosses_leaves(*s.plan, s.parties);
  for (const Party& party : s.parties) {
    const double base = party.paths->spec().gpu_fabric.link.generation >= 5 ? blackwell_share : hopper_share;
    const double bytes = 1.0 + 1.0 / party.gpus;
    outline.traffic.through_switch(party, bytes, bytes, s.between_nodes() ? base * tree_share : base);
    if (!s.between_nodes()) continue;
    outline.traffic.over_wires(party, tree_crossings(s), true);
    if (leaves) outline.traffic.over_uplinks(party, tree_crossings(s));
  }
  outline.curve = nvls_curve(longest_launch_s(s), slowest_network_hop(s, true), s.nodes);
  outline.steps = 2 + 2 * static_cast<int>(std::ceil(std::log2(s.nodes)));
  return outline;
}

}  // namespace clustersim
