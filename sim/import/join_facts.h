// Facts of several files as facts of one node.
//
// The file with the fullest tree is the base (XML before `topo -m` before lists of GPUs). GPUs are the same by bus id,
// or by number where a file has no bus ids; what the base leaves open is filled in from the others. Contradictions are
// warnings: GPUs that only one file lists, other names, other numbers of links.
// Checked by: tests/sim/import_node_test.cc.
#pragma once

#include <vector>

#include "sim/import/node_facts.h"

namespace clustersim {

// REQUIRES: at least one.
NodeFacts join_facts(const std::vector<NodeFacts>& files);

}  // namespace clustersim
