// The node topology of ours that `clustersim import` writes, as the scenario key cluster.node.topology takes it: the
// name of its file, of a file that import reads (an NCCL topology XML, `nvidia-smi topo -m`, ...), or in place.
// The keys are those of a server; what it leaves out is left to the rest of the node's keys and their defaults.
// Checked by: tests/sim/node_topology_test.cc.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clustersim/fields.h"
#include "clustersim/hardware.h"

namespace clustersim {

struct Lookup;

struct NodeTopology {
  std::string name;  // the file's, or "in place"
  std::string gpu_id, cpu_id, socket_link, slot;
  int gpus = 0, sockets = 0;  // 0: not told
  Bytes memory;               // 0: not told
  std::optional<bool> p2p;
  std::string fabric_link, fabric_shape, fabric_switch;  // shape "": not told
  int links_per_gpu = 0;
  std::vector<GpuCable> cables;
  std::vector<PartCount> nics;
  std::vector<PcieVertex> tree;  // with rates where the link is told
  std::vector<std::pair<std::string, std::string>> assumed;
};

// Reads the key "topology" of the object being visited.
void visit_topology(FieldVisitor& v, std::optional<NodeTopology>& slot, const Lookup& lookup);

}  // namespace clustersim
