// What doubling each resource would bring, found by running the job again with it doubled.
#pragma once

#include <vector>

#include "clustersim/report.h"
#include "clustersim/scenario.h"

namespace clustersim {

// Only the changes that can matter to this cluster: no NIC without a second node, no loader without a data set.
std::vector<WhatIf> what_if(const Scenario& scenario);

}  // namespace clustersim
