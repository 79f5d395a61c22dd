// `import topology`: one node's files, each in a format that is found by its content, as a node topology of ours.
#pragma once

#include <string>
#include <vector>

#include "clustersim/import.h"
#include "sim/import/node_facts.h"

namespace clustersim {

// Facts of one file. A fault (InputError) where its format is none of ours.
NodeFacts read_node_facts(const std::string& path);

Imported import_topology(const std::vector<std::string>& paths);

}  // namespace clustersim
