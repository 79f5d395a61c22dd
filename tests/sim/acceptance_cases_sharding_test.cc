// A measured step whose weights are sharded: what leaving the node costs, fully sharded and in copies a node.
#include <catch2/catch.hpp>

#include "tests/sim/acceptance.h"

using namespace clustersim;
using namespace clustersim::acceptance;

namespace {

constexpr double parameters = 1.2e9;

// Nodes of four A100; 8,192 tokens a GPU at 12,000 tokens/s are 0.683 s.
Report sharded(int nodes, const std::string& sharding, const std::string& network) {
  return run_text(R"({"clustersim": 1, "cluster": {"nodes": )" + std::to_string(nodes) +
                  R"(, "node": {"gpu": "a100-sxm4-40gb", "gpus": 4, )" + network + R"(},
    "job": {"model": {"emulated_step": "0.683 s", "batch": 4, "parameters": 1.2e9}, "precision": "bf16",
            "sharding": ")" +
                  sharding + R"(", "data": {"from": "synthetic"}}})");
}

const char* const slow = R"("nic": "eth-10g"}, "fabric": {"transport": "tcp"})";
const char* const fast = R"("nic": "ib-hdr", "nics": 4})";

}  // namespace

TEST_CASE("a fully sharded step on a slow network takes as long as its weights and gradients travel", "[acceptance]") {
  // 26 equal blocks, of which embedding and head stay gathered between the passes: (2 - 2/26) P weights of 2 B and P
  // gradients of 4 B; of each, 7/8 leave a rank's card in a ring of eight. TCP carries 70 to 100 % of 10 Gbit/s; what
  // computes besides is hidden but for a layer.
  const double bytes = 7.0 / 8 * parameters * (2 * (2 - 2.0 / 26) + 4);
  const Report report = sharded(2, "full", slow);
  CHECK(metric(report, "step_time") > bytes / 1.25e9);
  CHECK(metric(report, "step_time") < bytes / (0.7 * 1.25e9) + 0.683 / 10);
  CHECK(report.bottleneck.kind == "fabric");
  CHECK(sum_of_parts(report) == Approx(metric(report, "step_time")).epsilon(1e-3));
}

TEST_CASE("copies a node send a quarter between the nodes", "[acceptance][cases]") {
  // oumi-ai/oumi PR #213: fully sharded over four nodes is 0.74 of hybrid; allenai/OLMo #845: fully sharded loses 25 %
  // from one node to two, and hybrid is the advice. Hybrid sends gradients alone: an all-reduce of shards.
  const double one = metric(sharded(1, "full", fast), "step_time");
  CHECK(one == Approx(0.683).epsilon(0.10));
  CHECK(metric(sharded(2, "hybrid", fast), "step_time") < 1.10 * one);
  CHECK(metric(sharded(2, "hybrid", slow), "step_time") < 0.74 * metric(sharded(2, "full", slow), "step_time"));
}

TEST_CASE("each GPU saves its part of sharded states", "[acceptance]") {
  // 12 B a parameter (weights of 4, Adam's two of 4), an eighth of it on each of eight GPUs.
  const auto blocking = [](const std::string& sharding, const std::string& size) {
    return metric(run_text(R"({"clustersim": 1, "cluster": {"node": {"server": "dgx-h100"}},
      "job": {"model": {"emulated_step": "1 s", "batch": 1, "parameters": 8e9}, "precision": "bf16", "sharding": ")" +
                           sharding + R"(", "data": {"from": "synthetic"}, "target": {"steps": 1000},
              "checkpoint": {"every": "10 min")" +
                           size + "}}}"),
                  "checkpoint_blocking_time");
  };
  CHECK(blocking("full", "") == Approx(blocking("none", "") / 8));
  CHECK(blocking("full", "") == Approx(blocking("full", R"(, "size": "96 GB")")));
}
