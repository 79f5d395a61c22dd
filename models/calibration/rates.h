// Constants of a device from repeated measurements: a rate with its fixed cost, or one number from several.
//
//   t = fixed + bytes / rate     fit_rate: the sizes of a sweep; weights 1/t, robust
//   middle                       middle_of: median, spread = 1.48 x median |x/median - 1|
// Source: MODELS section 5 (fit order). Checked by: tests/models/calibration_test.cc.
#pragma once

#include <optional>
#include <vector>

#include "models/calibration/collective_curve.h"

namespace clustersim {

struct RateFit {
  double fixed_s = 0, per_s = 0;  // units a second
  FitQuality quality;
};

// Nothing with fewer than two different sizes, or without a cost a byte.
std::optional<RateFit> fit_rate(const std::vector<TimedSize>& sweep);

struct Middle {
  double value = 0;
  FitQuality quality;  // residuals of the values against the median; from..to of `at`
};

// `at` says what each value was measured at (a size, a number of threads). At least one value, all positive.
Middle middle_of(const std::vector<double>& at, const std::vector<double>& values);

}  // namespace clustersim
