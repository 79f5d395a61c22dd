// The same job on rented instances: as many as hold the GPUs, the same global batch where it divides.
#pragma once

#include "clustersim/scenario.h"
#include "sim/read/read_context.h"
#include "sim/read/scenario_keys.h"

namespace clustersim {

// Fills scenario.cloud_cluster and cloud_job; returns the number of instances.
int add_cloud_twin(ReadContext& context, const JobKeys& keys, const CloudSpec& cloud, Scenario& scenario);

}  // namespace clustersim
