// What flowed over each resource during a window, as steps in time, from the changes that the engine recorded.
#pragma once

#include <vector>

#include "clustersim/run_record.h"

namespace clustersim {

// A rate [units/s] that holds from each time to the next, the last one to the end of the window.
struct RateSteps {
  std::vector<SimTime> time;  // the first at the window's begin; empty: nothing flowed in the window
  std::vector<double> rate;
};

// By resource; rates below 1e-9 of a resource's capacity count as none (they are the rounding of sums).
std::vector<RateSteps> rate_steps(const RunRecord& record, const std::vector<double>& capacity, SimTime from,
                                  SimTime to);

// Units that flowed until `to`, and the time during which any did.
struct RateTotal {
  double units = 0;
  double flowing_s = 0;
};
RateTotal total(const RateSteps& steps, SimTime to);

}  // namespace clustersim
