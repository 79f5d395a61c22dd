#include "sim/job.h"

#include <cmath>

#include "sim/engine/executor.h"
#include "tests/sim/small_scenarios.h"

using namespace clustersim;

namespace {

// The step between two others, deep inside a long run.
double middle_step_s(const Assembly& assembly, bool first_epoch, const std::vector<double>& clocks) {
  const DataParallelSpec spec = assembly.step(first_epoch);
  DataParallel source(spec, &assembly.planner());
  TaskGraph graph;
  for (int i = 0; i < 40; ++i) source.append_step(graph, i);
  const std::vector<SimTime> ends = step_ends(graph, run_tasks(assembly.machine(first_epoch, clocks), graph));
  return sim_time_to_seconds(ends[25] - ends[24]);
}

double sum_of(const StepParts& parts) { return parts.sum(); }

const std::string synthetic = R"({"from": "synthetic"})";

}  // namespace

TEST_CASE("job: the steady step is the step in the middle of a long run") {
  for (const std::string& data : {synthetic, std::string(R"({"from": "page-cache"})"),
                                  std::string(R"({"from": "node", "loader": "pytorch", "workers_per_gpu": 2})")}) {
    const Scenario s = small::read(small::servers(2), small::resnet(data));
    const Assembly assembly(s.cluster, s.job);
    const std::vector<double> clocks(assembly.gpus().size(), 1.0);
    const SteadyStep steady = simulate_steady_step(assembly, true, clocks);
    CHECK(steady.settled);
    CHECK(steady.step_s == Approx(middle_step_s(assembly, true, clocks)).epsilon(1e-4));
  }
}

TEST_CASE("job: readers that share the NIC with the gradients slow the steady step") {
  // Records come over the 10 Gbit/s port that carries the reductions: while the GPUs communicate, the next batches are
  // on their way. A window at the end of a run, when nothing is left to read, would not see that.
  const Scenario s = small::read(small::servers(4, R"(, "storage": {"tier": "nfs-10g", "servers": 8})"),
                                 small::resnet(R"({"from": "shared", "loader": "tf-data"})"));
  const Assembly assembly(s.cluster, s.job);
  const std::vector<double> clocks(assembly.gpus().size(), 1.0);
  const SteadyStep steady = simulate_steady_step(assembly, true, clocks);
  CHECK(steady.step_s == Approx(middle_step_s(assembly, true, clocks)).epsilon(1e-4));
  CHECK(steady.step_s > 1.05 * small::step_s(small::read(small::servers(4), small::resnet(synthetic))));
}

TEST_CASE("job: the parts of a step add up to it, and loads are shares of it") {
  for (const std::string& data : {synthetic, std::string(R"({"from": "node", "workers_per_gpu": 1})")}) {
    const Scenario s = small::read(small::servers(2), small::resnet(data));
    const Assembly assembly(s.cluster, s.job);
    const SteadyStep steady = simulate_steady_step(assembly, true, std::vector<double>(4, 1.0));
    CHECK(sum_of(steady.parts) == Approx(steady.step_s).epsilon(1e-9));
    REQUIRE(steady.loads.size() == 4);
    for (const GpuLoad& load : steady.loads) {
      CHECK(load.activity > 0);
      CHECK(load.spin_share >= 0);
      CHECK(load.activity + load.spin_share <= 1 + 1e-9);
    }
    CHECK(steady.parts.busy_s / steady.step_s == Approx(steady.loads[0].activity).epsilon(0.02));
  }
}

TEST_CASE("job: the same job gives the same bits") {
  const Scenario s = small::read(small::servers(2), small::resnet(R"({"from": "node"})"));
  const auto run = [&] {
    const Assembly assembly(s.cluster, s.job);
    return run_job(assembly);
  };
  const JobResult a = run(), b = run();
  CHECK(a.steady.fingerprint == b.steady.fingerprint);
  CHECK(a.steady.step_s == b.steady.step_s);
  CHECK(a.clocks == b.clocks);
}

TEST_CASE("job: an emulated step with free data takes the time it is told") {
  const Scenario s = small::read(small::servers(1), R"({"model": {"emulated_step": "50 ms", "batch": 64,
      "sample_bytes": "100 kB"}, "data": {"from": "synthetic", "dataset": "imagenet-1k"}, "target": {"steps": 10}})");
  const Assembly assembly(s.cluster, s.job);
  const SteadyStep steady = simulate_steady_step(assembly, false, std::vector<double>(4, 1.0));
  // Expected noise of four ranks comes on top.
  CHECK(steady.step_s == Approx(0.050 * (1 + assembly.step(false).straggler_share)).epsilon(1e-6));
}

TEST_CASE("job: the clocks are those that heat and power leave under the load they cause") {
  for (const double limit_w : {0.0, 250.0, 150.0}) {
    Scenario s = small::read(small::servers(1), small::resnet(synthetic));
    if (limit_w > 0) s.cluster.groups[0].node.gpu_power_limit = watts(limit_w);
    const Assembly assembly(s.cluster, s.job);
    const JobResult result = run_job(assembly);
    REQUIRE(result.thermal.size() == 1);
    // The fixed point, tested by one more turn: step -> loads -> clocks.
    const SteadyStep again = simulate_steady_step(assembly, false, result.clocks);
    CHECK(again.step_s == Approx(result.steady.step_s));
    const NodeThermal thermal(s.cluster.groups[0].node);
    const NodeThermal::State state = thermal.settle(thermal.start(), again.loads, hours(4));
    for (std::size_t g = 0; g < 4; ++g) {
      CHECK(state.gpus[g].clock == Approx(result.clocks[g]).margin(0.03));
      if (limit_w > 0) CHECK(result.thermal[0].gpus[g].power.base() <= limit_w * 1.001);
    }
    if (limit_w == 0) CHECK(result.clocks == std::vector<double>(4, 1.0));
    if (limit_w == 150) {
      CHECK(result.clocks[0] < 0.95);
      CHECK(result.thermal[0].gpus[0].reason == ClockReason::power_cap);
    }
  }
}

TEST_CASE("job: less power and hotter air never speed a step up") {
  double before_s = 0;
  for (const double limit_w : {400.0, 300.0, 250.0, 200.0, 150.0, 100.0}) {
    Scenario s = small::read(small::servers(1), small::resnet(synthetic));
    s.cluster.groups[0].node.gpu_power_limit = watts(limit_w);
    const double step_s = run_job(Assembly(s.cluster, s.job)).steady.step_s;
    CHECK(step_s >= before_s * (1 - 2e-3));  // clocks are settled within 0.2 %
    before_s = step_s;
  }
  before_s = 0;
  for (const double inlet : {20.0, 40.0, 60.0, 75.0}) {
    Scenario s = small::read(small::servers(1), small::resnet(synthetic));
    s.cluster.groups[0].node.cooling.inlet = Temperature::celsius(inlet);
    const JobResult result = run_job(Assembly(s.cluster, s.job));
    CHECK(result.steady.step_s >= before_s * (1 - 2e-3));
    CHECK(result.thermal[0].gpus[0].die.in_celsius() > inlet);
    before_s = result.steady.step_s;
  }
}

TEST_CASE("job: a first epoch of its own where cold storage is read") {
  const auto run = [](const std::string& data, const std::string& target) {
    Scenario s = small::read(small::servers(1), small::resnet(data, target));
    s.cluster.groups[0].node.storage.tier.read = bytes_per_second(50e6);
    s.cluster.groups[0].node.storage.count = 1;
    const Assembly assembly(s.cluster, s.job);
    return run_job(assembly);
  };
  const std::string epochs = R"(, "target": {"epochs": 3})";
  CHECK_FALSE(run(synthetic, epochs).first_epoch);
  CHECK_FALSE(run(R"({"from": "node", "first_epoch_cold": false})", epochs).first_epoch);
  const JobResult cold = run(R"({"from": "node"})", epochs);
  REQUIRE(cold.first_epoch);
  // 512 GB of memory hold the data set, so later epochs are fed from DRAM; the first reads 4 * 64 records at 50 MB/s.
  const double record_bytes =
      small::read(small::servers(1), small::resnet(synthetic)).job.data.dataset.record_bytes.base();
  CHECK(cold.first_epoch->step_s == Approx(4 * 64 * record_bytes / 50e6).epsilon(1e-3));
  CHECK(cold.steady.step_s < 0.5 * cold.first_epoch->step_s);
  // A run of one epoch knows only the cold one.
  const JobResult one = run(R"({"from": "node"})", R"(, "target": {"epochs": 1})");
  CHECK(one.steady.step_s == one.first_epoch->step_s);
}

TEST_CASE("job: groups of unlike nodes go at the pace of the slower") {
  const std::string fast =
      R"({"nodes": 1, "node": {"server": "xe8545", "gpu": "a100-sxm4-40gb", "gpus": 2, "nic": "eth-100g"}})";
  const std::string slow =
      R"({"nodes": 1, "node": {"server": "as-4124gs-tnr", "gpu": "rtx-3090", "gpus": 2, "nic": "eth-100g"}})";
  const auto steady = [&](const std::string& groups) {
    const Scenario s =
        small::read(R"({"groups": [)" + groups + R"(], "fabric": {"transport": "rdma"}})", small::resnet(synthetic));
    const Assembly assembly(s.cluster, s.job);
    return simulate_steady_step(assembly, false, std::vector<double>(assembly.gpus().size(), 1.0));
  };
  const SteadyStep fast_only = steady(fast + ", " + fast), slow_only = steady(slow + ", " + slow);
  const SteadyStep mixed = steady(fast + ", " + slow);
  REQUIRE(fast_only.step_s < slow_only.step_s);
  CHECK(mixed.step_s == Approx(slow_only.step_s).epsilon(0.02));
  CHECK(mixed.step_s > fast_only.step_s);
  // Half of the GPUs wait for the other half: the mean is half the difference, less what communication hides.
  CHECK(mixed.parts.straggler_s > 0.3 * (slow_only.step_s - fast_only.step_s));
  CHECK(fast_only.parts.straggler_s < 0.02 * fast_only.step_s);
}
