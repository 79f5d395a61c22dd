// Work that shrinks at a rate which changes now and then.
//
//   remaining(t) = remaining(since) - rate * (t - since)        finish = since + remaining / rate, rounded up to a ps
//
// remaining is in units of the work, rate in units a second. It is brought up to date only where the rate changes, so
// an instant at which nothing happens to this work leaves no rounding error in it.
// Checked by: tests/engine/progress_test.cc, tests/engine/executor_test.cc
#pragma once

#include <algorithm>
#include <limits>

#include "clustersim/sim_time.h"

namespace clustersim {

struct Progress {
  double remaining = 0;
  double rate = 0;
  SimTime since = 0;

  void set_rate(SimTime now, double new_rate) {
    advance(now);
    rate = new_rate;
  }

  void advance(SimTime now) {
    if (now > since && rate > 0) remaining = std::max(0.0, remaining - rate * sim_time_to_seconds(now - since));
    since = now;
  }

  // sim_time_never while it does not move.
  SimTime finish() const {
    if (remaining <= 0 || rate == std::numeric_limits<double>::infinity()) return since;
    return rate > 0 ? since + sim_time_from_seconds(remaining / rate) : sim_time_never;
  }
};

}  // namespace clustersim
