#include "models/power_thermal/node_power.h"

#include <algorithm>
#include <string>

#include "clustersim/error.h"

namespace clustersim {
namespace {

// The parts add up to 1.4 kW for the published 8 x H100 node [fitted: MLPerf power logs, as a sum]; each alone is a
// guess.
constexpr double memory_w_per_gigabyte = 0.1;  // [assumed: 64 GB module about 6 W]
constexpr double nic_w = 25.0;                 // [assumed: 400 Gbit/s adapter]
constexpr double drive_w = 8.0;                // [assumed: NVMe drive at work, where the catalog is silent]
constexpr double board_w = 100.0;              // [assumed: board, management, boot drives]
constexpr double gpu_switch_w_per_gpu = 30.0;  // [assumed: NVSwitch]
constexpr double air_fan_share = 0.05;         // [assumed: of the GPUs' TDP]
constexpr double liquid_fan_share = 0.02;      // [assumed: fans for the rest, pump share]

constexpr double rack_efficiency = 0.98;  // [published: MLPerf power logs, 0.974-0.989]
constexpr double pc_efficiency = 0.92;    // [published: 80 PLUS Gold, half load]

bool is_module(const GpuSpec& gpu) {
  return gpu.form_factor.find("SXM") != std::string::npos || gpu.form_factor.find("OAM") != std::string::npos;
}

}  // namespace

Power host_power(const NodeSpec& node, double cpu_load) {
  require(cpu_load >= 0 && cpu_load <= 1, "a CPU load lies in 0..1");
  const Power cpu = node.cpu.idle_power + (node.cpu.tdp - node.cpu.idle_power) * cpu_load;
  const double fans = node.cooling.kind == CoolingKind::liquid ? liquid_fan_share : air_fan_share;
  Power host = cpu * node.sockets + watts(board_w) + watts(memory_w_per_gigabyte * node.memory.base() / 1e9) +
               node.gpu.tdp * (node.gpus * fans);
  if (node.nic) host += watts(nic_w * node.nics);
  host += node.storage.tier.active_power.value_or(watts(drive_w)) * node.storage.count;
  if (node.gpu_fabric.shape == "switch") host += watts(gpu_switch_w_per_gpu * node.gpus);
  return host;
}

double supply_efficiency(const NodeSpec& node) { return is_module(node.gpu) ? rack_efficiency : pc_efficiency; }

NodePower node_power(Power host, const std::vector<Power>& gpus, double supply_efficiency) {
  require(supply_efficiency > 0 && supply_efficiency <= 1, "an efficiency lies in (0, 1]");
  NodePower power;
  power.host = host;
  for (Power gpu : gpus) power.gpus += gpu;
  power.dc = power.host + power.gpus;
  power.ac = power.dc / supply_efficiency;
  return power;
}

NodePower node_power(const NodeSpec& node, const std::vector<Power>& gpus, double cpu_load) {
  return node_power(host_power(node, cpu_load), gpus, supply_efficiency(node));
}

Power installed_power(const NodeSpec& node) {
  if (node.server_max_power) return *node.server_max_power;
  const Power gpu = std::min(node.gpu_power_limit.value_or(node.gpu.tdp), node.gpu.tdp);
  return node_power(node, std::vector<Power>(static_cast<std::size_t>(node.gpus), gpu), 1.0).ac;
}

}  // namespace clustersim
