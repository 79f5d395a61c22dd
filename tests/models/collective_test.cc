// Identities over every algorithm of the table, and the ways of bytes inside a node.
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "tests/models/hand_clusters.h"

using namespace clustersim;
using namespace clustersim::hand;

namespace {

constexpr double mib = 1048576.0;

std::vector<Cluster> some_clusters() {
  Cluster sharp = cluster(with_nics(h100_sxm(), rdma_nic(400), 8), 16);
  sharp.fabric.in_network_reduction = true;
  Cluster leaves = cluster(with_nics(a100_sxm(), rdma_nic(200), 8), 540);
  leaves.fabric.shape = FabricShape::fat_tree;
  leaves.fabric.oversubscription = 3;
  Cluster mixed = cluster(with_nics(a100_sxm(), rdma_nic(200), 8), 2);
  mixed.groups.push_back({3, with_nics(h100_sxm(), rdma_nic(100), 4)});
  NodeSpec staged = with_nics(node(gpu("Ada", 128, 1008, false), 4, 4), rdma_nic(100), 1);
  staged.gpudirect = false;
  NodeSpec acs = with_nics(a100_sxm(), rdma_nic(200), 1);
  acs.acs = true;
  return {cluster(a100_sxm()),
          cluster(h200_sxm()),
          cluster(dgx1()),
          cluster(with_nvlink(node(gpu("Ampere", 108, 1935), 8, 4), 3, "pairs")),
          cluster(staged, 2),
          cluster(acs, 2),
          cluster(with_nics(dgx1(), rdma_nic(100), 4), 4),
          cluster(with_nics(node(gpu("Volta", 80, 900), 1, 3, 1), tcp_nic(10, 9, 20), 1), 4, Transport::tcp),
          sharp,
          leaves,
          mixed};
}

const std::vector<CollectiveOp> all_ops = {
    CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::reduce,
    CollectiveOp::all_to_all, CollectiveOp::broadcast,  CollectiveOp::send_recv};
const std::vector<Scope> all_scopes = {Scope::world, Scope::node, Scope::across};

double slowest_s_per_byte(const FabricPlan& fabric, const CollectivePlan& plan) {
  double worst = 0;
  for (const Use& use : plan.uses)
    worst = std::max(worst, use.weight / fabric.links[static_cast<std::size_t>(use.resource)].bytes_per_s);
  return worst;
}

double weight_on(const Built& b, const CollectivePlan& plan, const std::string& link) {
  for (const Use& use : plan.uses)
    if (b.plan.links[static_cast<std::size_t>(use.resource)].name == link) return use.weight;
  return 0.0;
}

CollectivePlan planned(const Built& b, CollectiveAlgorithm algorithm, double bytes,
                       CollectiveOp op = CollectiveOp::all_reduce, Scope scope = Scope::world) {
  return b.planner.plan({op, bytes, algorithm, scope, 0});
}

}  // namespace

TEST_CASE("every candidate takes its closed form on an idle fabric", "[collective]") {
  // T = latency + S x max(weight / capacity): what an engine gives one transfer that has the fabric to itself.
  for (const Cluster& c : some_clusters()) {
    const Built b(c);
    for (CollectiveOp op : all_ops)
      for (Scope scope : all_scopes)
        for (const CollectivePlan& plan : b.planner.candidates({op, 64 * mib, {}, scope, 0})) {
          INFO(plan.algorithm);
          CHECK(plan.idle_time_s ==
                Approx(plan.latency_s + plan.amount_bytes * slowest_s_per_byte(b.plan, plan)).epsilon(1e-12));
          CHECK(plan.amount_bytes == 64 * mib);
          CHECK(plan.launch_s <= plan.latency_s);
          CHECK(!plan.limit.empty());
          std::set<int> seen;
          for (const Use& use : plan.uses) {
            CHECK(seen.insert(use.resource).second);
            CHECK(use.weight > 0);
          }
        }
  }
}

TEST_CASE("time grows with the buffer, for every candidate and for the choice among them", "[collective]") {
  for (const Cluster& c : some_clusters()) {
    const Built b(c);
    for (CollectiveOp op : all_ops)
      for (Scope scope : all_scopes) {
        std::vector<double> last;
        double last_choice = 0;
        for (double bytes = 8; bytes < 16e9; bytes *= 3) {
          const std::vector<CollectivePlan> plans = b.planner.candidates({op, bytes, {}, scope, 0});
          last.resize(plans.size(), 0.0);
          for (std::size_t i = 0; i < plans.size(); ++i) {
            CHECK(plans[i].idle_time_s > last[i]);
            last[i] = plans[i].idle_time_s;
          }
          const double choice = b.planner.plan({op, bytes, CollectiveAlgorithm::automatic, scope, 0}).idle_time_s;
          CHECK((plans.empty() || choice > last_choice));
          last_choice = choice;
        }
      }
  }
}

TEST_CASE("halving a link slows nothing down less than leaving it", "[collective]") {
  for (const Cluster& c : some_clusters()) {
    const Built whole(c);
    const auto before = whole.planner.candidates({CollectiveOp::all_reduce, 256 * mib, {}, Scope::world, 0});
    for (std::size_t l = 0; l < whole.plan.links.size(); l += 3) {
      FabricPlan halved = whole.plan;
      halved.links[l].bytes_per_s /= 2;
      const BreadthFirst routes(halved);
      const CollectivePlanner planner(whole.cluster, halved, routes);
      const auto after = planner.candidates({CollectiveOp::all_reduce, 256 * mib, {}, Scope::world, 0});
      REQUIRE(after.size() == before.size());
      for (std::size_t i = 0; i < after.size(); ++i) {
        INFO(before[i].algorithm << ' ' << whole.plan.links[l].name);
        CHECK(after[i].idle_time_s >= before[i].idle_time_s * (1 - 1e-12));
        if (whole.plan.links[l].name == before[i].limit) CHECK(after[i].idle_time_s > before[i].idle_time_s);
      }
    }
  }
}

TEST_CASE("one rank needs no time", "[collective]") {
  const Built alone(cluster(node(gpu("Ada", 128, 1008), 1, 4, 1)));
  const Built single(cluster(with_nics(node(gpu("Volta", 80, 900), 1, 3, 1), rdma_nic(100), 1), 4));
  for (CollectiveOp op : all_ops)
    for (const AlgorithmEntry& entry : collective_algorithms()) {
      CHECK(alone.planner.plan({op, 1e9, entry.algorithm, Scope::world, 0}).idle_time_s == 0);
      CHECK(single.planner.plan({op, 1e9, entry.algorithm, Scope::node, 0}).idle_time_s == 0);
      CHECK(single.planner.plan({op, 1e9, entry.algorithm, Scope::world, 1}).uses.empty());
    }
}

TEST_CASE("a ring sends its count of bytes", "[collective]") {
  // NVLink's weight is 1 / 0.98 for A100 on switches (paths.cc); 8 ranks send 2 (n-1)/n or (n-1)/n of the buffer.
  const Built b(cluster(a100_sxm()));
  const double n = 8, share = 0.98;
  const auto gpu0 = [&](CollectiveOp op) {
    return weight_on(b, planned(b, CollectiveAlgorithm::ring, mib, op), "node0.gpu0>node0.nvswitch") * share;
  };
  CHECK(gpu0(CollectiveOp::all_reduce) == Approx(2 * (n - 1) / n));
  CHECK(gpu0(CollectiveOp::all_gather) == Approx((n - 1) / n));
  CHECK(gpu0(CollectiveOp::reduce_scatter) == Approx((n - 1) / n));
  CHECK(gpu0(CollectiveOp::broadcast) == Approx(1.0));
  CHECK(gpu0(CollectiveOp::all_to_all) == Approx((n - 1) / n));
}

TEST_CASE("a ring over nodes loads all NICs of a node with its bytes together", "[collective]") {
  // Each of 8 NICs carries an eighth of 2 (n-1)/n S, at 0.92 of line; in and out alike.
  const Built b(cluster(with_nics(a100_sxm(), rdma_nic(200), 8), 4));
  const CollectivePlan plan = planned(b, CollectiveAlgorithm::ring, mib);
  const double each = 2.0 * 31 / 32 / 8 / 0.92;
  for (int nic = 0; nic < 8; ++nic) {
    const std::string name = "node0.nic" + std::to_string(nic);
    CHECK(weight_on(b, plan, name + ">switch") == Approx(each));
    CHECK(weight_on(b, plan, "switch>" + name) == Approx(each));
  }
}

TEST_CASE("no all-reduce beats the bandwidth bound of its kind", "[collective]") {
  // Without switches that add up, n ranks each send at least (n-1)/n S and receive as much (reduce-scatter alone),
  // so T >= 2 (n-1)/n S / (bytes/s that leave a node's GPUs); with them at least S through the slowest NIC or GPU.
  for (const Cluster& c : some_clusters()) {
    const Built b(c);
    double nics = 1e300, per_gpu = 1e300;
    for (const NodePlan& n : b.plan.nodes) {
      double sum = 0;
      for (const Link& l : b.plan.links) {
        if (l.from == n.gpus[0] && l.kind != LinkKind::nic) sum += l.bytes_per_s;
      }
      const NodeSpec& spec = b.cluster.groups[static_cast<std::size_t>(n.group)].node;
      per_gpu = std::min(per_gpu, sum * 1.125);  // NVLink2 cables beat the tuner's rate by an eighth (paths.cc)
      if (b.cluster.nodes() > 1) nics = std::min(nics, spec.nics * spec.nic->line_rate.base());
    }
    for (const CollectivePlan& plan :
         b.planner.candidates({CollectiveOp::all_reduce, 1024 * mib, {}, Scope::world, 0})) {
      INFO(plan.algorithm);
      const double bytes = 1024 * mib;
      if (b.cluster.gpus() > b.cluster.nodes()) CHECK(plan.idle_time_s > bytes / per_gpu);
      if (b.cluster.nodes() > 1) CHECK(plan.idle_time_s > bytes / nics);
    }
  }
}

TEST_CASE("what the hardware rules out is not offered, and asking for it gives the ring", "[collective]") {
  const auto names = [](const Built& b, CollectiveOp op) {
    std::set<std::string> found;
    for (const CollectivePlan& plan : b.planner.candidates({op, mib, {}, Scope::world, 0}))
      found.insert(plan.algorithm);
    return found;
  };
  const Built a100(cluster(a100_sxm())), h200(cluster(h200_sxm()));
  CHECK(names(a100, CollectiveOp::all_reduce) == std::set<std::string>{"ring", "naive_tree"});
  CHECK(names(h200, CollectiveOp::all_reduce) == std::set<std::string>{"ring", "nvls", "naive_tree"});
  CHECK(names(h200, CollectiveOp::all_gather) == std::set<std::string>{"ring"});
  CHECK(planned(a100, CollectiveAlgorithm::nvls, mib).algorithm == "ring");
  CHECK(planned(a100, CollectiveAlgorithm::tree, mib).algorithm == "ring");
  CHECK(h200.planner.plan({CollectiveOp::all_reduce, 1e9, CollectiveAlgorithm::nvls, Scope::world, 4}).algorithm ==
        "ring");  // NVLS needs five GPUs
}

TEST_CASE("hierarchical is the sum of its three phases", "[collective]") {
  const Built b(cluster(with_nics(a100_sxm(), rdma_nic(200), 8), 4));
  for (double bytes : {mib, 64 * mib, 1024 * mib}) {
    const double inside =
        b.planner.plan({CollectiveOp::reduce_scatter, bytes, CollectiveAlgorithm::ring, Scope::node, 0}).idle_time_s;
    const double between =
        b.planner.plan({CollectiveOp::all_reduce, bytes / 8, CollectiveAlgorithm::automatic, Scope::across, 0})
            .idle_time_s;
    CHECK(planned(b, CollectiveAlgorithm::hierarchical, bytes).idle_time_s == Approx(2 * inside + between));
  }
}

TEST_CASE("the naive tree is log2(n) buffers over the wire", "[collective]") {
  for (int nodes : {2, 4, 8, 64}) {
    const Built b(cluster(with_nics(node(gpu("Volta", 80, 900), 1, 3, 1), rdma_nic(100), 1), nodes));
    const CollectivePlan naive = planned(b, CollectiveAlgorithm::naive_tree, 1e9);
    const CollectivePlan ring = planned(b, CollectiveAlgorithm::ring, 1e9);
    const double wire = 12.5e9 * 0.92;  // one 100 Gbit/s NIC at 0.92 of line
    CHECK(naive.idle_time_s - naive.latency_s == Approx(1e9 * std::log2(nodes) / wire));
    CHECK(ring.idle_time_s - ring.latency_s == Approx(1e9 * 2 * (nodes - 1) / nodes / wire));
  }
}

TEST_CASE("without peer-to-peer bytes pass through host memory twice", "[collective]") {
  const NodeSpec open = on_root_ports(node(gpu("Ada", 128, 1008), 4, 4));
  NodeSpec closed = open;
  closed.p2p = false;
  const Built direct(cluster(open)), staged(cluster(closed));
  const CollectivePlan a = planned(direct, CollectiveAlgorithm::ring, mib),
                       b = planned(staged, CollectiveAlgorithm::ring, mib);
  CHECK(weight_on(direct, a, "node0.cpu0>node0.mem0") == 0);
  // Two GPUs a socket each write and read 2 (n-1)/n S = 1.5 S; a pass charges both directions: 2 x 2 x 1.5.
  CHECK(weight_on(staged, b, "node0.cpu0>node0.mem0") == Approx(2 * 2 * 1.5));
  CHECK(b.idle_time_s > a.idle_time_s);
}

TEST_CASE("below a PCIe switch bytes turn round in it, with ACS they go up to the root", "[collective]") {
  NodeSpec n = node(gpu("Ampere", 108, 1935), 8, 4);  // two switches of four
  n.gpu_fabric.shape = "none";
  const Built off(cluster(n));
  n.acs = true;
  const Built on(cluster(n));
  const auto up = [](const Built& b) {
    return weight_on(b, b.planner.plan({CollectiveOp::all_reduce, mib, CollectiveAlgorithm::ring, Scope::world, 4}),
                     "node0.sw0>node0.cpu0");
  };
  CHECK(up(off) == 0);
  CHECK(up(on) > 0);
}

TEST_CASE("the slowest group binds", "[collective]") {
  const NodeSpec fast = with_nics(a100_sxm(), rdma_nic(200), 8), slow = with_nics(a100_sxm(), rdma_nic(100), 8);
  Cluster mixed = cluster(fast, 2);
  mixed.groups.push_back({2, slow});
  const Built all_slow(cluster(slow, 4)), both(mixed);
  CHECK(planned(both, CollectiveAlgorithm::ring, 1e9).idle_time_s ==
        Approx(planned(all_slow, CollectiveAlgorithm::ring, 1e9).idle_time_s));
}

TEST_CASE("a GPU lends channels and memory bandwidth while it reduces", "[collective]") {
  const Built b(cluster(a100_sxm()));
  const CollectivePlan plan = planned(b, CollectiveAlgorithm::ring, 1e9);
  REQUIRE(plan.holds.size() == 8);
  for (int i = 0; i < 8; ++i) CHECK(plan.holds[static_cast<std::size_t>(i)].gpu == i);
  CHECK(plan.holds[0].sms == Approx(24.0 / 108));
  // 2.5 bytes of DRAM a byte on the bus, 240 x 0.98 GB/s, of 1555 GB/s.
  CHECK(plan.holds[0].dram == Approx(2.5 * 240 * 0.98 / 1555));
}

TEST_CASE("4320 GPUs plan like 16, with a latency that grows by the tree's depth", "[collective]") {
  const Built large(cluster(with_nics(a100_sxm(), rdma_nic(200), 8), 540));
  const Built small(cluster(with_nics(a100_sxm(), rdma_nic(200), 8), 4));
  CHECK(large.plan.links.size() == small.plan.links.size());
  const CollectivePlan a = planned(large, CollectiveAlgorithm::tree, mib),
                       b = planned(small, CollectiveAlgorithm::tree, mib);
  CHECK(a.steps - b.steps == 2 * (10 - 2));  // 2 ceil(log2(540)) and 2 log2(4) hops
  CHECK(a.idle_time_s > b.idle_time_s);
}

TEST_CASE("oversubscribed leaves slow an all-to-all by their ratio", "[collective]") {
  Cluster c = cluster(with_nics(a100_sxm(), rdma_nic(200), 8), 512);
  c.fabric.shape = FabricShape::fat_tree;
  c.fabric.switch_spec.ports = 64;
  const Built even(c);
  c.fabric.oversubscription = 3;
  const Built narrow(c);
  // Nearly all bytes leave the leaf: (n - below)/n of them, over uplinks a third as wide as what is below.
  const double n = 4096, below = 6 * 8;
  const CollectivePlan plan = planned(narrow, CollectiveAlgorithm::automatic, 1e9, CollectiveOp::all_to_all);
  CHECK(plan.limit == "leaf0>spine");
  CHECK(plan.idle_time_s - plan.latency_s == Approx(1e9 * below * (n - below) / n / (6 * 8 * 25e9 / 3)));
  CHECK(planned(even, CollectiveAlgorithm::automatic, 1e9, CollectiveOp::all_to_all).idle_time_s < plan.idle_time_s);
}

TEST_CASE("disabling peer-to-peer takes NVLink away too", "[collective]") {
  NodeSpec n = h100_sxm();
  const Built with(cluster(n));
  n.p2p = false;
  const Built without(cluster(n));
  CHECK(weight_on(without, planned(without, CollectiveAlgorithm::ring, mib), "node0.gpu0>node0.nvswitch") == 0);
  CHECK(planned(without, CollectiveAlgorithm::nvls, mib).algorithm == "ring");
  CHECK(planned(without, CollectiveAlgorithm::automatic, 1e9).idle_time_s >
        planned(with, CollectiveAlgorithm::automatic, 1e9).idle_time_s);
}

TEST_CASE("flows hashed onto uplinks lose, adaptive routing and a single leaf do not", "[collective]") {
  Cluster c = cluster(with_nics(a100_sxm(), rdma_nic(200), 8), 64);
  c.fabric.shape = FabricShape::fat_tree;
  const auto wire_s = [](const Cluster& which) {
    const Built b(which);
    const CollectivePlan plan = planned(b, CollectiveAlgorithm::ring, 1e9);
    return plan.idle_time_s - plan.latency_s;
  };
  const double adaptive = wire_s(c);
  c.fabric.adaptive_routing = false;
  CHECK(wire_s(c) == Approx(1.4 * adaptive));  // Meta's 40 %
  c.groups[0].count = 2;
  Cluster same = c;
  same.fabric.adaptive_routing = true;
  CHECK(wire_s(c) == Approx(wire_s(same)));  // both nodes on one leaf
}

TEST_CASE("a slower port holds a faster NIC back", "[collective]") {
  // A 100 Gbit/s NIC (TCP collectives reach 40) on 10 Gbit/s ports: 1.25 GB/s at TCP's goodput of 0.9.
  Cluster c = cluster(with_nics(node(gpu("Volta", 80, 900), 1, 3, 1), tcp_nic(100, 40, 12), 1), 2, Transport::tcp);
  c.fabric.link = gigabits_per_second(10);
  const Built b(c);
  const CollectivePlan plan = planned(b, CollectiveAlgorithm::ring, 1e9);
  CHECK(plan.idle_time_s - plan.latency_s == Approx(1e9 / (1.25e9 * 0.9)));
}

TEST_CASE("rails of one NIC are flows of their own", "[collective]") {
  // Four GPUs reduce with their peers through one NIC: four streams on it; a world ring is one.
  const Built b(cluster(with_nics(on_root_ports(node(gpu("Ampere", 108, 1935), 4, 4)), rdma_nic(100), 1), 2));
  const auto streams = [&](Scope scope) {
    for (const Use& use : planned(b, CollectiveAlgorithm::ring, mib, CollectiveOp::all_reduce, scope).uses)
      if (b.plan.links[static_cast<std::size_t>(use.resource)].name == "node0.nic0>switch") return use.streams;
    return 0.0;
  };
  CHECK(streams(Scope::across) == Approx(4));
  CHECK(streams(Scope::world) == Approx(1));
}

TEST_CASE("a chain from the root fills its pipeline once, a ring twice", "[collective]") {
  // Eight GPUs on switches, protocol Simple: base 8.4 us, n - 1 = 7 or 2 (n - 1) = 14 hops of 3.4 us, 1.4 times that.
  const Built b(cluster(a100_sxm()));
  const double bytes = 1e12;  // so large that the knee does not matter
  const double chain = planned(b, CollectiveAlgorithm::ring, bytes, CollectiveOp::broadcast).latency_s;
  const double ring = planned(b, CollectiveAlgorithm::ring, bytes, CollectiveOp::all_gather).latency_s;
  CHECK(ring - chain == Approx(1.4 * 7 * 3.4e-6).epsilon(0.001));
}

TEST_CASE("between nodes a small message is passed on whole, one channel's piece at a time", "[collective]") {
  NicSpec efa = rdma_nic(100);
  efa.rdma_latency = microseconds(18);
  const Built infiniband(cluster(with_nics(a100_sxm(), rdma_nic(200), 8), 2));
  const Built aws(cluster(with_nics(a100_sxm(), efa, 4), 2, Transport::efa));
  const auto tree = [](const Built& b, double bytes) {
    for (const CollectivePlan& plan : b.planner.candidates({CollectiveOp::all_reduce, bytes}))
      if (plan.algorithm == "tree") return plan.latency_s;
    return 0.0;
  };
  // 2 x 7 hops inside of 4096 B at 87.7 GB/s / 24 channels: 15.7 us; a second channel then takes the next 4096.
  // The knee of 269 kB lets 1.5 % of the fill of 97 us through.
  const double piece = 14 * 4096 / (87.7e9 / 24);
  CHECK(tree(infiniband, 4096) - tree(infiniband, 8) == Approx(piece).margin(2e-6));
  CHECK(tree(infiniband, 8192) - tree(infiniband, 4096) < 2e-6);
  // EFA v1 has protocol Simple only: launch, base, 14 hops of 4 us and 2 of 2.7 x 18 us, and pieces of 32 KiB.
  CHECK(tree(aws, 8) == Approx((2.5 + 6.8 + 14 * 4.0 + 2 * 2.7 * 18) * 1e-6).margin(2e-6));
  CHECK(tree(aws, 32768) - tree(aws, 8) == Approx(14 * 32768 / 23.6e9).margin(3e-6));
}

TEST_CASE("a gathering ring over nodes takes the faster of the protocols, as NCCL's tuner counts them",
          "[collective]") {
  // 512 nodes of 8 H100, 400 Gbit/s a card: 4,095 messages, 3,584 inside and 511 between. LL128: base 14 us, hops
  // of 1.9 and 4 us and 3 switches of 0.3, 128 bytes for 120 over 8 x 50 x 0.92 GB/s; Simple: base 8.4, hops of 3.4 and
  // 14 + 0.9.
  Cluster c = cluster(with_nics(h100_sxm(), rdma_nic(400), 8), 512);
  c.fabric.shape = FabricShape::fat_tree;
  c.fabric.switch_spec.latency = microseconds(0.3);
  const Built b(c);
  const double share = 4095.0 / 4096, wire = 8 * 50e9 * 0.92, launch = 2.5e-6;
  for (const CollectiveOp op : {CollectiveOp::all_gather, CollectiveOp::reduce_scatter}) {
    const double bytes = 2048 * mib;
    const CollectivePlan plan = planned(b, CollectiveAlgorithm::automatic, bytes, op);
    CHECK(plan.protocol == "LL128");
    CHECK(plan.latency_s == Approx(launch + 14e-6 + 3584 * 1.9e-6 + 511 * 4.9e-6));
    CHECK(plan.idle_time_s == Approx(plan.latency_s + bytes * share * 128 / 120 / wire));
    const CollectivePlan large = planned(b, CollectiveAlgorithm::automatic, 1e12, op);
    CHECK(large.protocol == "Simple");
    CHECK(large.latency_s == Approx(launch + 8.4e-6 + 3584 * 3.4e-6 + 511 * 14.9e-6).epsilon(0.001));
  }
  // Over EFA a hop of LL128 takes five latencies of the adapter; A100 have Simple alone there, 10 us more a hop, and
  // pass on pieces of 32 KiB inside.
  NicSpec efa = rdma_nic(100);
  efa.rdma_latency = microseconds(15);
  const Built p5(cluster(with_nics(h100_sxm(), efa, 32), 512, Transport::efa));
  const CollectivePlan gathered = planned(p5, CollectiveAlgorithm::automatic, 2048 * mib, CollectiveOp::all_gather);
  CHECK(gathered.protocol == "LL128");
  CHECK(gathered.latency_s == Approx(launch + 14e-6 + 3584 * 1.9e-6 + 511 * 5 * 15e-6));
  const Built p4(cluster(with_nics(a100_sxm(), efa, 4), 512, Transport::efa));
  const CollectivePlan simple = planned(p4, CollectiveAlgorithm::automatic, 1e12, CollectiveOp::all_gather);
  CHECK(simple.protocol == "Simple");
  CHECK(simple.latency_s ==
        Approx(launch + 6.6e-6 + 3584 * (3.4e-6 + 32768 / 23.6e9) + 511 * (5 * 15 + 10) * 1e-6).epsilon(0.001));
  // Cards without NVLink have no LL128.
  const Built pcie(cluster(with_nics(on_root_ports(node(gpu("Ada", 128, 1008), 4, 4)), rdma_nic(100), 1), 64));
  CHECK(planned(pcie, CollectiveAlgorithm::automatic, 256 * mib, CollectiveOp::all_gather).protocol != "LL128");
}
