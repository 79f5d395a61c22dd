// A capacity-planning study: one base scenario, keys of it that move, and what comes of each point.
//
// Points are numbered in the order of the axes, the last one fastest. A point runs as `clustersim run --no-what-if`
// would run the base with its values set; a point whose values are at fault keeps its faults as its row. Rows do not
// depend on how many threads or machines ran them, nor on how often the study was stopped and begun again.
//
//   elasticity of metric m to axis x: median over neighbours on the axis, all else equal, of ln(m2/m1) / ln(x2/x1)
//   on the front of time and cost: no other offer is both as fast and as cheap, and better in one of them
//
// Checked by: tests/sim/study_test.cc, sweep_test.cc, sweep_store_test.cc; tests/cli/sweep_test.cmake (killed and begun
// again), sweep_ranks_test.cmake (MPI)
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clustersim/error.h"
#include "clustersim/report.h"

namespace clustersim {

struct StudyAxis {
  std::string name;                              // as tables show it
  std::vector<std::string> pointers;             // these keys move together
  std::vector<std::vector<std::string>> values;  // [value][pointer], as JSON; "" leaves the base as it is
  std::vector<std::string> labels;               // of each value, as tables show it
};

struct SweepRow {
  enum class Status : std::uint8_t { done, invalid, failed };  // failed: a fault of the program
  std::size_t point = 0;
  Status status = Status::done;
  std::vector<std::pair<std::string, double>> metrics;  // as in the report, in base units
  std::string currency;                                 // of the costs
  std::string limit_kind, limit_resource;               // the bottleneck
  double limit_share = 0;
  std::vector<Problem> problems;  // of an invalid or failed point

  std::optional<double> metric(const std::string& name) const;
};

struct SweepProgress {
  std::size_t done = 0, total = 0;  // points of the study, those kept from earlier starts included
  double elapsed_s = 0;             // of this start
  double remaining_s = 0;           // at the pace of this start
};

// Runs each of `points` once, on whatever it has, and gives the rows to `take`, one caller at a time, in any order.
using PointRunner =
    std::function<void(const std::vector<std::size_t>& points, const std::function<SweepRow(std::size_t)>& run,
                       const std::function<void(std::vector<SweepRow>)>& take)>;

struct SweepOptions {
  int jobs = 0;          // threads; 0: one for each core
  std::string database;  // SQLite file that keeps the rows; "": beside the study; ":memory:": nothing is kept
  std::function<void(const SweepProgress&)> progress;
  // Told before the first run where the database holds points already: how many, of how many.
  std::function<void(std::size_t kept, std::size_t total)> resumed;
  PointRunner runner;  // instead of threads here
};

// Where the rows of a study are kept that names no database; "": this build keeps none.
std::string default_database(const std::string& study);

struct SweepConstraint {
  std::string text;  // "time_to_train at most 24 h"
  std::string metric;
  double bound = 0;      // base units
  std::string currency;  // of a bound on money
  bool upper = true;
};

// One way to get a point done.
struct SweepOffer {
  std::size_t row = 0;  // index into Sweep::rows
  bool rented = false;
  double time_s = 0;
  double cost = 0;  // in the row's currency
};

// How a metric follows an axis.
struct Sensitivity {
  std::string axis;
  std::string metric;
  int pairs = 0;  // of points that differ on this axis alone
  // Of an axis of numbers.
  std::optional<double> elasticity, least, most;
  // Of any other: the geometric mean over the pairs of each value's metric over that of the first value.
  std::vector<std::pair<std::string, double>> relative;
};

struct CommonFault {
  std::string pointer;
  int points = 0;
  Problem example;
};

struct Sweep {
  std::string name;
  std::string database;     // "" where nothing was kept
  std::size_t resumed = 0;  // rows that earlier starts had left in it
  std::vector<StudyAxis> axes;
  bool grid = true;
  std::size_t filtered = 0;    // points that the filters leave out
  std::vector<SweepRow> rows;  // every point that is left, by its number
  std::size_t invalid = 0, failed = 0;
  std::string objective;
  bool maximize = false;
  std::vector<SweepConstraint> constraints;
  std::size_t feasible = 0;               // done, with the objective, and within every constraint
  std::vector<std::size_t> best;          // indices into rows, best first, a few; equals once
  std::vector<SweepOffer> cost_front;     // of time and cost, fastest first; empty where nothing has a price
  std::vector<std::size_t> energy_front;  // of time and energy, fastest first
  std::vector<Sensitivity> sensitivities;
  std::vector<CommonFault> faults;  // commonest first
  // Which value each axis has at a point.
  std::vector<std::size_t> values_at(std::size_t point) const;
};

// Reads the study, runs the points that its database does not hold yet, keeps each batch as it is done, and looks at
// all of them. InputError: every fault of the study file at once; or a database that is of another study.
Sweep sweep(const std::string& path, const SweepOptions& options);

// The same study in a process that runs points for another one.
class SweepWorker {
 public:
  explicit SweepWorker(const std::string& path);
  SweepRow run(std::size_t point) const;  // a point of the study

 private:
  std::shared_ptr<const class Study> study_;
};

// table, json, csv: every row, one a line.
std::string write(const Sweep& sweep, const std::string& format);

}  // namespace clustersim
