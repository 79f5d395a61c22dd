// What limits a step most, and what to try against it.
#pragma once

#include "clustersim/report.h"
#include "sim/job.h"

namespace clustersim {

Bottleneck find_bottleneck(const Assembly& assembly, const SteadyStep& step, const JobResult& result);

}  // namespace clustersim
