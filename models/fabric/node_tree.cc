#include "models/fabric/node_tree.h"

#include <algorithm>
#include <map>
#include <set>

#include "clustersim/error.h"

namespace clustersim {
namespace {

constexpr int gpus_per_baseboard_switch = 2;  // [published: DGX A100 user guide, one PEX switch for two GPUs]
constexpr int gpus_per_pcie_switch = 4;       // [assumed] common 8-GPU PCIe chassis with two or four PEX switches
constexpr double storage_lanes = 4;           // [published: U.2 and M.2 drives have four lanes]
constexpr int slot_lanes = 16;                // of a slot that does not say

PcieVertex part(const std::string& prefix, int number, const std::string& kind, const std::string& parent,
                Bandwidth link, Time latency) {
  PcieVertex vertex;
  vertex.id = prefix + std::to_string(number);
  vertex.kind = kind;
  vertex.parent = parent;
  vertex.link = link;
  vertex.link_latency = latency;
  return vertex;
}

std::vector<PcieVertex> default_skeleton(const NodeSpec& node) {
  const int sockets = std::max(1, node.sockets);
  std::vector<PcieVertex> tree;
  for (int s = 0; s < sockets; ++s) tree.push_back(part("cpu", s, "socket", "", {}, {}));
  const bool baseboard = node.gpu_fabric.shape == "switch";
  const int per_switch = baseboard ? gpus_per_baseboard_switch : node.gpus >= 8 ? gpus_per_pcie_switch : 0;
  int switches = 0;
  std::vector<PcieVertex> gpus;
  std::string parent;
  int on_switch = 0, last_socket = -1;
  for (int g = 0; g < node.gpus; ++g) {
    const int socket = g * sockets / node.gpus;
    const std::string cpu = "cpu" + std::to_string(socket);
    if (per_switch == 0) {
      parent = cpu;
    } else if (on_switch % per_switch == 0 || socket != last_socket) {
      tree.push_back(part("sw", switches, "pcie_switch", cpu, node.pcie.achievable, node.pcie.latency));
      parent = tree.back().id;
      ++switches;
      on_switch = 0;
    }
    ++on_switch;
    last_socket = socket;
    gpus.push_back(part("gpu", g, "gpu", parent, node.pcie.achievable, node.pcie.latency));
  }
  tree.insert(tree.end(), gpus.begin(), gpus.end());
  return tree;
}

// The wanted kinds of a server's tree, with sockets folded onto those that the node has.
std::vector<PcieVertex> pruned(const NodeSpec& node) {
  std::vector<PcieVertex> tree;
  std::map<std::string, std::string> renamed;
  std::set<std::string> left_out;
  int sockets = 0, switches = 0, gpus = 0, nics = 0, drives = 0;
  // Of more cards than are wanted, those that stand furthest apart: one a switch before two on one.
  const auto is_training_nic = [](const PcieVertex& v) {
    return v.kind == "nic" && (v.role.empty() || v.role == "compute");
  };
  const auto there = std::count_if(node.pcie_tree.begin(), node.pcie_tree.end(), is_training_nic);
  int seen_nics = 0;
  const int wanted_sockets = std::max(1, node.sockets);
  for (const PcieVertex& vertex : node.pcie_tree) {
    if (vertex.kind == "socket") {
      renamed[vertex.id] = "cpu" + std::to_string(sockets++ % wanted_sockets);
      if (sockets <= wanted_sockets) tree.push_back(part("cpu", sockets - 1, "socket", "", {}, {}));
      continue;
    }
    PcieVertex copy = vertex;
    if (left_out.count(vertex.parent) > 0) continue;  // a NIC on the die of a GPU that is not there
    const auto parent = renamed.find(vertex.parent);
    require(parent != renamed.end(), "parents come before children in a PCIe tree");
    copy.parent = parent->second;
    for (const PcieVertex& gpu : tree)  // a NIC on a GPU's die is reached by the others over that GPU's slot
      if (gpu.id == parent->second && gpu.kind == "gpu") copy.parent = gpu.parent;
    if (vertex.kind == "pcie_switch") {
      copy.id = "sw" + std::to_string(switches++);
    } else if (vertex.kind == "gpu" && gpus < node.gpus) {
      copy.id = "gpu" + std::to_string(gpus++);
    } else if (is_training_nic(vertex) && (there <= node.nics || seen_nics++ * node.nics % there < node.nics)) {
      copy.id = "nic" + std::to_string(nics++);
    } else if (vertex.kind == "storage" && drives < node.storage.count &&
               (vertex.role.empty() || vertex.role == "data")) {
      copy.id = "nvme" + std::to_string(drives++);
    } else {
      left_out.insert(vertex.id);
      continue;
    }
    renamed[vertex.id] = copy.id;
    tree.push_back(copy);
  }
  std::vector<PcieVertex> missing;
  for (; sockets < wanted_sockets; ++sockets) missing.push_back(part("cpu", sockets, "socket", "", {}, {}));
  tree.insert(tree.begin(), missing.begin(), missing.end());
  return tree;
}

int count_of(const std::vector<PcieVertex>& tree, const std::string& kind) {
  return static_cast<int>(std::count_if(tree.begin(), tree.end(), [&](const PcieVertex& v) { return v.kind == kind; }));
}

std::vector<std::string> ids_of(const std::vector<PcieVertex>& tree, const std::string& kind) {
  std::vector<std::string> ids;
  for (const PcieVertex& vertex : tree)
    if (vertex.kind == kind) ids.push_back(vertex.id);
  return ids;
}

// Switches that hold GPUs, else sockets: where a card would be plugged in to be near them.
std::vector<std::string> slots_near_gpus(const std::vector<PcieVertex>& tree) {
  std::vector<std::string> slots;
  for (const std::string& candidate : ids_of(tree, "pcie_switch"))
    if (std::any_of(tree.begin(), tree.end(),
                    [&](const PcieVertex& v) { return v.kind == "gpu" && v.parent == candidate; }))
      slots.push_back(candidate);
  return slots.empty() ? ids_of(tree, "socket") : slots;
}

void spread(std::vector<PcieVertex>& tree, const std::string& prefix, const std::string& kind, int have, int want,
            const std::vector<std::string>& slots, Bandwidth link, Time latency) {
  const int places = static_cast<int>(slots.size()), added = want - have;
  for (int i = 0; i < added; ++i) {
    const int place = i * places / added;
    tree.push_back(part(prefix, have + i, kind, slots[static_cast<std::size_t>(place)], link, latency));
  }
}

}  // namespace

int gpus_of_server(const NodeSpec& node) { return std::max(node.gpus, count_of(node.pcie_tree, "gpu")); }

std::vector<PcieVertex> node_tree(const NodeSpec& node) {
  std::vector<PcieVertex> tree = node.pcie_tree.empty() ? default_skeleton(node) : pruned(node);
  const Bandwidth slot = node.pcie.achievable;
  spread(tree, "gpu", "gpu", count_of(tree, "gpu"), node.gpus, ids_of(tree, "socket"), slot, node.pcie.latency);
  spread(tree, "nic", "nic", count_of(tree, "nic"), node.nics, slots_near_gpus(tree), slot, node.pcie.latency);
  spread(tree, "nvme", "storage", count_of(tree, "storage"), node.storage.count, ids_of(tree, "socket"),
         slot * (storage_lanes / (node.pcie.lanes > 0 ? node.pcie.lanes : slot_lanes)), node.pcie.latency);
  return tree;
}

}  // namespace clustersim
