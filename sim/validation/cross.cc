// `validate --cross`: errors on the training suite's rows of a compute model refitted without them.
//
// The constants that rows of the suite moved (FittedConstants) were chosen by hand with all rows in view. Here a family
// of rows is left out, a GPU's design, a source or a scale, the constants are fitted to the rest, and the rows left out
// are predicted with them:
//   minimise over x  sum_i v_i (ln(measured_i / predicted_i) - sum_k x_k d ln predicted_i / d ln constant_k)^2
//   constant_k := constant_k exp(x_k)
// one step of Gauss and Newton with Huber's weights, from the hand-chosen values; derivatives by running each row with
// each constant 5 % larger. A constant that fewer than five of the remaining rows lean on (derivative above 0.05)
// cannot be fitted without the family: left-out rows that lean on it are not counted.
// Constants of collectives, power and convergence stay; so do pass lists that were counted with rows in view.
#include <array>
#include <cctype>
#include <cmath>
#include <map>

#include "models/calibration/robust_fit.h"
#include "sim/validation/expected_error.h"
#include "sim/validation/measurement_table.h"
#include "sim/validation/validate.h"

namespace clustersim {
namespace {

constexpr std::array<double FittedConstants::*, 7> constants = {
    &FittedConstants::sustained_cool, &FittedConstants::sustained_power,
    &FittedConstants::winograd_gain,  &FittedConstants::framework_stream,
    &FittedConstants::ramp_cycles,    &FittedConstants::transpose_elements_per_sm_cycle,
    &FittedConstants::host_jitter_s};
constexpr double step = 0.05, leans = 0.05, ridge = 0.01;
constexpr int fewest_rows = 5;

struct Row {
  const PredictedTraining* prediction = nullptr;
  double lacking = 0;  // ln(measured / predicted)
  std::vector<double> derivatives;
  std::string gpu, source, scale;
};

FittedConstants scaled(const std::vector<double>& corrections) {
  FittedConstants fitted;
  for (std::size_t k = 0; k < constants.size(); ++k) fitted.*constants[k] *= std::exp(corrections[k]);
  return fitted;
}

// Who measured. Submitters changed how they write their names from round to round.
std::string source_of(const MeasurementRow& row) {
  const std::string& id = row.text("row");
  if (id.rfind("mlperf ", 0) != 0) return row.text("source").substr(0, row.text("source").find('@'));
  const std::size_t round = 7, at = id.find(' ', round) + 1;
  std::string submitter = id.substr(at, id.find(' ', at) - at);
  for (char& c : submitter) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return "MLPerf, " + (submitter == "dellemc" ? "dell" : submitter);
}

std::string scale_of(double gpus) {
  return gpus == 1 ? "1 GPU" : gpus <= 16 ? "2 to 16 GPUs" : gpus <= 256 ? "17 to 256 GPUs" : "more than 256 GPUs";
}

// Which constants the rows can fit.
std::vector<bool> informed(const std::vector<const Row*>& rows) {
  std::vector<bool> known;
  for (std::size_t k = 0; k < constants.size(); ++k) {
    int count = 0;
    for (const Row* row : rows) count += std::abs(row->derivatives[k]) > leans;
    known.push_back(count >= fewest_rows);
  }
  return known;
}

bool leans_on_unknown(const Row& row, const std::vector<bool>& known) {
  for (std::size_t k = 0; k < constants.size(); ++k)
    if (!known[k] && std::abs(row.derivatives[k]) > leans) return true;
  return false;
}

FittedConstants fitted_to(const std::vector<const Row*>& rows) {
  std::vector<std::vector<double>> derivatives;
  std::vector<double> lacking;
  for (const Row* row : rows) {
    derivatives.push_back(row->derivatives);
    lacking.push_back(row->lacking);
  }
  return scaled(robust_correction(derivatives, lacking, ridge));
}

std::vector<double> left_out(const std::vector<Row>& rows, std::string Row::*family) {
  std::map<std::string, std::vector<const Row*>> families;
  for (const Row& row : rows) families[row.*family].push_back(&row);
  std::vector<double> errors;
  for (const auto& [name, members] : families) {
    std::vector<const Row*> rest;
    for (const Row& row : rows)
      if (row.*family != name) rest.push_back(&row);
    if (rest.empty()) continue;
    const std::vector<bool> known = informed(rest);
    const FittedConstants fitted = fitted_to(rest);
    for (const Row* row : members)
      if (!leans_on_unknown(*row, known))
        errors.push_back(std::abs(throughput_under(*row->prediction, fitted) / row->prediction->row.measured - 1));
  }
  return errors;
}

std::vector<double> derivatives_of(const PredictedTraining& prediction) {
  std::vector<double> derivatives;
  for (std::size_t k = 0; k < constants.size(); ++k) {
    std::vector<double> corrections(constants.size(), 0.0);
    corrections[k] = step;
    derivatives.push_back(std::log(throughput_under(prediction, scaled(corrections)) / prediction.throughput) / step);
  }
  return derivatives;
}

}  // namespace

std::vector<Validation::Summary> left_out_errors(ValidationBench& bench, std::vector<std::string>& remarks) {
  const std::vector<MeasurementRow> table = read_measurements(measurements_path("training_suite.csv"));
  const std::vector<PredictedTraining>& predictions = bench.training();
  std::vector<Row> rows;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const PredictedTraining& p = predictions[i];
    if (!p.row.set_aside.empty()) continue;
    rows.push_back({&p, std::log(p.row.measured / p.throughput), derivatives_of(p), gpu_design(table[i].text("gpu")),
                    source_of(table[i]), scale_of(p.row.gpus)});
  }
  std::vector<Validation::Summary> summaries;
  std::vector<double> all;
  const std::pair<const char*, std::string Row::*> ways[] = {{"each GPU design left out", &Row::gpu},
                                                             {"each source left out", &Row::source},
                                                             {"each scale left out", &Row::scale}};
  for (const auto& [name, family] : ways) {
    const std::vector<double> errors = left_out(rows, family);
    all.insert(all.end(), errors.begin(), errors.end());
    summaries.push_back(summary_of(name, errors));
  }
  summaries.insert(summaries.begin(), summary_of("all left-out rows", all));
  remarks.push_back(
      "--cross: each family is left out, the compute model's seven constants that rows of this suite moved are fitted "
      "to the rest, and the left-out rows are run with them. A row that leans on a constant which the rest cannot fit "
      "is "
      "not counted. What was counted, assumed or published stays as it is.");
  return summaries;
}

}  // namespace clustersim
