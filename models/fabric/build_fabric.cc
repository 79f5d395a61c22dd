#include "models/fabric/build_fabric.h"

#include <algorithm>
#include <map>

#include "clustersim/error.h"
#include "models/fabric/gpu_cables.h"
#include "models/fabric/node_tree.h"
#include "models/fabric/shapes.h"

namespace clustersim {
namespace {

constexpr double switch_latency_s = 0.3e-6;    // [published: 0.1-0.6 us port to port, catalog of switches]
constexpr double memory_latency_s = 0.1e-6;    // [assumed] DRAM access
constexpr double share_of_nvlink = 0.8;        // [published: NCCL topology constants, 20 of 25 GB/s]
constexpr double assumed_memory_rate = 100e9;  // bytes/s a socket where the CPU is not known [assumed]
constexpr double assumed_socket_rate = 20e9;   // bytes/s between sockets where the link is not known [assumed]

VertexKind kind_of(const std::string& kind) {
  if (kind == "socket") return VertexKind::socket;
  if (kind == "pcie_switch") return VertexKind::pcie_switch;
  if (kind == "gpu") return VertexKind::gpu;
  if (kind == "nic") return VertexKind::nic;
  require(kind == "storage", "a PCIe vertex is a socket, switch, GPU, NIC or storage device");
  return VertexKind::storage_device;
}

struct TreeState {
  std::map<std::string, int> vertex;  // by id
  std::map<std::string, int> socket;  // socket number above, by id
};

void add_storage_link(const NodeSpec& spec, const PcieVertex& vertex, int device, int parent, PlanBuilder& builder) {
  const double lanes = vertex.link.base(), efficiency = spec.storage.sequential_efficiency;
  const StorageSpec& tier = spec.storage.tier;
  const double read = tier.read.base() * efficiency, write = tier.write.base() * efficiency;
  builder.link(device, parent, std::min(lanes, read), tier.read_latency.base(), LinkKind::storage);
  builder.link(parent, device, std::min(lanes, write > 0 ? write : read), tier.write_latency.base(), LinkKind::storage);
}

TreeState add_tree(const NodeSpec& spec, int number, NodePlan& node, PlanBuilder& builder) {
  TreeState state;
  for (const PcieVertex& vertex : node_tree(spec)) {
    const int v = builder.vertex(kind_of(vertex.kind), "node" + std::to_string(number) + "." + vertex.id, number);
    state.vertex[vertex.id] = v;
    if (vertex.kind == "socket") {
      state.socket[vertex.id] = static_cast<int>(node.sockets.size());
      node.sockets.push_back(v);
      continue;
    }
    const int parent = state.vertex.at(vertex.parent);
    const int socket = state.socket.at(vertex.parent);
    state.socket[vertex.id] = socket;
    if (vertex.kind == "storage") {
      add_storage_link(spec, vertex, v, parent, builder);
      node.storage.push_back(v);
      continue;
    }
    builder.both_ways(v, parent, vertex.link.base(), vertex.link_latency.base(), LinkKind::pcie);
    if (vertex.kind == "nic") node.nics.push_back(v);
    if (vertex.kind == "gpu") {
      node.gpus.push_back(v);
      node.gpu_socket.push_back(socket);
    }
  }
  return state;
}

void add_host(const NodeSpec& spec, int number, NodePlan& node, PlanBuilder& builder) {
  const std::string prefix = "node" + std::to_string(number) + ".";
  const double memory = spec.cpu.memory_bandwidth.base() > 0 ? spec.cpu.memory_bandwidth.base() : assumed_memory_rate;
  for (std::size_t s = 0; s < node.sockets.size(); ++s) {
    const int v = builder.vertex(VertexKind::memory, prefix + "mem" + std::to_string(s), number);
    node.memories.push_back(v);
    builder.both_ways(node.sockets[s], v, memory, memory_latency_s, LinkKind::memory);
  }
  const double between =
      spec.socket_link.achievable.base() > 0 ? spec.socket_link.achievable.base() : assumed_socket_rate;
  for (std::size_t a = 0; a < node.sockets.size(); ++a)
    for (std::size_t b = a + 1; b < node.sockets.size(); ++b)
      builder.both_ways(node.sockets[a], node.sockets[b], between, spec.socket_link.latency.base(), LinkKind::socket);
  builder.plan.pools.push_back({prefix + "cores", spec.cores, number});
  node.core_pool = static_cast<int>(builder.plan.pools.size()) - 1;
}

void add_gpu_fabric(const NodeSpec& spec, int number, const NodePlan& node, PlanBuilder& builder) {
  const GpuFabricSpec& fabric = spec.gpu_fabric;
  if (fabric.link.id.empty() || spec.gpus < 2) return;
  const double rate = collective_rate_per_link(fabric.link), latency = fabric.link.latency.base();
  const int links = fabric.links_per_gpu > 0 ? fabric.links_per_gpu : fabric.link.links_per_gpu;
  if (fabric.shape == "switch") {
    const int hub = builder.vertex(VertexKind::nvswitch, "node" + std::to_string(number) + ".nvswitch", number);
    for (int gpu : node.gpus) builder.both_ways(gpu, hub, links * rate, latency, LinkKind::nvlink);
    return;
  }
  const bool listed = fabric.shape == "cables";
  for (const Cable& cable : listed ? fabric.cables : gpu_cables(fabric.shape, spec.gpus, gpus_of_server(spec), links)) {
    if (cable.b >= spec.gpus) continue;
    builder.both_ways(node.gpus[static_cast<std::size_t>(cable.a)], node.gpus[static_cast<std::size_t>(cable.b)],
                      cable.links * rate, latency, LinkKind::nvlink);
  }
}

}  // namespace

double collective_rate_per_link(const LinkSpec& link) {
  if (link.collective_per_link) return link.collective_per_link->base();
  return link.theoretical.base() * share_of_nvlink;
}

FabricPlan build_fabric(const Cluster& cluster) {
  PlanBuilder builder;
  const double latency = cluster.fabric.switch_spec.latency.base();
  builder.plan.hop_latency_s = latency > 0 ? latency : switch_latency_s;
  builder.plan.oversubscription = std::max(1.0, cluster.fabric.oversubscription);
  for (std::size_t g = 0; g < cluster.groups.size(); ++g) {
    const NodeSpec& spec = cluster.groups[g].node;
    const int number = static_cast<int>(g);
    NodePlan node;
    node.group = number;
    node.count = cluster.groups[g].count;
    add_tree(spec, number, node, builder);
    add_host(spec, number, node, builder);
    add_gpu_fabric(spec, number, node, builder);
    builder.plan.nodes.push_back(node);
  }
  for (const ShapeEntry& entry : fabric_shapes())
    if (entry.shape == cluster.fabric.shape) entry.build(cluster, builder);
  return builder.plan;
}

int nodes_sharing(const FabricPlan& plan, int node, int link) {
  const Link& l = plan.links[static_cast<std::size_t>(link)];
  const Vertex& from = plan.vertices[static_cast<std::size_t>(l.from)];
  const Vertex& to = plan.vertices[static_cast<std::size_t>(l.to)];
  const int count = plan.nodes[static_cast<std::size_t>(node)].count;
  if (from.node >= 0 || to.node >= 0) return 1;
  if (l.kind == LinkKind::network) return plan.nodes_per_leaf > 0 ? std::min(plan.nodes_per_leaf, count) : count;
  return count;
}

}  // namespace clustersim
