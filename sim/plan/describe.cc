#include "sim/plan/describe.h"

#include <algorithm>

#include "sim/plan/batches.h"
#include "sim/read/scenario_words.h"
#include "sim/target.h"
#include "sim/validation/expected_error.h"
#include "sim/write/readable.h"

namespace clustersim {

namespace {

constexpr double worth_naming = 0.1;  // of the time: what a cold first epoch takes more than a warm one

bool has_metric(const Report& report, const std::string& name) {
  return std::any_of(report.metrics.begin(), report.metrics.end(), [&](const Metric& m) { return m.name == name; });
}

std::string network_text(const NetworkChoice& network, const Scenario& scenario) {
  const NodeSpec& node = scenario.cluster.groups.front().node;
  if (scenario.cluster.nodes() < 2 || !node.nic) return "";
  std::string text = std::to_string(node.nics) + " x " + node.nic->id + ", " +
                     format_quantity(scenario.cluster.fabric.link, "Gbit/s") + ", " +
                     word_of(kTransportWords, scenario.cluster.fabric.transport);
  if (!network.card.empty()) text += ", bought";
  return text;
}

void add_doubts(const MachineChoice& machine, const NetworkChoice& network, const Scenario& scenario,
                PlanOffer& offer) {
  if (!machine.price_date.empty()) offer.doubts.push_back("its price is of " + machine.price_date);
  if (machine.guessed_price) offer.doubts.push_back("its price is a guess or disputed");
  const auto& cloud = scenario.cost->cloud;
  const bool reserved =
      cloud && (cloud->pricing == CloudPricing::reserved_1y || cloud->pricing == CloudPricing::reserved_3y);
  if (machine.rented && reserved)
    offer.doubts.push_back("reserved for years, and counted as in use " + readable(100 * cloud->utilization, "%") +
                           " of them: idle hours are paid for too");
  if (!offer.worst_error) offer.doubts.push_back("no published row is like it");
  if (offer.batch.extrapolated)
    offer.doubts.push_back("a step of " + readable(offer.batch.global, "") +
                           " samples is outside the published batches: the samples to the target are extrapolated");
  if (!machine.rented && scenario.cluster.nodes() > 1)
    offer.doubts.push_back("prices of cards, switches and cables are estimates" +
                           std::string(network.card.empty() ? "" : "; its own cards are not taken back"));
  const auto of_money = [](const Assumption& a) {
    return a.pointer.find("price") != std::string::npos || a.pointer.find("on_demand") != std::string::npos ||
           a.pointer.find("reserved") != std::string::npos || a.pointer.find("spot") != std::string::npos;
  };
  for (const bool money : {true, false})
    for (const Assumption& a : scenario.assumptions)
      if (a.kind == Assumption::Kind::estimate && of_money(a) == money)
        offer.doubts.push_back(a.pointer + " = " + a.value + ": " + a.why);
}

std::string storage_text(const Scenario& scenario) {
  if (scenario.job.data.from == DataSource::shared && scenario.cluster.storage) {
    const StorageArray& servers = scenario.cluster.storage->servers;
    return std::to_string(servers.count) + " x " + servers.tier.id + " shared";
  }
  const StorageArray& own = scenario.cluster.groups.front().node.storage;
  return std::to_string(own.count) + " x " + own.tier.id + (scenario.cluster.nodes() > 1 ? " in each machine" : "");
}

// What the first epoch takes longer than a warm one, where it reads what no memory holds yet.
void add_cold_start(const Scenario& scenario, PlanOffer& offer) {
  const Dataset& data = scenario.job.data.dataset;
  const double first_s = metric_of(offer.report, "first_epoch_time");
  const double samples = std::min(data.samples, metric_of(offer.report, "samples_to_target"));
  const double rate = metric_of(offer.report, "throughput");
  if (first_s <= 0 || samples <= 0 || rate <= 0) return;
  const double extra_s = first_s - samples / rate;
  if (extra_s < worth_naming * offer.time_s) return;
  const double bytes =
      samples * (scenario.job.data.container == Container::raw ? data.raw_bytes : data.record_bytes).base();
  offer.limit_kind = "first epoch";
  offer.limit = "the first epoch reads " + readable(bytes, "B") + " at " + readable(bytes / first_s, "B/s") + " from " +
                storage_text(scenario) + ": " + readable(first_s, "s") + " of the " + readable(offer.time_s, "s") +
                ", against " + readable(samples / rate, "s") +
                " once it is in memory; faster storage, or data that is loaded before the clock runs";
}

}  // namespace

double metric_of(const Report& report, const std::string& name) {
  for (const Metric& m : report.metrics)
    if (m.name == name) return m.value;
  return 0;
}

PlanOffer describe_offer(const Question& question, const MachineChoice& machine, const NetworkChoice& network,
                         const Scenario& scenario) {
  PlanOffer offer;
  const NodeSpec& node = scenario.cluster.groups.front().node;
  offer.machine = machine.id;
  offer.count = scenario.cluster.nodes();
  offer.gpus = scenario.cluster.gpus();
  offer.gpu = node.gpu.id;
  offer.rented = machine.rented;
  offer.currency = question.currency;
  offer.runs = question.runs.value_or(1);
  offer.network = network_text(network, scenario);
  const TargetLength length = target_length(scenario.job, scenario.cluster);
  offer.batch = {scenario.job.batch_per_gpu,
                 scenario.job.accumulation,
                 length.global_batch,
                 length.epochs,
                 0,
                 beyond_published(scenario.job, scenario.cluster)};
  const auto expected = expected_error(scenario);
  if (expected) {
    offer.worst_error = expected->p90;
    offer.like = std::to_string(expected->rows) + " rows: " + expected->like;
  }
  offer.proven = expected && !machine.guessed_price;
  add_doubts(machine, network, scenario, offer);
  return offer;
}

bool add_result(const Question& question, const Scenario& scenario, PlanOffer& offer) {
  const char* cost = offer.rented ? "cost_cloud" : "cost_self_hosted";
  if (!has_metric(offer.report, cost)) return false;
  const bool of_its_own = offer.rented && has_metric(offer.report, "time_to_train_cloud");
  offer.time_s = metric_of(offer.report, of_its_own ? "time_to_train_cloud" : "time_to_train");
  offer.batch.time_s = offer.time_s;
  offer.run_cost = metric_of(offer.report, cost);
  if (!offer.rented && question.runs)
    offer.electricity = offer.runs * metric_of(offer.report, "energy") *
                        scenario.cost->self_hosted->electricity.base() * scenario.cost->currency_per_usd;
  offer.in_time = !question.deadline_s || offer.time_s <= *question.deadline_s;
  offer.in_budget = !question.budget || offer.outlay() <= *question.budget;
  const Bottleneck& limit = offer.report.bottleneck;
  offer.limit_kind = limit.kind;
  offer.limit = limit.kind + ", " + percent(limit.share) + " of the step; " + limit.advice;
  add_cold_start(scenario, offer);
  return true;
}

}  // namespace clustersim
