// What a run looks like inside, from one more simulation of its steady step with everything written down.
// Checked by: tests/sim/run_detail_test.cc
#pragma once

#include "clustersim/timeline.h"
#include "sim/job.h"

namespace clustersim {

RunDetail record_detail(const Assembly& assembly, const JobResult& result);

}  // namespace clustersim
