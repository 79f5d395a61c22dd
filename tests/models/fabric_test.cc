#include <catch2/catch.hpp>
#include <set>

#include "models/fabric/build_fabric.h"
#include "models/fabric/gpu_cables.h"
#include "models/fabric/node_tree.h"
#include "models/fabric/shapes.h"
#include "tests/models/hand_clusters.h"

using namespace clustersim;
using namespace clustersim::hand;

namespace {

const Link& link_named(const FabricPlan& plan, const std::string& name) {
  for (const Link& link : plan.links)
    if (link.name == name) return link;
  throw std::runtime_error("no link " + name);
}

bool has_link(const FabricPlan& plan, const std::string& name) {
  return std::any_of(plan.links.begin(), plan.links.end(), [&](const Link& l) { return l.name == name; });
}

}  // namespace

TEST_CASE("names of vertices and links are unique and links go both ways", "[fabric]") {
  NodeSpec n = with_nics(dgx1(), rdma_nic(100), 4);
  n.storage.count = 4;
  n.storage.tier.read = gigabytes_per_second(0.5);
  for (const ShapeEntry& shape : fabric_shapes()) {
    Cluster c = cluster(n, 64);
    c.fabric.shape = shape.shape;
    const FabricPlan plan = build_fabric(c);
    std::set<std::string> names;
    for (const Vertex& v : plan.vertices) CHECK(names.insert(v.name).second);
    names.clear();
    for (const Link& l : plan.links) {
      CHECK(names.insert(l.name).second);
      CHECK(l.bytes_per_s > 0);
      const auto& from = plan.vertices[static_cast<std::size_t>(l.from)].name;
      const auto& to = plan.vertices[static_cast<std::size_t>(l.to)].name;
      CHECK(has_link(plan, to + ">" + from));
    }
    CHECK(plan.nodes.front().nics.size() == 4);
    CHECK(plan.nodes.front().storage.size() == 4);
  }
}

TEST_CASE("NVLink to a switch carries links x rate of a link", "[fabric]") {
  const FabricPlan plan = build_fabric(cluster(a100_sxm()));
  CHECK(link_named(plan, "node0.gpu3>node0.nvswitch").bytes_per_s == Approx(12 * 20e9));
}

TEST_CASE("the cube mesh gives every V100 its six links", "[fabric]") {
  std::vector<int> links(8, 0);
  for (const Cable& cable : gpu_cables("cube-mesh", 8, 8, 6)) {
    links[static_cast<std::size_t>(cable.a)] += cable.links;
    links[static_cast<std::size_t>(cable.b)] += cable.links;
  }
  for (int n : links) CHECK(n == 6);
}

TEST_CASE("a mesh shares out a GPU's links among its peers, however few are used", "[fabric]") {
  // XE8545: 12 links over 3 peers are 4 a pair.
  for (const Cable& cable : gpu_cables("mesh", 2, 4, 12)) CHECK(cable.links == 4);
  CHECK(gpu_cables("mesh", 4, 4, 12).size() == 6);  // n (n - 1) / 2 pairs
  CHECK(gpu_cables("pairs", 8, 8, 12).size() == 4);
  CHECK(gpu_cables("ring", 4, 4, 4).size() == 4);
  CHECK(gpu_cables("pcie", 4, 4, 1).empty());
}

TEST_CASE("a server's tree is pruned to what the node has, in order", "[fabric]") {
  NodeSpec n = on_root_ports(node(gpu("Ada", 128, 1008), 8, 4));
  n.gpus = 3;
  n.nics = 2;
  n.nic = rdma_nic(100);
  const std::vector<PcieVertex> tree = node_tree(n);
  int gpus = 0, nics = 0;
  for (const PcieVertex& v : tree) {
    if (v.kind == "gpu") CHECK(v.id == "gpu" + std::to_string(gpus++));
    if (v.kind == "nic") ++nics;
    if (v.kind == "gpu") CHECK(v.parent == "cpu0");  // GPUs 0 to 3 of 8 hang on the first of two sockets
  }
  CHECK(gpus == 3);
  CHECK(nics == 2);
  CHECK(gpus_of_server(n) == 8);
}

TEST_CASE("one socket takes what hung on two", "[fabric]") {
  NodeSpec n = on_root_ports(node(gpu("Ada", 128, 1008), 8, 4));
  n.sockets = 1;
  const FabricPlan plan = build_fabric(cluster(n));
  CHECK(plan.nodes.front().sockets.size() == 1);
  CHECK(plan.nodes.front().gpus.size() == 8);
}

TEST_CASE("a baseboard's NICs sit with their GPUs", "[fabric]") {
  // Default tree of an NVSwitch node: two GPUs a switch; eight NICs on four switches are two each.
  const FabricPlan plan = build_fabric(cluster(with_nics(a100_sxm(), rdma_nic(200), 8), 2));
  for (int pair = 0; pair < 4; ++pair) {
    const std::string sw = "node0.sw" + std::to_string(pair);
    CHECK(has_link(plan, "node0.gpu" + std::to_string(2 * pair) + ">" + sw));
    CHECK(has_link(plan, "node0.nic" + std::to_string(2 * pair) + ">" + sw));
    CHECK(has_link(plan, "node0.nic" + std::to_string(2 * pair + 1) + ">" + sw));
  }
}

TEST_CASE("a leaf's uplink is its nodes' NICs over the oversubscription", "[fabric]") {
  Cluster c = cluster(with_nics(a100_sxm(), rdma_nic(200), 8), 64);
  c.fabric.shape = FabricShape::fat_tree;
  c.fabric.switch_spec.ports = 64;
  // Non-blocking: 32 of 64 ports down, 4 nodes of 8 NICs; the uplink takes all that they send.
  CHECK(build_fabric(c).nodes_per_leaf == 4);
  CHECK(link_named(build_fabric(c), "leaf0>spine").bytes_per_s == Approx(4 * 8 * 25e9));
  // 3:1: 64 x 3/4 = 48 ports down, 6 nodes; the uplink is a third of them.
  c.fabric.oversubscription = 3;
  CHECK(build_fabric(c).nodes_per_leaf == 6);
  CHECK(link_named(build_fabric(c), "leaf0>spine").bytes_per_s == Approx(6 * 8 * 25e9 / 3));
  // Rails: one NIC of a node on each leaf, so 48 nodes below it.
  c.fabric.shape = FabricShape::rail_optimized;
  CHECK(build_fabric(c).nodes_per_leaf == 48);
  CHECK(link_named(build_fabric(c), "leaf0.rail7>spine").bytes_per_s == Approx(48 * 25e9 / 3));
}

TEST_CASE("storage servers are folded into one with their summed rates", "[fabric]") {
  Cluster c = cluster(with_nics(a100_sxm(), rdma_nic(200), 1), 10);
  SharedStorage shared;
  shared.servers.count = 6;
  shared.servers.tier.read = gigabytes_per_second(2);
  shared.servers.tier.write = gigabytes_per_second(1);
  shared.nic = rdma_nic(100);
  c.storage = shared;
  const FabricPlan plan = build_fabric(c);
  REQUIRE(plan.storage_servers.size() == 1);
  // Reading six servers: 6 x 2 GB/s, below their ports' 6 x 12.5; writing: 6 x 1 GB/s.
  CHECK(link_named(plan, "storage>switch").bytes_per_s == Approx(6 * 2e9));
  CHECK(link_named(plan, "switch>storage").bytes_per_s == Approx(6 * 1e9));
  const BreadthFirst routes(plan);
  std::vector<int> way = routes.route(plan.storage_servers[0], plan.nodes[0].nics[0]);
  for (int link : routes.route(plan.nodes[0].nics[0], plan.nodes[0].memories[0])) way.push_back(link);
  for (int link : way) {
    const Link& l = plan.links[static_cast<std::size_t>(link)];
    const bool shared_link = l.name.rfind("storage", 0) == 0;
    CHECK(nodes_sharing(plan, 0, link) == (shared_link ? 10 : 1));
  }
}

TEST_CASE("a drive is as fast as the lower of device and lanes", "[fabric]") {
  NodeSpec n = node(gpu("Ada", 128, 1008), 1, 4, 1);
  n.storage.count = 1;
  n.storage.tier.read = gigabytes_per_second(7);  // gen 4 x4 moves 25 / 4 GB/s
  n.storage.tier.write = gigabytes_per_second(2);
  n.storage.sequential_efficiency = 0.9;
  const FabricPlan plan = build_fabric(cluster(n));
  CHECK(link_named(plan, "node0.nvme0>node0.cpu0").bytes_per_s == Approx(std::min(25e9 / 4, 0.9 * 7e9)));
  CHECK(link_named(plan, "node0.cpu0>node0.nvme0").bytes_per_s == Approx(0.9 * 2e9));
  CHECK(plan.pools.at(static_cast<std::size_t>(plan.nodes[0].core_pool)).units_per_s == Approx(n.cores));
}
