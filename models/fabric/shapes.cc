#include "models/fabric/shapes.h"

#include <algorithm>

namespace clustersim {
namespace {

constexpr int assumed_leaf_ports = 40;  // [assumed] HDR-class leaf

double nic_latency_s(const Cluster& cluster, const NicSpec& nic) {
  return (cluster.fabric.transport == Transport::tcp ? nic.tcp_latency : nic.rdma_latency).base();
}

// NIC latencies cover a message from end to end: half of it on either side.
void join_nic(const Cluster& cluster, PlanBuilder& builder, int nic, int leaf, const NicSpec& spec) {
  builder.both_ways(nic, leaf, port_rate(cluster.fabric, spec), nic_latency_s(cluster, spec) / 2, LinkKind::nic);
}

void add_storage(const Cluster& cluster, PlanBuilder& builder, int attach) {
  if (!cluster.storage) return;
  const SharedStorage& shared = *cluster.storage;
  const double servers = std::max(1, shared.servers.count);
  const StorageSpec& tier = shared.servers.tier;
  const int store = builder.vertex(VertexKind::storage_server, "storage", -1);
  const double ports = servers * port_rate(cluster.fabric, shared.nic),
               latency = nic_latency_s(cluster, shared.nic) / 2;
  const double write = tier.write.base() > 0 ? tier.write.base() : tier.read.base();
  builder.link(store, attach, std::min(ports, servers * tier.read.base()), latency, LinkKind::nic);
  builder.link(attach, store, std::min(ports, servers * write), latency, LinkKind::nic);
  builder.plan.storage_servers.push_back(store);
}

int nodes_below_leaf(const Cluster& cluster, int nics_on_leaf) {
  const int ports = cluster.fabric.switch_spec.ports > 0 ? cluster.fabric.switch_spec.ports : assumed_leaf_ports;
  const double o = std::max(1.0, cluster.fabric.oversubscription);
  const int down = static_cast<int>(ports * o / (1.0 + o));
  return std::max(1, down / std::max(1, nics_on_leaf));
}

// One leaf below the spine with the given NICs of each of its nodes.
void add_leaf(const Cluster& cluster, PlanBuilder& builder, const std::string& name, int spine, const NicSpec& spec,
              const std::vector<int>& nics, int nodes) {
  const int leaf = builder.vertex(VertexKind::leaf_switch, name, -1);
  for (int nic : nics) join_nic(cluster, builder, nic, leaf, spec);
  const double down = nodes * static_cast<double>(nics.size()) * port_rate(cluster.fabric, spec);
  builder.both_ways(leaf, spine, down / std::max(1.0, cluster.fabric.oversubscription), builder.plan.hop_latency_s,
                    LinkKind::network);
}

bool has_network(const Cluster& cluster) {
  return cluster.storage.has_value() || std::any_of(cluster.groups.begin(), cluster.groups.end(),
                                                    [](const NodeGroup& g) { return g.node.nic && g.node.nics > 0; });
}

void single_switch(const Cluster& cluster, PlanBuilder& builder) {
  if (!has_network(cluster)) return;
  const int leaf = builder.vertex(VertexKind::leaf_switch, "switch", -1);
  for (std::size_t g = 0; g < cluster.groups.size(); ++g)
    for (int nic : builder.plan.nodes[g].nics) join_nic(cluster, builder, nic, leaf, *cluster.groups[g].node.nic);
  add_storage(cluster, builder, leaf);
}

void fat_tree(const Cluster& cluster, PlanBuilder& builder) {
  if (!has_network(cluster)) return;
  std::size_t most_nics = 1;
  for (const NodePlan& node : builder.plan.nodes) most_nics = std::max(most_nics, node.nics.size());
  const int below = nodes_below_leaf(cluster, static_cast<int>(most_nics));
  builder.plan.nodes_per_leaf = below;
  const int spine = builder.vertex(VertexKind::spine_switch, "spine", -1);
  for (std::size_t g = 0; g < cluster.groups.size(); ++g) {
    const std::vector<int> nics = builder.plan.nodes[g].nics;
    if (nics.empty()) continue;
    add_leaf(cluster, builder, "leaf" + std::to_string(g), spine, *cluster.groups[g].node.nic, nics,
             std::min(below, cluster.groups[g].count));
  }
  add_storage(cluster, builder, spine);
}

void rail_optimized(const Cluster& cluster, PlanBuilder& builder) {
  if (!has_network(cluster)) return;
  const int below = nodes_below_leaf(cluster, 1);
  builder.plan.nodes_per_leaf = below;
  const int spine = builder.vertex(VertexKind::spine_switch, "spine", -1);
  for (std::size_t g = 0; g < cluster.groups.size(); ++g) {
    const std::vector<int> nics = builder.plan.nodes[g].nics;
    for (std::size_t rail = 0; rail < nics.size(); ++rail)
      add_leaf(cluster, builder, "leaf" + std::to_string(g) + ".rail" + std::to_string(rail), spine,
               *cluster.groups[g].node.nic, {nics[rail]}, std::min(below, cluster.groups[g].count));
  }
  add_storage(cluster, builder, spine);
}

}  // namespace

double port_rate(const FabricSpec& fabric, const NicSpec& nic) {
  const double line = nic.line_rate.base(), link = fabric.link.base();
  return link > 0 ? std::min(line, link) : line;
}

const std::vector<ShapeEntry>& fabric_shapes() {
  static const std::vector<ShapeEntry> table = {
      {FabricShape::single_switch, "single-switch", "one switch holds every NIC", single_switch},
      {FabricShape::fat_tree, "fat-tree", "leaves of whole nodes below a spine", fat_tree},
      {FabricShape::rail_optimized, "rail-optimized", "NIC i of every node on leaf i, leaves below a spine",
       rail_optimized},
  };
  return table;
}

}  // namespace clustersim
