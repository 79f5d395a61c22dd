#include "sim/projection.h"

#include <algorithm>
#include <cmath>

#include "models/compute/roofline.h"
#include "models/power_thermal/node_power.h"
#include "models/workload/memory.h"
#include "tests/sim/small_scenarios.h"

using namespace clustersim;

namespace {

constexpr double imagenet = 1281167;  // training images
constexpr double batch = 2 * 4 * 64;  // of small::servers(2) under small::resnet

const std::string synthetic = R"({"from": "synthetic"})";

struct Projected {
  Scenario scenario;
  Assembly assembly;
  JobResult result;
  Projection projection;
  explicit Projected(const Scenario& s)
      : scenario(s), assembly(s.cluster, s.job), result(run_job(assembly)), projection(project(assembly, result)) {}
};

Scenario resnet(const std::string& data, const std::string& more) {
  return small::read(small::servers(2), small::resnet(data, more));
}

TargetLength length(const std::string& target) {
  const Scenario s = resnet(synthetic, R"(, "target": )" + target);
  return target_length(s.job, s.cluster);
}

double metric(const Report& report, const std::string& name) {
  for (const Metric& m : report.metrics)
    if (m.name == name) return m.value;
  FAIL("no metric " << name);
  return 0;
}

}  // namespace

TEST_CASE("target: the first whole step at or after what was asked") {
  const TargetLength epochs = length(R"({"epochs": 2})");
  CHECK(epochs.global_batch == batch);
  CHECK(epochs.steps == std::ceil(2 * imagenet / batch));
  CHECK(epochs.samples == epochs.steps * batch);
  CHECK(epochs.epochs == Approx(epochs.samples / imagenet));
  CHECK(length(R"({"samples": 512})").steps == 1);
  CHECK(length(R"({"samples": 513})").steps == 2);
  CHECK(length(R"({"steps": 7})").samples == 7 * batch);
}

TEST_CASE("target: quality comes from the reference points, up to the next evaluation") {
  // MLPerf's 38.4 epochs at a batch of 2048 (models/outcome/convergence.cc), evaluated every 4 epochs: 40 epochs.
  Scenario s = small::read(small::servers(8), R"({"model": "resnet-50", "precision": "amp", "stack": "mlperf",
      "batch_per_gpu": 64, "optimizer": "lars", "data": {"from": "synthetic"}, "target": {"quality": "mlperf"}})");
  s.job.evaluation.every_samples = 4 * imagenet;
  const TargetLength t = target_length(s.job, s.cluster);
  CHECK(t.global_batch == 2048);
  CHECK(t.epochs == Approx(40).epsilon(1e-4));
  CHECK(t.basis.find("MLPerf") != std::string::npos);
  CHECK_FALSE(t.extrapolated);
  s.job.batch_per_gpu = 4;  // 128: below the smallest point
  CHECK(target_length(s.job, s.cluster).extrapolated);
}

TEST_CASE("projection: time to train is epochs, evaluations and checkpoints added up") {
  Scenario s = resnet(R"({"from": "node"})", R"(, "target": {"epochs": 3},
      "evaluation": {"every_samples": 640000, "samples": 50000, "fixed": "7 s"},
      "checkpoint": {"every": "1000 s", "asynchronous": true})");
  s.cluster.groups[0].node.storage.tier.read = bytes_per_second(50e6);  // a first epoch far slower than the others
  const Projected p(s);
  const TimeToTrain& time = p.projection.time;
  REQUIRE(p.result.first_epoch);
  CHECK(p.projection.throughput == batch / p.result.steady.step_s);
  const double first_s = imagenet / batch * p.result.first_epoch->step_s;
  const double training_s = first_s + (p.projection.target.samples - imagenet) / batch * p.result.steady.step_s;
  CHECK(time.first_epoch.base() == Approx(first_s));
  CHECK(time.training.base() == Approx(training_s));

  // Six whole intervals of 640,000 in 3 * 1,281,167; each evaluation spreads 50,000 forward passes over 8 GPUs, where
  // the cores of a node decode for four of them more slowly than that.
  const double forward_s = work_seconds({p.assembly.step_model(0).forward, 1.0}, {p.result.clocks[0], 1.0, 1.0});
  const InputDemand& input = p.assembly.input(0, false);
  const double decode_s = 4 * input.decode_core_s / input.usable_cores;
  CHECK(decode_s > forward_s / 64);
  CHECK(p.projection.one_evaluation.base() == Approx(7 + 50000.0 / 8 * decode_s));
  CHECK(time.evaluations.base() == Approx(6 * p.projection.one_evaluation.base()));

  // Weights, 4 of their 6 B a parameter as the half copy is made anew, and optimizer leave the GPU at the rate of its
  // slot, slower than the host's memory.
  const NodeSpec& node = s.cluster.groups[0].node;
  const MemoryNeed need = memory_needed(s.job, node.gpu, 8);
  REQUIRE(node.pcie.achievable < node.cpu.memory_bandwidth);
  const double blocking_s = ((need.weights * (4.0 / 6) + need.optimizer) / node.pcie.achievable).base();
  CHECK(time.checkpoints == std::floor(training_s / 1000));
  CHECK(time.checkpoint.base() == Approx(time.checkpoints * blocking_s));
  CHECK(time.total.base() == Approx(training_s + time.evaluations.base() + time.checkpoint.base()));
}

TEST_CASE("projection: an evaluation waits for its images where decoding is slower than the forward pass") {
  // One worker a GPU on its own core: PyTorch's loader decodes at w / t samples/s with w = 1 worker and t = 10 ms, so
  // 100 images/s a GPU, 800 in all: far below the forward passes.
  Scenario s = resnet(R"({"from": "node", "loader": "pytorch", "workers_per_gpu": 1, "worker_time": "10 ms"})",
                      R"(, "evaluation": {"every_samples": 640000, "samples": 50000})");
  const Projected p(s);
  const InputDemand& demand = p.assembly.input(0, false);
  CHECK(p.projection.one_evaluation.base() == Approx(50000.0 / 8 * demand.decode_core_s * 4 / demand.usable_cores));
  CHECK(p.projection.one_evaluation.base() >= 50000.0 / 800);
  s.job.data.from = DataSource::synthetic;
  CHECK(Projected(s).projection.one_evaluation.base() < 10);
}

TEST_CASE("a run whose GPUs turn themselves off is refused, with the remedy") {
  // 1 W a kelvin of air against 200 W of host heat: the cards breathe air of 200 degC.
  const Scenario s = small::read(
      R"({"node": {"server": "4x-rtx-3090-open-rig", "cooling": {"kind": "air", "room": "30 degC", "airflow": "2 CFM",
          "arrangement": "series", "host_heat": "200 W"}}})",
      small::resnet(synthetic));
  try {
    run(s, {});
    FAIL("a run without working GPUs gave a report");
  } catch (const InputError& error) {
    REQUIRE(error.problems().size() == 1);
    CHECK(error.problems()[0].pointer == "/cluster/node/cooling");
    CHECK(error.problems()[0].got.find("turns itself off") != std::string::npos);
    CHECK(error.problems()[0].hint.find("airflow") != std::string::npos);
  }
}

TEST_CASE("an exchange that no simulated clock holds is refused as a step of more than a day") {
  // 4e13 B of gradients over a port of 1 Gbit/s: 1.5 times that at 0.117 GB/s are six days.
  const Scenario s = small::read(R"({"nodes": 4, "node": {"gpu": "rtx-3090", "nic": "eth-1g"}})",
                                 R"({"model": {"emulated_step": "1666 min", "batch": 8, "parameters": 1e13}})");
  CHECK_THROWS_AS(run(s, {}), InputError);
}

TEST_CASE("a bridge is used whatever the driver says of PCIe, at the rate of the board's own links") {
  const auto busbw = [](const std::string& more) {
    const Scenario s = small::read(R"({"node": {"gpu": "rtx-3090", "gpus": 2)" + more + "}}", small::resnet(synthetic));
    return collective(s, "all_reduce", {1073741824}, std::nullopt, "auto").rows.at(0).busbw_gb_per_s;
  };
  // GA102: four links of 14.0625 GB/s, of which collectives reach 20 in 25.
  CHECK(busbw(R"(, "gpu_fabric": "nvlink3")") < 4 * 14.0625);
  CHECK(busbw(R"(, "gpu_fabric": "nvlink3")") > 0.6 * 4 * 14.0625);
  CHECK(busbw(R"(, "gpu_fabric": "nvlink3", "p2p": true)") == busbw(R"(, "gpu_fabric": "nvlink3")"));
  CHECK(busbw("") < 20);
  // Stated, false means no peer access at all, as with NCCL_P2P_DISABLE=1: host memory, as without a bridge.
  CHECK(busbw(R"(, "gpu_fabric": "nvlink3", "p2p": false)") == busbw(R"(, "gpu_fabric": "pcie", "p2p": false)"));
  // Of the GPU it is what the driver allows over PCIe, which leaves the bridge alone.
  const auto data_centre = [](const std::string& gpu) {
    const Scenario s = small::read(
        R"({"node": {"gpu": )" + gpu + R"(, "gpus": 2, "gpu_fabric": {"link": "nvlink3", "shape": "pairs"}}})",
        small::resnet(synthetic));
    return collective(s, "all_reduce", {1073741824}, std::nullopt, "auto").rows.at(0).busbw_gb_per_s;
  };
  CHECK(data_centre(R"({"base": "a100-pcie-80gb", "p2p": false})") == data_centre(R"("a100-pcie-80gb")"));
}

TEST_CASE("peer access stated off takes NVLink away on every GPU, and the report says so") {
  for (const char* node :
       {R"("server": "dgx-a100-80gb")", R"("gpu": "rtx-3090", "gpus": 2, "gpu_fabric": "nvlink3")"}) {
    const Scenario s =
        small::read(R"({"node": {)" + std::string(node) + R"(, "p2p": false}})", small::resnet(synthetic));
    INFO(node);
    CHECK(s.cluster.groups[0].node.gpu_fabric.shape == "pcie");
    CHECK(std::any_of(s.assumptions.begin(), s.assumptions.end(), [](const Assumption& a) {
      return a.pointer == "/cluster/node/p2p" && a.why.find("nvlink3 is not used either") != std::string::npos;
    }));
  }
}

TEST_CASE("what is asked for and less than a step is told") {
  const Report report = run(resnet(synthetic, R"(, "target": {"samples": 5})"), {});
  const auto told =
      std::find_if(report.notes.begin(), report.notes.end(), [](const Note& note) { return note.topic == "target"; });
  REQUIRE(told != report.notes.end());
  CHECK(told->text == "one step of 512 samples is more than the 5 asked for");
}

TEST_CASE("projection: a synchronous checkpoint waits for the storage") {
  Scenario s = resnet(synthetic, R"(, "checkpoint": {"every": "100 s", "asynchronous": false})");
  StorageArray& storage = s.cluster.groups[0].node.storage;
  storage.count = 2;
  storage.tier.write = gigabytes_per_second(1);
  storage.sequential_efficiency = 0.5;  // so that both together write 1 GB/s
  const Projected p(s);
  const MemoryNeed need = memory_needed(s.job, s.cluster.groups[0].node.gpu, 8);
  CHECK(p.projection.time.checkpoint.base() ==
        Approx(p.projection.time.checkpoints * (need.weights * (4.0 / 6) + need.optimizer).base() / 1e9));
}

TEST_CASE("projection: without evaluations and checkpoints training is all") {
  const Projected p(resnet(synthetic, R"(, "target": {"steps": 1000})"));
  CHECK(p.projection.time.total.base() == Approx(1000 * p.result.steady.step_s));
  CHECK(p.projection.time.evaluations == Time());
  CHECK(p.projection.time.checkpoints == 0);
}

TEST_CASE("projection: power is the mean over GPUs and nodes, heat and clock those of the worst") {
  const Scenario s = small::read(
      R"({"groups": [{"nodes": 3, "node": {"server": "xe8545", "gpu": "a100-sxm4-40gb", "gpus": 4, "nic": "eth-100g"}},
                     {"nodes": 1, "node": {"server": "as-4124gs-tnr", "gpu": "rtx-3090", "gpus": 2, "nic": "eth-100g",
                                           "gpu_power_limit": "200 W"}}],
          "fabric": {"transport": "rdma"}})",
      small::resnet(synthetic));
  const Projected p(s);
  double gpu_w = 0, node_w = 0, hottest = -300, slowest = 1;
  for (std::size_t n = 0; n < 2; ++n) {
    const int nodes = s.cluster.groups[n].count;
    std::vector<Power> powers;
    for (const NodeThermal::Gpu& gpu : p.result.thermal[n].gpus) {
      powers.push_back(gpu.power);
      gpu_w += nodes * gpu.power.base();
      hottest = std::max(hottest, gpu.die.in_celsius());
      slowest = std::min(slowest, gpu.clock);
    }
    node_w += nodes * node_power(s.cluster.groups[n].node, powers, 0).ac.base();  // synthetic data: no decoding
  }
  CHECK(p.projection.gpu_power.base() == Approx(gpu_w / (3 * 4 + 2)));
  CHECK(p.projection.node_power.base() == Approx(node_w / 4));
  CHECK(p.projection.hottest.in_celsius() == hottest);
  CHECK(p.projection.slowest_clock == slowest);
  CHECK(slowest < 1);
  const RunUse use = p.projection.use(s.cluster);
  CHECK((use.nodes == 4 && use.gpus == 14));
  CHECK(use.duration == p.projection.time.total);
}

TEST_CASE("projection: decoding loads the processors, which draws power") {
  const Projected idle(resnet(synthetic, "")), busy(resnet(R"({"from": "page-cache"})", ""));
  const Power host = host_power(idle.scenario.cluster.groups[0].node, 0);
  CHECK(busy.projection.node_power > idle.projection.node_power);
  CHECK(idle.projection.node_power > host);
}

TEST_CASE("report: energy is power times time times PUE, money and carbon follow") {
  Scenario s = resnet(synthetic, R"(, "target": {"steps": 1000})");
  s.cost.emplace();
  s.cost->self_hosted.emplace();
  s.cost->self_hosted->pue = 1.25;
  s.cluster.grid = CarbonIntensity::from_base(400 / 3.6e6);  // 400 g a kWh
  const Report report = run(s, {});
  const double energy_j = 2 * metric(report, "average_node_power") * metric(report, "time_to_train") * 1.25;
  CHECK(metric(report, "energy") == Approx(energy_j));
  CHECK(metric(report, "carbon") == Approx(energy_j / 3.6e6 * 400));
  CHECK(metric(report, "time_to_train") == Approx(1000 * metric(report, "step_time")));
  CHECK(metric(report, "throughput") == Approx(batch / metric(report, "step_time")));
  CHECK(metric(report, "throughput_per_gpu") == Approx(metric(report, "throughput") / 8));
  double parts_s = 0;
  for (const char* part : {"forward_backward_time", "exposed_communication_time", "input_stall_time", "optimizer_time",
                           "host_overhead_time", "straggler_time"})
    parts_s += metric(report, part);
  CHECK(parts_s == Approx(metric(report, "step_time")));
}
