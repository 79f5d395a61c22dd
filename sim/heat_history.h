// How every simulated GPU warms up from an idle start under the load of the steady step, until heat and clock stand
// still (models/power_thermal/node_thermal.h). Times of one decision a second, thinned to a few hundred points.
// Checked by: tests/sim/run_detail_test.cc
#pragma once

#include <vector>

#include "clustersim/timeline.h"
#include "sim/job.h"

namespace clustersim {

inline constexpr int heat_points = 600;  // of one GPU, at most; each a state as it was, none an average

std::vector<HeatHistory> heat_histories(const Assembly& assembly, const JobResult& result);

}  // namespace clustersim
