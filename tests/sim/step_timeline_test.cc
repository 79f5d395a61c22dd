// The slices of a timeline against the parts of the report, the plans of the collectives and the limits.
#include "sim/step_timeline.h"

#include "sim/run_detail.h"
#include "tests/sim/acceptance.h"
#include "tests/sim/small_scenarios.h"
#include "tests/sim/timeline_checks.h"

using namespace clustersim;
using namespace clustersim::small;

namespace {

const std::string records =
    R"({"dataset": "imagenet-1k", "from": "node", "container": "record", "loader": "dali-cpu"})";

// One of each: overlapped buckets, sharded reduction, unequal nodes, a loader that cannot keep up, one GPU.
std::vector<Scenario> of_every_sort() {
  return {
      read(servers(4), resnet(records)),
      read(servers(2), R"({"model": "bert-large", "precision": "amp", "stack": "mlperf", "batch_per_gpu": 8,
                           "accumulation": 2, "target": {"steps": 10}})"),
      read(R"({"groups": [{"nodes": 3, "node": {"server": "xe8545", "gpu": "a100-sxm4-40gb", "gpus": 4}},
                          {"nodes": 1, "node": {"server": "xe8545", "gpu": "a100-sxm4-40gb", "gpus": 4,
                                                "gpu_clock_limit": "900 MHz"}}]})",
           resnet(records)),
      read(servers(1), resnet(R"({"dataset": "imagenet-1k", "from": "node", "container": "raw", "loader": "pytorch",
                                  "workers_per_gpu": 1})")),
      read(R"({"node": {"gpu": "rtx-3090", "gpus": 1}})", resnet(R"({"from": "synthetic"})")),
  };
}

double value(const Report& report, const char* name) { return acceptance::metric(report, name); }

const TimelineCounter& counter_of(const Timeline& timeline, const std::string& name) {
  for (const TimelineCounter& counter : timeline.counters)
    if (counter.name == name) return counter;
  throw std::runtime_error("no counter " + name);
}

// Integral of a counter over the window.
double integral(const TimelineCounter& counter, double window_s) {
  double sum = 0;
  for (std::size_t i = 0; i < counter.time_s.size(); ++i)
    sum += counter.value[i] * ((i + 1 < counter.time_s.size() ? counter.time_s[i + 1] : window_s) - counter.time_s[i]);
  return sum;
}

struct Recorded {
  explicit Recorded(const Scenario& scenario) : assembly(scenario.cluster, scenario.job) {
    const std::vector<double> clocks(assembly.gpus().size(), 1.0);
    step = simulate_steady_step(assembly, false, clocks, &recording);
    rates =
        rate_steps(recording.record, assembly.machine(false, clocks).resource_capacity, recording.from, recording.to);
  }
  Timeline timeline(const TimelineLimits& limits = {}) const {
    return step_timeline(assembly, recording, rates, step.step_s, limits);
  }
  Assembly assembly;
  StepRecording recording;
  SteadyStep step;
  std::vector<RateSteps> rates;
};

}  // namespace

TEST_CASE("the compute tracks of a timeline sum to the report's parts of a step", "[timeline]") {
  for (const Scenario& scenario : of_every_sort()) {
    RunDetail detail;
    RunOptions options;
    options.what_if = false;
    const Report report = run(scenario, options, &detail);
    INFO(report.headline);
    check_timeline(detail.timeline);
    CHECK(detail.timeline.decimation.empty());
    CHECK(detail.timeline.step_s == value(report, "step_time"));
    // Both are sums of the same picoseconds in another order: 1e-9 of a step is far above their rounding.
    const double tolerance = 1e-9 * detail.timeline.step_s;
    auto parts = parts_of(detail.timeline);
    CHECK(parts["forward_backward"] == Approx(value(report, "forward_backward_time")).margin(tolerance));
    CHECK(parts["communication"] == Approx(value(report, "exposed_communication_time")).margin(tolerance));
    CHECK(parts["input"] == Approx(value(report, "input_stall_time")).margin(tolerance));
    CHECK(parts["optimizer"] == Approx(value(report, "optimizer_time")).margin(tolerance));
    CHECK(parts["host_overhead"] == Approx(value(report, "host_overhead_time")).margin(tolerance));
    CHECK(parts["straggler"] == Approx(value(report, "straggler_time")).margin(tolerance));
    // And each GPU's own track covers the whole window.
    std::map<int, double> covered;
    for (const TimelineSlice& slice : detail.timeline.slices) covered[slice.track] += slice.duration_s;
    for (std::size_t t = 0; t < detail.timeline.tracks.size(); ++t)
      if (detail.timeline.tracks[t].kind == "compute")
        CHECK(covered[static_cast<int>(t)] == Approx(detail.timeline.window_s).epsilon(1e-9));
  }
}

TEST_CASE("every gradient bucket's collective is on the timeline, with an arrow from each GPU", "[timeline]") {
  const Recorded recorded(read(servers(4), resnet(records)));
  const Timeline timeline = recorded.timeline();
  const std::size_t buckets =
      gradient_buckets(recorded.assembly.job(), recorded.assembly.step_model(0), &recorded.assembly.planner()).size();
  const auto collectives = std::count_if(timeline.slices.begin(), timeline.slices.end(), [&](const TimelineSlice& s) {
    return timeline.tracks[s.track].kind == "communication";
  });
  CHECK(buckets > 1);
  CHECK(collectives == static_cast<std::ptrdiff_t>(buckets));
  CHECK(timeline.flows.size() == buckets * 4);  // four GPUs of the one node that is simulated
}

// Every bucket puts weight x bytes on the port: the integral of its counter is their sum, whatever rates it had.
TEST_CASE("the counter of a link integrates to the bytes that its collectives put on it", "[timeline]") {
  const Recorded recorded(read(servers(4), resnet(records)));
  const Assembly& assembly = recorded.assembly;
  ResourceId port = -1;
  for (std::size_t i = 0; i < assembly.fabric().links.size(); ++i)
    if (assembly.fabric().links[i].name == "node0.nic0>switch") port = static_cast<ResourceId>(i);
  REQUIRE(port >= 0);
  double bytes = 0;
  for (const Bucket& bucket : gradient_buckets(assembly.job(), assembly.step_model(0), &assembly.planner())) {
    const CollectivePlan plan =
        assembly.planner().plan({CollectiveOp::all_reduce, bucket.bytes, assembly.job().algorithm, Scope::world, 0});
    for (const Use& use : plan.uses)
      if (use.resource == port) bytes += use.weight * plan.amount_bytes;
  }
  const Timeline timeline = recorded.timeline();
  CHECK(integral(counter_of(timeline, "nic0>switch"), timeline.window_s) == Approx(bytes * 1e-9).epsilon(1e-6));

  // Averaged over bins, the same bytes; and the timeline says that it was.
  TimelineLimits few;
  few.points_a_counter = 3;
  const Timeline averaged = recorded.timeline(few);
  CHECK(averaged.decimation == "counters are means over 3 equal stretches of time");
  CHECK(counter_of(averaged, "nic0>switch").value.size() == 3);
  CHECK(integral(counter_of(averaged, "nic0>switch"), averaged.window_s) == Approx(bytes * 1e-9).epsilon(1e-6));
}

TEST_CASE("a timeline stays small and says what it left out", "[timeline]") {
  const Recorded recorded(read(servers(4), resnet(records)));
  TimelineLimits none;
  none.compute_slices = 1;
  none.link_slices = 1;
  const Timeline timeline = recorded.timeline(none);
  check_timeline(timeline);
  const auto of_kind = [&](const std::string& kind) {
    return std::count_if(timeline.tracks.begin(), timeline.tracks.end(),
                         [&](const TimelineTrack& t) { return t.kind == kind; });
  };
  CHECK(of_kind("compute") == 1);  // the first GPU is always there
  CHECK(timeline.counters.size() == 1);
  CHECK(timeline.decimation.find("the tracks of 3 of 4 simulated GPUs") == 0);
  CHECK(timeline.decimation.find("links and devices, those least in use") != std::string::npos);
}

TEST_CASE("equal nodes are named with their number", "[timeline]") {
  const Timeline timeline = Recorded(read(servers(4), resnet(records))).timeline();
  for (const TimelineTrack& track : timeline.tracks)
    if (track.kind == "compute") CHECK(track.process == "node0 (x4)");
  const Timeline one = Recorded(read(servers(1), resnet(records))).timeline();
  CHECK(one.tracks.front().process == "cluster");
  CHECK(one.tracks.back().process == "node0");
}
