// `clustersim compare`: scenarios side by side, and why each differs from the first.
//
//   seconds a sample = step_time / (throughput * step_time);   difference of a part = part_B / samples_B - part_A /
//   samples_A
//     samples  of one optimizer step of the whole job: throughput * step_time
// The parts of a step together are the step, so their differences together are the difference in time a sample.
// An offer is one way to get a run done: on the cluster as owned, or on the instances rented for it, which have a time
// of their own. Owned time is paid by the hours that work, but for its electricity, so owning X costs as much as
// renting Y at
//   utilization = u * (owned - electricity) / (rented - electricity);   electricity = energy with PUE * price
//     owned  cost at the utilization u of the scenario;  rented  cost of Y;  all in USD, for the whole run
// Of a run against its own cloud this is its break_even_utilization (models/outcome/cost.h). Where prices are ranges it
// has ends: the low one has owning at its cheapest and renting at its dearest.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>

#include "clustersim/clustersim.h"

namespace clustersim {
namespace {

struct PartName {
  const char* metric;
  const char* name;
};
constexpr PartName parts[] = {{"forward_backward_time", "the forward and backward pass"},
                              {"exposed_communication_time", "exposed communication"},
                              {"input_stall_time", "waiting for input"},
                              {"optimizer_time", "the optimizer"},
                              {"host_overhead_time", "the host"},
                              {"straggler_time", "waiting for the slowest"}};

constexpr double worth_naming = 0.1;  // of the difference: a smaller part is left out
constexpr double the_same = 0.005;    // relative: times nearer than this count as equal

std::string formatted(const char* format, auto... values) {
  char text[120];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

std::optional<double> find(const Report& report, const std::string& name) {
  for (const Metric& metric : report.metrics)
    if (metric.name == name) return metric.value;
  return std::nullopt;
}

double get(const Report& report, const std::string& name) {
  const auto value = find(report, name);
  require(value.has_value(), "a report has " + name);
  return *value;
}

double samples_a_step(const Report& report) { return get(report, "throughput") * get(report, "step_time"); }

struct PartDifference {
  const PartName* part;
  double s_a_sample;  // against the first
  double share;       // of its own step
};

// Largest contribution first.
std::vector<PartDifference> part_differences(const Report& run, const Report& first) {
  std::vector<PartDifference> differences;
  for (const PartName& part : parts)
    differences.push_back(
        {&part, get(run, part.metric) / samples_a_step(run) - get(first, part.metric) / samples_a_step(first),
         get(run, part.metric) / get(run, "step_time")});
  std::stable_sort(differences.begin(), differences.end(), [](const PartDifference& x, const PartDifference& y) {
    return std::abs(x.s_a_sample) > std::abs(y.s_a_sample);
  });
  return differences;
}

// "on node0.nic0" where the run's bottleneck is this part of the step.
std::string where(const Report& report, const PartName& part) {
  const std::string& kind = report.bottleneck.kind;
  const std::string name = part.metric;
  const bool waits_for_input = kind == "storage" || kind == "loader" || kind == "pcie" || kind == "input";
  const bool here =
      (name == "exposed_communication_time" && kind == "fabric") || (name == "input_stall_time" && waits_for_input) ||
      (name == "host_overhead_time" && kind == "host") || (name == "straggler_time" && kind == "straggler");
  return here && !report.bottleneck.resource.empty() ? " on " + report.bottleneck.resource : "";
}

std::string speed_text(double slower, const std::string& first) {
  if (std::abs(slower - 1) < the_same) return "as fast as " + first;
  return slower > 1 ? formatted("%.3g times as long as ", slower) + first
                    : formatted("%.3g times as fast as ", 1 / slower) + first;
}

// "B loses 65 % of its step to exposed communication on node0.nic0 (A: 1 %; +154 us a sample)".
std::string parts_text(const ComparedRun& run, const ComparedRun& first) {
  const double total = get(run.report, "step_time") / samples_a_step(run.report) -
                       get(first.report, "step_time") / samples_a_step(first.report);
  std::string text;
  bool losing = false;
  for (const PartDifference& d : part_differences(run.report, first.report)) {
    if (std::abs(d.s_a_sample) < worth_naming * std::abs(total)) continue;
    const double share_there = get(first.report, d.part->metric) / get(first.report, "step_time");
    const bool loses = d.s_a_sample > 0;
    if (text.empty() || loses != losing)
      text += (text.empty() ? run.letter : std::string(";")) + (loses ? " loses " : " spends ");
    else
      text += ", ";
    losing = loses;
    text += formatted("%.0f %% of its step %s ", 100 * d.share, loses ? "to" : "on") + d.part->name +
            where(run.report, *d.part) + " (" + first.letter + formatted(": %.0f %%", 100 * share_there) +
            where(first.report, *d.part) + formatted("; %+.3g us a sample)", 1e6 * d.s_a_sample);
  }
  return text;
}

std::string difference_text(const ComparedRun& run, const ComparedRun& first, bool same_model) {
  const double slower = get(run.report, "time_to_train") / get(first.report, "time_to_train");
  std::string text = run.letter + " takes " + speed_text(slower, first.letter) + " to its target";
  if (std::abs(slower - 1) < the_same) text = run.letter + " is " + speed_text(slower, first.letter);
  if (slower < 1 - the_same) text = run.letter + " reaches its target " + speed_text(slower, first.letter);
  if (!same_model) return text + "; another model: not taken apart";
  const double samples = get(run.report, "samples_to_target") / get(first.report, "samples_to_target");
  if (std::abs(samples - 1) > the_same) text += formatted("; it needs %.3g times the samples", samples);
  const double a_sample = get(first.report, "throughput") / get(run.report, "throughput");
  if (std::abs(a_sample - 1) < the_same) return text + "; a sample takes the same time";
  return text + "; " + parts_text(run, first);
}

std::string target_text(const Target& target) {
  const char* kinds[] = {"epoch", "sample", "step", "quality"};
  const std::string kind = kinds[static_cast<int>(target.kind)];
  if (target.kind == Target::Kind::quality) return kind;
  return formatted("%g ", target.value) + kind + (target.value == 1 ? "" : "s");
}

class Comparing {
 public:
  Comparing(const std::vector<std::string>& paths, const std::vector<Override>& overrides) { read(paths, overrides); }

  Comparison make() {
    for (std::size_t i = 0; i < scenarios_.size(); ++i) add_run(i);
    if (!problems_.empty()) throw InputError(problems_);
    for (std::size_t i = 0; i < scenarios_.size(); ++i) add_offers(i);
    mark_best();
    for (const Offer& owned : comparison_.offers)
      for (const Offer& rented : comparison_.offers)
        if (!owned.rented && rented.rented) comparison_.break_evens.push_back(own_or_rent(owned, rented));
    explain_differences();
    add_remarks();
    return std::move(comparison_);
  }

 private:
  void read(const std::vector<std::string>& paths, const std::vector<Override>& overrides) {
    for (const std::string& path : paths) {
      try {
        scenarios_.push_back(read_scenario(path, overrides));
      } catch (const InputError& error) {
        add_problems(error.problems());
      }
    }
    if (!problems_.empty()) throw InputError(problems_);
  }

  // A file named twice has its faults told once.
  void add_problems(const std::vector<Problem>& problems) {
    const auto key = [](const Problem& p) { return std::tie(p.file, p.pointer, p.expected, p.got); };
    for (const Problem& problem : problems)
      if (std::none_of(problems_.begin(), problems_.end(), [&](const Problem& p) { return key(p) == key(problem); }))
        problems_.push_back(problem);
  }

  void add_run(std::size_t i) {
    const std::string letter = i < 26 ? std::string(1, static_cast<char>('A' + i)) : std::to_string(i + 1);
    RunOptions options;
    options.what_if = false;
    try {
      comparison_.runs.push_back({letter, scenarios_[i].file, run(scenarios_[i], options), {}, ""});
    } catch (const InputError& error) {
      add_problems(error.problems());
    }
  }

  void add_offers(std::size_t i) {
    if (!scenarios_[i].cost) return;
    const CostSpec& cost = *scenarios_[i].cost;
    ComparedRun& compared = comparison_.runs[i];
    const auto add = [&](const char* metric, bool rented) {
      const auto price = find(compared.report, metric);
      if (!price) {
        compared.unpriced.emplace_back(metric);
        return;
      }
      const double time_s = get(compared.report, rented ? "time_to_train_cloud" : "time_to_train");
      const std::string name = metric;
      const double low = find(compared.report, name + "_low").value_or(*price);
      const double high = find(compared.report, name + "_high").value_or(*price);
      comparison_.offers.push_back(
          {i, rented, time_s, *price, *price / cost.currency_per_usd, low, high, cost.currency, false});
    };
    if (cost.self_hosted) add("cost_self_hosted", false);
    if (cost.cloud) add("cost_cloud", true);
  }

  void mark_best() {
    const auto time = [&](std::size_t i) { return get(comparison_.runs[i].report, "time_to_train"); };
    for (std::size_t i = 1; i < comparison_.runs.size(); ++i)
      if (time(i) < time(comparison_.fastest)) comparison_.fastest = i;
    const Offer* cheapest[2] = {nullptr, nullptr};
    for (Offer& offer : comparison_.offers) {
      const Offer*& best = cheapest[offer.rented ? 1 : 0];
      if (!best || offer.cost_usd < best->cost_usd) best = &offer;
      offer.on_front = std::none_of(comparison_.offers.begin(), comparison_.offers.end(), [&](const Offer& other) {
        return other.time_s <= offer.time_s && other.cost_usd <= offer.cost_usd &&
               (other.time_s < offer.time_s || other.cost_usd < offer.cost_usd);
      });
    }
    if (cheapest[0]) comparison_.cheapest_self_hosted = cheapest[0]->run;
    if (cheapest[1]) comparison_.cheapest_cloud = cheapest[1]->run;
  }

  // What the electricity of an owned run costs, in USD.
  double electricity_usd(const Offer& owned, double CostPart::*end) const {
    for (const CostPart& part : comparison_.runs[owned.run].report.cost->owned)
      if (part.what == "electricity") return part.*end / scenarios_[owned.run].cost->currency_per_usd;
    return 0;
  }

  std::optional<double> break_even(const Offer& owned, double owned_usd, double electricity, double rented_usd) const {
    if (rented_usd <= electricity) return std::nullopt;
    const double use = scenarios_[owned.run].cost->self_hosted->utilization;
    return use * (owned_usd - electricity) / (rented_usd - electricity);
  }

  OwnOrRent own_or_rent(const Offer& owned, const Offer& rented) const {
    const double own_rate = scenarios_[owned.run].cost->currency_per_usd;
    const double rent_rate = scenarios_[rented.run].cost->currency_per_usd;
    OwnOrRent result{owned.run, rented.run, {}, {}, {}};
    result.utilization = break_even(owned, owned.cost_usd, electricity_usd(owned, &CostPart::amount), rented.cost_usd);
    if (!(owned.low < owned.high) && !(rented.low < rented.high)) return result;
    result.low =
        break_even(owned, owned.low / own_rate, electricity_usd(owned, &CostPart::low), rented.high / rent_rate);
    result.high =
        break_even(owned, owned.high / own_rate, electricity_usd(owned, &CostPart::high), rented.low / rent_rate);
    return result;
  }

  bool same_model(std::size_t i) const { return scenarios_[i].job.model_id == scenarios_[0].job.model_id; }

  void explain_differences() {
    for (std::size_t i = 1; i < comparison_.runs.size(); ++i)
      comparison_.runs[i].difference = difference_text(comparison_.runs[i], comparison_.runs[0], same_model(i));
  }

  void remark(std::string text) { comparison_.remarks.push_back(std::move(text)); }

  void add_remarks() {
    for (std::size_t i = 0; i < scenarios_.size(); ++i) {
      if (i > 0) add_job_remarks(i);
      add_cost_remarks(i);
    }
  }

  void add_job_remarks(std::size_t i) {
    const std::string& letter = comparison_.runs[i].letter;
    const Job &job = scenarios_[i].job, &first = scenarios_[0].job;
    if (!same_model(i))
      remark(letter + " is another job than A, " + job.model_id + " and not " + first.model_id +
             ": fastest, cheapest and the front weigh unlike work");
    const bool same_target = job.target.kind == first.target.kind && job.target.value == first.target.value;
    if (!same_target)
      remark(letter + " has another target than A: " + target_text(job.target) + ", not " + target_text(first.target));
    const double batch = samples_a_step(comparison_.runs[i].report) / samples_a_step(comparison_.runs[0].report);
    if (same_model(i) && std::abs(batch - 1) > the_same && job.target.kind != Target::Kind::quality)
      remark(letter +
             formatted(" has %.3g times the samples a step of A: the quality after as many samples may differ", batch));
  }

  void add_cost_remarks(std::size_t i) {
    const ComparedRun& compared = comparison_.runs[i];
    for (const std::string& metric : compared.unpriced) {
      std::string why;
      for (const Note& note : compared.report.notes)
        if (note.topic == (metric == "cost_cloud" ? "cloud" : "self-hosted") && note.text.rfind("no price", 0) == 0)
          why += ": " + note.text;
      remark(compared.letter + " has no " + metric + why + "; it is not ranked by it");
    }
    if (compared.report.cost)
      for (const std::string& warning : compared.report.cost->warnings) remark(compared.letter + ": " + warning);
    if (i == 0 || !scenarios_[i].cost || !scenarios_[0].cost) return;
    const CostSpec &cost = *scenarios_[i].cost, &first = *scenarios_[0].cost;
    if (cost.currency != first.currency)
      remark(compared.letter + " is priced in " + cost.currency + ", A in " + first.currency +
             ": ranked at the catalog's rates");
    if (cost.date != first.date) remark(compared.letter + "'s prices are of " + cost.date + ", A's of " + first.date);
  }

  std::vector<Scenario> scenarios_;
  std::vector<Problem> problems_;
  Comparison comparison_;
};

}  // namespace

Comparison compare(const std::vector<std::string>& paths, const std::vector<Override>& overrides) {
  require(!paths.empty(), "there is something to compare");
  return Comparing(paths, overrides).make();
}

}  // namespace clustersim
