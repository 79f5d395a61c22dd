// The front door: everything a program may ask of clustersim. Implemented in the sim/ file of each verb's name.
// All functions throw InputError with every fault of the input at once, and InternalError for a fault of ours.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clustersim/advice.h"
#include "clustersim/calibrate.h"
#include "clustersim/error.h"
#include "clustersim/page.h"
#include "clustersim/plan.h"
#include "clustersim/report.h"
#include "clustersim/scenario.h"
#include "clustersim/serve.h"
#include "clustersim/sweep.h"
#include "clustersim/timeline.h"

namespace clustersim {

// A change to a scenario before it is read: JSON pointer and value (JSON where it parses, else a string).
using Override = std::pair<std::string, std::string>;

struct RunOptions {
  std::vector<Override> overrides;
  std::optional<std::uint64_t> seed;
  bool what_if = true;
  bool explain_cost = false;
  bool unfold = false;    // simulates every node instead of one of each kind
  bool messages = false;  // simulates every chunk of a collective's ring instead of the collective as one transfer
};

// Where scenarios/hardware and its siblings lie: $CLUSTERSIM_DATA, else beside the program, else the source tree.
std::string data_directory();

// sim/read: file -> resolved scenario, or all faults.
Scenario read_scenario(const std::string& path, const std::vector<Override>& overrides);
// The same for a text; `name` stands for the file in faults.
Scenario read_scenario_text(const std::string& text, const std::string& name, const std::vector<Override>& overrides);

// sim/run: one scenario file, from reading to report. `detail`, where given, is filled with what the run looks like
// inside; the report is the same without.
Report run(const std::string& path, const RunOptions& options, RunDetail* detail = nullptr);
// The same for a scenario already read.
Report run(const Scenario& scenario, const RunOptions& options, RunDetail* detail = nullptr);

// sim/compare: scenarios side by side.
struct ComparedRun {
  std::string letter;  // how the table and the texts name it: A, B, ...
  std::string path;
  Report report;
  std::vector<std::string> unpriced;  // of cost_self_hosted and cost_cloud: asked for, but a price is not known
  std::string difference;             // to the first, by the parts of the step; "" of the first
};
// One way to get a run done: on the cluster as owned, or on what is rented for it.
struct Offer {
  std::size_t run = 0;  // index into Comparison::runs
  bool rented = false;
  double time_s = 0;         // to the target, where it runs
  double cost = 0;           // in `currency`
  double cost_usd = 0;       // the same, to compare
  double low = 0, high = 0;  // equal to `cost` where no price is a range
  std::string currency;
  bool on_front = false;  // no other offer is both as fast and as cheap, and better in one of them
};
// The share of the year above which owning one run's cluster costs less than renting for another; at the same target.
// Of a run against its own cloud it is the metric break_even_utilization.
struct OwnOrRent {
  std::size_t owned = 0, rented = 0;  // indices into runs
  std::optional<double> utilization;  // empty: never, electricity alone costs more than renting
  std::optional<double> low, high;    // with prices that are ranges at the ends that favour owning, and renting
};
struct Comparison {
  std::vector<ComparedRun> runs;
  std::vector<Offer> offers;           // those with a price
  std::vector<OwnOrRent> break_evens;  // every owned offer against every rented one
  std::size_t fastest = 0;             // indices into runs
  std::optional<std::size_t> cheapest_self_hosted, cheapest_cloud;
  std::vector<std::string> remarks;
};
// Overrides apply to every scenario. The faults of all files together.
Comparison compare(const std::vector<std::string>& paths, const std::vector<Override>& overrides);

// sim/claims: quantitative claims of two buying guides, each tried on scenarios/claims.
struct ClaimCase {
  std::string when;  // the conditions
  double value = 0;
  std::string unit;     // "1", "%", "x", "GB/s": numbers are shown as they are
  std::string claimed;  // where it differs from the claim's own
  bool holds = false;
};
struct Claim {
  int number = 0;
  std::string guide;
  std::string claim;
  std::string measured;  // what the numbers are
  std::string unit;
  std::string claimed;    // "from 21 to 26 %"
  std::string verdict;    // reproduced: in every case; bounded: in some; refuted: in none; no model
  std::string condition;  // under which cases it holds and under which not, from the runs
  std::string because;    // the physics, or why there is no model
  std::vector<ClaimCase> cases;
};
struct Claims {
  std::vector<Claim> claims;
};
// `index`: another list of claims than scenarios/claims/claims.json; its scenarios lie beside it.
Claims claims(const std::string& index = "");

// sim/collective: what nccl-tests would print on this cluster. Fidelity: "bundle" takes a collective as one transfer,
// "messages" runs each chunk of a ring or an all-to-all by itself on every node.
struct CollectiveRow {
  double bytes = 0;
  double time_us = 0;
  double algbw_gb_per_s = 0;
  double busbw_gb_per_s = 0;
  std::string algorithm;
  std::string measured = {};  // of a corrected model: "inside" or "beyond" the sizes that were measured; else ""
};
struct CollectiveTable {
  std::string operation;
  int ranks = 0;
  std::vector<CollectiveRow> rows;
  std::vector<Assumption> assumptions = {};  // what the links, and measured collectives, were taken for
};
CollectiveTable collective(const Scenario& scenario, const std::string& operation, const std::vector<double>& sizes,
                           std::optional<int> ranks, const std::string& algorithm,
                           const std::string& fidelity = "bundle");

// sim/validation: predicted against published measurements that ship with the project.
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
  std::string what;  // "median error, GPU power"
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
std::string write(const Comparison& comparison, const std::string& format);
std::string write(const Claims& claims, const std::string& format);  // table, json

// sim/explain: every key under the pointer with unit, range, default and meaning, as text.
std::string explain(const std::string& pointer);

// sim/problems_text: the faults of an InputError as a user reads them, a block for each file.
std::string problems_text(const std::vector<Problem>& problems);

// sim/printable: text as it may go to a terminal. Characters that move the cursor, colour or reorder a line become
// \u001b and its like, which JSON reads as the same; bytes that are no UTF-8 the replacement character.
// keep_lines: line feeds and tabs stay.
std::string printable(const std::string& text, bool keep_lines = true);

// sim/catalog: the list of kinds, a kind's entries, or one entry with the source of each number, as text.
std::string catalog(const std::string& what);

}  // namespace clustersim
