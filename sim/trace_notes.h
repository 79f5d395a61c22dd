// What a report says of a replayed step: where its time lies, what its collectives are, and what is guessed.
#pragma once

#include <vector>

#include "clustersim/report.h"
#include "sim/assembly.h"

namespace clustersim {

// Both empty for a job of another model.
std::vector<Note> trace_notes(const Assembly& assembly);
std::vector<Assumption> trace_assumptions(const Assembly& assembly);

}  // namespace clustersim
