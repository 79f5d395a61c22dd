// The recorded window of a steady step as tracks of slices (include/clustersim/timeline.h).
//
// Tracks: the job's collectives; of each simulated GPU its compute stream, its host thread and the stages of its
// loader; every link, storage array and core pool that something flowed over, one track for each transfer at a time.
// To stay small the GPUs and links with the least to show are left out, and counters are averaged over equal bins;
// Timeline::decimation says what was.
// Checked by: tests/sim/step_timeline_test.cc
#pragma once

#include <string>

#include "clustersim/timeline.h"
#include "sim/job.h"
#include "sim/rate_history.h"

namespace clustersim {

struct TimelineLimits {
  std::size_t compute_slices = 100000;
  std::size_t link_slices = 60000;
  std::size_t points_a_counter = 2000;
};

// `rates` by resource, over the same window.
Timeline step_timeline(const Assembly& assembly, const StepRecording& recording, const std::vector<RateSteps>& rates,
                       double step_s, const TimelineLimits& limits = {});

// "node0 (x4)": a node of the plan and how many it stands for.
std::string process_of_node(const Assembly& assembly, int node);

// "host_overhead", ...: the name of a part in timelines.
const char* part_name(Part part);

}  // namespace clustersim
