// Send and receive: rank i to rank i + 1, as nccl-tests has it; and all GPUs of a node to their peers, as a pipeline's
// stages do.
#include <catch2/catch.hpp>

#include "tests/models/hand_clusters.h"

using namespace clustersim;
using namespace clustersim::hand;

namespace {

CollectivePlan sent(const Built& b, double bytes, Scope scope = Scope::world, int ranks = 0) {
  return b.planner.plan({CollectiveOp::send_recv, bytes, CollectiveAlgorithm::automatic, scope, ranks});
}

double rate_gb_s(const CollectivePlan& plan) { return plan.amount_bytes / (plan.idle_time_s - plan.latency_s) / 1e9; }

double weight_on(const Built& b, const CollectivePlan& plan, const std::string& link) {
  for (const Use& use : plan.uses)
    if (b.plan.links[static_cast<std::size_t>(use.resource)].name == link) return use.weight;
  return 0.0;
}

}  // namespace

TEST_CASE("over nodes one pair sends over its own card", "[neighbours]") {
  // Eight cards of 400 Gbit/s a node, one for each GPU: GPU 7 sends to GPU 0 of the next node by card 7, and card 0
  // receives: 50 GB/s x 0.92 = 46 GB/s, however many cards idle beside.
  const Built b(cluster(with_nics(h100_sxm(), rdma_nic(400), 8), 4));
  const CollectivePlan plan = sent(b, 1e9);
  CHECK(rate_gb_s(plan) == Approx(50 * 0.92));
  CHECK(weight_on(b, plan, "node0.nic7>switch") == Approx(1 / 0.92));
  CHECK(weight_on(b, plan, "switch>node0.nic0") == Approx(1 / 0.92));
  for (int nic = 0; nic < 7; ++nic) CHECK(weight_on(b, plan, "node0.nic" + std::to_string(nic) + ">switch") == 0);
  // Inside, each GPU passes the buffer to the next: all but the last send it into the NVSwitch.
  CHECK(weight_on(b, plan, "node0.gpu0>node0.nvswitch") == Approx(1));
  CHECK(weight_on(b, plan, "node0.gpu7>node0.nvswitch") == 0);
}

TEST_CASE("in a node every GPU sends at the rate of its own link", "[neighbours]") {
  // 18 links x 20.6 GB/s on switches.
  CHECK(rate_gb_s(sent(Built(cluster(h100_sxm())), 1e9)) == Approx(18 * 20.6));
  // DGX-1: a pair has its own cable, and GPUs 3 and 4 have none: their bytes go by PCIe.
  const Built mesh(cluster(dgx1()));
  const CollectivePlan plan = sent(mesh, 1e9);
  CHECK(plan.limit.find("nvlink") == std::string::npos);
  CHECK(rate_gb_s(plan) < 12.3);
  CHECK(rate_gb_s(sent(mesh, 1e9, Scope::world, 2)) > 15);  // GPUs 0 and 1: one link of 20 GB/s x 1.125
}

TEST_CASE("two cards near two GPUs are one each, a card near four is shared, two near one are both its own",
          "[neighbours]") {
  const auto cards = [](const NodeSpec& n, int gpu) {
    const Built b(cluster(n, 2));
    const NodePaths paths(b.cluster, b.plan, 0, b.routes);
    return own_nics({&paths, n.gpus, 2}, gpu);
  };
  const NodeSpec pairs = with_nics(a100_sxm(), rdma_nic(200), 8);  // switches of two GPUs and two cards
  for (int gpu = 0; gpu < 8; ++gpu) CHECK(cards(pairs, gpu) == std::vector<int>{gpu});
  const NodeSpec one = with_nics(a100_sxm(), rdma_nic(200), 4);  // a card below each of the four switches
  CHECK(cards(one, 0) == std::vector<int>{0});
  CHECK(cards(one, 1) == std::vector<int>{0});
  CHECK(cards(one, 7) == std::vector<int>{3});
  const NodeSpec lone = with_nics(node(gpu("Volta", 80, 900), 1, 3, 1), rdma_nic(100), 2);
  CHECK(cards(lone, 0) == std::vector<int>{0, 1});
}

TEST_CASE("across nodes all GPUs send at once and share the cards", "[neighbours]") {
  // Four GPUs, two cards of 100 Gbit/s: 4 S leave by 2 x 12.5 x 0.92 GB/s, so S moves at a quarter of that.
  const Built b(cluster(with_nics(on_root_ports(node(gpu("Ampere", 108, 1935), 4, 4)), rdma_nic(100), 2), 3));
  CHECK(rate_gb_s(sent(b, 1e9, Scope::across)) == Approx(2 * 12.5 * 0.92 / 4));
  CHECK(rate_gb_s(sent(b, 1e9, Scope::across, 8)) == Approx(2 * 12.5 * 0.92 / 4));
  CHECK(sent(b, 1e9, Scope::across, 8).idle_time_s == Approx(sent(b, 1e9, Scope::across).idle_time_s));
}

TEST_CASE("an uplink carries one buffer a leaf, not one a card", "[neighbours]") {
  Cluster c = cluster(with_nics(a100_sxm(), rdma_nic(200), 8), 64);
  c.fabric.shape = FabricShape::fat_tree;
  c.fabric.switch_spec.ports = 40;
  const Built b(c);
  CHECK(weight_on(b, sent(b, 1e9), "leaf0>spine") == Approx(1));
}
