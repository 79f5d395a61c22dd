// A plan's answer, for programs.
#include <nlohmann/json.hpp>

#include "sim/write/writers.h"

namespace clustersim {
namespace {

using Json = nlohmann::ordered_json;

Json batch_json(const PlanBatch& batch) {
  Json json = {{"per_gpu", batch.per_gpu}, {"accumulation", batch.accumulation}, {"global", batch.global}};
  if (batch.epochs > 0) json["epochs"] = batch.epochs;
  json["time_s"] = batch.time_s;
  json["extrapolated"] = batch.extrapolated;
  return json;
}

// What is known of everything that ran.
Json tried_json(const PlanOffer& offer) {
  Json json = {{"machine", offer.machine}, {"count", offer.count},   {"gpus", offer.gpus},        {"gpu", offer.gpu},
               {"rented", offer.rented},   {"time_s", offer.time_s}, {"run_cost", offer.run_cost}};
  if (!offer.network.empty()) json["network"] = offer.network;
  json["outlay"] = offer.outlay();
  if (offer.purchase) json["purchase"] = *offer.purchase;
  if (offer.worst_error) json["nine_in_ten"] = *offer.worst_error;
  json["in_time"] = offer.in_time;
  json["in_budget"] = offer.in_budget;
  json["proven"] = offer.proven;
  json["batch"] = batch_json(offer.batch);
  json["limit"] = offer.limit_kind;
  return json;
}

Json offer_json(const PlanOffer& offer) {
  Json json = {{"machine", offer.machine}, {"count", offer.count},      {"gpus", offer.gpus},
               {"gpu", offer.gpu},         {"rented", offer.rented},    {"currency", offer.currency},
               {"time_s", offer.time_s},   {"run_cost", offer.run_cost}};
  if (!offer.network.empty()) json["network"] = offer.network;
  json["runs"] = offer.runs;
  json["outlay"] = offer.outlay();
  if (offer.purchase) {
    json["electricity"] = offer.electricity;
    json["purchase"] = *offer.purchase;
    json["network_cost"] = offer.network_cost;
  }
  json["batch"] = batch_json(offer.batch);
  json["batches"] = Json::array();
  for (const PlanBatch& batch : offer.batches) json["batches"].push_back(batch_json(batch));
  json["limit"] = {{"kind", offer.limit_kind}, {"text", offer.limit}};
  if (!offer.why_behind.empty())
    json["behind"] = {{"share", offer.behind}, {"why", offer.why_behind}, {"toss_up", offer.toss_up}};
  if (offer.worst_error)
    json["expected_error"] = {
        {"nine_in_ten", *offer.worst_error}, {"of", offer.like}, {"time_s", offer.worst_time_s()}};
  json["in_time"] = offer.in_time;
  json["in_budget"] = offer.in_budget;
  json["proven"] = offer.proven;
  json["leans_on"] = offer.doubts;
  json["bottleneck"] = {{"kind", offer.report.bottleneck.kind},
                        {"resource", offer.report.bottleneck.resource},
                        {"share", offer.report.bottleneck.share}};
  for (const Metric& m : offer.report.metrics) json["metrics"][m.name] = m.value;
  return json;
}

Json offers_json(const std::vector<PlanOffer>& offers) {
  Json json = Json::array();
  for (const PlanOffer& offer : offers) json.push_back(offer_json(offer));
  return json;
}

}  // namespace

std::string plan_as_json(const Plan& plan) {
  Json json = {{"question", plan.name}, {"goal", plan.goal}, {"machines", plan.machines}, {"runs", plan.runs}};
  if (plan.deadline_s) json["deadline_s"] = *plan.deadline_s;
  if (plan.budget) json["budget"] = {{"value", *plan.budget}, {"unit", plan.currency}};
  if (plan.runs_asked) json["runs_asked"] = *plan.runs_asked;
  json["offers"] = offers_json(plan.offers);
  if (plan.sure) json["sure"] = *plan.sure;
  json["unproven"] = offers_json(plan.unproven);
  json["nearest"] = offers_json(plan.nearest);
  json["tried"] = Json::array();
  for (const PlanOffer& offer : plan.tried) json["tried"].push_back(tried_json(offer));
  json["pruned"] = Json::array();
  for (const PlanPruned& pruned : plan.pruned)
    json["pruned"].push_back({{"bound", pruned.bound}, {"variants", pruned.variants}, {"machines", pruned.machines}});
  json["left_out"] = Json::array();
  for (const auto& [reason, machines] : plan.left_out)
    json["left_out"].push_back({{"reason", reason}, {"machines", machines}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace clustersim
