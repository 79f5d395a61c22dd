// Batches against the memory of the GPUs.
#pragma once

#include "clustersim/scenario.h"
#include "sim/read/read_context.h"

namespace clustersim {

bool fits_everywhere(const Job& job, const Cluster& cluster);

// The largest power of two that fits, up to what the model usually trains with; 1 where none fits.
int usual_batch(const Job& job, const Cluster& cluster);

// A fault that says what is needed, what there is and what would fit.
void check_memory(ReadContext& context, const Job& job, const Cluster& cluster);

}  // namespace clustersim
