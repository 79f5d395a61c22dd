// How far a job goes: its target in whole steps.
#pragma once

#include <string>

#include "clustersim/scenario.h"

namespace clustersim {

struct TargetLength {
  double global_batch = 0;  // samples of one optimizer step, all GPUs
  double samples = 0, steps = 0, epochs = 0;
  std::string basis;  // of a quality target: where the number of samples comes from
  bool extrapolated = false;
};

TargetLength target_length(const Job& job, const Cluster& cluster);

}  // namespace clustersim
