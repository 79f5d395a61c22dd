// What a server or a rented instance brings to a node, in one form.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/read/read_context.h"
#include "sim/read/scenario_keys.h"

namespace clustersim {

struct Host {
  std::string id;      // "" without a server
  bool wired = false;  // an imported topology says what the node consists of
  std::string kind;    // catalog kind: "server", "cloud"
  std::string gpu_id, cpu_id;
  int gpus = 0, sockets = 0;
  double cores = 0;  // 0: all of the processors
  Bytes memory;
  std::string nic_id;  // "" for none
  int nics = 0;
  std::optional<Bandwidth> nic_rate;
  std::optional<Bandwidth> single_flow_cap;
  std::string transport;         // "" unless rented
  std::string storage_id, raid;  // "" for none
  int devices = 0;
  std::optional<Bytes> device_capacity;
  std::string fabric_link, fabric_shape, fabric_switch, gpu_slot, socket_link, cooling;
  int links_per_gpu = 0;
  std::vector<GpuCable> cables;
  std::optional<bool> p2p;
  std::vector<PcieVertex> pcie_tree;
  std::optional<Money> price;
  std::optional<RangeOf<Money>> price_range;
  std::string price_date, price_origin;
  std::optional<Power> max_power, supply_power;
};

// Empty id where the keys name neither. Notes the guesses that shape the node.
Host host_of(ReadContext& context, const NodeKeys& keys);

}  // namespace clustersim
