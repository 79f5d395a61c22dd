#include "sim/what_if.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "clustersim/clustersim.h"

using namespace clustersim;

namespace {

double step_with(const Scenario& scenario, const std::string& change) {
  for (const WhatIf& w : what_if(scenario))
    if (w.change == change) return w.step_s;
  FAIL("no such change: " << change);
  return 0;
}

double step_of(const Scenario& scenario) {
  RunOptions options;
  options.what_if = false;
  for (const Metric& metric : run(scenario, options).metrics)
    if (metric.name == "step_time") return metric.value;
  return 0;
}

}  // namespace

TEST_CASE("what-ifs name what would help, by running it") {
  SECTION("a step that waits for a slow network gains from the network, not from disks") {
    // 241 MB of gradients over 10 GbE take about 340 ms however fast the GPU is: at least a third of the step goes
    // when the rate doubles, and nothing when the disks do.
    const Scenario s = read_scenario_text(
        R"({"clustersim": 1, "cluster": {"nodes": 4, "node": {"gpu": "a100-sxm4-40gb", "nic": "eth-10g"}},
            "job": {"model": "resnet-152", "batch_per_gpu": 64}})",
        "test", {});
    const double step = step_of(s);
    CHECK(step_with(s, "2x network") < 0.67 * step);
    CHECK(step_with(s, "2x storage") == Approx(step).epsilon(1e-3));
  }
  SECTION("a step that waits for decoding halves with twice the cores") {
    const Scenario s = read_scenario_text(
        R"({"clustersim": 1, "cluster": {"node": {"gpu": "a100-sxm4-40gb", "cpu": {"base": "epyc-7402", "cores": 2,
            "threads": 2}, "sockets": 1}}, "job": {"model": "resnet-50", "data": {"workers_per_gpu": 2}}})",
        "test", {});
    CHECK(step_with(s, "2x cores and loader workers") == Approx(0.5 * step_of(s)).epsilon(0.15));
  }
  SECTION("one GPU has neither network nor links to double") {
    const Scenario s = read_scenario_text(
        R"({"clustersim": 1, "cluster": {"node": {"gpu": "l4"}}, "job": {"model": "resnet-50", "data": {"from": "synthetic"}}})",
        "test", {});
    for (const WhatIf& w : what_if(s)) {
      CHECK(w.change != "2x network");
      CHECK(w.change != "2x links between GPUs");
      CHECK(w.change != "2x storage");
      CHECK(w.step_s <= step_of(s) * (1 + 1e-9));
    }
  }
}
