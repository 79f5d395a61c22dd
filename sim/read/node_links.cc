#include "sim/read/node_links.h"

#include <algorithm>

namespace clustersim {

GpuFabricSpec without_gpu_link(int gpus) {
  GpuFabricSpec fabric;
  fabric.shape = gpus > 1 ? "pcie" : "none";
  return fabric;
}

std::string own_gpu_link(const GpuSpec& gpu) {
  if (gpu.nvlink_generation) return "nvlink" + std::to_string(*gpu.nvlink_generation);
  if (gpu.id == "mi300x") return "xgmi-gpu-mi300x";
  return gpu.id == "mi250x" || gpu.id == "mi250x-gcd" ? "xgmi-gpu-mi250x" : "";
}

bool on_baseboard(const GpuSpec& gpu) {
  return gpu.form_factor.starts_with("SXM") || gpu.form_factor.starts_with("OAM") ||
         gpu.form_factor.starts_with("superchip");
}

std::string usual_gpu_shape(const GpuSpec& gpu, const LinkSpec& link, int gpus) {
  if (link.kind == "xgmi") return "mesh";
  if (!on_baseboard(gpu)) return "pairs";
  if (gpus <= 4) return "mesh";
  if (gpus <= 8 && link.generation <= 2) return "cube-mesh";
  return "switch";
}

std::string usual_gpu_switch(const LinkSpec& link) {
  if (link.kind != "nvlink" || link.generation < 2) return "";
  return "nvswitch" + std::to_string(std::min(4, link.generation - 1));
}

namespace {

// Lanes of each slot where one processor alone feeds them: boards of such processors split what there is in halves.
// Processors for several sockets stand on boards with PCIe switches, and so do eight cards and more.
int lanes_of_slots(ReadContext& context, const NodeKeys& keys, const NodeSpec& node, int wanted) {
  constexpr int most_on_root_ports = 7, of_a_drive = 4, of_a_slot = 16;
  constexpr double on_board_bits_per_s = 10e9;  // slower network cards hang on the chipset
  const int there = node.cpu.pcie_lanes;
  if (node.cpu.max_sockets != 1 || there <= 0 || node.gpus > most_on_root_ports) return wanted;
  const bool in_slots = node.nic && node.nic->line_rate.base() * 8 > on_board_bits_per_s;
  const int cards = node.gpus + (in_slots ? node.nics : 0);
  const int free = there >= of_a_slot + of_a_drive ? there - of_a_drive : there;
  int lanes = wanted;
  while (lanes > 1 && cards * lanes > free) lanes = lanes > 8 ? 8 : lanes / 2;
  if (lanes < wanted)
    context.assume(keys.pointer + "/cpu", "x" + std::to_string(lanes),
                   "lanes of a slot: " + std::to_string(there) + " of \"" + node.cpu.id + "\" for " +
                       std::to_string(cards) + " cards and a drive");
  return lanes;
}

}  // namespace

LinkSpec gpu_slot(ReadContext& context, const NodeKeys& keys, const Host& host, const NodeSpec& node) {
  if (keys.gpu_fabric && keys.gpu_fabric->pcie && keys.gpu_fabric->link) return *keys.gpu_fabric->link;
  if (!host.gpu_slot.empty())
    return context.catalog().link(host.gpu_slot, context.at(keys.pointer + (host.wired ? "/topology" : "/server")));
  int generation = node.gpu.pcie_generation;
  if (node.cpu.pcie_generation > 0) generation = std::min(generation, node.cpu.pcie_generation);
  const int lanes =
      lanes_of_slots(context, keys, node, node.gpu.pcie_lanes > 0 ? std::min(node.gpu.pcie_lanes, 16) : 16);
  const std::string id = "pcie" + std::to_string(std::clamp(generation, 3, 5)) + "-x" + std::to_string(lanes);
  return context.catalog().link(id, context.at(keys.pointer + "/gpu"));
}

// A generation's links are slower on some boards: 14 GB/s on those of GA102, 25 on the A100.
LinkSpec at_rate_of(LinkSpec link, const GpuSpec& gpu) {
  if (link.kind != "nvlink" || gpu.nvlink_links <= 0 || gpu.nvlink_per_direction <= Bandwidth()) return link;
  const double share = gpu.nvlink_per_direction / gpu.nvlink_links / link.theoretical;
  if (!(share < 0.99)) return link;
  link.theoretical = link.theoretical * share;
  link.achievable = link.achievable * share;
  if (link.collective_per_link) link.collective_per_link = *link.collective_per_link * share;
  return link;
}

GpuFabricSpec resolve_gpu_fabric(ReadContext& context, const NodeKeys& keys, const Host& host, const NodeSpec& node) {
  const std::string pointer = keys.pointer + "/gpu_fabric";
  const std::string own = own_gpu_link(node.gpu);
  const char* source = host.wired ? "/topology" : "/server";
  // An imported topology may show NVLink without naming the GPU: then it is that of the GPU.
  const bool unnamed = host.wired && host.fabric_link.empty() && !host.fabric_shape.empty() &&
                       host.fabric_shape != "pcie" && host.fabric_shape != "none";
  const std::string host_link = unnamed ? own : host.fabric_link;
  if (unnamed && own.empty() && !keys.gpu_fabric && !node.gpu.id.empty())
    context.fault(keys.pointer + "/gpu", "a GPU with NVLink or xGMI, which the topology shows",
                  "\"" + node.gpu.id + "\"");
  LinkSpec link;
  std::string shape, switch_id;
  int links_per_gpu = 0;
  if (keys.gpu_fabric) {
    if (keys.gpu_fabric->pcie) return without_gpu_link(node.gpus);
    if (!keys.gpu_fabric->link) return without_gpu_link(node.gpus);  // its fault is told already
    link = *keys.gpu_fabric->link;
    if (link.id.empty()) return without_gpu_link(node.gpus);
    if (keys.gpu_fabric->shape) shape = word_of(kGpuFabricWords, *keys.gpu_fabric->shape);
    if (link.kind == "nvlink" && !node.gpu.nvlink_generation && node.gpu.id != kInPlace)
      context.fault(pointer, "a link that \"" + node.gpu.id + "\" has", "\"" + link.id + "\"",
                    "this GPU has no NVLink: \"pcie\"");
  } else if (!host_link.empty() && (host.gpu_id == node.gpu.id || host.wired)) {
    link = context.catalog().link(host_link, context.at(keys.pointer + source));
    shape = host.fabric_shape;
    switch_id = host.fabric_switch;
    links_per_gpu = host.links_per_gpu;
  } else if (host_link.empty() && (host.wired ? !host.fabric_shape.empty() : !host.id.empty())) {
    return without_gpu_link(node.gpus);
  } else if (!own.empty() && (on_baseboard(node.gpu) || !host.id.empty())) {
    link = context.catalog().link(own, context.at(pointer));
    if (!host.id.empty()) shape = host.fabric_shape;
    if (node.gpus > 1 && link.id != host_link) context.assume(pointer, own, "the NVLink of \"" + node.gpu.id + "\"");
    if (link.id == host_link) {
      switch_id = host.fabric_switch;
      links_per_gpu = host.links_per_gpu;
    }
  } else {
    if (node.gpus > 1) context.assume(pointer, "pcie", "default for these GPUs");
    return without_gpu_link(node.gpus);
  }
  if (node.gpus < 2) return without_gpu_link(node.gpus);
  if (shape.empty() && link.id == host_link && keys.gpu_fabric) {
    shape = host.fabric_shape;
    switch_id = host.fabric_switch;
    links_per_gpu = host.links_per_gpu;
    context.assume(pointer + "/shape", shape, "that of \"" + host.id + "\"");
  } else if (shape.empty()) {
    shape = usual_gpu_shape(node.gpu, link, node.gpus);
    context.assume(pointer + "/shape", shape, "usual for " + link.id + " and " + std::to_string(node.gpus) + " GPUs");
  }
  if (switch_id.empty() && shape == "switch") switch_id = usual_gpu_switch(link);
  if (links_per_gpu == 0) links_per_gpu = node.gpu.nvlink_links > 0 ? node.gpu.nvlink_links : link.links_per_gpu;
  GpuFabricSpec fabric;
  fabric.link = at_rate_of(link, node.gpu);
  fabric.shape = shape;
  fabric.links_per_gpu = std::max(1, links_per_gpu);
  if (shape == "cables") fabric.cables = host.cables;
  if (!switch_id.empty() && context.catalog().has("link", switch_id))
    fabric.in_network_reduction = context.catalog().link(switch_id, context.at(pointer)).in_network_reduction;
  refuse_unknown(context, pointer, link);
  note_estimates(context, "link", link, {"achievable", "collective_per_link", "latency", "theoretical"});
  return fabric;
}

LinkSpec socket_link(ReadContext& context, const NodeKeys& keys, const Host& host, const CpuSpec& cpu) {
  struct Usual {
    const char* architecture;
    const char* link;
  };
  static constexpr Usual kUsual[] = {
      {"Broadwell", "qpi-broadwell"}, {"Skylake", "upi-skylake"}, {"Cascade", "upi-skylake"},
      {"Ice Lake", "upi-icelake"},    {"Sapphire", "upi-spr"},    {"Emerald", "upi-spr"},
      {"Zen 2", "xgmi-cpu-rome"},     {"Zen 3", "xgmi-cpu-rome"}, {"Zen 4", "xgmi-cpu-genoa"},
      {"Zen 5", "xgmi-cpu-genoa"},
  };
  std::string id = host.socket_link;
  if (id.empty()) {
    id = cpu.vendor == "AMD" ? "xgmi-cpu-genoa" : "upi-spr";
    for (const Usual& usual : kUsual)
      if (cpu.architecture.find(usual.architecture) != std::string::npos) id = usual.link;
    context.assume(keys.pointer + "/sockets", id, "usual between two \"" + cpu.id + "\"");
  }
  const LinkSpec link = context.catalog().link(id, context.at(keys.pointer + "/server"));
  note_estimates(context, "link", link, {"achievable", "latency"});
  return link;
}

}  // namespace clustersim
