// The power of a GPU against its clock, from a sweep of clock limits under work that keeps it busy.
//
//   P = A (1 + beta (T - T_ref)) + B_w f V(f)^2,   V(f) = max(floor, 1 - slope (1 - f))    [W]
//   full = A + B of the first work;  static_share = A / full
// f: clock over the highest that the first work held; w: work (products, convolutions), each of its own activity.
// slope and floor by trial, 0..1.5 and 0.4..1, A and B by robust_fit; of equal fits the highest floor, since a floor
// below the sweep cannot be seen in it. Needs four different clocks of the first work.
// A and slope make up for each other: a noise of 1 % leaves the curve within 1 % between the clocks, its parts less
// certain. Below the lowest clock nothing is known.
// Source: models/power_thermal/power_draw.h. Checked by: tests/models/kernel_rates_test.cc.
#pragma once

#include <optional>
#include <vector>

#include "models/calibration/robust_fit.h"

namespace clustersim {

struct PoweredClock {
  int work = 0;  // 0: products; counted from 0
  double clock_hz = 0, power_w = 0;
  double leakage = 1;  // 1 + beta (T - T_ref)
};

struct PowerCurve {
  double full_w = 0, static_share = 0, voltage_slope = 0, voltage_floor = 1;
  double highest_hz = 0;
  FitQuality quality;  // of the watts; from..to in Hz
  double watts(double clock_hz) const;
};

std::optional<PowerCurve> fit_power_curve(const std::vector<PoweredClock>& rows);

// The clock below which a stream through memory slows down with the clock, Hz: t = t0 max(1, knee / clock). Nothing
// where it is flat over all clocks, or with fewer than four.
std::optional<double> memory_knee_hz(const std::vector<std::pair<double, double>>& clocks_and_seconds);

}  // namespace clustersim
