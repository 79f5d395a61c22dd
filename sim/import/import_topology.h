// `import topology`: one node's files, each in a format that is found by its content, as a node topology of ours.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clustersim/import.h"
#include "sim/import/node_facts.h"

namespace clustersim {

// Facts of a text whose format is found by its content; empty where it is none of ours.
std::optional<NodeFacts> find_node_facts(const std::string& text, const std::string& path);
// Facts of one file. A fault (InputError) where its format is none of ours.
NodeFacts read_node_facts(const std::string& path);
// Of each file, with the faults of all of them together.
std::vector<NodeFacts> read_all_facts(const std::vector<std::string>& paths);

Imported import_topology(const std::vector<std::string>& paths);

}  // namespace clustersim
