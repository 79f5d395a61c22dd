// Published training rows as scenarios: what a row of scenarios/measurements/training_suite.csv states, and what is
// known of how such rows were run, in the keys of a scenario file.
//
// A row's own columns come first; the tables it was taken from tell the rest: throughput.csv (ids T....) the system and
// notes, mlperf_training.csv (ids "mlperf ...") the processor and how the rate was taken. What neither states follows
// from the stack's documentation, as the comments in the source say. Rules are by source and software, never by row.
#pragma once

#include <string>
#include <vector>

#include "sim/validation/measurement_table.h"

namespace clustersim {

struct TrainingRow {
  std::string id;
  std::string family;    // GPU, model, stack, precision
  std::string group;     // stack and kind of model: "mlperf resnet", "pytorch-ddp bert"
  std::string scenario;  // JSON text
  double measured = 0;   // samples/s of the whole job
  int gpus = 1;
  // Why the row is shown, not scored (scenarios/measurements/set_aside.csv); empty for all but a few.
  std::string set_aside;
  // The rate was taken from evaluation to evaluation, one of them included: the scenario's /job/evaluation.
  bool evaluation_included = false;
};

// A row with the columns of training_suite.csv; `source` is the row of throughput.csv (or, for stack "mlperf", of
// mlperf_training.csv) that it was taken from, null where there is none.
TrainingRow training_row(const MeasurementRow& columns, const MeasurementRow* source);

// All rows in the file's order. Throws InputError where the file, or a table beside it, is not what it should be.
std::vector<TrainingRow> training_suite(const std::string& csv_path);

// What such a rate is, given steps and evaluations: every_samples / (every_samples / rate + evaluation), samples/s.
double rate_with_evaluations(double samples_per_s, double every_samples, double evaluation_s);

}  // namespace clustersim
