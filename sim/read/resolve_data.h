// The samples of a job and their way to the GPU.
#pragma once

#include "clustersim/scenario.h"
#include "sim/read/read_context.h"
#include "sim/read/scenario_keys.h"

namespace clustersim {

// Fills job.data; model, stack and sequence are resolved already.
void resolve_data(ReadContext& context, const JobKeys& keys, const Cluster& cluster, Job& job);

}  // namespace clustersim
