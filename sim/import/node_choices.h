// Catalog entries for the parts of a node, and what the product's table says where the files are silent or wrong.
// Part of node_document.h, which lists the rules.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/import/node_facts.h"
#include "sim/read/catalog.h"

namespace clustersim {

struct FabricChoice {
  std::string link, shape, gpu_switch;  // shape "": not told
  int links_per_gpu = 0;
};

struct NodeChoices {
  GpuSpec gpu;           // id empty: unknown
  std::string gpu_from;  // what named it
  std::string cpu, socket_link;
  std::string slot;  // of the GPUs, where there is no tree
  int sockets = 0;
  bool tree_assumed = false;  // no file shows it: parts hang on sockets that are assumed
  std::optional<bool> p2p;
  FabricChoice fabric;
  std::vector<std::pair<std::string, int>> nics;  // id and count of those that training uses
  std::map<int, std::string> nic_ids, nic_roles;  // by part
  std::vector<std::pair<std::string, std::string>> assumed;
  std::vector<std::string> known, unknown, warnings;
};

// Mends what cannot be true in `facts`.
NodeChoices choose(const Catalog& catalog, NodeFacts& facts);

}  // namespace clustersim
