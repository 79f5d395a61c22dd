// tensor_parallel, pipeline_parallel and interleave: what divides what, with every fault.
#pragma once

#include "clustersim/scenario.h"
#include "sim/read/read_context.h"
#include "sim/read/scenario_keys.h"

namespace clustersim {

// The model and the stack are there. False: with a fault; the job is then left whole, and says nothing of its memory.
bool resolve_model_parallel(ReadContext& context, const JobKeys& keys, const Cluster& cluster, Job& job);

}  // namespace clustersim
