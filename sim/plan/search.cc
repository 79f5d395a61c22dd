#include "sim/plan/search.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "clustersim/clustersim.h"
#include "models/compute/roofline.h"
#include "sim/assembly.h"
#include "sim/plan/batches.h"
#include "sim/plan/describe.h"
#include "sim/plan/networks.h"
#include "sim/read/read_scenario.h"
#include "sim/target.h"

namespace clustersim {

namespace {

constexpr double rounding = 0.99;    // of a least time: a step's parts are whole nanoseconds
constexpr double worth_more = 0.97;  // of the time: a count that gains less ends the search
constexpr int counts_beyond = 2;     // that are tried after one is in time, to show what more money buys
constexpr double none = std::numeric_limits<double>::infinity();

// What a bound says, as the answer names it.
constexpr const char* too_slow = "too slow even with every kernel at its peak";
constexpr const char* rent_too_high = "over the budget even with every kernel at its peak";
constexpr const char* servers_too_dear = "the servers and their network are over the budget";
constexpr const char* dearer = "a cheaper variant of the same machines is in time";
constexpr const char* network_no_help = "no better even if another network hid all communication";
constexpr const char* unpriced = "a card, switch or cable without a price";
constexpr const char* no_batch = "no batch that fits the memory and the samples of a step";
constexpr const char* slower_batch = "a batch that is slower even at its peak";

class MachineSearch {
 public:
  MachineSearch(const Question& question, const MachineChoice& machine, const Catalog& catalog,
                const SearchBounds& bounds)
      : question_(question), machine_(machine), catalog_(catalog), bounds_(bounds) {}

  MachineTried search() {
    int after = 0;
    for (const int count : counts_up_to(machine_.clusters ? question_.most_machines : 1)) {
      const bool was_in_time = any_in_time_;
      const double before_s = fastest_s_;
      try {
        if (!try_count(count)) break;
        tried_.problems.clear();
      } catch (const InputError& error) {
        if (!tried_.offers.empty() && question_.divided) continue;  // a count that the GPUs of a model do not divide
        if (!tried_.offers.empty()) return std::move(tried_);
        tried_.problems = error.problems();
        if (!question_.sharded) break;  // a whole job needs as much on each
      }
      if (fastest_s_ == none) continue;
      if (before_s != none && fastest_s_ > worth_more * before_s) break;
      if (question_.deadline_s && was_in_time && ++after >= counts_beyond && !may_be_cheaper(count)) break;
    }
    if (tried_.problems.empty())
      say_why_not();
    else
      tried_.why_not = "cannot run the job";
    return std::move(tried_);
  }

 private:
  Scenario read(int count, const NetworkChoice& network, const BatchChoice& batch) const {
    std::vector<Override> overrides = {{"/cluster/nodes", std::to_string(count)}};
    if (!network.card.empty()) overrides.emplace_back("/cluster/node/nic", "\"" + network.card + "\"");
    if (network.cards > 0) overrides.emplace_back("/cluster/node/nics", std::to_string(network.cards));
    if (batch.per_gpu > 0) {
      overrides.emplace_back("/job/batch_per_gpu", std::to_string(batch.per_gpu));
      overrides.emplace_back("/job/accumulation", std::to_string(batch.accumulation));
    }
    return read_scenario(machine_.scenario, question_.file, overrides, catalog_);
  }

  void prune(const char* bound, std::size_t variants = 1) { tried_.pruned[bound] += variants; }

  // Seconds that the job needs at the very least: all kernels on the roofline at full clock, on every GPU at once.
  double least_time_s(const Scenario& scenario) {
    const int passes = scenario.job.accumulation, batch = scenario.job.batch_per_gpu;
    const auto [known, fresh] = sample_s_.try_emplace({batch, passes}, 0.0);
    if (fresh) {
      Cluster one = scenario.cluster;
      one.groups.front().count = 1;
      const Assembly assembly(one, scenario.job);
      const StepModel& model = assembly.step_model(0);
      double pass_s = work_seconds({model.forward, 1.0}, {});
      for (const Segment& segment : model.backward) pass_s += work_seconds({segment.kernels, 1.0}, {});
      known->second = pass_s / scenario.job.micro_batch();
    }
    const double samples = target_length(scenario.job, scenario.cluster).samples;
    return rounding * samples * known->second / scenario.cluster.gpus();
  }

  double least_rent(const Scenario& scenario, double least_s) const {
    const auto& cloud = scenario.cost->cloud;
    if (!machine_.rented || !cloud || !cloud->price) return 0;
    return question_.runs.value_or(1) * cloud->price->base() * scenario.cluster.nodes() * least_s *
           scenario.cost->currency_per_usd;
  }

  // Networks with what they cost, the cheapest first.
  struct Joined {
    NetworkChoice network;
    double purchase = 0, network_cost = 0;
    Scenario scenario;  // in the batch that the question, or a default, gives it
  };

  std::vector<Joined> networks(int count) {
    std::vector<Joined> joined;
    const BatchChoice as_given;
    const Scenario first = read(count, {}, as_given);
    if (machine_.rented) {
      joined.push_back({{}, 0, 0, first});
      return joined;
    }
    if (!first.cost->self_hosted->server_price) return joined;
    const double rate = first.cost->currency_per_usd;
    const double servers = (*first.cost->self_hosted->server_price * count).base() * rate;
    servers_cost_ = servers / count;
    const auto choices = network_choices(question_, machine_, first.cluster.groups.front().node.gpus, count);
    if (bounds_.money && question_.budget && servers > *question_.budget) {
      prune(servers_too_dear, choices.size());
      return joined;
    }
    for (const NetworkChoice& choice : choices) {
      const bool as_it_is = choice.card.empty() && choice.cards == 0;
      Scenario scenario = as_it_is ? first : read(count, choice, as_given);
      const std::optional<Money> price = network_cost(scenario, choice, catalog_);
      if (!price) {
        prune(unpriced);
        continue;
      }
      const double network = price->base() * rate;
      joined.push_back({choice, servers + network, network, std::move(scenario)});
    }
    std::stable_sort(joined.begin(), joined.end(),
                     [](const Joined& x, const Joined& y) { return x.purchase < y.purchase; });
    return joined;
  }

  // More owned servers with a cheaper network than what is in time so far.
  bool may_be_cheaper(int count) const { return !machine_.rented && servers_cost_ * (count + 1) < least_in_time_; }

  // What is slower, even with all communication hidden, is no use.
  double slowest_use() const {
    if (bounds_.time) return question_.deadline_s ? *question_.deadline_s : fastest_s_;
    return bounds_.dearer ? worth_more * fastest_s_ : none;
  }

  bool too_dear(const Joined& joined) const {
    return bounds_.money && question_.budget && !machine_.rented && joined.purchase > *question_.budget;
  }

  // False where a larger count is not worth a try.
  bool try_count(int count) {
    const std::vector<Joined> ways = networks(count);
    std::size_t dear = 0, high = 0;
    double hidden_s = 0;  // in which this count would be done, were all communication hidden
    for (const Joined& joined : ways) {
      if (too_dear(joined)) {
        prune(servers_too_dear);
        ++dear;
      } else if (bounds_.dearer && joined.purchase >= least_in_time_ && &joined != &ways.front()) {
        prune(dearer);
      } else if (hidden_s > slowest_use()) {
        prune(network_no_help);
      } else {
        const Hidden found = try_batches(joined, count);
        hidden_s = std::max(hidden_s, found.least_s);
        high += found.rent_high ? 1 : 0;
      }
    }
    return dear + high < ways.size();
  }

  struct Hidden {
    double least_s = 0;      // no batch is faster with another network
    bool rent_high = false;  // over the budget in every batch
  };

  // Keeps the fastest of the batches.
  Hidden try_batches(const Joined& joined, int count) {
    const std::vector<BatchChoice> choices = batch_choices(question_, joined.scenario);
    if (choices.empty()) prune(no_batch);
    std::optional<PlanOffer> best;
    std::vector<PlanBatch> batches;
    std::size_t high = 0;
    double hidden_s = none;
    for (const BatchChoice& choice : choices) {
      Scenario scenario = choice.per_gpu == 0 ? joined.scenario : read(count, joined.network, choice);
      const double least_s = least_time_s(scenario);
      if (bounds_.money && question_.budget && least_rent(scenario, least_s) > *question_.budget) {
        prune(rent_too_high);
        ++high;
      } else if (bounds_.time && least_s > question_.deadline_s.value_or(none)) {
        prune(too_slow);
        hidden_s = std::min(hidden_s, least_s);
      } else if (bounds_.time && best && least_s > best->time_s) {
        prune(slower_batch);
        hidden_s = std::min(hidden_s, least_s);
      } else if (std::optional<PlanOffer> offer = try_one(joined, std::move(scenario))) {
        hidden_s = std::min(hidden_s, without_communication(*offer));
        batches.push_back(offer->batch);
        if (!best || offer->time_s < best->time_s) best = std::move(offer);
      }
    }
    if (best) {
      best->batches = std::move(batches);
      keep(std::move(*best));
    }
    return {hidden_s == none ? 0 : hidden_s, !choices.empty() && high == choices.size()};
  }

  static double without_communication(const PlanOffer& offer) {
    const double exposed = metric_of(offer.report, "exposed_communication_time");
    return rounding * offer.time_s * (1 - exposed / metric_of(offer.report, "step_time"));
  }

  std::optional<PlanOffer> try_one(const Joined& joined, Scenario scenario) {
    if (!machine_.rented)
      scenario.cost->self_hosted->network_price =
          Money::from_base(joined.network_cost / scenario.cost->currency_per_usd);
    PlanOffer offer = describe_offer(question_, machine_, joined.network, scenario);
    if (!machine_.rented) {
      offer.purchase = joined.purchase;
      offer.network_cost = joined.network_cost;
    }
    RunOptions options;
    options.what_if = false;
    offer.report = run(scenario, options);
    ++tried_.runs;
    if (add_result(question_, scenario, offer)) return offer;
    tried_.why_not = "no price of the run is known";
    return std::nullopt;
  }

  void keep(PlanOffer offer) {
    fastest_s_ = std::min(fastest_s_, offer.time_s);
    if (offer.in_time && question_.deadline_s) {
      any_in_time_ = true;
      if (!machine_.rented) least_in_time_ = std::min(least_in_time_, offer.outlay());
    }
    tried_.offers.push_back(std::move(offer));
  }

  void say_why_not() {
    if (!tried_.offers.empty() || !tried_.why_not.empty()) return;
    const std::pair<const char*, const char*> by_weight[] = {
        {rent_too_high, "over budget even if its GPUs ran at their peak"},
        {servers_too_dear, "above the budget"},
        {unpriced, "no price of its network is known"},
        {no_batch, no_batch}};
    tried_.why_not = "too slow in any number";
    for (const auto& [bound, words] : by_weight)
      if (tried_.pruned.count(bound) > 0 && tried_.pruned.count(too_slow) == 0) {
        tried_.why_not = words;
        return;
      }
  }

  const Question& question_;
  const MachineChoice& machine_;
  const Catalog& catalog_;
  const SearchBounds bounds_;
  MachineTried tried_;
  std::map<std::pair<int, int>, double> sample_s_;  // by batch: of one sample, on one GPU
  double fastest_s_ = none, least_in_time_ = none, servers_cost_ = 0;
  bool any_in_time_ = false;
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
