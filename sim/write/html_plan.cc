// The page of a plan: its answer as programs get it, what everything that ran costs and takes, and its sources.
#include <nlohmann/json.hpp>
#include <set>

#include "clustersim/page.h"
#include "clustersim/plan.h"
#include "sim/write/html.h"
#include "sim/write/writers.h"

namespace clustersim {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t sourced = 12;  // offers whose parts are told with their sources

// What the catalog says of the machines and GPUs of the first offers, each once.
Json sources_json(const Plan& plan) {
  std::set<std::string> told;
  Json sources = Json::array();
  const auto add = [&](const std::string& id) {
    if (told.insert(id).second) sources.push_back({{"id", id}, {"text", catalog(id)}});
  };
  for (const std::vector<PlanOffer>* offers : {&plan.offers, &plan.unproven, &plan.nearest})
    for (std::size_t o = 0; o < std::min(sourced, offers->size()); ++o) {
      add((*offers)[o].machine);
      add((*offers)[o].gpu);
    }
  return sources;
}

}  // namespace

std::string page(const Plan& plan) {
  Json data = Json::parse(plan_as_json(plan));
  data["page"] = "plan";
  data["version"] = CLUSTERSIM_VERSION;
  data["currency"] = plan.currency;
  data["sources"] = sources_json(plan);
  return page_of(plan.name + " - clustersim", data.dump(-1, ' ', false, Json::error_handler_t::replace),
                 plan_as_table(plan));
}

}  // namespace clustersim
