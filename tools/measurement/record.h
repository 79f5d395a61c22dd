// What a benchmark program writes down: one file of records, read by `clustersim calibrate`.
//
// A record is one benchmark at one set of parameters. It was measured (median, spread, samples), or it failed or was
// skipped and says why; the file of a machine on which half of the benchmarks could not run is still a file.
//
// The format is docs/MEASUREMENTS.md. Checked by tests/tools/record_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace clustersim::measurement {

using Value = std::variant<std::int64_t, double, std::string>;
using Parameters = std::vector<std::pair<std::string, Value>>;  // in the order in which they are written
using Numbers = std::vector<std::pair<std::string, double>>;    // likewise

enum class Outcome { measured, failed, skipped };

struct Record {
  std::string benchmark;
  Parameters parameters;
  Outcome outcome = Outcome::measured;
  std::string reason;  // why it failed or was skipped

  double median = 0;  // in `unit`; at least one sample
  std::string unit = "s";
  double spread = 0;  // interquartile range over median
  std::int64_t samples = 0;

  Numbers derived;     // computed from the median and the parameters, e.g. bytes_per_s
  Numbers conditions;  // of the machine while it ran, e.g. sm_clock_mhz; unknown = absent
  std::vector<std::pair<std::string, std::vector<double>>> series;  // equally long columns, for a course of time
  std::string note;                                                 // what a reader of the number must know, or empty
};

struct MeasurementFile {
  std::string program, version;
  std::string date;    // 2026-11-30
  bool quick = false;  // run with --quick: fewer sizes and samples
  Parameters machine;  // gpu, driver, cuda, cpu, cores, ...; unknown = absent
  std::vector<Record> records;
};

// A measured record from its samples, in the unit given. Throws std::invalid_argument where there is none, or one that
// is not finite or is negative.
Record measured(std::string benchmark, Parameters parameters, const std::vector<double>& samples,
                std::string unit = "s");

Record failed(std::string benchmark, Parameters parameters, std::string reason);
Record skipped(std::string benchmark, Parameters parameters, std::string reason);

// The file as JSON, one record a line.
std::string to_json(const MeasurementFile& file);

// Writes the text to a temporary file beside `path` and renames it; a pipe or a device is written as it is. Throws
// std::runtime_error with what to do.
void write_whole(const std::string& path, const std::string& text);

// Throws std::runtime_error if a file cannot be written beside `path`: asked before a long run, not after it.
void require_writable(const std::string& path);

// Today, in UTC.
std::string today();

}  // namespace clustersim::measurement
