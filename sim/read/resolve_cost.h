// What is to be priced, and the rented cluster that a comparison needs.
#pragma once

#include "clustersim/scenario.h"
#include "sim/read/read_context.h"
#include "sim/read/scenario_keys.h"

namespace clustersim {

// What an hour of the instance costs so; empty where the catalog has no such price.
std::optional<TimePrice> tariff(const CloudSpec& cloud, CloudPricing pricing);

// Fills scenario.cost, and cloud_cluster and cloud_job where the cluster is not the instance that is priced.
void resolve_cost(ReadContext& context, const ScenarioKeys& keys, const ExchangeRates& rates, Scenario& scenario);

}  // namespace clustersim
