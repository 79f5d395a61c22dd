// What to buy or to rent for a job, by a deadline and within a budget.
//
// Every server and instance of the catalog that has a price is tried in rising counts; owned servers with each network
// that they can be joined by; and where the question leaves the batch open, with each batch of a short ladder. Each try
// is a run, as `clustersim run --no-what-if` would do it. Left out without a run is only what cannot win:
//   time  >= samples to the target(batch) x its kernels on the roofline at full clock / GPUs
//   rent  >= price x that time, which no count lowers;  purchase >= servers alone
//   time with another network >= time x (1 - share of exposed communication)
// A batch that changes what is learnt is only searched where the samples to a quality follow from it (the published
// reference points), or where the samples of a step are kept (`batch/global`).
// A budget is for renting the money of the run; for owning the purchase of servers, cards, switches and cables,
// whatever the run itself then costs. Where the question says how many runs, it is for the rent, or the purchase and
// the electricity, of all of them; the deadline is of each. The best offer has the least outlay of those that keep
// both, among machines whose like has published rows and, rented, a published price; what lacks either is listed apart.
// As sure as the rows like it: real time = time x (1 + error), error of 9 in 10 rows. Another offer is a toss-up with
// the best where outlays (without a deadline: times) differ by less than their errors, taken as independent.
//
// Checked by: tests/sim/plan_test.cc (bounds against full search, budgets, unpriced parts, batches, networks);
// tests/report/pages.test.mjs (the page)
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clustersim/error.h"
#include "clustersim/report.h"

namespace clustersim {

// A batch that was tried on some machines.
struct PlanBatch {
  int per_gpu = 0, accumulation = 1;  // as the scenario's batch_per_gpu and accumulation
  double global = 0;                  // samples of one optimizer step, all GPUs
  double epochs = 0;                  // to the target; 0: the samples are in no epochs
  double time_s = 0;
  bool extrapolated = false;  // outside the published batches of the quality
};

// Machines, how they are joined and what they train in: something that ran.
struct PlanOffer {
  std::string machine;  // id of the catalog
  int count = 1;
  int gpus = 0;  // all together
  std::string gpu;
  bool rented = false;
  std::string network;  // "4 x efa-v1, 100 Gbit/s, efa"; "" of one machine
  std::string currency;
  double time_s = 0;
  double run_cost = 0;                // of the run: rent, or this run's share of owned machines
  std::optional<double> purchase;     // of owned machines: servers and network
  int runs = 1;                       // that the money is for
  double electricity = 0;             // of owned machines, of all runs; 0 where the question gives no number of runs
  double network_cost = 0;            // of owned machines: the part of it for cards, switches and cables
  std::optional<double> worst_error;  // of the throughput, 9 in 10 rows like it; empty: no row is like it
  std::string like;                   // which rows
  bool in_time = false, in_budget = false;
  bool proven = false;  // rows like it, and a price that is no guess
  PlanBatch batch;
  std::vector<PlanBatch> batches;   // that ran on these machines, by their size; this one among them
  std::string limit_kind, limit;    // what sets the time: of a step, or a first epoch from cold storage
  std::vector<std::string> doubts;  // guessed prices and their dates
  // Against the best offer: outlay (without a deadline time) over its own, less 1; why; and whether the error hides it.
  double behind = 0;
  std::string why_behind;
  bool toss_up = false;
  Report report;

  double outlay() const { return purchase ? *purchase + electricity : run_cost * runs; }
  double worst_time_s() const { return time_s * (1 + worst_error.value_or(0)); }
};

// What a bound left out without a run.
struct PlanPruned {
  std::string bound;
  std::size_t variants = 0;
  std::vector<std::string> machines;  // by id
};

struct Plan {
  std::string name, goal;  // "resnet-50 within 12 h for at most 100 USD, rented or owned"
  std::string currency;
  std::optional<double> deadline_s, budget;
  std::optional<int> runs_asked;    // that the money is for, where the question says
  std::vector<PlanOffer> offers;    // that keep deadline and budget: one a machine, least outlay first
  std::vector<PlanOffer> unproven;  // the same, of what is not proven
  std::vector<PlanOffer> nearest;   // where none keeps both: what misses least, then what keeps either best
  std::vector<PlanOffer> tried;     // all that ran with the batch that is fastest there, without reports
  std::optional<std::size_t> sure;  // of offers: the first that is in time even at its worst error
  int machines = 0, runs = 0;       // kinds of machine, runs
  std::vector<PlanPruned> pruned;
  std::vector<std::pair<std::string, std::vector<std::string>>> left_out;  // reason, machines
};

struct PlanOptions {
  int jobs = 0;  // threads; 0: one for each core
};

// InputError: every fault of the question at once, or what is wrong with its job on every machine.
Plan plan(const std::string& path, const PlanOptions& options = {});

std::string write(const Plan& plan, const std::string& format);  // table, json

}  // namespace clustersim
