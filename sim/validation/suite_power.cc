// Suite `power`: training under power caps (the Zeus sweeps) through the whole simulator, the power of nodes, and
// thermal steps. Speed under a cap is relative to the highest cap of its sweep, so that what is tested is the law of
// clock, voltage and power and not the throughput of the network, which the training suite tests.
#include <cmath>
#include <map>
#include <utility>

#include "models/power_thermal/node_power.h"
#include "models/power_thermal/node_thermal.h"
#include "sim/job.h"
#include "sim/projection.h"
#include "sim/validation/measurement_table.h"
#include "sim/validation/validate.h"

namespace clustersim {
namespace {

const char* const gpu_power_group = "GPU power under caps";
const char* const node_power_group = "node power";
const char* const speed_group = "speed under caps";
const char* const thermal_group = "thermal step, 63 % of the rise";

// GPUs of the sweeps as a scenario names them. Plain PyTorch runs of their time: FP32, and TF32 where the GPU has it.
struct SweptGpu {
  const char *name, *gpu, *precision;
};
// Quadro RTX 6000: [datasheet: NVIDIA Quadro RTX 6000], on the entry of the same chip.
constexpr SweptGpu swept_gpus[] = {
    {"A40", R"("a40")", "tf32"},
    {"P100-PCIe", R"("p100-pcie-16gb")", "fp32"},
    {"V100-PCIe", R"("v100-pcie-32gb")", "fp32"},
    {"V100", R"("v100-pcie-32gb")", "fp32"},
    {"Quadro RTX 6000", R"({"base": "rtx-2080-ti", "sm_count": 72, "boost_clock": "1770 MHz",
       "peak_fp32": "16.3 TFLOP/s", "peak_fp16": "130 TFLOP/s", "memory": "24 GB", "memory_bandwidth": "672 GB/s",
       "l2_cache": "6 MB", "tdp": "260 W", "power_limit_max": "260 W"})",
     "fp32"},
};

const SweptGpu* swept_gpu(const std::string& name) {
  for (const SweptGpu& swept : swept_gpus)
    if (name == swept.name) return &swept;
  return nullptr;
}

struct Point {
  double gpu_w = 0, samples_per_s = 0;
};

std::string sweep_scenario(const MeasurementRow& row, const SweptGpu& swept, double cap_w) {
  const bool bert = row.text("workload").rfind("BERT", 0) == 0;
  std::string job = std::string(R"({"precision": ")") + swept.precision + "\"";
  job += bert ? R"(, "model": "bert-base", "sequence_length": 384)" : R"(, "model": "resnet-50")";
  // SQuAD is cut into windows of 384 tokens, padded: [published: the script's defaults].
  if (row.has("batch")) job += ", \"batch_per_gpu\": " + row.text("batch");
  job += R"(, "data": {"from": "synthetic"}, "target": {"steps": 1}})";
  return std::string(R"({"clustersim": 1, "name": "cap", "cluster": {"node": {"gpu": )") + swept.gpu +
         R"(, "gpu_power_limit": ")" + std::to_string(static_cast<int>(cap_w)) + R"( W"}}, "job": )" + job + "}";
}

Point simulate(const std::string& text) {
  const Scenario scenario = read_scenario_text(text, "cap", {});
  const Assembly assembly(scenario.cluster, scenario.job);
  const Projection projection = project(assembly, run_job(assembly));
  return {projection.gpu_power.base(), projection.throughput};
}

// One sweep: rows of one GPU, workload and batch.
void add_sweep(const std::vector<MeasurementRow>& sweep, std::vector<ValidationRow>& rows) {
  const MeasurementRow* highest = &sweep.front();
  for (const MeasurementRow& row : sweep)
    if (row.number("power_limit_W") > highest->number("power_limit_W")) highest = &row;
  const SweptGpu* swept = swept_gpu(highest->text("gpu"));
  const std::string batch = highest->has("batch") ? " batch " + highest->text("batch") : "";
  const std::string family = highest->text("gpu") + " " + highest->text("workload") + batch;
  Point reference;
  std::string why;
  if (swept == nullptr) {
    why = "not a training run that the models know";
  } else {
    try {
      reference = simulate(sweep_scenario(*highest, *swept, highest->number("power_limit_W")));
    } catch (const InputError& error) {
      why = error.problems().front().expected + "; got " + error.problems().front().got;
    }
  }
  for (const MeasurementRow& row : sweep) {
    const double cap = row.number("power_limit_W");
    const double watts = row.number("power_W", unpredicted()),
                 relative = highest->number("perf", unpredicted()) / row.number("perf", unpredicted());
    const std::string id = row.text("id");
    if (!why.empty()) {
      rows.push_back(shown(id, gpu_power_group, family, unpredicted(), watts, "W", why));
      continue;
    }
    const Point point = simulate(sweep_scenario(row, *swept, cap));
    rows.push_back(compared(id, gpu_power_group, family, point.gpu_w, watts, "W"));
    if (&row == highest) continue;
    rows.push_back(
        compared(id + " speed", speed_group, family, point.samples_per_s / reference.samples_per_s, relative, "1"));
  }
}

std::vector<ValidationRow> cap_rows(const std::vector<MeasurementRow>& table) {
  std::vector<std::vector<MeasurementRow>> sweeps;
  std::map<std::string, std::size_t> index;
  std::vector<ValidationRow> rows;
  for (const MeasurementRow& row : table) {
    if (row.text("category") != "power cap sweep (training)") continue;
    const std::string key = row.text("source") + row.text("gpu") + row.text("workload") + row.text("batch");
    const auto [found, is_new] = index.emplace(key, sweeps.size());
    if (is_new) sweeps.emplace_back();
    sweeps[found->second].push_back(row);
  }
  for (const std::vector<MeasurementRow>& sweep : sweeps) add_sweep(sweep, rows);
  return rows;
}

Scenario h100_node(const std::string& job) {
  return read_scenario_text(
      R"({"clustersim": 1, "name": "node", "cluster": {"node": {"server": "dgx-h100"}}, "job": )" + job + "}", "node",
      {});
}

void add_node_rows(std::vector<ValidationRow>& rows) {
  for (const MeasurementRow& row : read_measurements(measurements_path("node_power.csv"))) {
    const std::string family = row.text("gpu") + " " + row.text("workload");
    const double measured = row.number("power_W");
    if (row.text("workload") == "before the load") {
      const NodeSpec node = h100_node(R"({"model": "resnet-50"})").cluster.groups.front().node;
      const std::vector<Power> idle(static_cast<std::size_t>(node.gpus), node.gpu.idle_power);
      rows.push_back(
          compared(row.text("id"), node_power_group, family, node_power(node, idle, 0).ac.base(), measured, "W"));
    } else if (row.has("suite_model")) {
      const Scenario scenario =
          h100_node(R"({"model": ")" + row.text("suite_model") + R"(", "stack": "mlperf", "precision": "fp8",
            "batch_per_gpu": )" +
                    row.text("suite_batch") + R"(, "sequence_length": 512, "tokens_per_sequence": 256,
            "length_square_ratio": 1.48, "data": {"from": "page-cache"}, "target": {"epochs": 1}})");
      const Assembly assembly(scenario.cluster, scenario.job);
      const Projection projection = project(assembly, run_job(assembly));
      rows.push_back(compared(row.text("id"), node_power_group, family, projection.node_power.base(), measured, "W"));
    } else {
      rows.push_back(shown(row.text("id"), node_power_group, family, unpredicted(), measured, "W",
                           "no step model of this network: its share of waiting is not known"));
    }
  }
}

// Seconds until the die has made 63 % of its way from idle to settled, at full load.
double seconds_to_63_percent(const std::string& gpu) {
  const Scenario scenario = read_scenario_text(R"({"clustersim": 1, "name": "step", "cluster": {"node": {"gpu": ")" +
                                                   gpu + R"("}}, "job": {"model": "resnet-50"}})",
                                               "step", {});
  const NodeThermal node(scenario.cluster.groups.front().node);
  const std::vector<GpuLoad> load = {{1.0, 0.0}};
  NodeThermal::State state = node.start();
  const double from = state.gpus.front().die.in_celsius();
  const double to = node.settle(state, load, hours(4)).gpus.front().die.in_celsius();
  for (int second = 1; second < 3600; ++second) {
    state = node.advance(state, load, seconds(1));
    if (state.gpus.front().die.in_celsius() - from >= 0.63 * (to - from)) return second;
  }
  return unpredicted();
}

void add_thermal_rows(const std::vector<MeasurementRow>& table, std::vector<ValidationRow>& rows) {
  const std::map<std::string, std::string> catalog = {{"RTX 2080 Ti", "rtx-2080-ti"},
                                                      {"V100-SXM2-32GB", "v100-sxm2-32gb"}};
  std::map<std::string, double> predicted;
  for (const MeasurementRow& row : table) {
    if (row.text("category") != "thermal step response") continue;
    const std::string& gpu = row.text("gpu");
    const std::string family = gpu + " " + row.text("workload");
    const double measured = std::stod(row.text("value"));  // the first of "t63;t90"
    const auto known = catalog.find(gpu);
    if (known == catalog.end()) {
      rows.push_back(shown(row.text("id"), thermal_group, family, unpredicted(), measured, "s",
                           "the board and its cooler are not in the catalog"));
      continue;
    }
    if (predicted.count(gpu) == 0) predicted[gpu] = seconds_to_63_percent(known->second);
    rows.push_back(shown(row.text("id"), thermal_group, family, predicted[gpu], measured, "s",
                         "started warm from an earlier run, fan already up: not the step from idle that is predicted"));
  }
}

}  // namespace

std::vector<ValidationRow> power_rows(ValidationBench&) {
  const std::vector<MeasurementRow> table = read_measurements(measurements_path("power_thermal.csv"));
  std::vector<ValidationRow> rows = cap_rows(table);
  add_node_rows(rows);
  add_thermal_rows(table, rows);
  for (const MeasurementRow& row : table) {
    const std::string& category = row.text("category");
    if (category == "power cap sweep (training)" || category == "thermal step response") continue;
    if (category == "PUE" || category == "temperature threshold") continue;  // inputs of the catalog, nothing predicted
    const double measured = row.number("power_W", row.number("perf", row.number("value", unpredicted())));
    const std::string unit = row.has("power_W") ? "W" : row.has("perf") ? row.text("perf_unit") : row.text("unit");
    rows.push_back(shown(row.text("id"), category, row.text("gpu") + " " + row.text("workload"), unpredicted(),
                         measured, unit, "inference, or a load or a cooler that no model describes"));
  }
  return rows;
}

std::vector<ValidationBound> power_bounds(const std::vector<ValidationRow>& rows) {
  std::vector<double> power = scored_errors(rows, gpu_power_group);
  const std::vector<double> nodes = scored_errors(rows, node_power_group);
  power.insert(power.end(), nodes.begin(), nodes.end());
  return {at_most("median error, GPU and node power", median(power), 0.06),
          at_most("median error, speed under caps", median(scored_errors(rows, speed_group)), 0.04)};
}

}  // namespace clustersim
