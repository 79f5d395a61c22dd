// What is to be priced, and the rented cluster that a comparison needs.
#pragma once

#include <string>
#include <vector>

#include "clustersim/scenario.h"
#include "sim/read/json_reader.h"
#include "sim/read/read_context.h"
#include "sim/read/scenario_keys.h"

namespace clustersim {

// What an hour of the instance costs so; empty where the catalog has no such price.
std::optional<TimePrice> tariff(const CloudSpec& cloud, CloudPricing pricing);

// The scenario's own rates of exchange, /cost/exchange, over those of the catalog; before the scenario is read.
void add_exchange(const JsonValue& document, const std::string& file, ExchangeRates& rates,
                  std::vector<Problem>& problems);

// Fills scenario.cost, and cloud_cluster and cloud_job where the cluster is not the instance that is priced.
// `conversions`: of the money that the scenario states in other currencies.
void resolve_cost(ReadContext& context, const ScenarioKeys& keys, const ExchangeRates& rates,
                  const std::vector<Conversion>& conversions, Scenario& scenario);

}  // namespace clustersim
