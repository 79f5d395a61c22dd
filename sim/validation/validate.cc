// `clustersim validate`: published measurements as scenarios, predicted and compared.
#include "sim/validation/validate.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>

#include "sim/assembly.h"
#include "sim/job.h"
#include "sim/projection.h"
#include "sim/validation/measurement_table.h"

namespace clustersim {
namespace {

constexpr double worth_a_word = 0.15;  // an error above this has a line of physics

// Lines of physics, by suite and the start of a row's family or id; the longest that fits wins.
void add_notes(const std::string& suite, std::vector<ValidationRow>& rows) {
  const std::vector<MeasurementRow> notes = read_measurements(measurements_path("residual_notes.csv"));
  for (ValidationRow& row : rows) {
    if (!row.note.empty() || std::abs(row.error) <= worth_a_word) continue;
    std::size_t longest = 0;
    for (const MeasurementRow& note : notes) {
      const std::string& start = note.text("row_or_family");
      const bool fits = row.id.rfind(start, 0) == 0 || row.family.rfind(start, 0) == 0;
      if (note.text("suite") != suite || !fits || start.size() < longest) continue;
      longest = start.size();
      row.note = note.text("note");
    }
  }
}

void add_summaries(Validation& validation, bool several) {
  std::map<std::string, std::vector<double>> groups, families;
  for (const ValidationRow& row : validation.rows) {
    if (!row.scored) continue;
    const std::string suite = several ? row.suite + ": " : "";
    groups[suite + row.group].push_back(std::abs(row.error));
    families[row.family].push_back(std::abs(row.error));
  }
  validation.summaries.push_back(summary_of("all", scored_errors(validation.rows, "")));
  for (const auto& [name, errors] : groups) validation.summaries.push_back(summary_of(name, errors));
  for (const auto& [name, errors] : families) validation.families.push_back(summary_of(name, errors));
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

void add_remarks(Validation& validation) {
  int shown = 0, large = 0, explained = 0;
  std::vector<double> with_set_aside;
  std::size_t trained = 0;
  for (const ValidationRow& row : validation.rows) {
    if (row.suite == "training") {
      with_set_aside.push_back(std::abs(row.error));
      trained += row.scored;
    }
    shown += !row.scored;
    if (!row.scored || std::abs(row.error) <= worth_a_word) continue;
    ++large;
    explained += !row.note.empty();
  }
  if (with_set_aside.size() > trained)
    validation.remarks.push_back("training with the " + std::to_string(with_set_aside.size() - trained) +
                                 " rows that were set aside, with their residuals in view: median " +
                                 percent(median(with_set_aside)) + ", 90th percentile " +
                                 percent(quantile(with_set_aside, 0.9)) + ", worst " +
                                 percent(quantile(with_set_aside, 1.0)));
  if (shown > 0) validation.remarks.push_back(std::to_string(shown) + " rows are shown, not scored; --rows says why");
  if (large > 0)
    validation.remarks.push_back(std::to_string(large) + " scored rows are off by more than 15 %, " +
                                 std::to_string(explained) + " of them with a line of physics");
}

}  // namespace

PredictedTraining predict(const TrainingRow& row) {
  PredictedTraining p{row, 0, read_scenario_text(row.scenario, row.id, {})};
  p.throughput = throughput_under(p, {});
  return p;
}

double throughput_under(const PredictedTraining& p, const FittedConstants& fitted) {
  const Assembly assembly(p.scenario.cluster, p.scenario.job, {}, fitted);
  const Projection projection = project(assembly, run_job(assembly));
  if (!p.row.evaluation_included) return projection.throughput;
  return rate_with_evaluations(projection.throughput, p.scenario.job.evaluation.every_samples,
                               projection.one_evaluation.base());
}

const std::vector<PredictedTraining>& ValidationBench::training() {
  if (training_.empty())
    for (const TrainingRow& row : training_suite(measurements_path("training_suite.csv")))
      training_.push_back(predict(row));
  return training_;
}

const std::vector<Suite>& suites() {
  static const std::vector<Suite> table = {
      {"training", "throughput of whole jobs", training_rows, training_bounds},
      {"throughput", "other training rows, shown only", throughput_rows, no_bounds},
      {"scaling", "efficiency of the training suite's weak-scaling families", scaling_rows, scaling_bounds},
      {"collectives", "times of nccl-tests", collectives_rows, collectives_bounds},
      {"storage", "reading rates and loaders", storage_rows, storage_bounds},
      {"power", "power and speed under power caps, nodes, thermal steps", power_rows, power_bounds},
      {"convergence", "samples to the target, each reference point left out", convergence_rows, convergence_bounds},
      {"time-to-train", "MLPerf runs from start to target", time_to_train_rows, time_to_train_bounds},
  };
  return table;
}

std::vector<std::pair<std::string, std::string>> validation_suites() {
  std::vector<std::pair<std::string, std::string>> names;
  for (const Suite& suite : suites()) names.emplace_back(suite.name, suite.meaning);
  names.emplace_back("all", "one after the other");
  return names;
}

Validation validate(const std::string& suite, const ValidateOptions& options) {
  const bool all = suite == "all";
  Validation validation;
  validation.suite = suite;
  ValidationBench bench;
  std::string known;
  for (const Suite& each : suites()) {
    known += std::string(each.name) + ", ";
    if (!all && suite != each.name) continue;
    std::vector<ValidationRow> rows = each.rows(bench);
    for (ValidationRow& row : rows) row.suite = each.name;
    add_notes(each.name, rows);
    for (ValidationBound& bound : each.bounds(rows)) {
      bound.suite = each.name;
      validation.bounds.push_back(std::move(bound));
    }
    validation.rows.insert(validation.rows.end(), rows.begin(), rows.end());
  }
  if (validation.rows.empty())
    throw InputError({{"command line", "--suite", "one of: " + known + "all", "\"" + suite + "\"", ""}});
  add_summaries(validation, all);
  add_remarks(validation);
  if (!options.cross) return validation;
  if (!all && suite != "training")
    throw InputError({{"command line", "--cross", "the training suite", "\"" + suite + "\"", "or --suite all"}});
  validation.left_out = left_out_errors(bench, validation.remarks);
  ValidationBound bound = at_most("median error, left-out rows", validation.left_out.front().median, 0.05);
  bound.suite = "training";
  validation.bounds.push_back(bound);
  return validation;
}

// ---- arithmetic of the suites

double unpredicted() { return std::numeric_limits<double>::quiet_NaN(); }

ValidationRow compared(std::string id, std::string group, std::string family, double predicted, double measured,
                       std::string unit) {
  ValidationRow row;
  row.id = std::move(id);
  row.group = std::move(group);
  row.family = std::move(family);
  row.predicted = predicted;
  row.measured = measured;
  row.unit = std::move(unit);
  row.error = predicted / measured - 1;
  return row;
}

ValidationRow shown(std::string id, std::string group, std::string family, double predicted, double measured,
                    std::string unit, std::string why) {
  ValidationRow row =
      compared(std::move(id), std::move(group), std::move(family), predicted, measured, std::move(unit));
  row.scored = false;
  row.note = std::move(why);
  return row;
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return unpredicted();
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(rank, 1) - 1];
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

std::vector<double> scored_errors(const std::vector<ValidationRow>& rows, const std::string& group) {
  std::vector<double> errors;
  for (const ValidationRow& row : rows)
    if (row.scored && (group.empty() || row.group == group)) errors.push_back(std::abs(row.error));
  return errors;
}

Validation::Summary summary_of(const std::string& name, std::vector<double> errors) {
  const double worst = quantile(errors, 1.0);
  return {name, static_cast<int>(errors.size()), median(errors), quantile(errors, 0.9), worst};
}

ValidationBound at_most(const std::string& what, double value, double limit) {
  return {"", what, value, limit, value <= limit};
}

}  // namespace clustersim
