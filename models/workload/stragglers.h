// Which nodes or GPUs compute slower than their specification says, and which nodes are alike.
//
//   slow units    round(share x units), those with the lowest random_bits("stragglers", seed, number of the unit)
//   slowdown d    equal: the slow ones' kernels take 1 + d times as long;
//                 uniform: 1 + d u, u one of 33 equal steps from 0 to 1 [random_bits("slowdown", ...)]
// A unit is a node, or a GPU; units are numbered through all groups. The number of slow ones is the share itself, not a
// draw, so that a report does not move with the seed more than it must.
// Nodes of a group with the same slowdowns GPU by GPU are one class: 33 at most where units are nodes. Classes are in
// the order of their slowdowns, so that an unslowed one comes first.
// Assumes a slow unit stays slow for the whole run, whatever its heat. Source: assumed.
// Checked by: tests/models/stragglers_test.cc
#pragma once

#include <vector>

#include "clustersim/scenario.h"

namespace clustersim {

struct NodeClasses {                          // of a group
  std::vector<int> sizes;                     // nodes in each class
  std::vector<std::vector<double>> slowdown;  // by class, then GPU: kernels take 1 + slowdown times as long
  std::vector<int> class_of;                  // by node of the group; empty where there is one class
};

// By group of the cluster. Cost: O(units log units) with stragglers, else O(groups).
std::vector<NodeClasses> node_classes(const Cluster& cluster);

}  // namespace clustersim
