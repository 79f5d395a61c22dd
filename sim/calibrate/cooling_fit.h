// The thermal resistance of a GPU from a course of its temperature under a step of heat (thermal_step of gpubench).
//
//   T = T_air + R_1 x_1 + R_2 x_2 + C exp(-t / tau_2),   dx_k/dt = (P - x_k) / tau_k,  x_k(0) = 0;   R = R_1 + R_2
// tau by trial, 0.5..5 s (die) and 5..200 s (heat sink); the rest by robust_fit. C: what the work before had left.
// No number where heating lasted less than 1.5 tau_2 (the end would be carried on from the beginning), with fewer than
// 16 readings, or where the fit misses the readings by more than 3 % in the median (a fan that turned, a throttle).
// Checked by: tests/tools/gpubench_calibrate_test.cc.
#pragma once

#include <string>
#include <vector>

#include "models/calibration/robust_fit.h"

namespace clustersim {

struct CoolingFit {
  bool found = false;
  std::string reason;  // why not
  double k_per_w = 0, sink_s = 0;
  FitQuality quality;  // of the temperatures, degC; from..to in s
};

CoolingFit fit_cooling(const std::vector<double>& time_s, const std::vector<double>& celsius,
                       const std::vector<double>& watts);

}  // namespace clustersim
