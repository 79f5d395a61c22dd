// Cases of people who debug clusters (public threads), as they ask: the number of the thread with its tolerance.
#include <catch2/catch.hpp>

#include "tests/models/hand_clusters.h"

using namespace clustersim;
using namespace clustersim::hand;

namespace {

constexpr double mib = 1048576.0, gib = 1024 * mib;

double all_reduce_gb_s(const Built& b, double bytes, CollectiveAlgorithm algorithm = CollectiveAlgorithm::automatic,
                       int ranks = 0) {
  return bus_bandwidth(b, CollectiveOp::all_reduce, bytes, algorithm, ranks) / 1e9;
}

}  // namespace

TEST_CASE("a third GPU drags a bridged pair down to PCIe", "[collective][cases]") {
  // nccl-tests 178: 208 GB/s on 2 A100 PCIe with a bridge, about 20 on 3. Within 30 % of 15 to 24.
  NodeSpec n = on_root_ports(node(gpu("Ampere", 108, 1555), 8, 4));
  const Built b(cluster(with_nvlink(n, 3, "pairs")));
  const double pair = all_reduce_gb_s(b, gib, CollectiveAlgorithm::automatic, 2);
  CHECK(pair > 200);
  CHECK(pair < 235);
  for (int ranks : {3, 4, 8}) {
    const double rate = all_reduce_gb_s(b, gib, CollectiveAlgorithm::automatic, ranks);
    CHECK(rate > 15 * 0.7);
    CHECK(rate < 24 * 1.3);
  }
}

TEST_CASE("8 A100 with NVSwitch give 225 to 240 GB/s", "[collective][cases]") {
  // nccl-tests 149: 235.26 GB/s at 8 GiB, at least 220 at 1 GiB.
  const Built b(cluster(a100_sxm()));
  CHECK(all_reduce_gb_s(b, 8 * gib) > 225);
  CHECK(all_reduce_gb_s(b, 8 * gib) < 240);
  CHECK(all_reduce_gb_s(b, gib) > 220);
}

TEST_CASE("a thousand small messages reach a third of one large one's rate", "[collective][cases]") {
  // ml-engineering, 8x H200: 3722.8 Gbit/s for one 4 GB all-reduce, 1146.1 for 1000 of 4 MB; ratio 3.2, 2.5 to 4.
  // Calls in a row queue up, so their launch is hidden.
  const Built b(cluster(h200_sxm()));
  const auto seconds = [&](double bytes) {
    const CollectivePlan plan = b.planner.plan({CollectiveOp::all_reduce, bytes, {}, Scope::world, 0});
    return plan.idle_time_s - plan.launch_s;
  };
  const double ratio = 1000 * seconds(4e6) / seconds(4e9);
  CHECK(ratio > 2.5);
  CHECK(ratio < 4.0);
}

TEST_CASE("3 nodes with 4 HDR NICs give 96 GB/s", "[collective][cases]") {
  // nccl-tests 119, within 10 %, by ring at large size.
  const Built b(cluster(with_nics(a100_sxm(), rdma_nic(200), 4), 3));
  CHECK(all_reduce_gb_s(b, gib) == Approx(96).epsilon(0.10));
}

TEST_CASE("ACS halves GPUDirect; more NICs add up", "[collective][cases]") {
  // NCCL 700: one 200 Gbit/s NIC, 9 to 12 GB/s with ACS, 20 to 24 without, 80 to 96 with four NICs; within 20 %.
  NodeSpec one = with_nics(a100_sxm(), rdma_nic(200), 1);
  const double without = all_reduce_gb_s(Built(cluster(one, 2)), gib);
  CHECK(without > 20 * 0.8);
  CHECK(without < 24 * 1.2);
  one.acs = true;
  const double with = all_reduce_gb_s(Built(cluster(one, 2)), gib);
  CHECK(with > 9 * 0.8);
  CHECK(with < 12 * 1.2);
  const double four = all_reduce_gb_s(Built(cluster(with_nics(a100_sxm(), rdma_nic(200), 4), 2)), gib);
  CHECK(four > 80 * 0.8);
  CHECK(four < 96 * 1.2);
}

TEST_CASE("half of the GPUs drive half of the NICs", "[collective][cases]") {
  // NCCL 1168: 4 nodes, 45 GB/s with 4 GPUs a node, 90 with 8; ratio 2 within 10 %.
  NodeSpec whole = with_nics(a100_sxm(), rdma_nic(200), 8);
  for (int s = 0; s < 2; ++s) whole.pcie_tree.push_back(slot("cpu" + std::to_string(s), "socket", "", whole.pcie));
  for (int w = 0; w < 4; ++w)
    whole.pcie_tree.push_back(slot("sw" + std::to_string(w), "pcie_switch", "cpu" + std::to_string(w / 2), whole.pcie));
  for (int g = 0; g < 8; ++g)
    for (const char* kind : {"gpu", "nic"})
      whole.pcie_tree.push_back(slot(kind + std::to_string(g), kind, "sw" + std::to_string(g / 2), whole.pcie));
  NodeSpec half = whole;
  half.gpus = 4;
  const Built all(cluster(whole, 4)), some(cluster(half, 4));
  CHECK(all_reduce_gb_s(all, 256e6) / all_reduce_gb_s(some, 256e6) == Approx(2.0).epsilon(0.10));
}

TEST_CASE("with two nodes a tree beats the wire rate, a ring does not", "[collective][cases]") {
  // nccl-tests 196: 2 nodes of 8 H100 PCIe in NVLink pairs, one 100 Gbit/s NIC: tree at most 2 (n-1)/n x 12.5 = 23.4.
  NodeSpec n = with_nvlink(on_root_ports(node(gpu("Hopper", 114, 2000), 8, 5, 2, 40)), 4, "pairs", 12);
  const Built b(cluster(with_nics(n, rdma_nic(100), 1), 2));
  const double tree = all_reduce_gb_s(b, gib, CollectiveAlgorithm::tree);
  CHECK(tree > 12.5);
  CHECK(tree < 2.0 * 15 / 16 * 12.5);
  CHECK(all_reduce_gb_s(b, gib, CollectiveAlgorithm::ring) < 12.5);
  CHECK(b.planner.plan({CollectiveOp::all_reduce, gib, {}, Scope::world, 0}).algorithm == "tree");
}

TEST_CASE("gradients of ResNet-152 over 10 Gbit/s TCP and 100 Gbit/s RDMA", "[collective][cases]") {
  // 4 nodes of one V100, 241 MB: 2 x 3/4 x 241 MB over 1.25 GB/s x 0.9 = 321 ms, over 12.5 GB/s x 0.92 = 31 ms.
  const NodeSpec v100 = node(gpu("Volta", 80, 900), 1, 3, 1);
  const Built slow(cluster(with_nics(v100, tcp_nic(10, 9.0, 20), 1), 4, Transport::tcp));
  const Built fast(cluster(with_nics(v100, rdma_nic(100), 1), 4));
  const auto seconds = [](const Built& b) {
    return b.planner.plan({CollectiveOp::all_reduce, 241e6, CollectiveAlgorithm::ring, Scope::world, 0}).idle_time_s;
  };
  CHECK(seconds(slow) == Approx(2 * 0.75 * 241e6 / (1.25e9 * 0.9)).epsilon(0.02));
  CHECK(seconds(fast) == Approx(2 * 0.75 * 241e6 / (12.5e9 * 0.92)).epsilon(0.02));
}

TEST_CASE("eight RTX 4090 with the stock driver pass through host memory", "[collective][cases]") {
  // Gist in nccl.csv: 14.45 to 14.88 GB/s from 16 to 128 MiB; 20.6 with a driver that allows peer-to-peer. 10 %.
  NodeSpec n = on_root_ports(node(gpu("Ada", 128, 1008, false), 8, 4));
  CHECK(all_reduce_gb_s(Built(cluster(n)), 128 * mib) == Approx(14.45).epsilon(0.10));
  n.p2p = true;
  CHECK(all_reduce_gb_s(Built(cluster(n)), 128 * mib) == Approx(20.64).epsilon(0.10));
}

TEST_CASE("DGX-1 gives 129 to 135 GB/s", "[collective][cases]") {
  // nccl.csv: 129.1 at 128 MiB, 135.5 at 1 GiB; 10 %.
  const Built b(cluster(dgx1()));
  CHECK(all_reduce_gb_s(b, 128 * mib) == Approx(129.1).epsilon(0.10));
  CHECK(all_reduce_gb_s(b, gib) == Approx(135.5).epsilon(0.10));
}
