// A plan's answer, for people.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sim/write/readable.h"
#include "sim/write/writers.h"

namespace clustersim {
namespace {

constexpr int width = 96;
constexpr std::size_t offers_shown = 6;
constexpr std::size_t doubts_shown = 4;
constexpr std::size_t names_shown = 8;
constexpr double least_epochs = 1;

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
  const std::string runs = whole_number(offer.runs) + " runs";
  if (offer.rented)
    return readable(offer.run_cost, offer.currency) + " for the run" +
           (offer.runs > 1 ? ", " + readable(offer.outlay(), offer.currency) + " for " + runs : "");
  std::string text = readable(*offer.purchase, offer.currency) + " to buy";
  if (offer.network_cost > 0)
    text += ", of it " + readable(offer.network_cost, offer.currency) + " for cards, switches and cables";
  if (offer.electricity > 0)
    text += "; " + readable(offer.electricity, offer.currency) + " of electricity for " + runs +
            ", which keep it busy for " + readable(offer.runs * offer.time_s, "s");
  return text + "; this run's share " + readable(offer.run_cost, offer.currency);
}

// The first rival that the error does not tell from the best.
std::string rival_text(const Plan& plan) {
  if (plan.offers.size() < 2) return "";
  std::string rivals;
  std::size_t more = 0;
  for (std::size_t o = 1; o < plan.offers.size(); ++o) {
    if (!plan.offers[o].toss_up) continue;
    if (rivals.empty())
      rivals = plan.offers[o].machine;
    else
      ++more;
  }
  if (rivals.empty())
    return "the next, " + plan.offers[1].machine + ", is behind by " + percent(plan.offers[1].behind) +
           ", more than the errors of both";
  return "a toss-up with " + rivals + (more > 0 ? " and " + std::to_string(more) + " more" : "") +
         ": their difference is within the errors";
}

std::string sure_text(const Plan& plan, const PlanOffer& offer) {
  if (!offer.worst_error) return "no published row is like it";
  std::string text = "9 in 10 of " + offer.like + ", are within " + percent(*offer.worst_error) + ": up to " +
                     readable(offer.worst_time_s(), "s");
  if (offer.rented) text += " and " + readable(offer.outlay() * (1 + *offer.worst_error), offer.currency);
  if (plan.deadline_s) text += offer.worst_time_s() <= *plan.deadline_s ? ", still in time" : ", which is late";
  return text;
}

std::string labelled(const std::string& label, const std::string& text) {
  const std::string lines = folded(text, 22, width);
  return "    " + left(label, 18) + lines.substr(std::min<std::size_t>(22, lines.size()));
}

// What "trained" means: "49.2 M samples, 38.4 epochs, 24,022 steps". Of a set that is hardly begun no epochs.
std::string target_text(const Report& report) {
  std::string text;
  for (const char* what : {"samples", "epochs", "steps"})
    for (const Metric& metric : report.metrics)
      if (metric.name == std::string(what) + "_to_target" && (metric.value >= least_epochs || what[0] != 'e'))
        text += (text.empty() ? "" : ", ") + metric_text(metric) + " " + what;
  return text;
}

std::string batch_name(const PlanBatch& batch) {
  return whole_number(batch.per_gpu) + (batch.accumulation > 1 ? " x " + std::to_string(batch.accumulation) : "");
}

// "256 a GPU, 2,048 a step; also tried: 128 (+3.1 % of time), 512 (+9.0 %)".
std::string batch_text(const PlanOffer& offer) {
  const PlanBatch& own = offer.batch;
  std::string text = batch_name(own) + " a GPU, " + whole_number(own.global) + " a step";
  std::string others;
  for (const PlanBatch& other : offer.batches) {
    if (other.per_gpu == own.per_gpu && other.accumulation == own.accumulation) continue;
    others += (others.empty() ? "" : ", ") + batch_name(other) + " (+" + percent(other.time_s / own.time_s - 1) +
              (others.empty() ? " of the time)" : ")");
  }
  return others.empty() ? text : text + ", the fastest; also tried: " + others;
}

std::string offer_block(const Plan& plan, const PlanOffer& offer) {
  std::string text = "  " + machines_text(offer) + "\n";
  if (!offer.network.empty()) text += labelled("network", offer.network);
  text += labelled("trains", target_text(offer.report));
  if (offer.batch.per_gpu > 0) text += labelled("batch", batch_text(offer));
  text += labelled("time to train", readable(offer.time_s, "s"));
  text += labelled("money", money_text(offer));
  text += labelled("limit", offer.limit);
  text += labelled("step", step_text(offer));
  text += labelled("how sure", sure_text(plan, offer));
  for (std::size_t d = 0; d < std::min(doubts_shown, offer.doubts.size()); ++d)
    text += labelled(d == 0 ? "leans on" : "", offer.doubts[d]);
  if (offer.doubts.size() > doubts_shown)
    text += labelled("", "and " + std::to_string(offer.doubts.size() - doubts_shown) + " more guesses (--format json)");
  return text;
}

// "toss-up", "+18 %: 24 % dearer a GPU-hour".
std::string behind_text(const PlanOffer& offer) {
  const bool level = offer.why_behind.empty();
  if (level) return offer.limit_kind;
  char times[32];
  std::snprintf(times, sizeof times, "%.1f times: ", 1 + offer.behind);
  const std::string share = percent(std::abs(offer.behind)) + (offer.behind < 0 ? " less: " : " more: ");
  const std::string why = (offer.behind >= 1 ? times : share) + offer.why_behind;
  return offer.toss_up ? "a toss-up, " + why : why;
}

std::string offer_rows(const std::vector<PlanOffer>& offers, std::size_t first) {
  std::string text =
      "  " + left("machines", 42) + right("time", 10) + right("9 in 10", 11) + right("to spend", 12) + "\n";
  const std::size_t end = std::min(offers.size(), first + offers_shown);
  for (std::size_t o = first; o < end; ++o) {
    const PlanOffer& offer = offers[o];
    const std::string name = std::to_string(offer.count) + " x " + offer.machine + (offer.rented ? "" : ", owned");
    text += "  " + left(name, 42) + right(readable(offer.time_s, "s"), 10) +
            right(offer.worst_error ? readable(offer.worst_time_s(), "s") : "?", 11) +
            right(readable(offer.outlay(), offer.currency), 12) + "\n" + folded(behind_text(offer), 6, width);
  }
  if (offers.size() > end) text += "  and " + std::to_string(offers.size() - end) + " more\n";
  return text;
}

// "2.90 h, 24 %".
std::string missed(double value, double limit, const std::string& unit) {
  const double ratio = value / limit;
  char times[32];
  std::snprintf(times, sizeof times, "%.3g", ratio);
  const std::string factor = ratio >= 100 && ratio < 1e15 ? whole_number(ratio) : times;
  return readable(value - limit, unit) + ", " + (ratio >= 2 ? factor + " times it" : percent(ratio - 1));
}

std::string nearest_section(const Plan& plan) {
  if (plan.nearest.empty())
    return plan.unproven.empty() ? "Nothing, and no machine with published rows like it can run the job.\n" : "";
  const char* limits = plan.deadline_s && plan.budget ? "both limits" : plan.deadline_s ? "the deadline" : "the budget";
  std::string text =
      (plan.unproven.empty() ? "Nothing keeps " : "\nOf machines with published rows like them none keeps ") +
      std::string(limits) + ". What comes nearest\n";
  for (const PlanOffer& offer : plan.nearest) {
    text += offer_block(plan, offer);
    if (!offer.in_time) text += labelled("misses", "the deadline by " + missed(offer.time_s, *plan.deadline_s, "s"));
    if (!offer.in_budget)
      text += labelled("misses", "the budget by " + missed(offer.outlay(), *plan.budget, plan.currency));
    text += "\n";
  }
  return text;
}

std::string names_of(const std::vector<std::string>& machines) {
  std::string names;
  for (std::size_t m = 0; m < std::min(names_shown, machines.size()); ++m) names += (m == 0 ? "" : ", ") + machines[m];
  if (machines.size() > names_shown) names += " and " + std::to_string(machines.size() - names_shown) + " more";
  return names;
}

std::string left_out_section(const Plan& plan) {
  if (plan.left_out.empty()) return "";
  std::string text = "\nNot among them\n";
  for (const auto& [reason, machines] : plan.left_out) text += folded(reason + ": " + names_of(machines), 2, width);
  return text;
}

std::string pruned_section(const Plan& plan) {
  if (plan.pruned.empty()) return "";
  std::string text = "\nLeft out without a run, of counts, networks and batches\n";
  for (const PlanPruned& pruned : plan.pruned)
    text +=
        folded(whole_number(static_cast<double>(pruned.variants)) +
                   (pruned.variants == 1 ? " choice on " : " choices on ") + std::to_string(pruned.machines.size()) +
                   (pruned.machines.size() == 1 ? " machine: " : " machines: ") + pruned.bound,
               2, width);
  return text;
}

}  // namespace

std::string plan_as_table(const Plan& plan) {
  std::string text = plan.name + ": " + plan.goal + "\n" + std::to_string(plan.machines) + " kinds of machine, " +
                     std::to_string(plan.runs) + " runs\n\n";
  const std::string title = plan.deadline_s ? "Least money in time" : "Fastest within the budget";
  const char* less_sure = "on a guessed or disputed price, or without a published row like ";
  const std::vector<PlanOffer>& best = plan.offers.empty() ? plan.unproven : plan.offers;
  if (!best.empty()) {
    text += title + (plan.offers.empty() ? std::string(", ") + less_sure + "it" : "") + "\n" +
            offer_block(plan, best.front());
    if (const std::string rivals = rival_text(plan); !rivals.empty()) text += labelled("against others", rivals);
  }
  if (!plan.offers.empty()) {
    if (plan.sure && *plan.sure > 0)
      text +=
          "\nLeast money that is in time even at the error of 9 in 10\n" + offer_block(plan, plan.offers[*plan.sure]);
    if (!plan.sure) text += "\nNone is in time at the error of 9 in 10.\n";
    if (plan.offers.size() > 1) text += "\nOthers that keep both\n" + offer_rows(plan.offers, 1);
  }
  const std::size_t told = plan.offers.empty() ? 1 : 0;
  if (plan.unproven.size() > told)
    text += std::string("\nKeep both, but ") + less_sure + "them\n" + offer_rows(plan.unproven, told);
  if (plan.offers.empty()) text += nearest_section(plan);
  return text + left_out_section(plan) + pruned_section(plan);
}

}  // namespace clustersim
