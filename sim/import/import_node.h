// `import node`: all files of one node, of any format that is found by its content, as a scenario that runs.
//
// Topologies and lists of GPUs are joined as `import topology` does; the node's power limit is that of its GPUs where
// it is below the board's own. Three things no file of a node tells: how many nodes, how they are joined, the price.
// Checked by: tests/sim/import_node_test.cc.
#pragma once

#include <string>
#include <vector>

#include "clustersim/import.h"

namespace clustersim {

Imported import_node(const std::vector<std::string>& paths);

}  // namespace clustersim
