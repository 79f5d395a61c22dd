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

// sim/write: a report as text in the named format: table, json, csv.
std::string write(const Report& report, const std::string& format);
std::string write(const CollectiveTable& table, const std::string& format);

// sim/explain: every key under the pointer with unit, range, default and meaning, as text.
std::string explain(const std::string& pointer);

// sim/catalog: the list of kinds, a kind's entries, or one entry with the source of each number, as text.
std::string catalog(const std::string& what);

}  // namespace clustersim
