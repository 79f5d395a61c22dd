// Suite `training`: throughput of whole jobs, every row of training_suite.csv as it stands. And suite `scaling`: of
// those rows the families that differ in their number of GPUs only, efficiency predicted against measured.
#include <map>
#include <set>

#include "sim/validation/measurement_table.h"
#include "sim/validation/validate.h"

namespace clustersim {
namespace {

std::string first_words(const std::string& text, int count) {
  std::size_t at = 0;
  for (int i = 0; i < count && at != std::string::npos; ++i) at = text.find(' ', at + (i > 0));
  return text.substr(0, at);
}

// Who measured: "NVIDIA/DeepLearningExamples" of "NVIDIA/DeepLearningExamples@729963d", or round and submitter.
std::string source_of(const MeasurementRow& row) {
  const std::string& id = row.text("row");
  if (id.rfind("mlperf ", 0) == 0) return first_words(id, 3);
  const std::string& source = row.text("source");
  return source.substr(0, source.find('@'));
}

}  // namespace

std::vector<ValidationRow> training_rows(ValidationBench& bench) {
  std::vector<ValidationRow> rows;
  for (const PredictedTraining& p : bench.training()) {
    rows.push_back(compared(p.row.id, p.row.group, p.row.family, p.throughput, p.row.measured, "samples/s"));
    rows.back().scored = p.row.set_aside.empty();
    rows.back().note = p.row.set_aside;
  }
  return rows;
}

std::vector<ValidationBound> training_bounds(const std::vector<ValidationRow>& rows) {
  std::map<std::string, std::vector<double>> families;  // GPU, model, stack
  for (const ValidationRow& row : rows)
    if (row.scored) families[first_words(row.family, 3)].push_back(std::abs(row.error));
  std::vector<double> medians;
  for (const auto& [name, errors] : families) medians.push_back(median(errors));
  const std::vector<double> all = scored_errors(rows, "");
  const double set_aside = 1 - static_cast<double>(all.size()) / static_cast<double>(rows.size());
  return {at_most("median error", median(all), 0.035), at_most("90th percentile", quantile(all, 0.9), 0.10),
          at_most("worst", quantile(all, 1.0), 0.25), at_most("median of the families' medians", median(medians), 0.04),
          at_most("share of rows set aside", set_aside, 0.05)};
}

namespace {

// Rows equal in all but nodes, GPUs and links, from one source; of MLPerf also of one server, since there another
// count of GPUs in a node is another machine. By count of GPUs, in the file's order.
using ScalingFamily = std::map<int, std::vector<const PredictedTraining*>>;

std::string scaling_key(const MeasurementRow& row) {
  std::string key = source_of(row);
  for (const char* column : {"gpu", "model", "stack", "precision", "layout", "batch_per_gpu", "accumulation",
                             "sequence_length", "data", "software"})
    key += "|" + row.text(column);
  if (row.text("stack") == "mlperf") key += "|" + row.text("gpus_per_node");
  return key;
}

double per_gpu(const std::vector<const PredictedTraining*>& rows, bool measured) {
  double sum = 0;
  for (const PredictedTraining* p : rows) sum += (measured ? p->row.measured : p->throughput) / p->row.gpus;
  return sum / static_cast<double>(rows.size());
}

void add_steps(const std::string& name, const ScalingFamily& family, std::vector<ValidationRow>& rows) {
  const auto& [base_gpus, base] = *family.begin();
  for (auto at = std::next(family.begin()); at != family.end(); ++at) {
    const auto& [gpus, many] = *at;
    const std::string span = " (" + std::to_string(base_gpus) + " to " + std::to_string(gpus) + " GPUs)";
    const double predicted = per_gpu(many, false) / per_gpu(base, false);
    const double measured = per_gpu(many, true) / per_gpu(base, true);
    ValidationRow row = compared(many.front()->row.id + span, "efficiency", name, predicted, measured, "1");
    row.error = predicted - measured;
    rows.push_back(row);
  }
}

// Where every count was measured equally often, as by variants of one table that list their counts in one order, the
// first rows belong together, the second, and so on; else the rows of a count are averaged.
void add_family(const std::string& name, const ScalingFamily& family, std::vector<ValidationRow>& rows) {
  const std::size_t variants = family.begin()->second.size();
  for (const auto& [gpus, many] : family)
    if (many.size() != variants) return add_steps(name, family, rows);
  for (std::size_t v = 0; v < variants; ++v) {
    ScalingFamily variant;
    for (const auto& [gpus, many] : family) variant[gpus] = {many[v]};
    add_steps(name, variant, rows);
  }
}

}  // namespace

std::vector<ValidationRow> scaling_rows(ValidationBench& bench) {
  std::map<std::string, ScalingFamily> families;
  std::map<std::string, std::string> names;
  const std::vector<MeasurementRow> table = read_measurements(measurements_path("training_suite.csv"));
  const std::vector<PredictedTraining>& predictions = bench.training();
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (!predictions[i].row.set_aside.empty()) continue;
    const std::string key = scaling_key(table[i]);
    families[key][predictions[i].row.gpus].push_back(&predictions[i]);
    names[key] = predictions[i].row.family;
  }
  std::vector<ValidationRow> rows;
  for (const auto& [key, family] : families) add_family(names[key], family, rows);
  return rows;
}

std::vector<ValidationBound> scaling_bounds(const std::vector<ValidationRow>& rows) {
  const std::vector<double> errors = scored_errors(rows, "");
  double outside = 0;
  for (const double error : errors) outside += error > 0.04;
  return {at_most("worst difference of efficiencies", quantile(errors, 1.0), 0.04),
          at_most("share of steps more than 4 points off", outside / static_cast<double>(errors.size()), 0)};
}

}  // namespace clustersim
