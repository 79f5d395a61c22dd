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
  std::string family;
  double predicted = 0;
  double measured = 0;
  std::string unit;
  double error = 0;  // predicted / measured - 1
};
struct Validation {
  std::string suite;
  std::vector<ValidationRow> rows;
  // Summaries of |error|: of all rows, then of each group of rows.
  struct Summary {
    std::string group;
    int rows = 0;
    double median = 0, p90 = 0, worst = 0;
  };
  std::vector<Summary> summaries;
};
Validation validate(const std::string& suite);

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
