#include "sim/read/host_of.h"

#include <algorithm>
#include <cmath>

namespace clustersim {

namespace {

// The part of this role, else one without a role, else the first; null in an empty list.
const PartCount* part_of_role(const std::vector<PartCount>& parts, const std::string& role) {
  for (const std::string& wanted : {role, std::string()})
    for (const PartCount& part : parts)
      if (part.role == wanted) return &part;
  return parts.empty() ? nullptr : &parts.front();
}

Host from_server(const ServerSpec& server) {
  Host host;
  host.id = server.id;
  host.kind = "server";
  host.gpu_id = server.gpu_id;
  host.cpu_id = server.cpu_id;
  host.gpus = server.gpu_count;
  host.sockets = server.cpu_count;
  host.memory = server.memory;
  if (const PartCount* nic = part_of_role(server.nics, "compute")) {
    host.nic_id = nic->id;
    host.nics = nic->count;
    host.nic_rate = nic->line_rate;
  }
  if (const PartCount* drive = part_of_role(server.storage, "data")) {
    host.storage_id = drive->id;
    host.devices = drive->count;
    host.device_capacity = drive->capacity;
    host.raid = drive->raid;
  }
  host.fabric_link = server.gpu_fabric_link;
  host.fabric_shape = server.gpu_fabric_shape;
  host.fabric_switch = server.gpu_fabric_switch;
  host.links_per_gpu = server.gpu_fabric_links_per_gpu;
  host.gpu_slot = server.gpu_slot;
  host.socket_link = server.socket_link;
  host.cooling = server.cooling;
  host.pcie_tree = server.pcie_tree;
  host.price = server.price;
  host.price_range = server.price_range;
  host.price_date = server.price_date;
  host.price_origin = "\"" + server.id + "\"";
  host.max_power = server.max_power;
  if (server.psu_count > 0) host.supply_power = watts(server.psu_watts_each * server.psu_count);
  return host;
}

// Providers name the capacity of local drives, not their number: drives of about a terabyte, at most eight [assumed:
// p4d has 8 x 1 TB, p5 8 x 3.84 TB].
void add_local_drives(ReadContext& context, const NodeKeys& keys, const CloudSpec& cloud, Host& host) {
  const double drive_bytes = 0.95e12;
  if (cloud.local_nvme.base() > 0) {
    host.storage_id = "nvme-gen4-dc";
    host.devices = std::clamp(static_cast<int>(cloud.local_nvme.base() / drive_bytes), 1, 8);
    host.device_capacity = cloud.local_nvme / host.devices;
    host.raid = host.devices > 1 ? "raid0" : "none";
    if (!keys.storage)
      context.estimate(
          keys.pointer + "/storage", std::to_string(host.devices) + " x " + host.storage_id,
          "the provider names " + format_quantity(cloud.local_nvme) + " of local drives, not their number");
  } else {
    host.storage_id = "ebs-gp3";
    host.devices = 1;
    host.raid = "none";
    if (!keys.storage)
      context.estimate(keys.pointer + "/storage", "1 x ebs-gp3", "no local drives: a network volume is assumed");
  }
}

Host from_cloud(ReadContext& context, const NodeKeys& keys) {
  const CloudSpec& cloud = *keys.cloud;
  Host host;
  if (!cloud.base_server.empty())
    host = from_server(context.catalog().server(cloud.base_server, context.at(keys.pointer + "/server")));
  host.id = cloud.id;
  host.kind = "cloud";
  host.gpu_id = cloud.gpu_id;
  host.cpu_id = cloud.cpu_id;
  host.gpus = cloud.gpu_count;
  host.cores = cloud.vcpus / 2.0;  // a vCPU is one of a core's two hardware threads
  host.memory = cloud.memory;
  host.nic_id = cloud.nic_id;
  host.nics = cloud.nic_id.empty() ? 0 : std::max(1, cloud.nic_count);
  host.nic_rate.reset();
  if (cloud.nic_rate.base() > 0) host.nic_rate = cloud.nic_rate;
  host.single_flow_cap = cloud.single_flow_cap;
  host.transport = cloud.transport;
  if (cloud.base_server.empty()) {
    host.sockets = std::max(1, cloud.sockets);
    host.fabric_link = cloud.gpu_fabric_link;
    host.fabric_shape = cloud.gpu_fabric_shape;
    host.fabric_switch = cloud.gpu_fabric_switch;
    host.links_per_gpu = cloud.gpu_fabric_links_per_gpu;
    host.gpu_slot = cloud.gpu_slot;
  }
  add_local_drives(context, keys, cloud, host);
  return host;
}

// What an imported topology tells, over what the server brings.
void rewire(ReadContext& context, const NodeKeys& keys, Host& host) {
  const NodeTopology& topology = *keys.topology;
  host.wired = true;
  if (!topology.gpu_id.empty()) host.gpu_id = topology.gpu_id;
  if (!topology.cpu_id.empty()) host.cpu_id = topology.cpu_id;
  host.gpus = topology.gpus;
  if (topology.sockets > 0) host.sockets = topology.sockets;
  if (topology.memory.base() > 0) host.memory = topology.memory;
  if (!topology.socket_link.empty()) host.socket_link = topology.socket_link;
  host.gpu_slot = topology.slot;
  for (const PcieVertex& vertex : topology.tree)
    if (vertex.kind == "gpu" && host.gpu_slot.empty()) host.gpu_slot = vertex.link_id;
  if (!topology.fabric_shape.empty()) {
    host.fabric_link = topology.fabric_link;
    host.fabric_shape = topology.fabric_shape;
    host.fabric_switch = topology.fabric_switch;
    host.links_per_gpu = topology.links_per_gpu;
    host.cables = topology.cables;
  }
  const int cards = static_cast<int>(std::count_if(topology.tree.begin(), topology.tree.end(), [](const auto& vertex) {
    return vertex.kind == "nic" && (vertex.role.empty() || vertex.role == "compute");
  }));
  if (cards > 0) host.nics = cards;
  if (const PartCount* nic = part_of_role(topology.nics, "compute")) {
    host.nic_id = nic->id;
    host.nics = nic->count;
    host.nic_rate = nic->line_rate;
  }
  host.p2p = topology.p2p;
  if (!topology.tree.empty()) host.pcie_tree = topology.tree;
  for (const auto& [key, why] : topology.assumed)
    context.estimate(keys.pointer + "/topology" + (key.empty() ? "" : "/" + key), topology.name, why);
}

Host served_host(ReadContext& context, const NodeKeys& keys) {
  if (keys.server) {
    note_estimates(context, "server", *keys.server, {"pcie_tree", "socket_link", "gpu_fabric"});
    if (!keys.nic || !keys.nics) note_estimates(context, "server", *keys.server, {"nics"});
    return from_server(*keys.server);
  }
  if (keys.cloud) {
    note_estimates(context, "cloud", *keys.cloud, {"base_server", "nic", "node", "cpu", "network"});
    return from_cloud(context, keys);
  }
  return {};
}

}  // namespace

Host host_of(ReadContext& context, const NodeKeys& keys) {
  Host host = served_host(context, keys);
  if (keys.topology) rewire(context, keys, host);
  return host;
}

}  // namespace clustersim
