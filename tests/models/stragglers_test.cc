#include "models/workload/stragglers.h"

#include <catch2/catch.hpp>
#include <numeric>
#include <set>

#include "tests/models/hand_clusters.h"

using namespace clustersim;

namespace {

Cluster slowed_cluster(int nodes, Stragglers stragglers) {
  Cluster c = hand::cluster(hand::a100_sxm(), nodes);
  c.stragglers = stragglers;
  return c;
}

}  // namespace

TEST_CASE("stragglers: without them every group is one class") {
  Cluster c = hand::cluster(hand::a100_sxm(), 3);
  c.groups.push_back({2, hand::h100_sxm()});
  const std::vector<NodeClasses> classes = node_classes(c);
  REQUIRE(classes.size() == 2);
  CHECK(classes[0].sizes == std::vector<int>{3});
  CHECK(classes[1].sizes == std::vector<int>{2});
  CHECK(classes[1].slowdown == std::vector<std::vector<double>>{std::vector<double>(8, 0.0)});
}

TEST_CASE("stragglers: the share of the nodes is slow, exactly, whatever the seed") {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const NodeClasses classes = node_classes(slowed_cluster(12500, {0.01, 0.1, false, false, seed})).front();
    CHECK(classes.sizes == std::vector<int>{12375, 125});
    CHECK(classes.slowdown[0] == std::vector<double>(8, 0.0));
    CHECK(classes.slowdown[1] == std::vector<double>(8, 0.1));
    CHECK(std::accumulate(classes.class_of.begin(), classes.class_of.end(), 0) == 125);
  }
  CHECK(node_classes(slowed_cluster(1000, {0.1, 0.1, false, false, 1}))[0].class_of !=
        node_classes(slowed_cluster(1000, {0.1, 0.1, false, false, 2}))[0].class_of);
}

TEST_CASE("stragglers: all of them, or none, are one class") {
  CHECK(node_classes(slowed_cluster(10, {1.0, 0.2, false, false, 1}))[0].slowdown[0][0] == 0.2);
  CHECK(node_classes(slowed_cluster(10, {0.0, 0.2, false, false, 1}))[0].slowdown[0][0] == 0.0);
  CHECK(node_classes(slowed_cluster(10, {1.0, 0.0, false, false, 1}))[0].sizes.size() == 1);
}

TEST_CASE("stragglers: spread evenly they make 33 classes, with half of the slowdown as the mean") {
  const NodeClasses classes = node_classes(slowed_cluster(100000, {1.0, 0.1, false, true, 1})).front();
  CHECK(classes.sizes.size() == 33);
  double sum = 0;
  int nodes = 0;
  for (std::size_t c = 0; c < classes.sizes.size(); ++c) {
    sum += classes.sizes[c] * classes.slowdown[c][0];
    nodes += classes.sizes[c];
    if (c > 0) CHECK(classes.slowdown[c][0] > classes.slowdown[c - 1][0]);
  }
  CHECK(nodes == 100000);
  CHECK(sum / nodes == Approx(0.05).epsilon(0.01));
  CHECK(classes.slowdown.back()[0] == 0.1);
}

TEST_CASE("stragglers: single GPUs make nodes of many kinds, numbered through all groups") {
  Cluster c = slowed_cluster(20, {0.05, 0.1, true, false, 1});
  c.groups.push_back({20, hand::h100_sxm()});
  double slow = 0;
  for (const NodeClasses& classes : node_classes(c))
    for (std::size_t k = 0; k < classes.sizes.size(); ++k)
      for (const double slowdown : classes.slowdown[k]) slow += slowdown > 0 ? classes.sizes[k] : 0;
  CHECK(slow == 0.05 * 40 * 8);
}
