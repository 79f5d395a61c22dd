// `clustersim plan`: read the question, try every machine, keep the best count of each, rank them.
#include "clustersim/plan.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>
#include <tuple>

#include "sim/plan/rivals.h"
#include "sim/plan/search.h"
#include "sim/sweep/study.h"

namespace clustersim {

namespace {

std::vector<MachineTried> try_all(const Question& question, const std::vector<MachineChoice>& machines,
                                  const Catalog& catalog, const SearchBounds& bounds, int jobs) {
  std::vector<MachineTried> tried(machines.size());
  std::vector<std::exception_ptr> faults(machines.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t m = next++; m < machines.size(); m = next++) {
      try {
        tried[m] = try_machine(question, machines[m], catalog, bounds);
      } catch (...) {
        faults[m] = std::current_exception();
      }
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < jobs; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& fault : faults)
    if (fault) std::rethrow_exception(fault);
  return tried;
}

bool same(const PlanOffer& x, const PlanOffer& y) {
  return x.machine == y.machine && x.rented == y.rented && x.count == y.count && x.network == y.network;
}

class Ranking {
 public:
  explicit Ranking(const Question& question) : question_(question) {}

  // With a deadline the least outlay comes first, without one the fastest.
  bool better(const PlanOffer& x, const PlanOffer& y) const {
    const auto key = [&](const PlanOffer& o) {
      return question_.deadline_s ? std::tuple(o.outlay(), o.time_s, o.machine, o.count)
                                  : std::tuple(o.time_s, o.outlay(), o.machine, o.count);
    };
    return key(x) < key(y);
  }

  void sort(std::vector<PlanOffer>& offers) const {
    std::sort(offers.begin(), offers.end(), [&](const PlanOffer& x, const PlanOffer& y) { return better(x, y); });
  }

  // The best of each machine, however it is wired, best first.
  std::vector<PlanOffer> best_of_each(std::vector<PlanOffer> offers) const {
    sort(offers);
    std::vector<PlanOffer> best;
    for (PlanOffer& offer : offers) {
      const bool seen = std::any_of(best.begin(), best.end(), [&](const PlanOffer& o) {
        return o.machine == offer.machine && o.rented == offer.rented;
      });
      if (!seen) best.push_back(std::move(offer));
    }
    return best;
  }

 private:
  const Question& question_;
};

// By how much an offer misses deadline and budget, as the product of both ratios; 1 where it keeps them.
double misses(const Question& question, const PlanOffer& offer) {
  const double late = question.deadline_s ? offer.time_s / *question.deadline_s : 1;
  const double dear = question.budget ? offer.outlay() / *question.budget : 1;
  return std::max(1.0, late) * std::max(1.0, dear);
}

// What misses least; then what is in time at the least outlay and what is within the budget in the least time, or,
// where nothing is, the fastest and the one of least outlay.
std::vector<PlanOffer> nearest(const Question& question, const Ranking& ranking, std::vector<PlanOffer> offers) {
  std::vector<PlanOffer> result;
  if (offers.empty()) return result;
  ranking.sort(offers);
  const auto best = [&](bool PlanOffer::*kept, const auto& key, const auto& otherwise) {
    const PlanOffer *found = nullptr, *other = nullptr;
    for (const PlanOffer& offer : offers) {
      if (offer.*kept && (found == nullptr || key(offer) < key(*found))) found = &offer;
      if (other == nullptr || otherwise(offer) < otherwise(*other)) other = &offer;
    }
    return found != nullptr ? *found : *other;
  };
  const auto add = [&](PlanOffer offer) {
    const bool known = std::any_of(result.begin(), result.end(), [&](const PlanOffer& o) { return same(o, offer); });
    if (!known) result.push_back(std::move(offer));
  };
  const auto outlay = [](const PlanOffer& o) { return std::pair(o.outlay(), o.time_s); };
  const auto time = [](const PlanOffer& o) { return std::pair(o.time_s, o.outlay()); };
  add(*std::min_element(offers.begin(), offers.end(), [&](const PlanOffer& x, const PlanOffer& y) {
    return misses(question, x) < misses(question, y);
  }));
  add(best(&PlanOffer::in_time, outlay, time));
  add(best(&PlanOffer::in_budget, time, outlay));
  return result;
}

std::vector<PlanOffer> offers_of(const std::vector<MachineTried>& tried, bool proven) {
  std::vector<PlanOffer> offers;
  for (const MachineTried& machine : tried)
    for (const PlanOffer& offer : machine.offers)
      if (offer.proven == proven) offers.push_back(offer);
  return offers;
}

std::vector<PlanOffer> keeping_both(const std::vector<PlanOffer>& offers) {
  std::vector<PlanOffer> kept;
  for (const PlanOffer& offer : offers)
    if (offer.in_time && offer.in_budget) kept.push_back(offer);
  return kept;
}

// Why a machine that ran is not among the offers.
std::string why_lost(const MachineTried& tried) {
  const auto any = [&](bool PlanOffer::*kept) {
    return std::any_of(tried.offers.begin(), tried.offers.end(), [&](const PlanOffer& o) { return o.*kept; });
  };
  if (!any(&PlanOffer::in_time)) return "not in time";
  return any(&PlanOffer::in_budget) ? "in time only above the budget" : "above the budget";
}

void say_pruned(const std::vector<MachineTried>& tried, const std::vector<MachineChoice>& machines, Plan& plan) {
  std::map<std::string, PlanPruned> by_bound;
  for (std::size_t m = 0; m < tried.size(); ++m)
    for (const auto& [bound, variants] : tried[m].pruned) {
      PlanPruned& pruned = by_bound[bound];
      pruned.bound = bound;
      pruned.variants += variants;
      if (pruned.machines.empty() || pruned.machines.back() != machines[m].id)
        pruned.machines.push_back(machines[m].id);
    }
  for (auto& [bound, pruned] : by_bound) plan.pruned.push_back(std::move(pruned));
  std::stable_sort(plan.pruned.begin(), plan.pruned.end(),
                   [](const PlanPruned& x, const PlanPruned& y) { return x.variants > y.variants; });
}

void say_left_out(const std::vector<std::pair<std::string, std::string>>& reasons, Plan& plan) {
  for (const auto& [reason, machine] : reasons) {
    const auto known =
        std::find_if(plan.left_out.begin(), plan.left_out.end(), [&](const auto& r) { return r.first == reason; });
    if (known == plan.left_out.end())
      plan.left_out.push_back({reason, {machine}});
    else if (std::find(known->second.begin(), known->second.end(), machine) == known->second.end())
      known->second.push_back(machine);
  }
}

// A job that no machine can run is at fault itself.
void refuse_if_none_runs(const std::vector<MachineTried>& tried) {
  const MachineTried* faulty = nullptr;
  for (const MachineTried& machine : tried) {
    if (machine.problems.empty()) return;
    if (faulty == nullptr || machine.problems.size() < faulty->problems.size()) faulty = &machine;
  }
  if (faulty != nullptr) throw InputError(faulty->problems);
}

}  // namespace

Plan plan(const std::string& path, const PlanOptions& options) {
  const Catalog catalog = shared_catalog();
  const Question question = read_question(path, catalog);
  std::vector<std::pair<std::string, std::string>> left_out;
  const std::vector<MachineChoice> machines = machine_choices(question, catalog, left_out);
  if (machines.empty())
    throw InputError({{path, "/machines", "machines that have a price", "none", "leave only or without out"}});
  const int jobs =
      options.jobs > 0 ? options.jobs : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));

  Plan result;
  result.name = question.name;
  result.goal = question.goal;
  result.currency = question.currency;
  result.deadline_s = question.deadline_s;
  result.budget = question.budget;
  result.runs_asked = question.runs;
  std::vector<MachineTried> tried = try_all(question, machines, catalog, {}, jobs);
  refuse_if_none_runs(tried);
  for (const MachineTried& machine : tried) result.runs += machine.runs;
  say_pruned(tried, machines, result);
  const Ranking ranking(question);
  result.offers = ranking.best_of_each(keeping_both(offers_of(tried, true)));
  result.unproven = ranking.best_of_each(keeping_both(offers_of(tried, false)));
  if (result.offers.empty()) {  // what comes nearest may be what the bounds left out
    tried = try_all(question, machines, catalog, {false, false, true}, jobs);
    for (const MachineTried& machine : tried) result.runs += machine.runs;
    std::vector<PlanOffer> candidates = offers_of(tried, true);
    if (candidates.empty() && result.unproven.empty()) candidates = offers_of(tried, false);
    result.nearest = nearest(question, ranking, candidates);
  }
  for (std::size_t o = 0; o < result.offers.size() && !result.sure; ++o)
    if (!question.deadline_s || result.offers[o].worst_time_s() <= *question.deadline_s) result.sure = o;
  compare_with_best(question, result);
  result.machines = static_cast<int>(machines.size());
  for (std::size_t m = 0; m < machines.size(); ++m) {
    if (!keeping_both(tried[m].offers).empty()) continue;
    left_out.emplace_back(tried[m].offers.empty() ? tried[m].why_not : why_lost(tried[m]), machines[m].id);
  }
  for (MachineTried& machine : tried)
    for (PlanOffer& offer : machine.offers) {
      offer.report = {};
      offer.doubts.clear();
      result.tried.push_back(std::move(offer));
    }
  say_left_out(left_out, result);
  return result;
}

}  // namespace clustersim
