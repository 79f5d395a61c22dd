// Suite `time-to-train`: MLPerf runs of ResNet-50 and BERT from start to target, three ways:
//   measured step     the measured throughput, with our first epoch and evaluations
//   own step          our throughput, given the samples that the runs needed
//   own convergence   our throughput and our samples to the target (ResNet-50 with LARS)
// Cold storage at the start, as the rules demand. What passes on the clock before the first step, and how a log's
// evaluation differs from ours, is nowhere stated.
#include <algorithm>
#include <cmath>
#include <map>

#include "models/outcome/time_to_train.h"
#include "sim/job.h"
#include "sim/projection.h"
#include "sim/validation/measurement_table.h"
#include "sim/validation/validate.h"

namespace clustersim {
namespace {

const char* const measured_step = "measured step";
const char* const own_step = "own step";
const char* const own_convergence = "own convergence";

constexpr double imagenet = 1281167;  // [published: the data set]

// Rules of the benchmarks: ResNet-50 every 4 epochs on 50,000 images; BERT every 0.05 (230.23 B + 3,000,000) samples,
// rounded down to 25,000, on 10,000 sequences. B: samples a step [published: MLPerf training rules].
std::string evaluation_of(const std::string& benchmark, double batch) {
  if (benchmark == "resnet") return R"({"every_samples": 5124668, "samples": 50000})";
  const double every = std::floor(0.05 * (230.23 * batch + 3e6) / 25000) * 25000;
  return R"({"every_samples": )" + std::to_string(every) + R"(, "samples": 10000})";
}

struct Run {
  Projection projection;
  double samples_per_epoch = 0, evaluations = 0;
  Time cold_extra;  // what the first epoch takes longer from cold storage
};

Run simulate(const TrainingRow& row, const std::string& target, const std::string& evaluation) {
  const Scenario scenario = read_scenario_text(
      row.scenario, row.id,
      {{"/job/data", R"({"from": "node"})"}, {"/job/target", target}, {"/job/evaluation", evaluation}});
  const Assembly assembly(scenario.cluster, scenario.job);
  const JobResult result = run_job(assembly);
  Run run;
  run.projection = project(assembly, result);
  run.samples_per_epoch = scenario.job.data.dataset.samples;
  run.evaluations = std::floor(run.projection.target.samples / scenario.job.evaluation.every_samples + 1e-9);
  if (result.first_epoch) {
    const double steps = run.samples_per_epoch / run.projection.target.global_batch;
    run.cold_extra = seconds(std::max(0.0, steps * (result.first_epoch->step_s - result.steady.step_s)));
  }
  return run;
}

double with_measured_throughput(const Run& run, double samples, double samples_per_s, bool evaluations_included) {
  RunLength length;
  length.samples = samples;
  length.samples_per_epoch = run.samples_per_epoch;
  length.samples_per_s = samples_per_s;
  length.first_epoch = seconds(run.samples_per_epoch / samples_per_s) + run.cold_extra;
  if (!evaluations_included) {
    length.evaluations = run.evaluations;
    length.evaluation = run.projection.one_evaluation;
  }
  return time_to_train(length).total.base();
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

void add_run(const MeasurementRow& row, const TrainingRow* suite_row, std::vector<ValidationRow>& rows) {
  const std::string& benchmark = row.text("benchmark");
  const std::string id = row.text("round") + " " + row.text("submitter") + " " + row.text("system_name");
  const std::string family = row.text("accelerator") + " " + benchmark;
  const double measured = 60 * row.number("time_to_train_min");
  const auto add = [&](const char* group, double predicted) {
    rows.push_back(compared(id + " " + benchmark, group, family, predicted, measured, "s"));
  };
  const auto show = [&](const char* group, const std::string& why) {
    rows.push_back(shown(id + " " + benchmark, group, family, unpredicted(), measured, "s", why));
  };
  if (suite_row == nullptr) {
    for (const char* group : {measured_step, own_step}) show(group, "not in the training suite, so without a scenario");
    if (benchmark == "resnet") show(own_convergence, "not in the training suite, so without a scenario");
    return;
  }
  const double samples = row.number("samples_to_converge_mean");
  const std::string evaluation = evaluation_of(benchmark, row.number("global_batch_size"));
  const Run run = simulate(*suite_row, R"({"samples": )" + row.text("samples_to_converge_mean") + "}", evaluation);
  const std::string& method = row.text("steady_method");
  if (contains(method, "whole run"))
    show(measured_step, "the row's throughput is the whole run's: it would be compared with itself");
  else
    add(measured_step, with_measured_throughput(run, samples, row.number("steady_throughput"),
                                                contains(method, "includes evaluation")));
  if (!suite_row->set_aside.empty()) {
    show(own_step, suite_row->set_aside);
    if (benchmark == "resnet") show(own_convergence, suite_row->set_aside);
    return;
  }
  add(own_step, run.projection.time.total.base());
  if (benchmark != "resnet") return;
  if (!contains(row.text("optimizer"), "lars") || row.text("round") < "v0.7") {
    show(own_convergence, "SGD, or a target before v0.7: the reference points are of LARS and 75.9 %");
    return;
  }
  add(own_convergence, simulate(*suite_row, R"({"quality": "mlperf"})", evaluation).projection.time.total.base());
}

}  // namespace

std::vector<ValidationRow> time_to_train_rows(ValidationBench&) {
  std::map<std::string, TrainingRow> by_id;
  for (TrainingRow& row : training_suite(measurements_path("training_suite.csv"))) by_id.emplace(row.id, row);
  std::vector<ValidationRow> rows;
  for (const MeasurementRow& row : read_measurements(measurements_path("mlperf_training.csv"))) {
    const std::string& benchmark = row.text("benchmark");
    if (benchmark != "resnet" && benchmark != "bert") {
      rows.push_back(shown(row.text("round") + " " + row.text("submitter") + " " + row.text("system_name"),
                           "language models", row.text("accelerator") + " " + benchmark, unpredicted(),
                           60 * row.number("time_to_train_min"), "s", "no step model of this network"));
      continue;
    }
    const std::string id =
        "mlperf " + row.text("round") + " " + row.text("submitter") + " " + row.text("system_name") + " " + benchmark;
    const auto found = by_id.find(id);
    add_run(row, found == by_id.end() ? nullptr : &found->second, rows);
  }
  return rows;
}

std::vector<ValidationBound> time_to_train_bounds(const std::vector<ValidationRow>& rows) {
  return {at_most("median error, own step", median(scored_errors(rows, own_step)), 0.05),
          at_most("median error, measured step", median(scored_errors(rows, measured_step)), 0.05),
          at_most("median error, own convergence", median(scored_errors(rows, own_convergence)), 0.08)};
}

}  // namespace clustersim
