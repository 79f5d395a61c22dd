// The simulated cluster as a graph with the load of the steady step on it, for drawing.
// Checked by: tests/sim/run_detail_test.cc
#pragma once

#include "clustersim/timeline.h"
#include "sim/job.h"
#include "sim/rate_history.h"

namespace clustersim {

// `rates` by resource, over the recorded window.
ClusterPicture cluster_picture(const Assembly& assembly, const JobResult& result, const StepRecording& recording,
                               const std::vector<RateSteps>& rates);

}  // namespace clustersim
