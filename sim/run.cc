// `clustersim run`, as a straight line: read, assemble, simulate, project, summarize.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "clustersim/clustersim.h"
#include "models/compute/roofline.h"
#include "sim/detail.h"
#include "sim/run_detail.h"
#include "sim/summarize.h"
#include "sim/what_if.h"
#include "sim/write/readable.h"

namespace clustersim {
namespace {

// All that a step exchanges, as one all-reduce.
double exchange_s(const Assembly& assembly) {
  if (assembly.cluster().gpus() < 2) return 0;
  const Job& job = assembly.job();
  const StepModel& model = assembly.step_model(0);
  double bytes = 0;
  if (job.trace)
    for (const TraceCollective& c : job.trace->collectives) bytes += c.bytes > 0 ? c.bytes : 0;  // NaN: not known
  else if (!model.backward.empty())
    for (const Bucket& bucket : gradient_buckets(job, model, &assembly.planner())) bytes += bucket.bytes;
  if (bytes <= 0) return 0;
  return assembly.planner().plan({CollectiveOp::all_reduce, bytes, job.algorithm, Scope::world, 0}).idle_time_s;
}

// Simulated time is counted in picoseconds, which reach for a hundred days; no step is that long by intent.
void check_step_length(const Scenario& scenario, const Assembly& assembly) {
  constexpr double longest_s = 86400;
  double longest = 0;
  for (std::size_t g = 0; g < assembly.gpus().size(); ++g) {
    const StepModel& model = assembly.step_model(g);
    double pass = work_seconds({model.forward, 1.0}, {}) + model.launch_bound.base();
    for (const Segment& segment : model.backward) pass += work_seconds({segment.kernels, 1.0}, {});
    longest = std::max(longest, pass * assembly.job().accumulation + model.optimizer_host.base());
  }
  longest = std::max(longest, exchange_s(assembly));
  if (longest > longest_s)
    throw InputError({{scenario.file, "/job", "a step of at most a day", std::to_string(longest / 86400) + " days",
                       "look for a slip in a unit, such as the GPU's memory_bandwidth or the network's rate"}});
}

// A GPU that turns itself off ends the run: there is no time to train to tell.
void check_temperatures(const Scenario& scenario, const Assembly& assembly, const JobResult& result) {
  std::size_t g = 0;
  for (const NodeThermal::State& node : result.thermal)
    for (const NodeThermal::Gpu& gpu : node.gpus) {
      const SimulatedGpu& simulated = assembly.gpus()[g++];
      if (!gpu.shut_down) continue;
      const NodeSpec& spec = assembly.node_spec(static_cast<std::size_t>(simulated.node));
      throw InputError({{scenario.file, "/cluster/node/cooling", "GPUs that stay on",
                         simulated.name + " at " + rounded(gpu.die.in_celsius()) + " degC, where the " + spec.gpu.name +
                             " turns itself off",
                         "cooler air, more of it (airflow), or a lower gpu_power_limit"}});
    }
}

SimulatedJob simulate(const Scenario& scenario, const Assembly& assembly) {
  check_step_length(scenario, assembly);
  JobResult result = run_job(assembly);
  check_temperatures(scenario, assembly, result);
  Projection projection = project(assembly, result);
  return {assembly, std::move(result), std::move(projection)};
}

// The most helpful change first.
std::vector<WhatIf> sorted_what_ifs(const Scenario& scenario, double step_s) {
  std::vector<WhatIf> changes = what_if(scenario);
  std::stable_sort(changes.begin(), changes.end(),
                   [](const WhatIf& x, const WhatIf& y) { return x.step_s < y.step_s; });
  for (WhatIf& change : changes) change.now_s = step_s;
  return changes;
}

std::string what_if_text(const std::vector<WhatIf>& changes) {
  std::string text;
  for (const WhatIf& change : changes) {
    char item[80];
    std::snprintf(item, sizeof item, "%s %+ld %%", change.change.c_str(),
                  std::lround(100 * (change.step_s / change.now_s - 1)));
    text += (text.empty() ? "step time with " : ", ") + std::string(item);
  }
  return text;
}

// What-ifs and recorded detail look at one node of each kind, and at a collective as one transfer.
bool looks_closely(const SimulatedJob& job) {
  return job.assembly.message_planner() != nullptr || !job.assembly.simulated().folds();
}

double bundle_step_s(const Scenario& scenario, const SimulatedJob& own) {
  if (own.assembly.message_planner() == nullptr) return own.result.steady.step_s;
  return run_job(Assembly(scenario.cluster, scenario.job)).steady.step_s;
}

void record(const Scenario& scenario, const SimulatedJob& own, RunDetail& detail) {
  if (!looks_closely(own)) {
    detail = record_detail(own.assembly, own.result);
    return;
  }
  const Assembly folded(scenario.cluster, scenario.job);
  detail = record_detail(folded, run_job(folded));
}

std::string hex(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

Report run(const Scenario& scenario, const RunOptions& options, RunDetail* detail) {
  const auto began = std::chrono::steady_clock::now();
  const Detail closely = detail_of(scenario, options);
  const Assembly assembly(scenario.cluster, scenario.job, closely);
  check_messages(assembly);
  const SimulatedJob own = simulate(scenario, assembly);
  std::optional<Assembly> cloud_assembly;
  std::optional<SimulatedJob> cloud;
  if (scenario.cloud_cluster) {
    cloud_assembly.emplace(*scenario.cloud_cluster, scenario.cloud_job.value_or(scenario.job));
    cloud.emplace(simulate(scenario, *cloud_assembly));
  }
  Report report = summarize(scenario, own, cloud ? &*cloud : nullptr, options.explain_cost);
  if (closely.messages) report.notes.push_back({"messages", messages_text(assembly)});
  if (options.what_if) {
    report.what_ifs = sorted_what_ifs(scenario, bundle_step_s(scenario, own));
    if (!report.what_ifs.empty()) report.notes.push_back({"what if", what_if_text(report.what_ifs)});
  }
  if (detail) record(scenario, own, *detail);
  report.provenance.version = CLUSTERSIM_VERSION;
  report.provenance.events = own.result.steady.events;
  report.provenance.fingerprint = hex(own.result.steady.fingerprint);
  report.provenance.wall_time_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return report;
}

Report run(const std::string& path, const RunOptions& options, RunDetail* detail) {
  Scenario scenario = read_scenario(path, options.overrides);
  if (options.seed) scenario.seed = *options.seed;
  if (scenario.cluster.stragglers) scenario.cluster.stragglers->seed = scenario.seed;
  return run(scenario, options, detail);
}

}  // namespace clustersim
