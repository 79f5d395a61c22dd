// The time to train from one steady step, against an epoch in which every step is simulated, from cold cards on.
#include "sim/warm_up.h"

#include <cmath>
#include <map>

#include "sim/engine/executor.h"
#include "sim/projection.h"
#include "tests/sim/small_scenarios.h"

using namespace clustersim;

namespace {

// Four RTX 3090 in a row in warm air, where the last card loses a fifth of its clock within minutes.
const char* const rig = R"({"node": {"server": "4x-rtx-3090-open-rig", "cooling": {"kind": "air", "room": "30 degC",
    "airflow": "100 CFM", "arrangement": "series", "host_heat": "200 W"}}})";

Scenario epoch_of(const std::string& cluster, int steps, const std::string& data) {
  Scenario s = small::read(cluster, small::resnet(data, R"(, "target": {"epochs": 1})"));
  s.job.data.dataset.samples = steps * s.job.samples_per_step_and_gpu() * s.cluster.gpus();
  s.job.evaluation.every_samples = 0;
  s.job.checkpoint.every = Time();
  return s;
}

// Every step of the epoch in one run of the engine. Once a second the cards' control decides, under the load that the
// clocks of that second make; the engine is told of each change beforehand.
double step_by_step_s(const Assembly& assembly, int steps) {
  const NodeThermal node(assembly.node_spec(0));
  std::map<std::vector<double>, std::vector<GpuLoad>> loads_at;
  const auto clocks_of = [](const NodeThermal::State& state) {
    std::vector<double> clocks;
    for (const NodeThermal::Gpu& gpu : state.gpus) clocks.push_back(gpu.clock);
    return clocks;
  };
  const auto loads_of = [&](const std::vector<double>& clocks) {
    const auto [known, is_new] = loads_at.try_emplace(clocks);
    if (is_new) known->second = simulate_steady_step(assembly, false, clocks).loads;
    return known->second;
  };
  NodeThermal::State state = node.start();
  state = node.advance(state, loads_of(std::vector<double>(state.gpus.size(), 1.0)), Time());
  std::vector<double> clocks = clocks_of(state);
  MachineSpec machine = assembly.machine(false, clocks);
  for (int second = 1; second < 900; ++second) {
    state = node.advance(state, loads_of(clocks), seconds(1));
    const std::vector<double> now = clocks_of(state);
    for (std::size_t g = 0; g < now.size(); ++g)
      if (now[g] != clocks[g]) machine.clock_changes.push_back({1.0 * second, static_cast<GpuId>(g), now[g]});
    clocks = now;
  }
  TaskGraph graph;
  DataParallel source(assembly.step(false), &assembly.planner());
  for (int i = 0; i < steps; ++i) source.append_step(graph, i);
  return sim_time_to_seconds(step_ends(graph, run_tasks(machine, graph)).back());
}

void check(const std::string& cluster, int steps, const std::string& data) {
  const Scenario s = epoch_of(cluster, steps, data);
  const Assembly assembly(s.cluster, s.job);
  const JobResult result = run_job(assembly);
  const Projection projection = project(assembly, result);
  REQUIRE(projection.target.steps == steps);
  const double full_s = step_by_step_s(assembly, steps);
  INFO("steady " << steps * result.steady.step_s << " s, saved " << projection.saved_while_cool.base() << " s");
  CHECK(projection.time.total.base() == Approx(full_s).epsilon(1e-3));
}

const std::string synthetic = R"({"from": "synthetic"})";

}  // namespace

TEST_CASE("warm-up: an epoch on cards that throttle, within and beyond their warm-up") {
  check(rig, 150, synthetic);
  check(rig, 3000, synthetic);
}

TEST_CASE("warm-up: what it saves is felt in a short run, and the whole run is as long as its steps without it") {
  const Scenario s = epoch_of(rig, 150, synthetic);
  const Assembly assembly(s.cluster, s.job);
  const JobResult result = run_job(assembly);
  const double saved_s = project(assembly, result).saved_while_cool.base();
  CHECK(saved_s > 0.01 * 150 * result.steady.step_s);
  CHECK(saved_s < 0.25 * 150 * result.steady.step_s);
}

TEST_CASE("warm-up: a power limit lowers the clock a little more as the chip warms") {
  check(R"({"node": {"server": "xe8545", "gpu": "a100-sxm4-40gb", "gpus": 4, "gpu_power_limit": "250 W"}})", 2000,
        synthetic);
}

TEST_CASE("warm-up: with readers, and on several nodes") {
  check(small::servers(3), 1000, R"({"from": "page-cache", "loader": "dali-cpu", "first_epoch_cold": false})");
}

TEST_CASE("warm-up: cold plates leave the clocks as they are, and nothing is saved") {
  const std::string wet = R"({"node": {"server": "4x-rtx-3090-open-rig", "cooling": {"kind": "liquid"}}})";
  const Scenario s = epoch_of(wet, 1000, synthetic);
  const Assembly assembly(s.cluster, s.job);
  const JobResult result = run_job(assembly);
  CHECK(saved_while_cool(assembly, result, 1000).base() == Approx(0).margin(1e-9 * 1000 * result.steady.step_s));
}
