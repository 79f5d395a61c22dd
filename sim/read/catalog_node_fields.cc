// Field lists of whole nodes: servers and rented instances.
#include <algorithm>
#include <map>

#include "sim/read/catalog_fields.h"

namespace clustersim {

namespace {

struct Fabric {
  std::string link, shape, gpu_switch;
  int links_per_gpu = 0;
};

// {"link": "nvlink3", "shape": "switch", "links_per_gpu": 12, "switch": "nvswitch2"}
Fabric visit_fabric(FieldVisitor& v) {
  Fabric fabric;
  v.object({.name = "gpu_fabric", .meaning = "how the GPUs of a node reach each other"}, [&](FieldVisitor& inside) {
    inside.key({.name = "link", .meaning = "id of a link"}, fabric.link);
    inside.key({.name = "shape", .meaning = "switch, mesh, pairs, cube-mesh, ring, pcie or none", .required = true},
               fabric.shape);
    inside.key({.name = "links_per_gpu", .meaning = "links of one GPU that are wired", .min = 0}, fabric.links_per_gpu);
    inside.key({.name = "switch", .meaning = "id of the NVSwitch"}, fabric.gpu_switch);
    for (const char* more : {"links_per_pair", "pairs_from", "domain_gpus", "option", "note"}) inside.skip(more);
  });
  return fabric;
}

// A GPU fabric made of PCIe has no link of its own, but says which slot the GPUs sit in.
template <class Node>
void keep_fabric(Fabric fabric, Node& node) {
  if (fabric.link.starts_with("pcie")) {
    node.gpu_slot = fabric.link;
    fabric.link.clear();
    fabric.links_per_gpu = 0;
  }
  node.gpu_fabric_link = fabric.link;
  node.gpu_fabric_shape = fabric.shape;
  node.gpu_fabric_links_per_gpu = fabric.links_per_gpu;
  node.gpu_fabric_switch = fabric.gpu_switch;
}

void visit_storage(FieldVisitor& v, ServerSpec& server) {
  v.list({.name = "storage", .meaning = "drives by kind"}, [&](FieldVisitor& inside) {
    PartCount drive;
    inside.key({.name = "tier", .meaning = "id of a storage", .required = true}, drive.id);
    inside.key({.name = "count", .meaning = "how many", .required = true, .min = 1}, drive.count);
    inside.key({.name = "capacity", .meaning = "of one", .min = 1}, drive.capacity);
    inside.key({.name = "raid", .meaning = "none or the id of a raid"}, drive.raid);
    inside.key({.name = "role", .meaning = "data, os or cache"}, drive.role);
    server.storage.push_back(drive);
  });
}

}  // namespace

void visit_nics(FieldVisitor& v, std::vector<PartCount>& nics) {
  v.list({.name = "nics", .meaning = "network adapters by kind"}, [&](FieldVisitor& inside) {
    PartCount nic;
    inside.key({.name = "id", .meaning = "id of a nic", .required = true}, nic.id);
    inside.key({.name = "count", .meaning = "how many", .required = true, .min = 1}, nic.count);
    inside.key({.name = "role", .meaning = "compute, storage or management"}, nic.role);
    inside.key({.name = "line_rate", .meaning = "where it is not that of the nic", .min = 1}, nic.line_rate);
    for (const char* more : {"ports", "alternatives", "integrated_in"}) inside.skip(more);
    nics.push_back(nic);
  });
}

void visit_pcie_tree(FieldVisitor& v, std::vector<PcieVertex>& tree) {
  v.list({.name = "pcie_tree", .meaning = "who hangs on whom, parents first"}, [&](FieldVisitor& inside) {
    PcieVertex vertex;
    inside.key({.name = "id", .meaning = "unique in the node", .required = true}, vertex.id);
    inside.key({.name = "kind", .meaning = "socket, pcie_switch, gpu, nic or storage", .required = true}, vertex.kind);
    inside.key({.name = "parent", .meaning = "id of the vertex above, absent for a socket"}, vertex.parent);
    inside.key({.name = "link", .meaning = "id of the link to the parent"}, vertex.link_id);
    inside.key({.name = "ref", .meaning = "id of the nic or storage"}, vertex.part);
    inside.key({.name = "role", .meaning = "of a nic: compute, storage, management; of storage: data, os, cache"},
               vertex.role);
    for (const char* more : {"tray", "bus_id"}) inside.skip(more);
    tree.push_back(vertex);
  });
}

void check_pcie_tree(const std::vector<PcieVertex>& tree, const std::string& file, const std::string& pointer,
                     std::vector<Problem>& problems) {
  static const std::vector<std::string> kinds = {"socket", "pcie_switch", "gpu", "nic", "storage"};
  constexpr std::size_t most_vertices = 4096;
  if (tree.size() > most_vertices)
    problems.push_back(
        {file, pointer, "at most " + std::to_string(most_vertices) + " parts", std::to_string(tree.size()), ""});
  std::map<std::string, std::string> kind_of;
  const auto fault = [&](std::size_t i, const char* key, const std::string& expected, const std::string& got) {
    problems.push_back({file, pointer + "/" + std::to_string(i) + "/" + key, expected, "\"" + got + "\"", ""});
  };
  for (std::size_t i = 0; i < std::min(tree.size(), most_vertices); ++i) {
    const PcieVertex& vertex = tree[i];
    if (std::find(kinds.begin(), kinds.end(), vertex.kind) == kinds.end())
      fault(i, "kind", "socket, pcie_switch, gpu, nic or storage", vertex.kind);
    const auto above = kind_of.find(vertex.parent);
    const bool root = vertex.kind == "socket";
    const bool below = above != kind_of.end() && (above->second == "socket" || above->second == "pcie_switch" ||
                                                  (above->second == "gpu" && vertex.kind == "nic"));
    if (root ? !vertex.parent.empty() : !below)
      fault(i, "parent", root ? "none: a socket is a root" : "the id of a socket or PCIe switch further up",
            vertex.parent);
    if (!kind_of.emplace(vertex.id, vertex.kind).second) fault(i, "id", "an id of its own", vertex.id);
  }
}

void visit_fields(FieldVisitor& v, ServerSpec& server) {
  visit_entry(v, server);
  v.key({.name = "gpu", .meaning = "id of its GPUs"}, server.gpu_id);
  v.key({.name = "gpus", .meaning = "how many", .required = true, .min = 0}, server.gpu_count);
  v.key({.name = "cpu", .meaning = "id of its processors", .required = true}, server.cpu_id);
  v.key({.name = "sockets", .meaning = "how many", .required = true, .min = 1}, server.cpu_count);
  v.key({.name = "memory", .meaning = "of the whole node", .required = true, .min = 1e9}, server.memory);
  visit_nics(v, server.nics);
  visit_storage(v, server);
  keep_fabric(visit_fabric(v), server);
  v.key({.name = "socket_link", .meaning = "id of the link between sockets"}, server.socket_link);
  visit_pcie_tree(v, server.pcie_tree);
  v.key({.name = "price", .meaning = "of the whole server", .min = 0}, server.price);
  v.key({.name = "price_range", .meaning = "where sources differ; the price lies inside", .min = 0},
        server.price_range);
  v.key({.name = "price_date", .meaning = "when"}, server.price_date);
  v.key({.name = "price_rule", .meaning = "how the price was chosen"}, server.price_rule);
  v.key({.name = "max_power", .meaning = "what it draws at most", .min = 0}, server.max_power);
  v.object({.name = "psu", .meaning = "power supplies"}, [&](FieldVisitor& inside) {
    Power each;
    inside.key({.name = "count", .meaning = "how many", .required = true, .min = 1}, server.psu_count);
    inside.key({.name = "each", .meaning = "rating of one", .required = true, .min = 1}, each);
    server.psu_watts_each = each.base();
  });
  v.key({.name = "cooling", .meaning = "air or liquid, in words"}, server.cooling);
  v.key({.name = "rack_units", .meaning = "height", .min = 1}, server.rack_units);
}

void visit_fields(FieldVisitor& v, CloudSpec& cloud) {
  visit_entry(v, cloud);
  v.key({.name = "provider", .meaning = "who rents it out", .required = true}, cloud.provider);
  v.key({.name = "instance", .meaning = "the provider's name for it", .required = true}, cloud.instance);
  v.key({.name = "gpu", .meaning = "id of its GPUs", .required = true}, cloud.gpu_id);
  v.key({.name = "gpus", .meaning = "how many", .required = true, .min = 1}, cloud.gpu_count);
  v.key({.name = "cpu", .meaning = "id of its processors", .required = true}, cloud.cpu_id);
  v.key({.name = "vcpus", .meaning = "hardware threads rented", .required = true, .min = 1}, cloud.vcpus);
  v.key({.name = "memory", .meaning = "of the instance", .required = true, .min = 1e9}, cloud.memory);
  v.key({.name = "local_nvme", .meaning = "drives of the host, all together; absent without", .min = 1},
        cloud.local_nvme);
  v.key({.name = "base_server", .meaning = "id of the server that the whole node is"}, cloud.base_server);
  v.object({.name = "node", .meaning = "the slice of a host that is rented"}, [&](FieldVisitor& inside) {
    inside.key({.name = "gpus", .meaning = "as outside", .required = true, .min = 1}, cloud.gpu_count);
    inside.key({.name = "sockets", .meaning = "how many", .required = true, .min = 1}, cloud.sockets);
    keep_fabric(visit_fabric(inside), cloud);
    inside.skip("note");
  });
  v.key({.name = "network", .meaning = "whole instance, one direction", .min = 1}, cloud.network);
  v.key({.name = "nic", .meaning = "id of a nic"}, cloud.nic_id);
  v.key({.name = "nics", .meaning = "how many", .min = 1}, cloud.nic_count);
  v.key({.name = "nic_rate", .meaning = "one adapter", .min = 1}, cloud.nic_rate);
  v.key({.name = "transport", .meaning = "rdma, efa or tcp"}, cloud.transport);
  v.key({.name = "single_flow_cap", .meaning = "what one TCP flow may carry", .min = 1}, cloud.single_flow_cap);
  v.key({.name = "currency", .meaning = "of the prices below", .default_text = "USD"}, cloud.currency);
  v.key({.name = "on_demand", .meaning = "by the hour", .min = 0}, cloud.on_demand);
  v.key({.name = "on_demand_range", .meaning = "where sources differ; on_demand lies inside", .min = 0},
        cloud.on_demand_range);
  v.key({.name = "on_demand_date", .meaning = "when"}, cloud.on_demand_date);
  v.key({.name = "reserved_1y", .meaning = "by the hour, for a year", .min = 0}, cloud.reserved_1y);
  v.key({.name = "reserved_3y", .meaning = "by the hour, for three years", .min = 0}, cloud.reserved_3y);
  v.key({.name = "reserved_date", .meaning = "when"}, cloud.reserved_date);
  v.key({.name = "spot", .meaning = "by the hour, until reclaimed", .min = 0}, cloud.spot);
  v.key({.name = "spot_date", .meaning = "when"}, cloud.spot_date);
}

}  // namespace clustersim
