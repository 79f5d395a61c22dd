#include "sim/engine/topology.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <random>

#include "clustersim/error.h"

using namespace clustersim;

namespace {

int add_vertex(FabricPlan& plan, VertexKind kind) {
  Vertex v;
  v.kind = kind;
  v.name = "v" + std::to_string(plan.vertices.size());
  plan.vertices.push_back(v);
  return static_cast<int>(plan.vertices.size()) - 1;
}

int add_link(FabricPlan& plan, int from, int to, double latency_s = 1e-6) {
  Link l;
  l.from = from;
  l.to = to;
  l.bytes_per_s = 1e9;
  l.latency_s = latency_s;
  plan.links.push_back(l);
  return static_cast<int>(plan.links.size()) - 1;
}

// Both directions; returns the id of the first, the second is one more.
int add_pair(FabricPlan& plan, int a, int b, double latency_s = 1e-6) {
  const int id = add_link(plan, a, b, latency_s);
  add_link(plan, b, a, latency_s);
  return id;
}

bool is_end_only(VertexKind kind) {
  return kind == VertexKind::gpu || kind == VertexKind::nic || kind == VertexKind::storage_device ||
         kind == VertexKind::storage_server;
}

}  // namespace

TEST_CASE("PCIe traffic turns at the lowest common ancestor") {
  // socket0 - sw0 - {gpu0, gpu1}, socket0 - sw1 - {gpu2, nic0}; socket1 - gpu3; socket0 = socket1.
  FabricPlan plan;
  const int socket0 = add_vertex(plan, VertexKind::socket), socket1 = add_vertex(plan, VertexKind::socket);
  const int sw0 = add_vertex(plan, VertexKind::pcie_switch), sw1 = add_vertex(plan, VertexKind::pcie_switch);
  const int gpu0 = add_vertex(plan, VertexKind::gpu), gpu1 = add_vertex(plan, VertexKind::gpu);
  const int gpu2 = add_vertex(plan, VertexKind::gpu), gpu3 = add_vertex(plan, VertexKind::gpu);
  const int nic0 = add_vertex(plan, VertexKind::nic);
  const int s0_sw0 = add_pair(plan, socket0, sw0), s0_sw1 = add_pair(plan, socket0, sw1);
  const int sw0_g0 = add_pair(plan, sw0, gpu0, 1e-3), sw0_g1 = add_pair(plan, sw0, gpu1, 1e-3);
  const int sw1_g2 = add_pair(plan, sw1, gpu2), sw1_n0 = add_pair(plan, sw1, nic0);
  const int s0_s1 = add_pair(plan, socket0, socket1), s1_g3 = add_pair(plan, socket1, gpu3);
  const Topology topology(plan);
  const int back = 1;  // the other direction of a pair
  CHECK(topology.route(gpu0, gpu1) == std::vector<int>{sw0_g0 + back, sw0_g1});
  CHECK(topology.route(gpu2, nic0) == std::vector<int>{sw1_g2 + back, sw1_n0});
  CHECK(topology.route(gpu0, gpu2) == std::vector<int>{sw0_g0 + back, s0_sw0 + back, s0_sw1, sw1_g2});
  CHECK(topology.route(nic0, gpu3) == std::vector<int>{sw1_n0 + back, s0_sw1 + back, s0_s1, s1_g3});
  CHECK(topology.route(gpu0, gpu0).empty());
}

TEST_CASE("GPUs, NICs and storage pass nothing on") {
  for (const VertexKind kind :
       {VertexKind::gpu, VertexKind::nic, VertexKind::storage_device, VertexKind::storage_server}) {
    // gpu0 - x - gpu1 is shorter than gpu0 - sw - sw' - gpu1, but x is an end.
    FabricPlan plan;
    const int a = add_vertex(plan, VertexKind::gpu), b = add_vertex(plan, VertexKind::gpu), x = add_vertex(plan, kind);
    const int sw = add_vertex(plan, VertexKind::pcie_switch), sw2 = add_vertex(plan, VertexKind::pcie_switch);
    const int a_x = add_link(plan, a, x);
    add_link(plan, x, b);
    const int a_sw = add_link(plan, a, sw), sw_sw2 = add_link(plan, sw, sw2), sw2_b = add_link(plan, sw2, b);
    const Topology topology(plan);
    CHECK(topology.route(a, b) == std::vector<int>{a_sw, sw_sw2, sw2_b});
    CHECK(topology.route(a, x) == std::vector<int>{a_x});  // as an end it is reached
  }
}

TEST_CASE("no way is our own fault, and so is a link to nowhere") {
  FabricPlan plan;
  const int a = add_vertex(plan, VertexKind::socket), b = add_vertex(plan, VertexKind::socket);
  add_link(plan, a, b);
  const Topology topology(plan);
  CHECK(topology.route(a, b).size() == 1);
  CHECK_THROWS_AS(topology.route(b, a), InternalError);  // links have a direction
  CHECK_THROWS_AS(topology.route(a, 2), InternalError);
  add_link(plan, a, 7);
  CHECK_THROWS_AS(Topology(plan), InternalError);
}

TEST_CASE("of the shortest ways, the first in the order of link ids") {
  // Random graphs with parallel links; every simple way is enumerated, shortest first, then lowest links first.
  std::mt19937_64 random(6);
  int found = 0;
  for (int round = 0; round < 60; ++round) {
    FabricPlan plan;
    const int count = 7;
    for (int i = 0; i < count; ++i) add_vertex(plan, random() % 3 == 0 ? VertexKind::gpu : VertexKind::pcie_switch);
    for (int i = 0; i < 16; ++i) add_link(plan, static_cast<int>(random() % count), static_cast<int>(random() % count));
    const Topology topology(plan);
    for (int from = 0; from < count; ++from) {
      for (int to = 0; to < count; ++to) {
        std::vector<int> best, way;
        std::vector<bool> seen(static_cast<std::size_t>(count));
        bool any = false;
        const std::function<void(int)> walk = [&](int at) {
          if (at == to) {
            if (!any || std::pair(way.size(), way) < std::pair(best.size(), best)) best = way;
            any = true;
            return;
          }
          if (at != from && is_end_only(plan.vertices[static_cast<std::size_t>(at)].kind)) return;
          seen[static_cast<std::size_t>(at)] = true;
          for (std::size_t i = 0; i < plan.links.size(); ++i) {
            const Link& link = plan.links[i];
            if (link.from != at || seen[static_cast<std::size_t>(link.to)]) continue;
            way.push_back(static_cast<int>(i));
            walk(link.to);
            way.pop_back();
          }
          seen[static_cast<std::size_t>(at)] = false;
        };
        walk(from);
        if (any) {
          REQUIRE(topology.route(from, to) == best);
          ++found;
        } else {
          REQUIRE_THROWS_AS(topology.route(from, to), InternalError);
        }
      }
    }
  }
  CHECK(found > 1000);
}
