// Simulated time: whole picoseconds in 64 bits, so that equal instants compare equal on every machine.
//
// Range: about 106 days inside one simulated window; longer spans are leaps counted outside (steps x duration).
// Durations computed in floating point round up, so that nothing ever ends before its work is done.
#pragma once

#include <cmath>
#include <cstdint>

#include "clustersim/error.h"
#include "clustersim/units.h"

namespace clustersim {

using SimTime = std::int64_t;  // picoseconds

inline constexpr double picoseconds_per_second = 1e12;
inline constexpr SimTime sim_time_never = INT64_MAX;

// The first representable instant at or after `s` seconds. Refuses negative values and more than 9e6 s.
inline SimTime sim_time_from_seconds(double s) {
  require(s >= 0.0 && s < 9.0e6, "a simulated duration lies between 0 and 9e6 s");
  return static_cast<SimTime>(std::ceil(s * picoseconds_per_second));
}

constexpr double sim_time_to_seconds(SimTime t) { return static_cast<double>(t) / picoseconds_per_second; }

}  // namespace clustersim
