// `import node`: all files of one node, of any format that is found by its content, as a scenario that runs.
//
// Topologies and lists of GPUs are joined as `import topology` does; the node's power limit is that of its GPUs where
// it is below the board's own. A SLURM topology tells how many nodes there are and how switches join them; the price no
// file tells.
// Checked by: tests/sim/import_node_test.cc.
#pragma once

#include <string>
#include <vector>

#include "clustersim/import.h"

namespace clustersim {

Imported import_node(const std::vector<std::string>& paths);

}  // namespace clustersim
