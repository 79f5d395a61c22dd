// A recorded step as the job's model: the file, what it was recorded on, and what becomes of its collectives.
#pragma once

#include "sim/read/read_context.h"
#include "sim/read/scenario_keys.h"

namespace clustersim {

// False where the job cannot go on; what is wrong has been told.
bool resolve_trace(ReadContext& context, const JobKeys& keys, const Cluster& cluster, Job& job);

// The trace says enough for its collectives, or its gradients, to be planned on any cluster.
bool can_plan_collectives(const StepTrace& trace);

// Drops the assumptions about keys that a recorded step has decided, and tells that given ones change nothing.
void settle_trace_keys(ReadContext& context, const JobKeys& keys);

}  // namespace clustersim
