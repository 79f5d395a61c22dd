// `validate --cross`: what the training suite would look like for rows that nobody had seen.
//
// The constants of the compute model are chosen by hand, so there is no fit to repeat. What can be repeated is one
// factor on the speed of each class, GPU and precision: exp(median of ln(measured / predicted)) over the class's rows.
// A family is left out, the factors are taken from the rest, and the left-out rows are predicted with them; rows whose
// class has no other row keep their prediction and are not counted.
#include <cctype>
#include <cmath>
#include <map>

#include "sim/validation/expected_error.h"
#include "sim/validation/measurement_table.h"
#include "sim/validation/validate.h"

namespace clustersim {
namespace {

struct Row {
  double residual = 0;  // ln(measured / predicted)
  std::string gpu_class, gpu, source, scale;
};

std::string class_of(const MeasurementRow& row) { return gpu_design(row.text("gpu")) + " " + row.text("precision"); }

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

std::vector<double> left_out(const std::vector<Row>& rows, std::string Row::*family) {
  std::map<std::string, std::vector<const Row*>> families;
  for (const Row& row : rows) families[row.*family].push_back(&row);
  std::vector<double> errors;
  for (const auto& [name, members] : families) {
    std::map<std::string, std::vector<double>> rest;
    for (const Row& row : rows)
      if (row.*family != name) rest[row.gpu_class].push_back(row.residual);
    for (const Row* row : members) {
      const auto found = rest.find(row->gpu_class);
      if (found != rest.end()) errors.push_back(std::abs(std::exp(median(found->second) - row->residual) - 1));
    }
  }
  return errors;
}

}  // namespace

std::vector<Validation::Summary> left_out_errors(ValidationBench& bench, std::vector<std::string>& remarks) {
  const std::vector<MeasurementRow> table = read_measurements(measurements_path("training_suite.csv"));
  const std::vector<PredictedTraining>& predictions = bench.training();
  std::vector<Row> rows;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const PredictedTraining& p = predictions[i];
    if (!p.row.set_aside.empty()) continue;
    rows.push_back({std::log(p.row.measured / p.throughput), class_of(table[i]), table[i].text("gpu"),
                    source_of(table[i]), scale_of(p.row.gpus)});
  }
  std::vector<Validation::Summary> summaries;
  std::vector<double> all;
  const std::pair<const char*, std::string Row::*> ways[] = {
      {"each GPU left out", &Row::gpu}, {"each source left out", &Row::source}, {"each scale left out", &Row::scale}};
  for (const auto& [name, family] : ways) {
    const std::vector<double> errors = left_out(rows, family);
    all.insert(all.end(), errors.begin(), errors.end());
    summaries.push_back(summary_of(name, errors));
  }
  summaries.insert(summaries.begin(), summary_of("all left-out rows", all));
  remarks.push_back(
      "--cross: each family is left out and one factor on the speed of each class (GPU design and precision) is "
      "refitted "
      "on the rest, in closed form: the median of the residuals. The hand-chosen constants of the compute model stay "
      "as "
      "they are; they were chosen with all rows in view. Left-out rows whose class has no other row are not counted.");
  return summaries;
}

}  // namespace clustersim
