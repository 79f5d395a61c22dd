#include "sim/validation/expected_error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <utility>

#include "clustersim/clustersim.h"
#include "sim/read/scenario_words.h"
#include "sim/validation/measurement_table.h"
#include "sim/validation/validate.h"

namespace clustersim {
namespace {

constexpr int least_rows = 3;  // fewer say little about the next one
constexpr const char* table_file = "expected_error.csv";
constexpr const char* any = "any";

// "resnet", "bert"; "" for a step that was given and not modelled.
std::string kind_of(const Job& job) {
  switch (job.model) {
    case ModelKind::resnet:
      return "resnet";
    case ModelKind::vgg:
      return "vgg";
    case ModelKind::bert:
      return "bert";
    case ModelKind::decoder:  // none of them is in the fit
    case ModelKind::vit:
    case ModelKind::emulated:
    case ModelKind::trace:
      return "";
  }
  return "";
}

using Like = std::array<std::string, 4>;  // model, gpu, stack, precision

// From the nearest to the farthest.
std::array<Like, 3> likenesses(const Scenario& scenario) {
  const GpuSpec& gpu = scenario.cluster.groups.front().node.gpu;
  const std::string kind = kind_of(scenario.job), design = gpu_design(gpu.id);
  const std::string stack = word_of(kStackWords, scenario.job.stack);
  const std::string precision = word_of(kPrecisionWords, scenario.job.precision);
  return {{{kind, design, stack, precision},
           {kind, design, any, precision},
           {kind, "any " + gpu.architecture, any, precision}}};
}

std::string words(const Like& like) {
  return like[0] + " on " + like[1] + ", " + (like[2] == any ? "any stack" : like[2]) + ", " + like[3];
}

// The first likeness of which there are enough rows, and their errors.
std::optional<std::pair<Like, ExpectedError>> nearest(const Scenario& scenario) {
  const std::string path = measurements_path(table_file);
  if (scenario.cluster.groups.empty() || !std::filesystem::exists(path)) return std::nullopt;
  for (const NodeGroup& group : scenario.cluster.groups)
    if (group.node.gpu.id != scenario.cluster.groups.front().node.gpu.id) return std::nullopt;
  const std::vector<MeasurementRow> table = read_measurements(path);
  for (const Like& like : likenesses(scenario))
    for (const MeasurementRow& row : table)
      if (row.text("model") == like[0] && row.text("gpu") == like[1] && row.text("stack") == like[2] &&
          row.text("precision") == like[3] && row.number("rows") >= least_rows)
        return std::pair{like, ExpectedError{row.number("median"), row.number("p90"),
                                             static_cast<int>(row.number("rows")), words(like)}};
  return std::nullopt;
}

}  // namespace

std::string gpu_design(const std::string& gpu_id) {
  const std::size_t dash = gpu_id.find('-');
  const bool numbered = gpu_id.find_first_of("0123456789") < dash;  // "rtx" alone names no design
  return gpu_id.substr(0, numbered || dash == std::string::npos ? dash : gpu_id.find('-', dash + 1));
}

std::optional<ExpectedError> expected_error(const Scenario& scenario) {
  const auto found = nearest(scenario);
  return found ? std::optional(found->second) : std::nullopt;
}

std::vector<ValidationRow> published_rows_like(const Scenario& scenario) {
  std::vector<ValidationRow> rows;
  const auto found = nearest(scenario);
  if (!found) return rows;
  for (const TrainingRow& row : training_suite(measurements_path("training_suite.csv"))) {
    if (!row.set_aside.empty()) continue;
    const std::array<Like, 3> likes = likenesses(read_scenario_text(row.scenario, row.id, {}));
    if (std::find(likes.begin(), likes.end(), found->first) == likes.end()) continue;
    rows.push_back(compared(row.id, row.group, row.family, predict(row).throughput, row.measured, "samples/s"));
  }
  return rows;
}

std::string expected_error_table() {
  ValidationBench bench;
  std::map<Like, std::vector<double>> families;
  for (const PredictedTraining& p : bench.training()) {
    if (!p.row.set_aside.empty()) continue;
    for (const Like& like : likenesses(p.scenario))
      families[like].push_back(std::abs(p.throughput / p.row.measured - 1));
  }
  std::string text = "model,gpu,stack,precision,rows,median,p90\n";
  for (const auto& [like, errors] : families) {
    char numbers[80];
    std::snprintf(numbers, sizeof numbers, ",%zu,%.4f,%.4f\n", errors.size(), median(errors), quantile(errors, 0.9));
    text += like[0] + "," + like[1] + "," + like[2] + "," + like[3] + numbers;
  }
  return text;
}

}  // namespace clustersim
