// From one steady step to the whole run: how many steps, how long, how warm, how much energy.
#pragma once

#include <string>

#include "models/outcome/cost.h"
#include "models/outcome/time_to_train.h"
#include "sim/job.h"

namespace clustersim {

struct Projection {
  double global_batch = 0;       // samples of one optimiser step, all GPUs
  double throughput = 0;         // samples/s, steady
  double samples = 0, steps = 0, epochs = 0;  // to the target
  TimeToTrain time;
  Time one_evaluation;
  std::string target_basis;      // where the number of samples comes from
  bool target_extrapolated = false;
  Power gpu_power;               // mean over GPUs, while training
  Power node_power;              // mean over nodes, from the wall, while training
  Power installed_node_power;
  Temperature hottest;
  double slowest_clock = 1;      // relative
  RunUse use(const Cluster& cluster) const;
};

Projection project(const Assembly& assembly, const JobResult& result);

}  // namespace clustersim
