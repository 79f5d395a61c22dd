// Published training rows as scenarios: what a row of scenarios/measurements/training_suite.csv states, and what is
// known of how such rows were run, in the keys of a scenario file.
#pragma once

#include <string>
#include <vector>

namespace clustersim {

struct TrainingRow {
  std::string id;
  std::string family;     // GPU, model, stack, precision
  std::string group;      // stack and kind of model: "mlperf resnet", "pytorch-ddp bert"
  std::string scenario;   // JSON text
  double measured = 0;    // samples/s of the whole job
  int gpus = 1;
};

// All rows in the file's order. Throws InputError where the file is not what it should be.
std::vector<TrainingRow> training_suite(const std::string& csv_path);

}  // namespace clustersim
