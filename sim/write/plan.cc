// A plan's answer, for people and for programs.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "sim/write/readable.h"
#include "sim/write/writers.h"

namespace clustersim {
namespace {

using Json = nlohmann::ordered_json;

constexpr int width = 96;
constexpr std::size_t offers_shown = 6;
constexpr std::size_t doubts_shown = 4;
constexpr std::size_t names_shown = 8;

struct Part {
  const char* metric;
  const char* name;
};
constexpr Part parts[] = {{"forward_backward_time", "forward and backward"},
                          {"exposed_communication_time", "exposed communication"},
                          {"input_stall_time", "waiting for input"},
                          {"optimizer_time", "optimizer"},
                          {"host_overhead_time", "host"},
                          {"straggler_time", "waiting for the slowest"}};

double metric(const Report& report, const std::string& name) {
  for (const Metric& m : report.metrics)
    if (m.name == name) return m.value;
  return 0;
}

std::string machines_text(const PlanOffer& offer) {
  return std::to_string(offer.count) + " x " + offer.machine + " (" + std::to_string(offer.gpus) + " x " + offer.gpu +
         (offer.count > 1 ? " in all)" : ")") + (offer.rented ? ", rented" : ", owned");
}

std::string step_text(const PlanOffer& offer) {
  const double step = metric(offer.report, "step_time");
  std::string text;
  for (const Part& part : parts) {
    const double share = metric(offer.report, part.metric) / step;
    if (share >= 0.005) text += (text.empty() ? "" : ", ") + std::string(part.name) + " " + percent(share);
  }
  return text;
}

std::string money_text(const PlanOffer& offer) {
  if (offer.rented) return readable(offer.run_cost, offer.currency) + " for the run";
  return readable(*offer.purchase, offer.currency) + " to buy; this run's share " +
         readable(offer.run_cost, offer.currency);
}

std::string sure_text(const Plan& plan, const PlanOffer& offer) {
  if (!offer.worst_error) return "no published row is like it";
  std::string text = "9 in 10 of " + offer.like + ", are within " + percent(*offer.worst_error) + ": up to " +
                     readable(offer.worst_time_s(), "s");
  if (offer.rented) text += " and " + readable(offer.run_cost * (1 + *offer.worst_error), offer.currency);
  if (plan.deadline_s) text += offer.worst_time_s() <= *plan.deadline_s ? ", still in time" : ", which is late";
  return text;
}

std::string labelled(const std::string& label, const std::string& text) {
  const std::string lines = folded(text, 22, width);
  return "    " + left(label, 18) + lines.substr(std::min<std::size_t>(22, lines.size()));
}

// What "trained" means: "2.45 M samples, 0.0156 epochs, 6,384 steps".
std::string target_text(const Report& report) {
  std::string text;
  for (const char* what : {"samples", "epochs", "steps"})
    for (const Metric& metric : report.metrics)
      if (metric.name == std::string(what) + "_to_target")
        text += (text.empty() ? "" : ", ") + metric_text(metric) + " " + what;
  return text;
}

std::string offer_block(const Plan& plan, const PlanOffer& offer) {
  std::string text = "  " + machines_text(offer) + "\n";
  if (!offer.network.empty()) text += labelled("network", offer.network);
  text += labelled("trains", target_text(offer.report));
  text += labelled("time to train", readable(offer.time_s, "s"));
  text += labelled("money", money_text(offer));
  text += labelled("limit", offer.report.bottleneck.kind + ", " + percent(offer.report.bottleneck.share) +
                                " of the step; " + offer.report.bottleneck.advice);
  text += labelled("step", step_text(offer));
  text += labelled("how sure", sure_text(plan, offer));
  for (std::size_t d = 0; d < std::min(doubts_shown, offer.doubts.size()); ++d)
    text += labelled(d == 0 ? "leans on" : "", offer.doubts[d]);
  if (offer.doubts.size() > doubts_shown)
    text += labelled("", "and " + std::to_string(offer.doubts.size() - doubts_shown) + " more guesses (--format json)");
  return text;
}

std::string offer_rows(const std::vector<PlanOffer>& offers, std::size_t first) {
  std::string text =
      "  " + left("machines", 44) + right("time", 11) + right("9 in 10", 11) + right("to spend", 13) + "  limit\n";
  const std::size_t end = std::min(offers.size(), first + offers_shown);
  for (std::size_t o = first; o < end; ++o) {
    const PlanOffer& offer = offers[o];
    const std::string name = std::to_string(offer.count) + " x " + offer.machine + (offer.rented ? "" : ", owned");
    text += "  " + left(name, 44) + right(readable(offer.time_s, "s"), 11) +
            right(offer.worst_error ? readable(offer.worst_time_s(), "s") : "?", 11) +
            right(readable(offer.outlay(), offer.currency), 13) + "  " + offer.report.bottleneck.kind + "\n";
  }
  if (offers.size() > end) text += "  and " + std::to_string(offers.size() - end) + " more\n";
  return text;
}

std::string nearest_section(const Plan& plan) {
  std::string text = plan.unproven.empty()
                         ? "Nothing keeps the deadline and the budget. What comes nearest\n"
                         : "\nOf machines with published rows like them none keeps both. What comes nearest\n";
  if (plan.nearest.empty()) return text + "  nothing: no machine is in time, and none within the budget\n";
  for (const PlanOffer& offer : plan.nearest) {
    text += offer_block(plan, offer);
    if (!offer.in_time) text += labelled("misses", "the deadline by " + readable(offer.time_s - *plan.deadline_s, "s"));
    if (!offer.in_budget)
      text += labelled("misses", "the budget by " + readable(offer.outlay() - *plan.budget, offer.currency));
    text += "\n";
  }
  return text;
}

std::string left_out_section(const Plan& plan) {
  if (plan.left_out.empty()) return "";
  std::string text = "\nNot among them\n";
  for (const auto& [reason, machines] : plan.left_out) {
    std::string names;
    for (std::size_t m = 0; m < std::min(names_shown, machines.size()); ++m)
      names += (m == 0 ? "" : ", ") + machines[m];
    if (machines.size() > names_shown) names += " and " + std::to_string(machines.size() - names_shown) + " more";
    text += folded(reason + ": " + names, 2, width);
  }
  return text;
}

Json offer_json(const PlanOffer& offer) {
  Json json = {{"machine", offer.machine}, {"count", offer.count},      {"gpus", offer.gpus},
               {"gpu", offer.gpu},         {"rented", offer.rented},    {"currency", offer.currency},
               {"time_s", offer.time_s},   {"run_cost", offer.run_cost}};
  if (!offer.network.empty()) json["network"] = offer.network;
  if (offer.purchase) json["purchase"] = *offer.purchase;
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

std::string plan_as_table(const Plan& plan) {
  std::string text = plan.name + ": " + plan.goal + "\n" + std::to_string(plan.machines) + " kinds of machine, " +
                     std::to_string(plan.runs) + " runs\n\n";
  const std::string title = plan.deadline_s ? "Least money in time" : "Fastest within the budget";
  if (plan.offers.empty()) {
    if (!plan.unproven.empty())
      text += title + ", on a recalled price or without a published row like it\n" +
              offer_block(plan, plan.unproven.front());
    text += nearest_section(plan);
  } else {
    text += title + "\n" + offer_block(plan, plan.offers.front());
    if (plan.sure && *plan.sure > 0)
      text +=
          "\nLeast money that is in time even at the error of 9 in 10\n" + offer_block(plan, plan.offers[*plan.sure]);
    if (!plan.sure) text += "\nNone is in time at the error of 9 in 10.\n";
    if (plan.offers.size() > 1) text += "\nOthers that keep both\n" + offer_rows(plan.offers, 1);
  }
  const std::size_t told = plan.offers.empty() ? 1 : 0;
  if (plan.unproven.size() > told)
    text +=
        "\nKeep both, but on a recalled price or without a published row like them\n" + offer_rows(plan.unproven, told);
  return text + left_out_section(plan);
}

std::string plan_as_json(const Plan& plan) {
  Json json = {{"question", plan.name}, {"goal", plan.goal}, {"machines", plan.machines}, {"runs", plan.runs}};
  if (plan.deadline_s) json["deadline_s"] = *plan.deadline_s;
  if (plan.budget) json["budget"] = {{"value", *plan.budget}, {"unit", plan.currency}};
  json["offers"] = offers_json(plan.offers);
  if (plan.sure) json["sure"] = *plan.sure;
  json["unproven"] = offers_json(plan.unproven);
  json["nearest"] = offers_json(plan.nearest);
  json["left_out"] = Json::array();
  for (const auto& [reason, machines] : plan.left_out)
    json["left_out"].push_back({{"reason", reason}, {"machines", machines}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace clustersim
