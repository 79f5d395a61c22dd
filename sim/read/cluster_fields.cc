// The keys of a scenario's "cluster".
#include <algorithm>

#include "sim/read/hardware_part.h"
#include "sim/read/scenario_keys.h"

namespace clustersim {

namespace {

void visit_array(FieldVisitor& v, ArrayKeys& keys, const Lookup& lookup) {
  keys.pointer = v.pointer();
  hardware_part(v, {.name = "tier", .meaning = "the kind of device", .default_text = "nvme-gen4-dc"}, "storage",
                keys.tier, lookup);
  v.key({.name = "count", .meaning = "devices", .default_text = "1 (2 of the default tier)", .min = 1, .max = 1000},
        keys.count);
  v.choice({.name = "raid", .meaning = "how the devices are joined", .default_text = "raid0 of several, none of one"},
           kRaidWords, keys.raid);
  v.key({.name = "capacity", .meaning = "room of the whole array", .default_text = "unknown", .min = 0}, keys.capacity);
}

void visit_cooling(FieldVisitor& v, CoolingKeys& keys) {
  v.choice({.name = "kind", .meaning = "what carries the heat away", .default_text = "that of the server, else air"},
           kCoolingWords, keys.kind);
  v.key({.name = "inlet",
         .meaning = "air that reaches the first card, or coolant",
         .default_text = "room where that is given, else 25 degC",
         .min = -40,
         .max = 80},
        keys.inlet);
  v.key({.name = "room",
         .meaning = "air of the room; counts where inlet is left out",
         .default_text = "that of inlet",
         .min = -40,
         .max = 80},
        keys.room);
  v.key({.name = "airflow",
         .meaning = "air through the GPUs of one node; 0 CFM: so much that it does not warm up",
         .default_text = "0 CFM",
         .min = 0,
         .max = 100},
        keys.airflow);
  v.choice({.name = "arrangement", .meaning = "how the cards stand in the air", .default_text = "parallel"},
           kArrangementWords, keys.arrangement);
  v.key({.name = "host_heat",
         .meaning = "heat put into the air before it reaches the GPUs",
         .default_text = "0 W",
         .min = 0,
         .max = 1e5},
        keys.host_heat);
}

bool joins_gpus(const std::string& link_id) {
  return (link_id.starts_with("nvlink") && link_id != "nvlink-c2c") || link_id.starts_with("xgmi-gpu") ||
         (link_id.starts_with("pcie") && link_id != "pcie-switch");
}

void visit_gpu_fabric(FieldVisitor& v, std::optional<GpuFabricKeys>& slot, const Lookup& lookup) {
  const std::string pointer = v.pointer() + "/gpu_fabric";
  std::vector<std::string> ids = {"pcie"};
  for (const std::string& id : ids_for(v, "gpu_fabric", "link", lookup))
    if (joins_gpus(id)) ids.push_back(id);
  const auto note_pcie = [](GpuFabricKeys& keys) { keys.pcie = keys.link && keys.link->kind == "pcie"; };
  v.part(
      {.name = "gpu_fabric",
       .meaning = "how the GPUs of a node reach each other: a link in its usual shape for this count, or \"pcie\"",
       .default_text = "that of the server; without a server NVLink for SXM parts, else pcie"},
      "link", ids,
      [&](const std::string& id) {
        GpuFabricKeys& keys = slot.emplace();
        if (id != "pcie") find_part(lookup, id, pointer, keys.link.emplace());
        note_pcie(keys);
        if (id == "pcie") keys.pcie = true;
      },
      [&](FieldVisitor& in, const std::string&) {
        GpuFabricKeys& keys = slot.emplace();
        hardware_part(in, {.name = "link", .meaning = "the link", .required = true}, "link", keys.link, lookup);
        in.choice({.name = "shape",
                   .meaning = "how the links join the GPUs",
                   .default_text = "usual for the link and the count"},
                  kGpuFabricWords, keys.shape);
        note_pcie(keys);
      });
}

// Lists that the object gives replace those of the base, and what it leaves out stays.
void change_server(FieldVisitor& in, ServerSpec& server) {
  const ServerSpec base = server;
  if (in.given("nics")) server.nics.clear();
  if (in.given("storage")) server.storage.clear();
  if (in.given("pcie_tree")) server.pcie_tree.clear();
  change_part(in, server);
  if (!in.given("gpu_fabric")) {
    server.gpu_fabric_link = base.gpu_fabric_link;
    server.gpu_fabric_shape = base.gpu_fabric_shape;
    server.gpu_fabric_switch = base.gpu_fabric_switch;
    server.gpu_fabric_links_per_gpu = base.gpu_fabric_links_per_gpu;
    server.gpu_slot = base.gpu_slot;
  }
  if (!in.given("psu")) server.psu_watts_each = base.psu_watts_each;
}

void change_cloud(FieldVisitor& in, CloudSpec& cloud) {
  const CloudSpec base = cloud;
  change_part(in, cloud);
  if (in.given("node")) return;
  cloud.gpu_fabric_link = base.gpu_fabric_link;
  cloud.gpu_fabric_shape = base.gpu_fabric_shape;
  cloud.gpu_fabric_switch = base.gpu_fabric_switch;
  cloud.gpu_fabric_links_per_gpu = base.gpu_fabric_links_per_gpu;
  cloud.gpu_slot = base.gpu_slot;
}

// The rates of a tree that was given in place.
void rate_tree(const Lookup& lookup, const std::string& pointer, ServerSpec& server) {
  for (PcieVertex& vertex : server.pcie_tree) {
    if (vertex.link_id.empty() || vertex.link.base() > 0) continue;
    const LinkSpec link = lookup.catalog.link(vertex.link_id, lookup.at(pointer));
    vertex.link = link.achievable;
    vertex.link_latency = link.latency;
  }
}

void visit_server(FieldVisitor& v, NodeKeys& keys, const Lookup& lookup) {
  const std::string pointer = v.pointer() + "/server";
  std::vector<std::string> ids = ids_for(v, "server", "server", lookup);
  const std::vector<std::string> cloud = ids_for(v, "server", "cloud", lookup);
  ids.insert(ids.end(), cloud.begin(), cloud.end());
  const auto start_from = [&](const std::string& id, const std::string& where) {
    if (std::find(cloud.begin(), cloud.end(), id) != cloud.end()) {
      find_part(lookup, id, where, keys.cloud.emplace());
    } else {
      keys.server.emplace();
      if (!id.empty()) find_part(lookup, id, where, *keys.server);
    }
  };
  v.part(
      {.name = "server",
       .meaning = "a server or a cloud instance; each key below overrides it",
       .default_text = "none: the keys below are the node"},
      "server", ids, [&](const std::string& id) { start_from(id, pointer); },
      [&](FieldVisitor& in, const std::string& base) {
        start_from(base, pointer + "/base");
        if (keys.cloud) {
          change_cloud(in, *keys.cloud);
        } else {
          change_server(in, *keys.server);
          rate_tree(lookup, pointer + "/pcie_tree", *keys.server);
        }
      });
}

void visit_node(FieldVisitor& v, NodeKeys& keys, const Lookup& lookup) {
  keys.pointer = v.pointer();
  keys.names_server = v.given("server");
  keys.names_gpu = v.given("gpu");
  visit_server(v, keys, lookup);
  hardware_part(v, {.name = "gpu", .meaning = "the GPU", .default_text = "that of the server"}, "gpu", keys.gpu,
                lookup);
  v.key({.name = "gpus",
         .meaning = "GPUs of a node",
         .default_text = "those of the server, else 1",
         .min = 1,
         .max = 128},
        keys.gpus);
  visit_gpu_fabric(v, keys.gpu_fabric, lookup);
  hardware_part(v,
                {.name = "cpu",
                 .meaning = "the processor",
                 .default_text = "that of the server, else epyc-7763 for SXM parts, epyc-7543 for others"},
                "cpu", keys.cpu, lookup);
  v.key({.name = "sockets",
         .meaning = "processors of a node",
         .default_text = "those of the server, else 2 for SXM parts, 1 for others",
         .min = 1,
         .max = 16},
        keys.sockets);
  v.key({.name = "memory",
         .meaning = "memory of a node",
         .default_text = "that of the server, else 4 x the GPUs' memory",
         .min = 1e9,
         .max = 1e15},
        keys.memory);
  hardware_part(v,
                {.name = "nic",
                 .meaning = "the network card that training uses",
                 .default_text = "that of the server, else eth-100g (none for 1 node)"},
                "nic", keys.nic, lookup);
  v.key({.name = "nics",
         .meaning = "such cards of a node",
         .default_text = "those of the server, else 1",
         .min = 0,
         .max = 64},
        keys.nics);
  v.key({.name = "gpudirect", .meaning = "the network card reads and writes GPU memory itself", .default_text = "true"},
        keys.gpudirect);
  v.key(
      {.name = "acs", .meaning = "access control services send peer traffic through the root", .default_text = "false"},
      keys.acs);
  v.key({.name = "p2p",
         .meaning = "GPUs reach each other's memory. false: not at all, over NVLink neither, as with "
                    "NCCL_P2P_DISABLE=1. true: over PCIe too. Left out: over PCIe where the stock driver of the GPU "
                    "allows it, and over whatever NVLink there is, which every driver allows",
         .default_text = "as the stock driver of the GPU has it"},
        keys.p2p);
  v.object({.name = "storage",
            .meaning = "the node's own storage for data",
            .default_text = "that of the server, else 2 x nvme-gen4-dc raid0"},
           [&](FieldVisitor& in) { visit_array(in, keys.storage.emplace(), lookup); });
  v.object({.name = "cooling", .meaning = "what keeps the GPUs cool", .default_text = "that of the server, else air"},
           [&](FieldVisitor& in) { visit_cooling(in, keys.cooling); });
  v.key({.name = "gpu_power_limit",
         .meaning = "power limit of each GPU",
         .default_text = "its TDP",
         .min = 1,
         .max = 1e4},
        keys.gpu_power_limit);
  v.key({.name = "gpu_clock_limit",
         .meaning = "highest clock of each GPU",
         .default_text = "its boost clock",
         .min = 1e7,
         .max = 1e10},
        keys.gpu_clock_limit);
  keys.names_topology = v.given("topology");
  visit_topology(v, keys.topology, lookup);
}

void visit_fabric(FieldVisitor& v, FabricKeys& keys, const Lookup& lookup) {
  v.choice({.name = "shape",
            .meaning = "how the switches are joined",
            .default_text = "single-switch up to its ports, fat-tree beyond"},
           kFabricWords, keys.shape);
  v.key({.name = "link",
         .meaning = "rate of one port, each way",
         .default_text = "that of the network card",
         .min = 1e6,
         .max = 1e13,
         .unit = "Gbit/s"},
        keys.link);
  v.choice({.name = "transport",
            .meaning = "how bytes travel",
            .default_text = "efa on AWS; rdma for InfiniBand and RoCE-capable cards of 25 Gbit/s and more; else tcp"},
           kTransportWords, keys.transport);
  v.key({.name = "oversubscription",
         .meaning = "rate of a leaf's ports to nodes over that of its ports to spines",
         .default_text = "1",
         .min = 1,
         .max = 1000},
        keys.oversubscription);
  v.key({.name = "in_network_reduction", .meaning = "the switches add up", .default_text = "false"},
        keys.in_network_reduction);
  v.key({.name = "adaptive_routing", .meaning = "flows spread over all spines", .default_text = "true"},
        keys.adaptive_routing);
  hardware_part(v,
                {.name = "switch",
                 .meaning = "the switch",
                 .default_text = "the smallest of the catalog of the card's kind and rate"},
                "switch", keys.switch_spec, lookup);
}

void visit_shared_storage(FieldVisitor& v, SharedStorageKeys& keys, const Lookup& lookup) {
  keys.pointer = v.pointer();
  hardware_part(v, {.name = "tier", .meaning = "what the servers are", .required = true}, "storage", keys.tier, lookup);
  v.key({.name = "servers", .meaning = "storage servers", .default_text = "1", .min = 1, .max = 1e5}, keys.servers);
  hardware_part(v, {.name = "nic", .meaning = "network card of a server", .default_text = "that of the nodes"}, "nic",
                keys.nic, lookup);
  v.object({.name = "cache", .meaning = "devices of each node that keep what was read", .default_text = "none"},
           [&](FieldVisitor& in) { visit_array(in, keys.cache.emplace(), lookup); });
}

void visit_stragglers(FieldVisitor& v, StragglerKeys& keys) {
  v.key({.name = "share", .meaning = "part of them that is slow", .required = true, .min = 0, .max = 1}, keys.share);
  v.key({.name = "slowdown",
         .meaning = "how much longer their kernels take: 0.1 is 10 %",
         .required = true,
         .min = 0,
         .max = 100},
        keys.slowdown);
  v.choice({.name = "of", .meaning = "what is slow", .default_text = "nodes"}, kStragglerUnitWords, keys.gpus);
  v.choice({.name = "spread", .meaning = "how slow each of them is", .default_text = "equal"}, kStragglerSpreadWords,
           keys.uniform);
}

}  // namespace

void visit_cluster(FieldVisitor& v, ClusterKeys& keys, const Lookup& lookup) {
  keys.present = true;
  const Field nodes = {.name = "nodes", .meaning = "equal nodes", .default_text = "1", .min = 1, .max = 1e6};
  v.key(nodes, keys.nodes);
  v.object({.name = "node", .meaning = "one of them"},
           [&](FieldVisitor& in) { visit_node(in, keys.node.emplace(), lookup); });
  v.list({.name = "groups", .meaning = "instead of nodes and node, where nodes differ"}, [&](FieldVisitor& in) {
    if (!keys.groups) keys.groups.emplace();
    GroupKeys& group = keys.groups->emplace_back();
    group.pointer = in.pointer();
    in.key(nodes, group.nodes);
    in.object({.name = "node", .meaning = "one of them", .required = true},
              [&](FieldVisitor& inner) { visit_node(inner, group.node.emplace(), lookup); });
    in.key({.name = "batch_per_gpu",
            .meaning = "samples of one pass on one GPU of this group",
            .default_text = "that of the job",
            .min = 1,
            .max = 1e7},
           group.batch_per_gpu);
    in.key({.name = "emulated_step",
            .meaning = "compute time of that batch on one GPU of this group, where the job's step is emulated",
            .default_text = "that of the job",
            .min = 1e-6,
            .max = 1e5},
           group.emulated_step);
  });
  v.object({.name = "fabric", .meaning = "the network between nodes", .default_text = "see its keys"},
           [&](FieldVisitor& in) { visit_fabric(in, keys.fabric, lookup); });
  v.object({.name = "storage", .meaning = "storage that the nodes share", .default_text = "none"},
           [&](FieldVisitor& in) { visit_shared_storage(in, keys.storage.emplace(), lookup); });
  visit_collectives(v, keys.collectives);
  v.json({.name = "calibration",
          .meaning = "what `clustersim calibrate` wrote: its numbers replace those of the nodes' parts",
          .default_text = "none"},
         "name of a file beside the scenario, or its content in place", keys.calibration);
  v.object({.name = "stragglers",
            .meaning = "nodes or GPUs that compute slower than the others, chosen at random by the seed",
            .default_text = "none"},
           [&](FieldVisitor& in) { visit_stragglers(in, keys.stragglers.emplace()); });
  v.key({.name = "region", .meaning = "whose electricity it is, for its carbon", .default_text = "USA"}, keys.region);
}

}  // namespace clustersim
