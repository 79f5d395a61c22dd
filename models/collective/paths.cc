#include "models/collective/paths.h"

#include <algorithm>

#include "clustersim/error.h"
#include "models/fabric/shapes.h"

namespace clustersim {
namespace {

constexpr double rdma_share = 0.92;         // [published: MODELS 7b, NCCL over RDMA; rows reach 0.91 to 0.955]
constexpr double efa_share = 0.85;          // [published: EFA v1 moves 340 of 400 Gbit/s; catalog]
constexpr double tcp_share = 0.9;           // [published: iperf goodput of 10 to 40 Gbit/s Ethernet; catalog]
constexpr double capped_flow_share = 0.85;  // [published: horovod issue 396, 7.7 to 8.5 of a 10 Gbit/s flow cap]
constexpr double host_copy_share = 0.6;     // [fitted: 8x RTX 4090 without P2P, 14.9 of 25 GB/s]
constexpr double hashed_slowdown = 1.4;     // [published: Meta RoCE 2024, spreading flows won back up to 40 %]

// What NCCL reaches of the tuner's rate of a link, at large sizes; others reach it.
struct LinkShare {
  int generation;
  double cable, through_switch;
};
constexpr LinkShare nvlink_shares[] = {
    {2, 1.125, 1.0},    // [fitted: DGX-1 135 of 120 GB/s]
    {3, 0.85, 0.98},    // [fitted, 2 numbers: bridged pairs of A100 200 to 208 of 240 GB/s, 8x A100 on switches 235]
    {5, 0.945, 0.945},  // [fitted: 8x B200 ring 682 of 722]
};

double fabric_weight(const LinkSpec& link, bool through_switch) {
  if (link.kind == "xgmi") return 1.0;
  for (const LinkShare& share : nvlink_shares)
    if (share.generation == link.generation) return 1.0 / (through_switch ? share.through_switch : share.cable);
  return 1.0;
}

double tcp_rate(const NodeSpec& node, const NicSpec& nic, double port) {
  double rate = port * nic.tcp_efficiency.value_or(tcp_share);
  if (nic.tcp_collective) rate = std::min(rate, nic.tcp_collective->base());
  if (node.single_flow_cap) rate = std::min(rate, node.single_flow_cap->base() * capped_flow_share);
  return rate;
}

double transport_share(const NodeSpec& node, const FabricSpec& fabric) {
  require(node.nic.has_value(), "a node with peers has a NIC");
  switch (fabric.transport) {
    case Transport::rdma:  // no collective is faster than plain writes between two nodes
      return std::min(rdma_share, node.nic->rdma_efficiency.value_or(1.0));
    case Transport::efa:
      return node.nic->rdma_efficiency.value_or(efa_share);
    case Transport::tcp:
      break;
  }
  const double port = port_rate(fabric, *node.nic);
  return tcp_rate(node, *node.nic, port) / port;
}

// Share of a slot's copy rate that a ring of peers keeps up over PCIe, reading and writing at once [assumed: rings
// over gen4 slots of 25 GB/s are published with 17, 20.6, 24.6 and 25.3 GB/s].
constexpr double pcie_ring_share = 0.95;

double pcie_peer_weight(const LinkSpec& pcie) {
  if (!pcie.achievable_p2p || pcie.achievable_p2p->base() <= 0) return 1.0;
  return std::max(1.0, pcie.achievable / *pcie.achievable_p2p);
}

}  // namespace

double wire_share(const NodeSpec& node, const Cluster& cluster, const FabricPlan& plan) {
  const bool leaves = plan.nodes_per_leaf > 0 && cluster.nodes() > plan.nodes_per_leaf;
  const double share = transport_share(node, cluster.fabric);
  return leaves && !cluster.fabric.adaptive_routing ? share / hashed_slowdown : share;
}

NodePaths::NodePaths(const Cluster& cluster, const FabricPlan& plan, int node, const RouteFinder& routes)
    : cluster_(&cluster),
      plan_(&plan),
      node_(&plan.nodes[index(node)]),
      spec_(&cluster.groups[index(node_->group)].node),
      routes_(&routes),
      out_links_(plan.vertices.size()) {
  for (std::size_t l = 0; l < plan.links.size(); ++l)
    out_links_[index(plan.links[l].from)].push_back(static_cast<int>(l));
  for (int gpu : nvlink_allowed() ? node_->gpus : std::vector<int>{})
    for (int link : out_links_[index(gpu)]) {
      const int hub = plan.links[index(link)].to;
      if (plan.vertices[index(hub)].kind != VertexKind::nvswitch) continue;
      to_switch_.push_back(link);
      from_switch_.push_back(link_between(hub, gpu));
    }
  std::vector<bool> near(node_->nics.size(), false);
  for (int gpu : node_->gpus) {
    std::vector<int> row;
    for (int nic : node_->nics) row.push_back(static_cast<int>(routes.route(gpu, nic).size()));
    const int closest = row.empty() ? 0 : *std::min_element(row.begin(), row.end());
    for (std::size_t n = 0; n < row.size(); ++n) near[n] = near[n] || row[n] == closest;
    distance_.push_back(row);
  }
  for (std::size_t n = 0; n < near.size(); ++n)
    if (near[n]) near_.push_back(static_cast<int>(n));
}

int NodePaths::link_between(int from, int to) const {
  for (int link : out_links_[index(from)])
    if (plan_->links[index(link)].to == to) return link;
  return -1;
}

bool NodePaths::joined(int a, int b) const { return switched() || cable_rate(a, b) > 0; }

// A driver that refuses peer access over PCIe allows it over NVLink; refused where it would be allowed, it is off for
// both.
bool NodePaths::nvlink_allowed() const { return spec_->p2p || !spec_->gpu.p2p; }

double NodePaths::cable_rate(int a, int b) const {
  const int link = nvlink_allowed() ? link_between(node_->gpus[index(a)], node_->gpus[index(b)]) : -1;
  return link < 0 ? 0.0 : plan_->links[index(link)].bytes_per_s;
}

int NodePaths::nearest_nic(int gpu) const {
  const std::vector<int>& row = distance_[index(gpu)];
  return static_cast<int>(std::min_element(row.begin(), row.end()) - row.begin());
}

int NodePaths::leaf_of(int nic) const {
  for (int link : out_links_[index(node_->nics[index(nic)])])
    if (plan_->links[index(link)].kind == LinkKind::nic) return plan_->links[index(link)].to;
  throw InternalError("this is a bug: broken promise: a NIC is plugged into a leaf");
}

int NodePaths::socket_above(int vertex) const {
  int best = 0;
  std::size_t fewest = SIZE_MAX;
  for (std::size_t s = 0; s < node_->sockets.size(); ++s) {
    const std::size_t links = routes_->route(vertex, node_->sockets[s]).size();
    if (links < fewest) fewest = links, best = static_cast<int>(s);
  }
  return best;
}

void NodePaths::append(Way& way, int from, int to, double weight) const {
  for (int link : routes_->route(from, to)) way.push_back({link, weight});
}

void NodePaths::append_memory_pass(Way& way, int socket) const {
  const int cpu = node_->sockets[index(socket)], memory = node_->memories[index(socket)];
  way.push_back({link_between(cpu, memory), 1.0});
  way.push_back({link_between(memory, cpu), 1.0});
}

Way NodePaths::up_to_memory(int vertex, double weight) const {
  const int socket = socket_above(vertex);
  Way way;
  append(way, vertex, node_->sockets[index(socket)], weight);
  append_memory_pass(way, socket);
  return way;
}

Way NodePaths::down_from_memory(int memory_of, int vertex, double weight) const {
  Way way;
  append_memory_pass(way, memory_of);
  const int below = socket_above(vertex);
  append(way, node_->sockets[index(memory_of)], node_->sockets[index(below)], 1.0);
  append(way, node_->sockets[index(below)], vertex, weight);
  return way;
}

Way NodePaths::gpu_to_gpu(int a, int b) const {
  const int from = node_->gpus[index(a)], to = node_->gpus[index(b)];
  const LinkSpec& fabric = spec_->gpu_fabric.link;
  if (switched()) {
    const double weight = fabric_weight(fabric, true);
    return {{to_switch_[index(a)], weight}, {from_switch_[index(b)], weight}};
  }
  if (cable_rate(a, b) > 0) return {{link_between(from, to), fabric_weight(fabric, false)}};
  return over_pcie(from, to);
}

Way NodePaths::over_pcie(int a, int b) const {
  const int socket_a = socket_above(a), socket_b = socket_above(b);
  if (!spec_->p2p) {
    Way way = up_to_memory(a, 1.0 / host_copy_share);
    const Way down = down_from_memory(socket_a, b, 1.0 / host_copy_share);
    way.insert(way.end(), down.begin(), down.end());
    return way;
  }
  // Through the sockets; what goes up to a switch and straight down from it again turns round there.
  const int root_a = node_->sockets[index(socket_a)], root_b = node_->sockets[index(socket_b)];
  std::vector<int> up = routes_->route(a, root_a), down = routes_->route(root_b, b);
  bool below_switch = false;
  if (socket_a == socket_b && !spec_->acs)
    while (up.size() > 1 && down.size() > 1 &&
           plan_->links[index(up.back())].from == plan_->links[index(down.front())].to) {
      up.pop_back();
      down.erase(down.begin());
      below_switch = true;
    }
  const bool slow_root = socket_a != socket_b || spec_->cpu.vendor == "Intel" || spec_->acs;
  const double weight = (below_switch || !slow_root ? 1.0 : pcie_peer_weight(spec_->pcie)) / pcie_ring_share;
  Way way;
  for (int link : up) way.push_back({link, weight});
  append(way, root_a, root_b, 1.0);
  for (int link : down) way.push_back({link, weight});
  return way;
}

Way NodePaths::gpu_to_wire(int gpu, int nic) const {
  const int from = node_->gpus[index(gpu)], card = node_->nics[index(nic)];
  Way way;
  if (!spec_->gpudirect || cluster_->fabric.transport == Transport::tcp) {
    way = up_to_memory(from, 1.0);
    const Way down = down_from_memory(socket_above(from), card, 1.0);
    way.insert(way.end(), down.begin(), down.end());
  } else if (spec_->acs) {
    const int root = node_->sockets[index(socket_above(from))];
    append(way, from, root, pcie_peer_weight(spec_->pcie));
    append(way, root, card, pcie_peer_weight(spec_->pcie));
  } else {
    append(way, from, card, 1.0);
  }
  way.push_back({link_between(card, leaf_of(nic)), 1.0 / wire_share(*spec_, *cluster_, *plan_)});
  return way;
}

Way NodePaths::wire_to_gpu(int nic, int gpu) const {
  const int to = node_->gpus[index(gpu)], card = node_->nics[index(nic)];
  Way way = {{link_between(leaf_of(nic), card), 1.0 / wire_share(*spec_, *cluster_, *plan_)}};
  if (!spec_->gpudirect || cluster_->fabric.transport == Transport::tcp) {
    const Way up = up_to_memory(card, 1.0), down = down_from_memory(socket_above(card), to, 1.0);
    way.insert(way.end(), up.begin(), up.end());
    way.insert(way.end(), down.begin(), down.end());
  } else if (spec_->acs) {
    const int root = node_->sockets[index(socket_above(card))];
    append(way, card, root, pcie_peer_weight(spec_->pcie));
    append(way, root, to, pcie_peer_weight(spec_->pcie));
  } else {
    append(way, card, to, 1.0);
  }
  return way;
}

}  // namespace clustersim
