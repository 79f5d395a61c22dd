#include "models/collective/messages.h"

#include <algorithm>

#include "clustersim/error.h"
#include "models/collective/traffic.h"

namespace clustersim {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// A lane over `uses`, each resource once, as `most_streams` at most.
void add_lane(MessagePattern& pattern, std::vector<Use>& uses, double amount, int after, double most_streams = 1.0) {
  std::stable_sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.resource < b.resource; });
  MessageLane lane;
  lane.first_use = static_cast<std::int32_t>(pattern.uses.size());
  for (const Use& use : uses) {
    if (static_cast<std::int32_t>(pattern.uses.size()) > lane.first_use &&
        pattern.uses.back().resource == use.resource) {
      pattern.uses.back().weight += use.weight;
      pattern.uses.back().streams = std::min(most_streams, pattern.uses.back().streams + use.streams);
    } else {
      pattern.uses.push_back(use);
    }
  }
  lane.use_count = static_cast<std::int32_t>(pattern.uses.size()) - lane.first_use;
  lane.amount = amount;
  lane.after = after;
  pattern.lanes.push_back(lane);
  uses.clear();
}

// NICs nearest to a GPU of the node.
std::vector<int> nics_of(const NodePaths& paths, int gpu) {
  std::vector<int> nics;
  for (int nic : paths.near_nics())
    if (paths.distance(gpu, nic) == paths.distance(gpu, paths.nearest_nic(gpu))) nics.push_back(nic);
  return nics;
}

int rounds(CollectiveOp op) {
  if (op == CollectiveOp::all_reduce) return 2;
  return op == CollectiveOp::reduce_scatter || op == CollectiveOp::all_gather ? 1 : 0;
}

}  // namespace

MessagePlanner::MessagePlanner(const Cluster& cluster, const FabricPlan& folded, const SimulatedFabric& fabric,
                               const RouteFinder& routes)
    : folded_(&folded), fabric_(&fabric) {
  require(!fabric.folds() || (fabric.nodes().size() == 1 && can_fold(folded)), "folded messages are all alike");
  for (std::size_t node = 0; node < folded.nodes.size(); ++node)
    paths_.emplace_back(cluster, folded, static_cast<int>(node), routes);
}

bool MessagePlanner::can_fold(const FabricPlan& plan) {
  if (plan.nodes.size() != 1) return false;
  if (plan.nodes_per_leaf == 0 || plan.nodes.front().count <= plan.nodes_per_leaf) return true;
  if (!plan.storage_servers.empty()) return false;
  std::vector<double> of_a_node(plan.vertices.size(), 0.0);  // by leaf: rates of the NICs that a node has on it
  for (const Link& link : plan.links)
    if (link.kind == LinkKind::nic) of_a_node[at(link.to)] += link.bytes_per_s;
  return std::all_of(plan.links.begin(), plan.links.end(), [&](const Link& link) {
    return link.kind != LinkKind::network ||
           link.bytes_per_s >= std::max(of_a_node[at(link.from)], of_a_node[at(link.to)]);
  });
}

const NodePaths& MessagePlanner::paths(int node) const { return paths_[at(fabric_->nodes()[at(node)].plan_node)]; }

std::vector<MessagePlanner::Member> MessagePlanner::members(int ranks) const {
  std::vector<Member> members;
  int left = ranks > 0 ? ranks : INT32_MAX;
  for (std::size_t node = 0; node < fabric_->nodes().size() && left > 0; ++node) {
    const int size = static_cast<int>(paths(static_cast<int>(node)).node().gpus.size());
    if (size > 0) members.push_back({static_cast<int>(node), std::min(size, left)});
    left -= std::min(size, left);
  }
  return members;
}

void MessagePlanner::add_way(std::vector<Use>& uses, int node, const Way& way, double share) const {
  for (const Leg& leg : way) uses.push_back({fabric_->link(node, leg.link), leg.weight * share, share});
}

void MessagePlanner::add_uplink(std::vector<Use>& uses, int node, int nic, bool up, double share) const {
  const int leaf = paths(node).leaf_of(nic);
  for (std::size_t l = 0; l < folded_->links.size(); ++l) {
    const Link& link = folded_->links[l];
    if (link.kind == LinkKind::network && (up ? link.from : link.to) == leaf)
      uses.push_back({fabric_->link(node, static_cast<int>(l)), share, share});
  }
}

// A chunk from GPU to GPU of one node; in a mesh over all cables of the sender.
void MessagePlanner::add_inside(std::vector<Use>& uses, const Member& member, int from, int to) const {
  const NodePaths& p = paths(member.node);
  if (!meshed({&p, member.gpus, 1})) {
    add_way(uses, member.node, p.gpu_to_gpu(from, to), 1.0);
    return;
  }
  double total = 0;
  for (int b = 0; b < member.gpus; ++b) total += from == b ? 0.0 : p.cable_rate(from, b);
  for (int b = 0; b < member.gpus; ++b) {
    const double rate = from == b ? 0.0 : p.cable_rate(from, b);
    if (rate > 0) add_way(uses, member.node, p.gpu_to_gpu(from, b), rate / total);
  }
}

int MessagePlanner::nodes_of(const std::vector<Member>& members) const {
  double nodes = 0;
  for (const Member& member : members) nodes += fabric_->nodes()[at(member.node)].stands_for;
  return static_cast<int>(nodes + 0.5);
}

void MessagePlanner::add_ring(MessagePattern& pattern, const std::vector<Member>& members, std::size_t ring,
                              const Ring& common) const {
  const auto first_lane = static_cast<int>(pattern.lanes.size());
  std::vector<RingChannel> channels;
  for (const Member& member : members) {
    const Party party{&paths(member.node), member.gpus, 1};
    const std::vector<RingChannel> all = common.through_network ? ring_channels(party) : std::vector<RingChannel>{{}};
    channels.push_back(all[ring % all.size()]);
  }
  std::vector<Use> uses;
  for (std::size_t m = 0; m < members.size(); ++m) {
    const Member& member = members[m];
    const RingChannel& channel = channels[m];
    for (int i = 0; i < member.gpus; ++i) {
      const int from = (channel.first + i) % member.gpus;
      const bool stays = i + 1 < member.gpus || !common.through_network;
      if (stays) {
        add_inside(uses, member, from, (from + 1) % member.gpus);
      } else {
        const std::size_t next = (m + 1) % members.size();
        const int there = members[next].node;
        add_way(uses, member.node, paths(member.node).gpu_to_wire(from, channel.nic_out), 1.0);
        if (fabric_->crosses_leaves(member.node, there)) {
          add_uplink(uses, member.node, channel.nic_out, true, 1.0);
          add_uplink(uses, there, channels[next].nic_in, false, 1.0);
        }
        add_way(uses, there, paths(there).wire_to_gpu(channels[next].nic_in, channels[next].first), 1.0);
      }
      add_lane(pattern, uses, common.chunk, static_cast<int>(pattern.lanes.size()) - 1, stays ? 1.0 : ends_here());
    }
  }
  pattern.lanes[at(first_lane)].after = static_cast<int>(pattern.lanes.size()) - 1;
}

void MessagePlanner::add_world_rings(MessagePattern& pattern, const std::vector<Member>& members, int ranks,
                                     double bytes) const {
  const bool networked = nodes_of(members) > 1;
  std::size_t rings = 1;
  if (networked)
    for (const Member& member : members)
      rings = std::max(rings, ring_channels({&paths(member.node), member.gpus, 1}).size());
  const Ring common{bytes / ranks / static_cast<double>(rings), networked};
  for (std::size_t ring = 0; ring < rings; ++ring) add_ring(pattern, members, ring, common);
}

// From GPU to GPU of another node by the nearest NICs of both, in equal parts.
void MessagePlanner::add_between(std::vector<Use>& uses, int from_node, int from, int to_node, int to) const {
  const NodePaths &here = paths(from_node), &there = paths(to_node);
  const bool crosses = fabric_->crosses_leaves(from_node, to_node);
  const std::vector<int> out = nics_of(here, from), in = nics_of(there, to);
  const double out_share = 1.0 / static_cast<double>(out.size()), in_share = 1.0 / static_cast<double>(in.size());
  for (int nic : out) {
    add_way(uses, from_node, here.gpu_to_wire(from, nic), out_share);
    if (crosses) add_uplink(uses, from_node, nic, true, out_share);
  }
  for (int nic : in) {
    add_way(uses, to_node, there.wire_to_gpu(nic, to), in_share);
    if (crosses) add_uplink(uses, to_node, nic, false, in_share);
  }
}

// GPU i of every node to GPU i of the next, for all i at once.
void MessagePlanner::add_rings_across(MessagePattern& pattern, const std::vector<Member>& members, double chunk) const {
  std::vector<Use> uses;
  for (int gpu = 0; gpu < members.front().gpus; ++gpu) {
    const auto first_lane = static_cast<int>(pattern.lanes.size());
    for (std::size_t m = 0; m < members.size(); ++m) {
      add_between(uses, members[m].node, gpu, members[(m + 1) % members.size()].node, gpu);
      add_lane(pattern, uses, chunk, static_cast<int>(pattern.lanes.size()) - 1, ends_here());
    }
    pattern.lanes[at(first_lane)].after = static_cast<int>(pattern.lanes.size()) - 1;
  }
}

void MessagePlanner::add_pairs(MessagePattern& pattern, const std::vector<Member>& members, double bytes) const {
  std::vector<Use> uses;
  for (const Member& from : members)
    for (int a = 0; a < from.gpus; ++a)
      for (const Member& to : members)
        for (int b = 0; b < to.gpus; ++b) {
          if (from.node == to.node && a == b) continue;
          if (from.node == to.node) {
            add_way(uses, from.node, paths(from.node).gpu_to_gpu(a, b), 1.0);
          } else {
            add_between(uses, from.node, a, to.node, b);
          }
          add_lane(pattern, uses, bytes, -1);
        }
}

std::optional<MessagePlan> MessagePlanner::plan(const CollectiveRequest& request, const CollectivePlan& bundle) const {
  const bool pairs = request.op == CollectiveOp::all_to_all;
  const std::vector<Member> taking_part = members(request.scope == Scope::node ? 0 : request.ranks);
  const int nodes = nodes_of(taking_part);
  bool alike = true;  // as many GPUs in every node
  int ranks = 0;      // of one communicator
  for (const Member& member : taking_part) {
    alike = alike && member.gpus == taking_part.front().gpus;
    ranks += member.gpus * static_cast<int>(fabric_->nodes()[at(member.node)].stands_for + 0.5);
  }
  if (request.scope == Scope::node) ranks = taking_part.empty() ? 0 : taking_part.front().gpus;
  if (request.scope == Scope::across) ranks = nodes;
  if (ranks < 2 || (!pairs && rounds(request.op) == 0)) return std::nullopt;
  if (pairs ? request.scope != Scope::world || fabric_->folds() : request.scope != Scope::world && !alike)
    return std::nullopt;
  MessagePlan plan;
  if (pairs) {
    plan.latency_s = bundle.latency_s;
    add_pairs(plan.pattern, taking_part, request.bytes / ranks);
    return plan;
  }
  plan.pattern.steps = rounds(request.op) * (ranks - 1);
  plan.latency_s = bundle.launch_s;
  const double on_links = request.bytes / bundle.data_share;
  if (request.scope == Scope::world) add_world_rings(plan.pattern, taking_part, ranks, on_links);
  if (request.scope == Scope::across) add_rings_across(plan.pattern, taking_part, on_links / ranks);
  if (request.scope == Scope::node)
    for (const Member& member : taking_part) add_ring(plan.pattern, {member}, 0, {on_links / ranks, false});
  for (MessageLane& lane : plan.pattern.lanes)
    lane.latency_s = std::max(0.0, bundle.latency_s - bundle.launch_s) / plan.pattern.steps;
  return plan;
}

}  // namespace clustersim
