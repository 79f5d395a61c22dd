// A run of some machines as an offer: what it is, what it takes, what sets its time and what it leans on.
#pragma once

#include <string>

#include "sim/plan/machines.h"
#include "sim/plan/networks.h"

namespace clustersim {

double metric_of(const Report& report, const std::string& name);  // 0 where the report has none

// All that is known before it runs.
PlanOffer describe_offer(const Question& question, const MachineChoice& machine, const NetworkChoice& network,
                         const Scenario& scenario);

// What offer.report says; false where it has no price.
bool add_result(const Question& question, const Scenario& scenario, PlanOffer& offer);

}  // namespace clustersim
