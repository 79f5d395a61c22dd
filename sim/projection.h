// From one steady step to the whole run: how many steps, how long, how warm, how much energy.
#pragma once

#include <optional>

#include "models/outcome/cost.h"
#include "models/outcome/time_to_train.h"
#include "sim/job.h"
#include "sim/target.h"

namespace clustersim {

struct Projection {
  TargetLength target;
  double throughput = 0;  // samples/s, steady
  TimeToTrain time;
  Time saved_while_cool;  // counted in `time`: before the GPUs are warm they are faster (warm_up.h)
  Time one_evaluation;
  Time one_checkpoint;  // holds the run up so long
  Power gpu_power;      // mean over GPUs, while training
  Power node_power;     // mean over nodes, from the wall, while training
  Power installed_node_power;
  Time checkpoint_interval;  // 0: none
  Temperature hottest;
  double slowest_clock = 1;  // relative
  RunUse use(const Cluster& cluster) const;
};

// How long one checkpoint would hold up the run, whether it takes any; empty where the size of the weights or a rate is
// not known.
std::optional<Time> checkpoint_time(const Assembly& assembly);
// Until one is on the node's drives; the next cannot begin before.
Time checkpoint_write_time(const Assembly& assembly);

Projection project(const Assembly& assembly, const JobResult& result);

}  // namespace clustersim
