// Which nodes a cluster has, and with which GPUs, from lists of a whole cluster: SLURM's nodes, tables of machines,
// another simulator's topology. How a node is wired they do not say.
//
//   slurm_nodes.cc     scontrol show node, sinfo, slurm.conf, gres.conf
//   machine_tables.cc  CSV: Alibaba's openb node list, Philly's machine list
//   simai_topology.cc  SimAI's topology text
// To add a format: a file here that reads it, and a line in inventory.cc. Names of nodes are counted and not kept.
// Checked by: tests/sim/import_inventory_test.cc, tests/sim/import_node_fuzz_test.cc
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/read/catalog.h"

namespace clustersim {

// Nodes with equally many GPUs of one name.
struct NodeKind {
  int nodes = 0, gpus = 0;                               // GPUs of a node
  std::string gpu;                                       // as written, "" where it is not told
  std::optional<double> gpu_memory_bytes, memory_bytes;  // of a GPU, of a node; where all of the kind say the same
};

struct Inventory {
  std::string format;
  std::vector<NodeKind> kinds;  // with GPUs, most GPUs first
  int without_gpus = 0;         // nodes
  bool nodes_told = true;       // false: the file is of each node and does not say how many there are
  std::vector<std::string> known, unknown, warnings;

  long long nodes() const;  // with GPUs
  long long gpus() const;
};

// Counts nodes into kinds, within bounds.
class NodeCounter {
 public:
  static constexpr long long kMostNodes = 200000;
  static constexpr int kMostGpus = 1024;
  static constexpr std::size_t kMostKinds = 64;

  // False: more than that, or a number of GPUs that no node has; it is not counted.
  bool add(long long nodes, long long gpus, const std::string& gpu, std::optional<double> gpu_memory_bytes,
           std::optional<double> memory_bytes);
  // With lines on each kind, and warnings of what was not counted. A fault (InputError) where no node has a GPU.
  void fill(Inventory& out, const std::string& path) const;

 private:
  std::map<std::pair<std::string, int>, NodeKind> kinds_;
  std::map<std::pair<std::string, int>, bool> memory_differs_;
  long long nodes_ = 0, without_gpus_ = 0, left_out_ = 0;
};

bool is_inventory(const std::string& text);
// A fault (InputError) where the text is none of these, or a faulty one.
Inventory read_inventory(const std::string& text, const std::string& path);

bool is_slurm_nodes(const std::string& text);
Inventory read_slurm_nodes(const std::string& text, const std::string& path);
bool is_machine_table(const std::string& text);
Inventory read_machine_table(const std::string& text, const std::string& path);
bool is_simai_topology(const std::string& text);
Inventory read_simai_topology(const std::string& text, const std::string& path);

// The catalog's GPU of that name, "" where there is none or several; "nvidia_a100" and "V100M32" are understood.
std::string gpu_id_of(const Catalog& catalog, const NodeKind& kind);
// What it may be, for people.
std::string near_gpu(const Catalog& catalog, const NodeKind& kind);

}  // namespace clustersim
