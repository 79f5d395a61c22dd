// Which nodes of a plan are simulated, each with links of its own.
//
// A plan (fabric_plan.h) holds one node a group; its copies differ in nothing but their number, so a copy's link is
// named by the representative's link and the copy, and routes are searched in the plan alone.
//   links of a node, its NICs included   one copy a simulated node
//   uplinks of a leaf                    unfolded: one copy a leaf, node k of its group on leaf floor(k /
//   nodes_per_leaf)
//                                        folded: one leaf a group, with all nodes below it
//   the rest (shared storage)            as in the plan
// Folded, a simulated node stands for all nodes of its class; nodes_on() says how many send over a shared link when it
// does. Where a group has several classes, every leaf is taken to hold them in the same proportion. Unfolded, a last
// leaf that is not full keeps the uplinks of a full one. With one class a group the copies are the plan's own links, id
// by id. Cost: memory of one number a link.
// Checked by: tests/models/simulated_fabric_test.cc, tests/sim/unfold_test.cc.
#pragma once

#include <string>
#include <vector>

#include "models/fabric/fabric_plan.h"

namespace clustersim {

struct SimulatedNode {
  int plan_node = 0;      // index into FabricPlan::nodes
  int copy = 0;           // number among those of its plan node
  int leaf = 0;           // number of its leaf in its group
  double stands_for = 1;  // nodes of the cluster
};

class SimulatedFabric {
 public:
  // The plan must outlive it.
  // Every node.
  static SimulatedFabric unfolded(const FabricPlan& plan);
  // One node a class; class_sizes[n]: the nodes in each class of plan node n, which sum to its count.
  static SimulatedFabric folded(const FabricPlan& plan, const std::vector<std::vector<int>>& class_sizes);

  const std::vector<SimulatedNode>& nodes() const { return nodes_; }
  bool folds() const { return folds_; }
  // The copy of the plan's link that traffic of this node crosses. REQUIRES: the link belongs to the node's group.
  int link(int node, int plan_link) const;
  // All copies of the plan's link: `count` from `first` on.
  struct Copies {
    int first = 0, count = 1;
  };
  Copies copies(int plan_link) const { return copies_[static_cast<std::size_t>(plan_link)]; }
  // How many nodes send over that copy when this one does and all of its class do the same.
  double nodes_on(int node, int plan_link) const;
  // By link, bytes/s.
  const std::vector<double>& bytes_per_s() const { return bytes_per_s_; }
  // Does traffic between these nodes leave their leaf?
  bool crosses_leaves(int a, int b) const;
  // Whose link it is; -1: of a leaf, or of all.
  int node_of(int link) const;
  // "node7.nic0>switch": the plan's name with the simulated node's number; copies of an uplink are "leaf0>spine", ".1".
  std::string link_name(int link) const;
  // The plan's name of a part of the node ("node0.gpu3") with the simulated node's number.
  std::string name_in(int node, const std::string& plan_name) const;

 private:
  enum class Owner { all, node, leaf };
  std::size_t plan_link(int link) const;

  SimulatedFabric(const FabricPlan& plan, std::vector<SimulatedNode> nodes, bool folds);

  const FabricPlan* plan_;
  bool folds_;
  std::vector<SimulatedNode> nodes_;
  std::vector<Owner> owners_;   // by link of the plan: who has a copy
  std::vector<Copies> copies_;  // by link of the plan
  std::vector<double> bytes_per_s_;
};

}  // namespace clustersim
