// What interruptions of rented spot instances do to a run: how often, what is lost, how long it takes in the end.
//
//   M = 1 / (n lambda)                                  mean time between interruptions of the job
//   interruptions of a stretch of length tau until it is through once = exp(tau / M) - 1
//   wall of a stretch = (M + t_restart) * (exp(tau / M) - 1);   of the run: the sum over its stretches
//     lambda  interruptions of one instance [1/s], of n;   work  time of the run without any [s], checkpoints included
//     tau  time between checkpoints [s]; without any, all the work;   t_restart  until the work goes on [s]
// One instance taken back stops the whole job, which goes on from its last checkpoint; none is lost while it restarts.
// Assumes independent interruptions at a constant rate and other instances to be had at once; a warning that leaves
// time for one more checkpoint would save the half interval, and is not counted.
// The share of instances taken back in a month, as providers publish it, is p = 1 - exp(-lambda month).
// Checked by: tests/models/spot_test.cc (by hand, and against drawn interruptions; not validated against a bill)
#pragma once

#include <optional>

#include "clustersim/units.h"

namespace clustersim {

struct SpotRun {
  double interruptions = 0;
  Time wall;      // what is waited and paid for
  Time lost;      // wall - work
  Time mtbf;      // of the job
  Time interval;  // tau
};

// `checkpoint_interval` 0: none. Empty where it would take over a thousand times the work.
std::optional<SpotRun> spot_run(Frequency interruptions, int instances, Time work, Time checkpoint_interval,
                                Time restart);

// lambda of a published share of instances taken back in a month (730 h), 0..1.
Frequency interruption_rate(double share_in_a_month);

}  // namespace clustersim
