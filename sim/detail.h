// How closely a run looks: what it may look at, and what the report says of it.
#pragma once

#include <string>

#include "clustersim/clustersim.h"
#include "sim/assembly.h"

namespace clustersim {

// The detail asked for. InputError where the scenario is too large for it, or has collectives without messages.
Detail detail_of(const Scenario& scenario, const RunOptions& options);
// InputError where there are more messages than anybody waits for.
void check_messages(const Assembly& assembly);

// For the report of a run message by message: how the collectives go, and which are bound by latency.
std::string messages_text(const Assembly& assembly);

}  // namespace clustersim
