#include "sim/read/resolve_cluster.h"

#include <algorithm>
#include <utility>

#include "sim/read/resolve_node.h"

namespace clustersim {

namespace {

constexpr double kRoceFrom = 25e9 / 8;  // B/s; FORMATS: RoCE-capable cards of 25 Gbit/s and more

const NicSpec* first_nic(const Cluster& cluster) {
  for (const NodeGroup& group : cluster.groups)
    if (group.node.nic && group.node.nics > 0) return &*group.node.nic;
  return nullptr;
}

Transport usual_transport(const NicSpec& nic, const std::string& rented) {
  for (const auto& word : kTransportWords)
    if (rented == word.name) return word.value;
  if (nic.kind == "efa") return Transport::efa;
  if (nic.kind == "infiniband") return Transport::rdma;
  const bool roce = nic.kind != "gcp" && nic.rdma && nic.line_rate.base() >= kRoceFrom;
  return roce ? Transport::rdma : Transport::tcp;
}

// The switch of the card's kind with the lowest rate that suffices, of these the one with most ports.
SwitchSpec usual_switch(ReadContext& context, const std::string& pointer, const NicSpec& nic, Bandwidth rate) {
  const std::string kind = nic.kind == "infiniband" ? "infiniband" : "ethernet";
  SwitchSpec best;
  for (const std::string& id : context.catalog().ids("switch")) {
    SwitchSpec candidate = context.catalog().switch_(id, context.at(pointer));
    if (candidate.kind != kind || candidate.port_rate < rate || !candidate.unknown.empty()) continue;
    const bool better = best.id.empty() || candidate.port_rate < best.port_rate ||
                        (candidate.port_rate == best.port_rate && candidate.ports > best.ports);
    if (better) best = std::move(candidate);
  }
  return best;
}

int ports_needed(const Cluster& cluster) {
  int ports = cluster.storage ? cluster.storage->servers.count : 0;
  for (const NodeGroup& group : cluster.groups) ports += group.count * group.node.nics;
  return ports;
}

std::vector<NodeGroup> resolve_groups(ReadContext& context, const ClusterKeys& keys) {
  std::vector<NodeGroup> groups;
  if (keys.groups) {
    if (keys.node || keys.nodes)
      context.fault("/cluster/groups", "either groups, or nodes and node", "both", "remove one of them");
    if (keys.groups->empty()) context.fault("/cluster/groups", "at least one group", "[]");
    const bool alone = keys.groups->size() == 1 && keys.groups->front().nodes.value_or(1) == 1;
    for (const GroupKeys& group : *keys.groups) {
      if (!group.node) continue;  // told already
      if (!group.nodes) context.assume(group.pointer + "/nodes", "1", "default");
      groups.push_back({group.nodes.value_or(1), resolve_node(context, *group.node, alone), group.batch_per_gpu,
                        group.emulated_step});
    }
    return groups;
  }
  const int nodes = keys.nodes.value_or(1);
  if (!keys.nodes) context.assume("/cluster/nodes", "1", "default");
  if (keys.node) {
    groups.push_back({nodes, resolve_node(context, *keys.node, nodes == 1)});
  } else {
    context.fault("/cluster/node", "a node, or groups of nodes", "neither",
                  "such as \"node\": {\"server\": \"dgx-a100-80gb\"}");
  }
  return groups;
}

SharedStorage resolve_shared(ReadContext& context, const SharedStorageKeys& keys, const Cluster& cluster) {
  SharedStorage shared;
  if (keys.tier) shared.servers.tier = *keys.tier;
  shared.servers.count = keys.servers.value_or(1);
  if (!keys.servers) context.assume(keys.pointer + "/servers", "1", "default");
  if (keys.nic) {
    shared.nic = *keys.nic;
  } else if (const NicSpec* nic = first_nic(cluster)) {
    shared.nic = *nic;
    context.assume(keys.pointer + "/nic", nic->id, "that of the nodes");
  } else {
    context.fault(keys.pointer, "nodes with a network card to reach it", "none",
                  "give the nodes one: \"nic\": \"eth-100g\"");
  }
  if (!shared.nic.id.empty()) refuse_unknown(context, keys.pointer + "/nic", shared.nic);
  if (!shared.servers.tier.id.empty()) refuse_unknown(context, keys.pointer + "/tier", shared.servers.tier);
  note_estimates(context, "storage", shared.servers.tier,
                 {"read", "write", "read_iops", "read_latency", "open_latency", "client_single_stream"});
  if (keys.cache) shared.cache = resolve_array(context, *keys.cache);
  return shared;
}

// Numbers of GPUs and ports are counted in whole numbers of 32 bits.
void check_size(ReadContext& context, const std::vector<NodeGroup>& groups) {
  constexpr double kMostGpus = 1e8;
  double gpus = 0;
  for (const NodeGroup& group : groups)
    gpus += static_cast<double>(group.count) * std::max(group.node.gpus, group.node.nics);
  if (gpus > kMostGpus)
    context.fault("/cluster", "at most " + number_text(kMostGpus) + " GPUs or network cards", number_text(gpus));
}

void check_cards(ReadContext& context, const ClusterKeys& keys, const Cluster& cluster) {
  if (cluster.nodes() < 2) return;
  for (std::size_t g = 0; g < cluster.groups.size(); ++g) {
    if (cluster.groups[g].node.nic) continue;
    const std::string pointer =
        keys.groups ? "/cluster/groups/" + std::to_string(g) + "/node" : std::string("/cluster/node");
    context.fault(pointer + "/nics", "a network card in each of " + std::to_string(cluster.nodes()) + " nodes", "none",
                  "such as \"nic\": \"eth-100g\", \"nics\": 1");
  }
}

}  // namespace

FabricSpec resolve_fabric(ReadContext& context, const std::string& pointer, const FabricKeys& keys,
                          const Cluster& cluster, const std::string& rented_transport) {
  FabricSpec fabric;
  const NicSpec* nic = first_nic(cluster);
  if (nic == nullptr) return fabric;
  const bool joined = cluster.nodes() > 1;
  const auto said = [&](const char* key, const std::string& value, const std::string& why) {
    if (joined) context.assume(pointer + "/" + key, value, why);
  };

  fabric.link = keys.link.value_or(nic->line_rate);
  if (!keys.link) said("link", format_quantity(fabric.link, "Gbit/s"), "rate of \"" + nic->id + "\"");
  fabric.transport = keys.transport.value_or(usual_transport(*nic, rented_transport));
  if (!keys.transport) said("transport", word_of(kTransportWords, fabric.transport), "usual for \"" + nic->id + "\"");
  if (keys.transport == Transport::rdma && !nic->rdma)
    context.fault(pointer + "/transport", "a transport that \"" + nic->id + "\" offers", "\"rdma\"", "such as \"tcp\"");
  if (keys.switch_spec) {
    fabric.switch_spec = *keys.switch_spec;
  } else if (joined || cluster.storage || keys.in_network_reduction) {
    fabric.switch_spec = usual_switch(context, pointer + "/switch", *nic, fabric.link);
    said("switch", fabric.switch_spec.id.empty() ? "unknown" : fabric.switch_spec.id,
         fabric.switch_spec.id.empty() ? "the catalog has none of this kind and rate: 40 ports are assumed"
                                       : "the smallest of the catalog of this kind and rate");
  }
  if (joined) note_estimates(context, "switch", fabric.switch_spec, {"latency", "ports", "in_network_reduction"});
  const int ports = fabric.switch_spec.ports > 0 ? fabric.switch_spec.ports : 40;
  const int needed = ports_needed(cluster);
  fabric.shape = keys.shape.value_or(needed <= ports ? FabricShape::single_switch : FabricShape::fat_tree);
  if (!keys.shape)
    said("shape", word_of(kFabricWords, fabric.shape),
         std::to_string(needed) + " ports needed, " + std::to_string(ports) + " on a switch");
  if (keys.shape == FabricShape::single_switch && needed > ports)
    context.remark(pointer + "/shape", "single-switch",
                   std::to_string(needed) + " ports are more than the " + std::to_string(ports) + " of \"" +
                       fabric.switch_spec.id + "\": an ideal switch is simulated");
  fabric.oversubscription = keys.oversubscription.value_or(1.0);
  if (!keys.oversubscription && fabric.shape != FabricShape::single_switch) said("oversubscription", "1", "default");
  fabric.adaptive_routing = keys.adaptive_routing.value_or(true);
  if (!keys.adaptive_routing && fabric.shape != FabricShape::single_switch) said("adaptive_routing", "true", "default");
  fabric.in_network_reduction = keys.in_network_reduction.value_or(false);
  if (fabric.in_network_reduction && !fabric.switch_spec.in_network_reduction)
    context.fault(pointer + "/in_network_reduction", "false, or a switch that adds up",
                  "true with \"" + fabric.switch_spec.id + "\"",
                  "InfiniBand switches of the catalog do, such as \"sw-ib-hdr-40\"");
  return fabric;
}

// Of single GPUs nearly every node is a kind of its own.
std::optional<Stragglers> resolve_stragglers(ReadContext& context, const ClusterKeys& keys, const Cluster& cluster) {
  constexpr int kMostByGpu = 8192;
  if (!keys.stragglers) return std::nullopt;
  Stragglers stragglers;
  stragglers.share = keys.stragglers->share.value_or(0);
  stragglers.slowdown = keys.stragglers->slowdown.value_or(0);
  stragglers.gpus = keys.stragglers->gpus.value_or(false);
  stragglers.uniform = keys.stragglers->uniform.value_or(false);
  if (stragglers.gpus && cluster.gpus() > kMostByGpu)
    context.fault("/cluster/stragglers/of", "nodes with more than " + std::to_string(kMostByGpu) + " GPUs",
                  "gpus of " + std::to_string(cluster.gpus()), "slow nodes fold to a few kinds, slow GPUs do not");
  return stragglers;
}

// Groups of equal nodes are one.
void merge_equal_groups(std::vector<NodeGroup>& groups) {
  std::vector<NodeGroup> merged;
  for (NodeGroup& group : groups) {
    const auto same = std::find_if(merged.begin(), merged.end(), [&](const NodeGroup& g) {
      return g.node == group.node && g.batch_per_gpu == group.batch_per_gpu && g.emulated_step == group.emulated_step;
    });
    if (same == merged.end()) {
      merged.push_back(std::move(group));
    } else {
      same->count += group.count;
    }
  }
  groups = std::move(merged);
}

Cluster resolve_cluster(ReadContext& context, const ClusterKeys& keys) {
  Cluster cluster;
  cluster.groups = resolve_groups(context, keys);
  check_size(context, cluster.groups);
  check_cards(context, keys, cluster);
  merge_equal_groups(cluster.groups);
  for (const Problem& p : context.lookup.problems)
    if (p.pointer == "/cluster") return cluster;  // too large to count
  cluster.stragglers = resolve_stragglers(context, keys, cluster);
  if (keys.storage) cluster.storage = resolve_shared(context, *keys.storage, cluster);
  const auto transport_of = [&]() -> std::string {
    if (keys.node && keys.node->cloud && !keys.node->nic) return keys.node->cloud->transport;
    if (keys.groups)
      for (const GroupKeys& group : *keys.groups)
        if (group.node && group.node->cloud && !group.node->nic) return group.node->cloud->transport;
    return "";
  };
  cluster.fabric = resolve_fabric(context, "/cluster/fabric", keys.fabric, cluster, transport_of());
  cluster.region = keys.region.value_or("USA");
  if (!keys.region) context.assume("/cluster/region", "USA", "default");
  cluster.grid = context.catalog().carbon(cluster.region, context.at("/cluster/region"));
  return cluster;
}

}  // namespace clustersim
