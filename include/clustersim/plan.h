// What to buy or to rent for a job, by a deadline and within a budget.
//
// Every server and instance of the catalog that has a price is tried in rising counts; each try is a run, as
// `clustersim run --no-what-if` would do it. Left out without a run is only what cannot win:
//   time of one sample >= its kernels on the roofline at full clock / GPUs; hence a least time at every count, and for
//   rented machines a least cost, price x least time, which no count lowers
// A budget is for renting the money of the run; for owning the purchase of servers, switches and added cards, whatever
// the run itself then costs. The best offer has the least outlay of those that keep both, among machines whose like has
// published rows and, rented, a published price; what lacks either is listed apart.
// As sure as the rows like it: real time = time x (1 + error), error of 9 in 10 rows.
//
// Checked by: tests/sim/plan_test.cc (bounds against full search, budgets, unpriced parts)
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clustersim/error.h"
#include "clustersim/report.h"

namespace clustersim {

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
  std::optional<double> worst_error;  // of the throughput, 9 in 10 rows like it; empty: no row is like it
  std::string like;                   // which rows
  bool in_time = false, in_budget = false;
  bool proven = false;              // rows like it, and a price that is not a recollection
  std::vector<std::string> doubts;  // guessed prices and their dates
  Report report;

  double outlay() const { return purchase.value_or(run_cost); }
  double worst_time_s() const { return time_s * (1 + worst_error.value_or(0)); }
};

struct Plan {
  std::string name, goal;  // "resnet-50 within 12 h for at most 100 USD, rented or owned"
  std::string currency;
  std::optional<double> deadline_s, budget;
  std::vector<PlanOffer> offers;    // that keep deadline and budget: one a machine, least outlay first
  std::vector<PlanOffer> unproven;  // the same, of what is not proven
  std::vector<PlanOffer> nearest;   // where none keeps both: in time and least over budget; in budget, least late
  std::optional<std::size_t> sure;  // of offers: the first that is in time even at its worst error
  int machines = 0, runs = 0;       // tried
  std::vector<std::pair<std::string, std::vector<std::string>>> left_out;  // reason, machines
};

struct PlanOptions {
  int jobs = 0;  // threads; 0: one for each core
};

// InputError: every fault of the question at once, or what is wrong with its job on every machine.
Plan plan(const std::string& path, const PlanOptions& options = {});

std::string write(const Plan& plan, const std::string& format);  // table, json

}  // namespace clustersim
