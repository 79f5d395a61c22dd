#include "models/fabric/unfold.h"

#include <catch2/catch.hpp>
#include <set>

#include "tests/models/hand_clusters.h"

using namespace clustersim;

namespace {

Cluster fat_tree(int nodes, int ports) {
  Cluster c =
      hand::cluster(hand::with_nics(hand::node(hand::gpu("Ampere", 108, 1555), 2, 4), hand::rdma_nic(100), 2), nodes);
  c.fabric.shape = FabricShape::fat_tree;
  c.fabric.switch_spec.ports = ports;
  return c;
}

}  // namespace

TEST_CASE("every node has links of its own, the nodes of a leaf share its uplinks") {
  // 8 ports, half of them down, 2 NICs a node: 2 nodes a leaf, so 5 nodes hang on 3 leaves.
  const FabricPlan plan = build_fabric(fat_tree(5, 8));
  const UnfoldedFabric fabric(plan);
  REQUIRE(plan.nodes_per_leaf == 2);
  REQUIRE(fabric.nodes().size() == 5);
  std::size_t expected = 0;
  std::set<int> seen;
  for (std::size_t l = 0; l < plan.links.size(); ++l) {
    const bool uplink = plan.links[l].kind == LinkKind::network;
    std::set<int> copies;
    for (int node = 0; node < 5; ++node) {
      const int copy = fabric.link(node, static_cast<int>(l));
      copies.insert(copy);
      CHECK(fabric.bytes_per_s()[static_cast<std::size_t>(copy)] == plan.links[l].bytes_per_s);
      if (node > 0) CHECK((copy == fabric.link(node - 1, static_cast<int>(l))) == (uplink && node % 2 == 1));
    }
    CHECK(copies.size() == (uplink ? 3 : 5));
    expected += copies.size();
    seen.insert(copies.begin(), copies.end());
  }
  CHECK(seen.size() == expected);  // no two links share a copy
  CHECK(fabric.bytes_per_s().size() == expected);
  CHECK_FALSE(fabric.crosses_leaves(0, 1));
  CHECK(fabric.crosses_leaves(1, 2));
}

TEST_CASE("groups never share a leaf, and one switch has no leaves to cross") {
  Cluster two = fat_tree(2, 8);
  two.groups.push_back(two.groups.front());
  const FabricPlan plan = build_fabric(two);
  const UnfoldedFabric fabric(plan);
  REQUIRE(fabric.nodes().size() == 4);
  CHECK(fabric.crosses_leaves(0, 2));
  CHECK_FALSE(fabric.crosses_leaves(2, 3));
  two.fabric.shape = FabricShape::single_switch;
  const FabricPlan single = build_fabric(two);
  CHECK_FALSE(UnfoldedFabric(single).crosses_leaves(0, 2));
}
