// What doubling each resource would bring, found by running the job again with it doubled.
#pragma once

#include <string>
#include <vector>

#include "clustersim/scenario.h"

namespace clustersim {

struct WhatIf {
  std::string change;  // "2x NIC rate"
  double step_s = 0;   // of a steady step with the change
};

// Only the changes that can matter to this cluster: no NIC without a second node, no loader without a data set.
std::vector<WhatIf> what_if(const Scenario& scenario);

}  // namespace clustersim
