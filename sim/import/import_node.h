// `import node`: all files of one node, of any format that is found by its content, as a scenario that runs.
//
// Topologies and lists of GPUs are joined as `import topology` does; the node's power limit is that of its GPUs where
// it is below the board's own. A SLURM topology tells how many nodes there are and how switches join them, a list of
// nodes (inventory.h) how many there are and, alone, with which GPUs; the price no file tells. Where no file names the
// GPU the scenario does not run before somebody does, and that is said.
// Checked by: tests/sim/import_node_test.cc, tests/sim/import_inventory_test.cc.
#pragma once

#include <string>
#include <vector>

#include "clustersim/import.h"

namespace clustersim {

Imported import_node(const std::vector<std::string>& paths);

}  // namespace clustersim
