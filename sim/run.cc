// `clustersim run`, as a straight line: read, assemble, simulate, project, summarize.
#include <chrono>
#include <cstdio>

#include "clustersim/clustersim.h"
#include "sim/summarize.h"

namespace clustersim {
namespace {

SimulatedJob simulate(const Assembly& assembly) {
  JobResult result = run_job(assembly);
  Projection projection = project(assembly, result);
  return {assembly, std::move(result), std::move(projection)};
}

std::string hex(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

Report run(const Scenario& scenario, const RunOptions& options) {
  const auto began = std::chrono::steady_clock::now();
  const Assembly assembly(scenario.cluster, scenario.job);
  const SimulatedJob own = simulate(assembly);
  std::optional<Assembly> cloud_assembly;
  std::optional<SimulatedJob> cloud;
  if (scenario.cloud_cluster) {
    cloud_assembly.emplace(*scenario.cloud_cluster, scenario.cloud_job.value_or(scenario.job));
    cloud.emplace(simulate(*cloud_assembly));
  }
  Report report = summarize(scenario, own, cloud ? &*cloud : nullptr, options.explain_cost);
  report.provenance.version = CLUSTERSIM_VERSION;
  report.provenance.events = own.result.steady.events;
  report.provenance.fingerprint = hex(own.result.steady.fingerprint);
  report.provenance.wall_time_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return report;
}

Report run(const std::string& path, const RunOptions& options) {
  Scenario scenario = read_scenario(path, options.overrides);
  if (options.seed) scenario.seed = *options.seed;
  return run(scenario, options);
}

}  // namespace clustersim
