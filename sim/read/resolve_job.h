// The training: what the file says over the defaults of the model, the stack and the machines.
#pragma once

#include "clustersim/scenario.h"
#include "sim/read/read_context.h"
#include "sim/read/scenario_keys.h"

namespace clustersim {

Job resolve_job(ReadContext& context, const JobKeys& keys, const Cluster& cluster);

// Number formats in which a GPU can train, as words.
std::vector<std::string> precisions_of(const GpuSpec& gpu);
bool can_train_in(const GpuSpec& gpu, Precision precision);

// Loader processes for each GPU: eight, or the cores there are.
int usual_workers(const Cluster& cluster);

}  // namespace clustersim
