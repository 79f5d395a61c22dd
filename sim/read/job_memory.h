// Batches against the memory of the GPUs.
#pragma once

#include <string>

#include "clustersim/scenario.h"
#include "models/workload/memory.h"
#include "sim/read/read_context.h"

namespace clustersim {

// On the GPU with the worst verdict.
MemoryFit memory_fit(const Job& job, const Cluster& cluster);

// The largest power of two that surely fits, up to what the model usually trains with; 1 where none fits.
int usual_batch(const Job& job, const Cluster& cluster);

// Where the need exceeds the memory, a fault that says what is needed, what there is and what would fit; where it is
// within the uncertainty of the count, a remark. `pointer`: the key that is blamed.
void check_memory(ReadContext& context, const std::string& pointer, const Job& job, const Cluster& cluster);

}  // namespace clustersim
