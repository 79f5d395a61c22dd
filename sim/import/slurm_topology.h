// SLURM's description of a cluster's switches: topology.conf (topology/tree, topology/block) and topology.yaml.
//
//   SwitchName=leaf1 Nodes=dev[0-5]        - switch: leaf1       BlockName=b1 Nodes=node[1-32]
//   SwitchName=top Switches=leaf[1-3]        nodes: dev[0-5]
// Keys in any case, "#" begins a comment, a backslash continues a line. Host lists are unfolded: "r[1-2]n[01-16],x7".
// Names are counted and not kept. LinkSpeed has no unit in SLURM and is not used.
// Source: SLURM's man pages topology.conf(5) and topology.yaml(5). Checked by: tests/sim/import_slurm_test.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace clustersim {

struct SwitchTree {
  int nodes = 0;
  std::vector<int> leaves;  // nodes of each switch or block that has some, largest first
  int levels = 0;           // of switches; 1: the leaves have nothing above them
  bool blocks = false;      // blocks instead of switches
  std::vector<std::string> warnings;
};

bool is_slurm_topology(const std::string& text);
// InputError where no switch has a node, or a list is too long.
SwitchTree read_slurm_topology(const std::string& text, const std::string& path);

// "a[1-3,7]b" -> a1b, a2b, a3b, a7b; several lists with commas between; nothing where brackets do not close, a range
// runs backwards, or there would be more than `most`.
std::optional<std::vector<std::string>> unfold_hosts(const std::string& list, std::size_t most);

}  // namespace clustersim
