// Every node and every leaf of a folded plan with links of its own.
//
// A folded plan (fabric_plan.h) holds one node a group; its copies differ in nothing but their number, so a copy's link
// is named by the representative's link and the copy, and routes are searched in the folded plan alone.
//   links of a node, its NICs included   one copy a node
//   uplinks of a leaf                    one copy a leaf: node k of its group hangs on leaf floor(k / nodes_per_leaf)
//   the rest (shared storage)            as in the plan
// A last leaf that is not full keeps the uplinks of a full one. Cost: memory of one number a link of the plan.
// Checked by: tests/models/unfold_test.cc.
#pragma once

#include <vector>

#include "models/fabric/fabric_plan.h"

namespace clustersim {

struct UnfoldedNode {
  int plan_node = 0;  // index into FabricPlan::nodes
  int copy = 0;       // number in its group
  int leaf = 0;       // number of its leaf in its group
};

class UnfoldedFabric {
 public:
  explicit UnfoldedFabric(const FabricPlan& folded);

  const std::vector<UnfoldedNode>& nodes() const { return nodes_; }
  // The copy of the plan's link that traffic of this node crosses. REQUIRES: the link belongs to the node's group.
  int link(int node, int folded_link) const;
  // By link, bytes/s.
  const std::vector<double>& bytes_per_s() const { return bytes_per_s_; }
  // Does traffic between these nodes leave their leaf?
  bool crosses_leaves(int a, int b) const;

 private:
  enum class Copies { one, a_node, a_leaf };

  int nodes_per_leaf_;
  std::vector<UnfoldedNode> nodes_;
  std::vector<Copies> copies_;   // by folded link
  std::vector<int> first_copy_;  // by folded link
  std::vector<double> bytes_per_s_;
};

}  // namespace clustersim
