// `clustersim validate`: published measurements as scenarios, predicted and compared.
#include <algorithm>
#include <cmath>
#include <map>

#include "clustersim/clustersim.h"
#include "sim/assembly.h"
#include "sim/job.h"
#include "sim/training_suite.h"

namespace clustersim {
namespace {

// The value below which the share `q` of the sorted values lies, the nearest rank.
double quantile(const std::vector<double>& sorted, double q) {
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

Validation::Summary summary_of(const std::string& group, std::vector<double> errors) {
  std::sort(errors.begin(), errors.end());
  return {group, static_cast<int>(errors.size()), quantile(errors, 0.5), quantile(errors, 0.9), errors.back()};
}

double predicted_throughput(const TrainingRow& row) {
  const Scenario scenario = read_scenario_text(row.scenario, row.id, {});
  const Assembly assembly(scenario.cluster, scenario.job);
  const JobResult result = run_job(assembly);
  return scenario.job.samples_per_step_and_gpu() * scenario.cluster.gpus() / result.steady.step_s;
}

}  // namespace

Validation validate(const std::string& suite) {
  if (suite != "training")
    throw InputError({{"command line", "--suite", "one of: training", "\"" + suite + "\"", ""}});
  Validation validation;
  validation.suite = suite;
  std::vector<double> all;
  std::map<std::string, std::vector<double>> by_group;
  for (const TrainingRow& row : training_suite(data_directory() + "/measurements/training_suite.csv")) {
    const double predicted = predicted_throughput(row);
    const double error = predicted / row.measured - 1;
    validation.rows.push_back({row.id, row.family, predicted, row.measured, "samples/s", error});
    all.push_back(std::abs(error));
    by_group[row.group].push_back(std::abs(error));
  }
  validation.summaries.push_back(summary_of("all", all));
  for (const auto& [group, errors] : by_group) validation.summaries.push_back(summary_of(group, errors));
  return validation;
}

}  // namespace clustersim
