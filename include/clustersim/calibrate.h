// The front door of `clustersim calibrate`: outputs of benchmarks -> a file whose numbers a scenario can use.
//
// Each number is a fit or a median of what was measured, with its residuals, the range that was measured and its
// source beside it. The file is named by a scenario's /cluster/calibration, or its parts are copied into a scenario as
// objects in place ({"base": ID, ...}). A benchmark is recognised by what its output holds, never by a file's name.
// Source of the fits: models/calibration. Checked by: tests/sim/calibrate_test.cc.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace clustersim {

struct CalibrateOptions {
  std::vector<std::string> bases;  // catalog ids of what was measured: a gpu, nic, cpu, link or storage
  std::string operation;           // of collective logs that do not say it; "" none
  std::string scenario;            // file: collectives become factors on the model of its cluster; "" none
};

struct RecognisedFile {
  std::string file, format;  // format "": not recognised
  std::string gpu;           // model, "" where it is not said
  int values = 0, collectives = 0;
  std::vector<std::pair<int, std::string>> warnings;  // line (0: of the file) and what is odd
};

struct FittedNumber {
  std::string part, key;  // "nic", "tcp_efficiency"; of a collective "collectives", "all_reduce of 8"
  std::string value;      // as the file has it
  int rows = 0;
  double median_residual = 0, worst_residual = 0;  // |fitted / measured - 1| of its rows
  std::string from, to;                            // what was swept, "" where nothing was
  std::string source;
  std::string doubt;  // why it is a guess, "" if it is not
};

struct Calibrated {
  std::vector<RecognisedFile> files;
  std::vector<FittedNumber> numbers;
  std::vector<std::string> notes;   // what was measured and has no key, and what it would take
  std::vector<std::string> checks;  // what was measured beside the numbers, against what the calibrated model gives
  std::string document;             // the file, as JSON text
};

// Throws InputError where no file holds anything usable.
Calibrated calibrate(const std::vector<std::string>& paths, const CalibrateOptions& options);
// Name and meaning of each format that is read.
std::vector<std::pair<std::string, std::string>> measurement_kinds();
// What was recognised, fitted and left out, and how to use the file, as text.
std::string calibration_text(const Calibrated& calibrated);

}  // namespace clustersim
