// Suite `convergence`: the reference points of MLPerf, each predicted from the others. Leaving a point out makes the
// table a test: between two neighbours it interpolates, at an end it follows the law of the critical batch.
#include "models/outcome/convergence.h"
#include "sim/validation/measurement_table.h"
#include "sim/validation/validate.h"

namespace clustersim {
namespace {

struct Benchmark {
  const char* name;
  const char* model;
  Optimizer optimizer;
};
constexpr Benchmark benchmarks[] = {{"resnet", "resnet-50", Optimizer::lars}, {"bert", "bert-large", Optimizer::lamb}};

}  // namespace

std::vector<ValidationRow> convergence_rows(ValidationBench&) {
  std::vector<ValidationRow> rows;
  for (const MeasurementRow& row : read_measurements(measurements_path("convergence_reference.csv"))) {
    const std::string& name = row.text("benchmark");
    const double batch = row.number("batch_size"), measured = row.number("mean");
    const std::string id = name + " batch " + row.text("batch_size") + " v" + row.text("first_round");
    std::optional<double> predicted;
    for (const Benchmark& benchmark : benchmarks)
      if (name == benchmark.name) predicted = left_out_amount(benchmark.model, benchmark.optimizer, batch);
    const std::string unit = row.text("unit");
    if (predicted)
      rows.push_back(compared(id, name, name, *predicted, measured, unit));
    else
      rows.push_back(shown(id, name, name, unpredicted(), measured, unit, "no model of this network's convergence"));
  }
  return rows;
}

std::vector<ValidationBound> convergence_bounds(const std::vector<ValidationRow>& rows) {
  return {at_most("median error, ResNet points left out", median(scored_errors(rows, "resnet")), 0.05),
          at_most("median error, BERT points left out", median(scored_errors(rows, "bert")), 0.05)};
}

}  // namespace clustersim
