// How long a run takes, from its throughput and its interruptions.
//
//   total = first epoch + (samples - first epoch's) / throughput + evaluations * t_eval + checkpoints * t_block
//   checkpoints = whole intervals in the training time
// A run shorter than one epoch takes its share of the first epoch's time.
//
// Pure arithmetic. Does not cover start-up before the first step (outside the clock in MLPerf) and lost work after
// failures (models/outcome/availability.h).
// Checked by: tests/models/time_to_train_test.cc against two MLPerf ResNet-50 logs
#pragma once

#include "clustersim/units.h"

namespace clustersim {

struct RunLength {
  double samples = 0;  // to the target
  double samples_per_epoch = 0;
  Time first_epoch;          // whole, with whatever the cold storage costs
  double samples_per_s = 0;  // steady throughput of the whole job
  double evaluations = 0;
  Time evaluation;           // one
  Time checkpoint_interval;  // 0: never
  Time checkpoint_blocking;  // what one holds up the run
};

struct TimeToTrain {
  Time training;     // first epoch and all others
  Time first_epoch;  // the part of it that was needed
  Time evaluations;
  double checkpoints = 0;
  Time checkpoint;  // all blocking together
  Time total;
};

TimeToTrain time_to_train(const RunLength& run);

}  // namespace clustersim
