#include "sim/plan/search.h"

#include <algorithm>
#include <bit>

#include "clustersim/clustersim.h"
#include "models/compute/roofline.h"
#include "sim/assembly.h"
#include "sim/read/read_scenario.h"
#include "sim/read/scenario_words.h"
#include "sim/target.h"
#include "sim/validation/expected_error.h"

namespace clustersim {

namespace {

// A larger cluster may train in other batches, whose kernels may be a little better than those of one machine.
constexpr double bound_slack = 0.9;
constexpr double worth_more = 0.97;  // of the time: a count that gains less ends the search

double metric(const Report& report, const std::string& name) {
  for (const Metric& m : report.metrics)
    if (m.name == name) return m.value;
  return 0;
}

bool has_metric(const Report& report, const std::string& name) {
  return std::any_of(report.metrics.begin(), report.metrics.end(), [&](const Metric& m) { return m.name == name; });
}

// Seconds that one machine needs at the very least, all kernels on the roofline at full clock.
double least_time_s(const Scenario& scenario) {
  const Assembly assembly(scenario.cluster, scenario.job);
  const StepModel& model = assembly.step_model(0);
  double pass_s = work_seconds({model.forward, 1.0}, {});
  for (const Segment& segment : model.backward) pass_s += work_seconds({segment.kernels, 1.0}, {});
  const double samples = target_length(scenario.job, scenario.cluster).samples;
  return bound_slack * samples * pass_s / scenario.job.micro_batch() / scenario.cluster.gpus();
}

class MachineSearch {
 public:
  MachineSearch(const Question& question, const MachineChoice& machine, const Catalog& catalog,
                const SearchBounds& bounds)
      : question_(question), machine_(machine), catalog_(catalog), bounds_(bounds) {}

  MachineTried search() {
    try {
      const Scenario one = read(1);
      const double least_s = least_time_s(one);
      if (bounds_.money && rent_bound(one, least_s)) return std::move(tried_);
      for (const int count : counts_up_to(machine_.clusters ? question_.most_machines : 1)) {
        if (machine_.nics > 0 && count == 1) continue;  // the machine alone needs no network
        if (bounds_.time && too_slow(one, least_s, count)) continue;
        if (!try_count(count)) break;
      }
      if (tried_.offers.empty() && tried_.why_not.empty()) tried_.why_not = "too slow in any number";
    } catch (const InputError& error) {
      if (tried_.offers.empty()) {
        tried_.problems = error.problems();
        tried_.why_not = "cannot run the job";
      }
    }
    return std::move(tried_);
  }

 private:
  Scenario read(int count) const {
    std::vector<Override> overrides = {{"/cluster/nodes", std::to_string(count)}};
    if (machine_.nics > 0) overrides.emplace_back("/cluster/node/nics", std::to_string(machine_.nics));
    return read_scenario(machine_.scenario, question_.file, overrides, catalog_);
  }

  // price x count x (least time / count): no count makes it cheaper.
  bool rent_bound(const Scenario& one, double least_s) {
    const bool fixed = one.job.target.kind == Target::Kind::steps;
    if (!machine_.rented || !question_.budget || fixed || !one.cost->cloud || !one.cost->cloud->price) return false;
    const double least_cost = one.cost->cloud->price->base() * least_s * one.cost->currency_per_usd;
    if (least_cost <= *question_.budget) return false;
    tried_.why_not = "over budget even if its GPUs ran at their peak";
    return true;
  }

  bool too_slow(const Scenario& one, double least_s, int count) const {
    const bool fixed = one.job.target.kind == Target::Kind::steps;  // more machines then do more samples
    return question_.deadline_s && least_s / (fixed ? 1 : count) > *question_.deadline_s;
  }

  // False where a larger count is not worth a try.
  bool try_count(int count) {
    const Scenario scenario = read(count);
    PlanOffer offer = describe(scenario, count);
    if (!machine_.rented && !add_purchase(scenario, offer)) {
      tried_.why_not = "no price of its network is known";
      return false;
    }
    const bool affordable = !question_.budget || !offer.purchase || *offer.purchase <= *question_.budget;
    if (!affordable && bounds_.money && !tried_.offers.empty()) return false;
    RunOptions options;
    options.what_if = false;
    offer.report = run(scenario, options);
    ++tried_.runs;
    if (!add_result(offer)) {
      tried_.why_not = "no price of the run is known";
      return false;
    }
    const bool gains = tried_.offers.empty() || offer.time_s < worth_more * tried_.offers.back().time_s;
    const bool was_in_time = !tried_.offers.empty() && tried_.offers.back().in_time;
    tried_.offers.push_back(std::move(offer));
    const PlanOffer& last = tried_.offers.back();
    if (!gains) return false;
    if (!question_.deadline_s) return last.in_budget || !bounds_.money;
    // One more than is needed: a count above may still be cheaper to rent.
    return !last.in_time || (machine_.rented && !was_in_time);
  }

  PlanOffer describe(const Scenario& scenario, int count) const {
    PlanOffer offer;
    const NodeSpec& node = scenario.cluster.groups.front().node;
    offer.machine = machine_.id;
    offer.count = count;
    offer.gpus = scenario.cluster.gpus();
    offer.gpu = node.gpu.id;
    offer.rented = machine_.rented;
    offer.currency = question_.currency;
    if (count > 1 && node.nic)
      offer.network = std::to_string(node.nics) + " x " + node.nic->id + ", " +
                      format_quantity(scenario.cluster.fabric.link) + ", " +
                      word_of(kTransportWords, scenario.cluster.fabric.transport);
    const auto expected = expected_error(scenario);
    if (expected) {
      offer.worst_error = expected->p90;
      offer.like = std::to_string(expected->rows) + " rows: " + expected->like;
    }
    offer.proven = expected && !machine_.guessed_price;
    add_doubts(scenario, offer);
    return offer;
  }

  void add_doubts(const Scenario& scenario, PlanOffer& offer) const {
    if (!machine_.price_date.empty()) offer.doubts.push_back("its price is of " + machine_.price_date);
    if (machine_.guessed_price) offer.doubts.push_back("its price is a recollection");
    if (!offer.worst_error) offer.doubts.push_back("no published row is like it");
    const auto of_money = [](const Assumption& a) {
      return a.pointer.find("price") != std::string::npos || a.pointer.find("on_demand") != std::string::npos ||
             a.pointer.find("reserved") != std::string::npos || a.pointer.find("spot") != std::string::npos;
    };
    for (const bool money : {true, false})
      for (const Assumption& a : scenario.assumptions)
        if (a.kind == Assumption::Kind::estimate && of_money(a) == money)
          offer.doubts.push_back(a.pointer + " = " + a.value + ": " + a.why);
  }

  // Servers, switches and cards; false where a part of it has no price.
  bool add_purchase(const Scenario& scenario, PlanOffer& offer) const {
    const SelfHosted& own = *scenario.cost->self_hosted;
    const SwitchSpec& part = scenario.cluster.fabric.switch_spec;
    if (!own.server_price || (offer.count > 1 && !part.price)) return false;
    offer.purchase = (*own.server_price * offer.count + own.network_price).base() * scenario.cost->currency_per_usd;
    return true;
  }

  bool add_result(PlanOffer& offer) const {
    const char* cost = machine_.rented ? "cost_cloud" : "cost_self_hosted";
    if (!has_metric(offer.report, cost)) return false;
    offer.time_s = metric(offer.report, "time_to_train");
    offer.run_cost = metric(offer.report, cost);
    offer.in_time = !question_.deadline_s || offer.time_s <= *question_.deadline_s;
    offer.in_budget = !question_.budget || offer.outlay() <= *question_.budget;
    return true;
  }

  const Question& question_;
  const MachineChoice& machine_;
  const Catalog& catalog_;
  const SearchBounds bounds_;
  MachineTried tried_;
};

}  // namespace

std::vector<int> counts_up_to(int most) {
  std::vector<int> counts;
  for (int count = 1; count <= most;
       count += std::max(1, static_cast<int>(std::bit_floor(static_cast<unsigned>(count))) / 4))
    counts.push_back(count);
  return counts;
}

MachineTried try_machine(const Question& question, const MachineChoice& machine, const Catalog& catalog,
                         const SearchBounds& bounds) {
  return MachineSearch(question, machine, catalog, bounds).search();
}

}  // namespace clustersim
