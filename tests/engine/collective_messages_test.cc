// The two faces of a collective: one transfer, and every chunk by itself on every node.
#include <catch2/catch.hpp>

#include "models/collective/messages.h"
#include "sim/engine/executor.h"
#include "sim/engine/topology.h"
#include "tests/models/hand_clusters.h"

using namespace clustersim;

namespace {

struct Faces {
  explicit Faces(Cluster c)
      : cluster(std::move(c)),
        plan(build_fabric(cluster)),
        routes(plan),
        unfolded(SimulatedFabric::unfolded(plan)),
        bundles(cluster, plan, routes),
        messages(cluster, plan, unfolded, routes) {}
  Faces(const Faces&) = delete;
  Cluster cluster;
  FabricPlan plan;
  Topology routes;
  SimulatedFabric unfolded;
  CollectivePlanner bundles;
  MessagePlanner messages;
};

// Traffic that outlasts the collective on one link of the first node's, as so many streams.
struct Other {
  LinkKind kind = LinkKind::nic;
  double streams = 0;  // 0: none
};

int link_of(const FabricPlan& plan, LinkKind kind) {
  for (std::size_t l = 0; l < plan.links.size(); ++l) {
    const Vertex& from = plan.vertices[static_cast<std::size_t>(plan.links[l].from)];
    if (plan.links[l].kind == kind && (from.kind == VertexKind::nic || from.kind == VertexKind::leaf_switch))
      return static_cast<int>(l);
  }
  throw std::runtime_error("no such link");
}

double seconds(Task collective, TaskGraph graph, const std::vector<double>& capacity, int link, double streams) {
  collective.kind = TaskKind::transfer;
  const TaskId id = graph.add(collective);
  if (streams > 0) {
    Task other;
    other.kind = TaskKind::transfer;
    other.amount = 100 * capacity[static_cast<std::size_t>(link)];  // 100 s or more
    other.uses = {{link, 1.0, streams}};
    graph.add(other);
  }
  MachineSpec machine;
  machine.resource_capacity = capacity;
  return sim_time_to_seconds(run_tasks(machine, graph).spans[static_cast<std::size_t>(id)].end);
}

double bundle_s(const Faces& f, const CollectivePlan& plan, Other other = {}) {
  std::vector<double> capacity;
  for (const Link& link : f.plan.links) capacity.push_back(link.bytes_per_s);
  Task task;
  task.latency_s = plan.latency_s;
  task.amount = plan.amount_bytes;
  task.uses = plan.uses;
  return seconds(task, {}, capacity, other.streams > 0 ? link_of(f.plan, other.kind) : 0, other.streams);
}

double messages_s(const Faces& f, const MessagePlan& plan, Other other = {}) {
  TaskGraph graph;
  Task task;
  task.latency_s = plan.latency_s;
  task.messages = graph.add_pattern(plan.pattern);
  const int link = other.streams > 0 ? f.unfolded.link(0, link_of(f.plan, other.kind)) : 0;
  return seconds(task, graph, f.unfolded.bytes_per_s(), link, other.streams);
}

// The smallest buffer of 2^k bytes whose chunks take ten latencies of a step.
CollectiveRequest long_enough(const Faces& f, CollectiveOp op) {
  for (double bytes = 1 << 20;; bytes *= 2) {
    const CollectiveRequest request{op, bytes, CollectiveAlgorithm::ring, Scope::world, 0};
    const CollectivePlan plan = f.bundles.plan(request);
    if (plan.idle_time_s - plan.latency_s >= 10 * plan.latency_s) return request;
  }
}

NodeSpec four_gpus(int nics) {
  NodeSpec n = hand::with_nvlink(hand::node(hand::gpu("Ampere", 108, 1555), 4, 4), 3, "switch");
  return hand::with_nics(n, hand::rdma_nic(100), nics);
}

// Leaves of `below` nodes.
Cluster shaped(FabricShape shape, int nodes, int nics, int below, double oversubscription) {
  Cluster c = hand::cluster(four_gpus(nics), nodes);
  c.fabric.shape = shape;
  c.fabric.oversubscription = oversubscription;
  const double down = below * (shape == FabricShape::fat_tree ? nics : 1);
  c.fabric.switch_spec.ports = static_cast<int>(down * (1 + oversubscription) / oversubscription + 0.5);
  return c;
}

std::vector<Cluster> clusters() {
  return {shaped(FabricShape::single_switch, 4, 1, 4, 1),  shaped(FabricShape::single_switch, 3, 4, 3, 1),
          shaped(FabricShape::fat_tree, 6, 2, 3, 1),       shaped(FabricShape::fat_tree, 6, 2, 3, 3),
          shaped(FabricShape::rail_optimized, 4, 4, 2, 1), shaped(FabricShape::rail_optimized, 6, 4, 3, 3)};
}

constexpr CollectiveOp operations[] = {CollectiveOp::all_reduce, CollectiveOp::reduce_scatter, CollectiveOp::all_gather,
                                       CollectiveOp::all_to_all};

}  // namespace

TEST_CASE("bundle and messages agree within 1 % on an idle fabric, on every shape") {
  for (const Cluster& cluster : clusters()) {
    const Faces f(cluster);
    for (const CollectiveOp op : operations) {
      const CollectiveRequest request = long_enough(f, op);
      const CollectivePlan bundle = f.bundles.plan(request);
      INFO("shape " << static_cast<int>(cluster.fabric.shape) << " operation " << static_cast<int>(op));
      CHECK(messages_s(f, *f.messages.plan(request, bundle)) == Approx(bundle_s(f, bundle)).epsilon(0.01));
    }
  }
}

TEST_CASE("bundle and messages agree within 5 % beside other traffic on one NIC or uplink") {
  // Four streams of others on one link of one node: what is slow there makes all wait, in either face.
  for (const Cluster& cluster : clusters()) {
    const Faces f(cluster);
    std::vector<LinkKind> kinds = {LinkKind::nic};
    if (f.plan.nodes_per_leaf > 0) kinds.push_back(LinkKind::network);
    for (const CollectiveOp op : operations)
      for (const LinkKind kind : kinds) {
        const CollectiveRequest request = long_enough(f, op);
        const CollectivePlan bundle = f.bundles.plan(request);
        INFO("shape " << static_cast<int>(cluster.fabric.shape) << " operation " << static_cast<int>(op) << " link "
                      << static_cast<int>(kind));
        const double alone = bundle_s(f, bundle), beside = bundle_s(f, bundle, {kind, 4.0});
        CHECK(beside >= alone);
        CHECK(messages_s(f, *f.messages.plan(request, bundle), {kind, 4.0}) == Approx(beside).epsilon(0.05));
        if (op == CollectiveOp::all_reduce && kind == LinkKind::nic) CHECK(beside > 2 * alone);
      }
  }
}

TEST_CASE("as many bytes are sent as the algorithm says") {
  // A ring of n ranks: n x steps messages of S/n each; every rank to every other: n (n-1) messages of S/n.
  const Faces f(shaped(FabricShape::fat_tree, 6, 2, 3, 1));
  const double n = f.cluster.gpus(), bytes = 1e9;
  const double expected[] = {2 * (n - 1), n - 1, n - 1, n - 1};
  for (std::size_t i = 0; i < std::size(operations); ++i) {
    const CollectiveRequest request{operations[i], bytes, CollectiveAlgorithm::ring, Scope::world, 0};
    const MessagePlan plan = *f.messages.plan(request, f.bundles.plan(request));
    double sent = 0;
    for (const MessageLane& lane : plan.pattern.lanes) sent += lane.amount * plan.pattern.steps;
    CHECK(sent == Approx(expected[i] * bytes).epsilon(1e-12));
  }
}

TEST_CASE("inside a node the ring closes, over a switch and over cables") {
  // 8 A100 on NVSwitches: no network. The bundle spreads the cables of DGX-1 as the messages do.
  for (const NodeSpec& node : {hand::a100_sxm(), hand::dgx1()}) {
    const Faces f(hand::cluster(node));
    const CollectiveRequest request = long_enough(f, CollectiveOp::all_reduce);
    const CollectivePlan bundle = f.bundles.plan(request);
    CHECK(messages_s(f, *f.messages.plan(request, bundle)) == Approx(bundle_s(f, bundle)).epsilon(0.01));
  }
}

TEST_CASE("what has no messages") {
  const Faces f(shaped(FabricShape::single_switch, 2, 1, 2, 1));
  for (const CollectiveOp op : {CollectiveOp::reduce, CollectiveOp::broadcast, CollectiveOp::send_recv})
    CHECK_FALSE(f.messages.plan({op, 1e6, {}, Scope::world, 0}, {}).has_value());
  CHECK_FALSE(f.messages.plan({CollectiveOp::all_reduce, 1e6, {}, Scope::world, 1}, {}).has_value());
}

TEST_CASE("by protocol LL128 chunks carry its flags as the bundle does") {
  // 32 ranks gather 16 MiB, half a MiB each. Both send 128 bytes for 120, over cards of 100 Gbit/s.
  const Faces f(hand::cluster(hand::with_nics(hand::h100_sxm(), hand::rdma_nic(100), 8), 4));
  const CollectiveRequest request{CollectiveOp::all_gather, 16.0 * 1048576, CollectiveAlgorithm::ring, Scope::world, 0};
  const CollectivePlan bundle = f.bundles.plan(request);
  REQUIRE(bundle.protocol == "LL128");
  CHECK(bundle.data_share == Approx(120.0 / 128));
  const double wire_s = 16.0 * 1048576 * 31 / 32 * 128 / 120 / (8 * 12.5e9 * 0.92);
  CHECK(bundle.idle_time_s - bundle.latency_s == Approx(wire_s));
  CHECK(messages_s(f, f.messages.plan(request, bundle).value()) == Approx(bundle.idle_time_s).epsilon(0.01));
}
