#include "models/fabric/simulated_fabric.h"

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
  const SimulatedFabric fabric = SimulatedFabric::unfolded(plan);
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
  const SimulatedFabric fabric = SimulatedFabric::unfolded(plan);
  REQUIRE(fabric.nodes().size() == 4);
  CHECK(fabric.crosses_leaves(0, 2));
  CHECK_FALSE(fabric.crosses_leaves(2, 3));
  two.fabric.shape = FabricShape::single_switch;
  const FabricPlan single = build_fabric(two);
  CHECK_FALSE(SimulatedFabric::unfolded(single).crosses_leaves(0, 2));
}

TEST_CASE("one class a group: the copies are the plan's links, shared by as many as the plan says") {
  const FabricPlan plan = build_fabric(fat_tree(5, 8));
  const SimulatedFabric fabric = SimulatedFabric::folded(plan, {{5}});
  REQUIRE(fabric.nodes().size() == 1);
  CHECK(fabric.nodes()[0].stands_for == 5);
  REQUIRE(fabric.bytes_per_s().size() == plan.links.size());
  for (int l = 0; l < static_cast<int>(plan.links.size()); ++l) {
    CHECK(fabric.link(0, l) == l);
    CHECK(fabric.nodes_on(0, l) == nodes_sharing(plan, 0, l));
    CHECK(fabric.link_name(l) == plan.links[static_cast<std::size_t>(l)].name);
  }
}

TEST_CASE("classes of a group have links of their own, and share its leaf in proportion") {
  const FabricPlan plan = build_fabric(fat_tree(5, 8));
  const SimulatedFabric fabric = SimulatedFabric::folded(plan, {{4, 1}});
  REQUIRE(fabric.nodes().size() == 2);
  for (int l = 0; l < static_cast<int>(plan.links.size()); ++l) {
    const bool uplink = plan.links[static_cast<std::size_t>(l)].kind == LinkKind::network;
    CHECK((fabric.link(0, l) == fabric.link(1, l)) == uplink);
    CHECK(fabric.copies(l).count == (uplink ? 1 : 2));
    // 2 nodes a leaf, four fifths of them of the first class.
    CHECK(fabric.nodes_on(0, l) == Approx(uplink ? 2 * 0.8 : 1));
    CHECK(fabric.nodes_on(1, l) == Approx(uplink ? 2 * 0.2 : 1));
  }
  CHECK(fabric.name_in(1, "node0.gpu1") == "node1.gpu1");
  std::set<std::string> names;
  for (int link = 0; link < static_cast<int>(fabric.bytes_per_s().size()); ++link) names.insert(fabric.link_name(link));
  CHECK(names.size() == fabric.bytes_per_s().size());
}
