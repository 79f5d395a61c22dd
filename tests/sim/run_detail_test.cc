// The detail of a run against its report: heat from cold to settled, and the load of each link.
#include "sim/run_detail.h"

#include "tests/sim/acceptance.h"
#include "tests/sim/small_scenarios.h"
#include "tests/sim/timeline_checks.h"

using namespace clustersim;
using namespace clustersim::small;

namespace {

Report run_with(const Scenario& scenario, RunDetail* detail) {
  RunOptions options;
  options.what_if = false;
  return run(scenario, options, detail);
}

const std::string synthetic = R"({"from": "synthetic"})";

}  // namespace

TEST_CASE("asking for detail leaves the report as it is", "[detail]") {
  const Scenario scenario = read(servers(2), resnet(synthetic));
  RunDetail detail;
  Report with = run_with(scenario, &detail), without = run_with(scenario, nullptr);
  with.provenance.wall_time_s = without.provenance.wall_time_s = 0;
  CHECK(write(with, "json") == write(without, "json"));
  CHECK(detail.timeline.slices.size() > 0);
}

// Idle from the start: T_die = T_inlet + P_idle x R, the fans of a server at full speed.
TEST_CASE("heat goes from an idle start to what the report says", "[detail]") {
  const Scenario scenario = read(servers(2), resnet(synthetic));
  RunDetail detail;
  const Report report = run_with(scenario, &detail);
  const NodeSpec& node = scenario.cluster.groups.front().node;
  const NodeThermal thermal(node);
  REQUIRE(detail.heat.size() == 4);
  for (const HeatHistory& heat : detail.heat) {
    REQUIRE(heat.time_s.size() == heat.clock_mhz.size());
    REQUIRE(heat.time_s.size() == heat.temperature_c.size());
    REQUIRE(heat.time_s.size() == heat.power_w.size());
    CHECK(heat.time_s.size() <= 601);
    CHECK(heat.time_s.front() == 0);
    CHECK(std::is_sorted(heat.time_s.begin(), heat.time_s.end()));
    CHECK(heat.temperature_c.front() == Approx(node.cooling.inlet.in_celsius() +
                                               idle_power(thermal.power_model()).base() * thermal.resistance().base()));
    CHECK(heat.temperature_c.back() == Approx(acceptance::metric(report, "peak_gpu_temperature")).margin(0.5));
    CHECK(heat.clock_mhz.back() == Approx(acceptance::metric(report, "sustained_gpu_clock") * 1e-6));
    CHECK(heat.power_w.back() == Approx(acceptance::metric(report, "average_gpu_power")).epsilon(0.01));
    CHECK(heat.settled);
    CHECK(heat.process == "node0 (x2)");
  }
  CHECK(detail.heat[3].gpu == "gpu3");
}

// The port carries the ring's 2(N-1)/N of the gradients both ways, and the counter on the timeline is the same flow.
TEST_CASE("the utilisation of a link is its counter over its capacity", "[detail]") {
  RunDetail detail;
  run_with(read(servers(2), resnet(synthetic)), &detail);
  check_timeline(detail.timeline);
  int ports = 0;
  for (const PictureLink& link : detail.picture.links) {
    CHECK((link.utilization >= 0 && link.utilization <= link.busy_share + 1e-9));
    CHECK(link.busy_share <= 1);
    if (link.name != "node0.nic0>switch" && link.name != "switch>node0.nic0") continue;
    ++ports;
    const std::string name = link.name == "node0.nic0>switch" ? "nic0>switch" : "switch>nic0";
    for (const TimelineCounter& counter : detail.timeline.counters) {
      if (counter.name != name) continue;
      double bytes = 0;
      for (std::size_t i = 0; i < counter.time_s.size(); ++i) {
        const double end = i + 1 < counter.time_s.size() ? counter.time_s[i + 1] : detail.timeline.window_s;
        bytes += counter.value[i] * 1e9 * (end - counter.time_s[i]);
      }
      CHECK(link.utilization == Approx(bytes / (link.capacity_bytes_per_s * detail.timeline.window_s)).epsilon(1e-9));
    }
    CHECK(link.utilization > 0.1);  // 10 Gbit/s under the gradients of ResNet-50
    CHECK(link.busy_share < 1);     // nothing flows during the forward pass
  }
  CHECK(ports == 2);
  REQUIRE(detail.picture.nodes.size() == 1);
  CHECK(detail.picture.nodes[0].count == 2);
  REQUIRE(detail.picture.gpus.size() == 4);
  for (const PictureGpu& gpu : detail.picture.gpus)
    CHECK(detail.picture.vertices[static_cast<std::size_t>(gpu.vertex)].kind == "gpu");
}
