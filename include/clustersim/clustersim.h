// The front door: everything a program may ask of clustersim. Implemented in the sim/ file of each verb's name.
// All functions throw InputError with every fault of the input at once, and InternalError for a fault of ours.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clustersim/error.h"
#include "clustersim/report.h"
#include "clustersim/scenario.h"

namespace clustersim {

// A change to a scenario before it is read: JSON pointer and value (JSON where it parses, else a string).
using Override = std::pair<std::string, std::string>;

struct RunOptions {
  std::vector<Override> overrides;
  std::optional<std::uint64_t> seed;
  bool what_if = true;
  bool explain_cost = false;
};

// Where scenarios/hardware and its siblings lie: $CLUSTERSIM_DATA, else beside the program, else the source tree.
std::string data_directory();

// sim/read: file -> resolved scenario, or all faults.
Scenario read_scenario(const std::string& path, const std::vector<Override>& overrides);
// The same for a text; `name` stands for the file in faults.
Scenario read_scenario_text(const std::string& text, const std::string& name, const std::vector<Override>& overrides);

// sim/run: one scenario file, from reading to report.
Report run(const std::string& path, const RunOptions& options);
// The same for a scenario already read.
Report run(const Scenario& scenario, const RunOptions& options);

// sim/collective: what nccl-tests would print on this cluster.
struct CollectiveRow {
  double bytes = 0;
  double time_us = 0;
  double algbw_gb_per_s = 0;
  double busbw_gb_per_s = 0;
  std::string algorithm;
};
struct CollectiveTable {
  std::string operation;
  int ranks = 0;
  std::vector<CollectiveRow> rows;
};
CollectiveTable collective(const Scenario& scenario, const std::string& operation, const std::vector<double>& sizes,
                           std::optional<int> ranks, const std::string& algorithm);

// sim/validate: predicted against published measurements that ship with the project.
struct ValidationRow {
  std::string id;
  std::string suite;
  std::string group;     // the rows that are summarised, and bounded, together
  std::string family;    // what the row is of: GPU, model, stack, precision; system and operation; ...
  double predicted = 0;  // not a number where no model answers
  double measured = 0;
  std::string unit;
  double error = 0;  // predicted / measured - 1; of an efficiency: predicted - measured
  bool scored = true;
  std::string note;  // why it is not scored, or the physics that an error above 15 % lacks
};
// A bound that the project set itself before it knew the result.
struct ValidationBound {
  std::string suite;
  std::string what;  // "median of |error|, GPU power"
  double value = 0, limit = 0;
  bool met = false;
};
struct Validation {
  std::string suite;
  std::vector<ValidationRow> rows;
  // Summaries of the |error| of scored rows.
  struct Summary {
    std::string group;
    int rows = 0;
    double median = 0, p90 = 0, worst = 0;
  };
  std::vector<Summary> summaries;  // of all rows, then of each group
  std::vector<Summary> families;
  std::vector<ValidationBound> bounds;
  std::vector<Summary> left_out;  // --cross: all left-out rows, then by what was left out
  std::vector<std::string> remarks;
  bool show_rows = false;  // for the table: every row, not only the worst
};
struct ValidateOptions {
  bool cross = false;
};
Validation validate(const std::string& suite, const ValidateOptions& options = {});
// Name and meaning of each suite.
std::vector<std::pair<std::string, std::string>> validation_suites();
// The training suite's errors by family as CSV, measurements/expected_error.csv: what a report says of its own error.
std::string expected_error_table();

// sim/write: a report as text in the named format: table, json, csv.
std::string write(const Report& report, const std::string& format);
std::string write(const CollectiveTable& table, const std::string& format);
std::string write(const Validation& validation, const std::string& format);

// sim/explain: every key under the pointer with unit, range, default and meaning, as text.
std::string explain(const std::string& pointer);

// sim/problems_text: the faults of an InputError as a user reads them, a block for each file.
std::string problems_text(const std::vector<Problem>& problems);

// sim/catalog: the list of kinds, a kind's entries, or one entry with the source of each number, as text.
std::string catalog(const std::string& what);

}  // namespace clustersim
