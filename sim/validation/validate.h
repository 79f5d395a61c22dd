// The suites of `clustersim validate`. A suite makes its rows, each with its own prediction, and names its bounds.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "clustersim/clustersim.h"
#include "models/compute/fitted_constants.h"
#include "sim/validation/training_suite.h"

namespace clustersim {

// A row of the training suite with the throughput that the simulator gives it.
struct PredictedTraining {
  TrainingRow row;
  double throughput = 0;  // samples/s of the whole job, taken as the row's was
  Scenario scenario;
};

// InputError where the scenario cannot be run.
PredictedTraining predict(const TrainingRow& row);
// Samples/s of the same scenario under other values of the fitted constants.
double throughput_under(const PredictedTraining& row, const FittedConstants& fitted);

// What several suites need, made once.
class ValidationBench {
 public:
  const std::vector<PredictedTraining>& training();

 private:
  std::vector<PredictedTraining> training_;
};

struct Suite {
  const char* name;
  const char* meaning;
  std::vector<ValidationRow> (*rows)(ValidationBench&);
  std::vector<ValidationBound> (*bounds)(const std::vector<ValidationRow>&);
};

const std::vector<Suite>& suites();

// sim/suite_<name>.cc
std::vector<ValidationRow> training_rows(ValidationBench& bench);
std::vector<ValidationRow> throughput_rows(ValidationBench& bench);
std::vector<ValidationBound> no_bounds(const std::vector<ValidationRow>& rows);
std::vector<ValidationBound> training_bounds(const std::vector<ValidationRow>& rows);
std::vector<ValidationRow> scaling_rows(ValidationBench& bench);
std::vector<ValidationBound> scaling_bounds(const std::vector<ValidationRow>& rows);
std::vector<ValidationRow> collectives_rows(ValidationBench& bench);
std::vector<ValidationBound> collectives_bounds(const std::vector<ValidationRow>& rows);
std::vector<ValidationRow> storage_rows(ValidationBench& bench);
std::vector<ValidationBound> storage_bounds(const std::vector<ValidationRow>& rows);
std::vector<ValidationRow> power_rows(ValidationBench& bench);
std::vector<ValidationBound> power_bounds(const std::vector<ValidationRow>& rows);
std::vector<ValidationRow> convergence_rows(ValidationBench& bench);
std::vector<ValidationBound> convergence_bounds(const std::vector<ValidationRow>& rows);
std::vector<ValidationRow> time_to_train_rows(ValidationBench& bench);
std::vector<ValidationBound> time_to_train_bounds(const std::vector<ValidationRow>& rows);

// --cross: errors of rows that took no part in the fit (sim/cross.cc).
std::vector<Validation::Summary> left_out_errors(ValidationBench& bench, std::vector<std::string>& remarks);

// ---- arithmetic of the suites

// predicted / measured - 1.
ValidationRow compared(std::string id, std::string group, std::string family, double predicted, double measured,
                       std::string unit);
// Shown, not scored: `predicted` is not a number where no model answers.
ValidationRow shown(std::string id, std::string group, std::string family, double predicted, double measured,
                    std::string unit, std::string why);
double unpredicted();

// The least value that the share `q` of the values does not exceed (nearest rank).
double quantile(std::vector<double> values, double q);
double median(std::vector<double> values);

// |error| of the scored rows of a group; "" is all of them.
std::vector<double> scored_errors(const std::vector<ValidationRow>& rows, const std::string& group);
Validation::Summary summary_of(const std::string& name, std::vector<double> errors);
ValidationBound at_most(const std::string& what, double value, double limit);

}  // namespace clustersim
