// Four RTX 3090 in a row: 100 CFM of air at 30 degC, 200 W of host heat before the first card.
//
// 100 CFM carries 57 W/K, so each card of 300 W hands the next one air 5 K warmer. A card gives up about 5 W for
// each kelvin at its temperature target; the fourth, 15 to 17 K above the first, runs at 210 W where 310 would be
// free, and clock goes with a little over the square root of power: about a fifth less. A job that computes less
// than all of the time heats less; synthetic data with the default batch is near full load.
#include <catch2/catch.hpp>

#include "tests/sim/acceptance.h"

using namespace clustersim;
using namespace clustersim::acceptance;

namespace {

const char* const rig = R"({"clustersim": 1,
  "cluster": {"node": {"server": "4x-rtx-3090-open-rig",
                       "cooling": {"kind": "air", "room": "30 degC", "airflow": "100 CFM", "arrangement": "series",
                                   "host_heat": "200 W"}}},
  "job": {"model": "resnet-50", "data": {"from": "synthetic"}, "target": {"steps": 1000}}})";

const std::vector<Override> liquid = {
    {"/cluster/node/cooling", R"({"kind": "liquid", "room": "30 degC", "host_heat": "200 W"})"}};

}  // namespace

TEST_CASE("the last card of the row settles 19 to 24 % below the first's free clock", "[acceptance]") {
  const Report hot = run_text(rig), cool = run_text(rig, liquid);
  const double free_clock = metric(cool, "sustained_gpu_clock");  // nothing throttles there, next case
  const double drop = 1 - metric(hot, "sustained_gpu_clock") / free_clock;
  CHECK(drop >= 0.19);
  CHECK(drop <= 0.24);
  const std::string clocks = notes(hot, "clock");
  CHECK(has(clocks, "node0.gpu3"));
  CHECK(has(clocks, "temperature"));
  CHECK(hot.bottleneck.kind == "thermal");
  CHECK(hot.bottleneck.resource == "node0.gpu3");
}

TEST_CASE("the step follows the slowest card", "[acceptance]") {
  const Report hot = run_text(rig), cool = run_text(rig, liquid);
  // Kernels are bound partly by memory, which keeps its rate: the step grows, by less than the clock falls.
  const double growth = metric(hot, "step_time") / metric(cool, "step_time");
  const double clock_ratio = metric(cool, "sustained_gpu_clock") / metric(hot, "sustained_gpu_clock");
  CHECK(growth > 1.03);
  CHECK(growth < clock_ratio);
  // Cards that are done wait for the slowest one.
  CHECK(metric(hot, "straggler_time") > metric(cool, "straggler_time"));
}

TEST_CASE("with liquid cooling nothing throttles", "[acceptance]") {
  const Report report = run_text(rig, liquid);
  CHECK(metric(report, "sustained_gpu_clock") == Approx(1695e6));  // boost clock of the data sheet
  CHECK(notes(report, "clock").empty());
  CHECK(report.bottleneck.kind != "thermal");
}

TEST_CASE("cards side by side are cooler than cards in a row", "[acceptance]") {
  const Report row = run_text(rig), beside = run_text(rig, {{"/cluster/node/cooling/arrangement", "parallel"}});
  CHECK(metric(beside, "sustained_gpu_clock") > metric(row, "sustained_gpu_clock"));
  CHECK(metric(beside, "step_time") < metric(row, "step_time"));
}

TEST_CASE("a clock limit above the card's maximum changes nothing and says so", "[acceptance]") {
  for (const bool wet : {false, true}) {
    std::vector<Override> overrides = wet ? liquid : std::vector<Override>{};
    const Report free = run_text(rig, overrides);
    overrides.push_back({"/cluster/node/gpu_clock_limit", "3000 MHz"});
    const Report limited = run_text(rig, overrides);
    for (const Metric& m : free.metrics) {
      INFO(m.name);
      CHECK(metric(limited, m.name) == m.value);
    }
    const Assumption* remark = find_assumption(limited, "/cluster/node/gpu_clock_limit");
    REQUIRE(remark != nullptr);
    CHECK(has(remark->why, "changes nothing"));
  }
}

TEST_CASE("a clock limit below it binds and is named", "[acceptance]") {
  std::vector<Override> overrides = liquid;
  overrides.push_back({"/cluster/node/gpu_clock_limit", "1000 MHz"});
  const Report report = run_text(rig, overrides);
  CHECK(metric(report, "sustained_gpu_clock") <= 1000e6);
  CHECK(metric(report, "sustained_gpu_clock") > 0.97 * 1000e6);  // the next lower step of 15 MHz
  CHECK(has(notes(report, "clock"), "clock limit"));
}
