#include "sim/plan/rivals.h"

#include <cmath>
#include <cstdio>

#include "sim/write/readable.h"

namespace clustersim {

namespace {

constexpr double hardly = 0.005;  // a difference that is not told

// "24 % more", "5 % less"; above twice as much "3.1 x".
std::string against(double ratio, const char* more, const char* less) {
  if (ratio >= 2) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f x ", ratio);
    return text + std::string(more);
  }
  return percent(std::abs(ratio - 1)) + " " + (ratio > 1 ? more : less);
}

void add(std::string& text, double ratio, const char* more, const char* less) {
  if (std::abs(ratio - 1) < hardly) return;
  text += (text.empty() ? "" : ", ") + against(ratio, more, less);
}

double gpu_hours(const PlanOffer& offer) { return offer.gpus * offer.time_s / 3600; }

std::string why(const PlanOffer& best, const PlanOffer& offer) {
  std::string text;
  if (best.rented && offer.rented) {
    add(text, offer.run_cost / gpu_hours(offer) / (best.run_cost / gpu_hours(best)), "dearer a GPU-hour",
        "cheaper a GPU-hour");
    add(text, gpu_hours(offer) / gpu_hours(best), "more GPU-hours", "fewer GPU-hours");
    if (offer.gpu != best.gpu) text += " (" + offer.gpu + ")";
  } else if (!best.rented && !offer.rented) {
    add(text, offer.outlay() / best.outlay(), "dearer to buy", "cheaper to buy");
    add(text, offer.time_s / best.time_s, "slower", "faster");
  } else {
    text = (offer.rented ? "rented, " : "bought, ") + readable(offer.run_cost, offer.currency) +
           (offer.rented ? " for a run" : " as the share of a run");
  }
  return text.empty() ? "as good" : text;
}

double error_of(const Question& question, const PlanOffer& offer) {
  const bool by_time = !question.deadline_s || offer.rented;
  return by_time ? offer.worst_error.value_or(0) : 0;
}

void compare(const Question& question, const PlanOffer& best, PlanOffer& offer) {
  const bool by_money = question.deadline_s.has_value();
  offer.behind = (by_money ? offer.outlay() / best.outlay() : offer.time_s / best.time_s) - 1;
  offer.why_behind = why(best, offer);
  offer.toss_up = std::abs(offer.behind) <= std::hypot(error_of(question, best), error_of(question, offer));
}

}  // namespace

void compare_with_best(const Question& question, Plan& plan) {
  const bool any = !plan.offers.empty() || !plan.unproven.empty();
  if (!any) return;
  const PlanOffer best = plan.offers.empty() ? plan.unproven.front() : plan.offers.front();
  for (std::size_t o = 0; o < plan.offers.size(); ++o)
    if (o > 0) compare(question, best, plan.offers[o]);
  for (std::size_t o = 0; o < plan.unproven.size(); ++o)
    if (!plan.offers.empty() || o > 0) compare(question, best, plan.unproven[o]);
}

}  // namespace clustersim
