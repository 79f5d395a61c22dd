// What a sweep of a collective over sizes says: on its own, and against a model of the same collective.
//
//   on its own     T(S) = small + fill S/(S+knee) + S/rate                 (MODELS 3.5's four numbers)
//   on a model     T(S) = k_small small_m + k_fill fill_m S/(S + k_knee knee_m) + S spb_m / k_rate
// S buffer as nccl-tests counts it (bytes), T seconds; rate is algbw; *_m are the model's own numbers for the same
// ranks and size, k_* dimensionless, 1 where the model is right.
//
// On its own: with fewer than four sizes, or none on either side of the knee, fill is 0 (alpha-beta). `knee` is found
// by trying 4 to 64 steps a decade between the sizes, the rest by robust_fit.
// On a model: small, fill, knee and rate each get a factor, so that two sizes are enough: a pull holds near 1 what the
// sizes do not show. Minimised is sum r^2 (from 10 % on: 0.2 |r| - 0.01) + 0.02 sum (ln k)^2 + 0.0025 (ln k_knee)^2,
// r the relative residual of a row: where a protocol gives way to the next is what the model knows least. Factors above
// 20, of the rate below 1/20, and fits that half of the rows miss by half are refused: such a measurement is of another
// machine.
// Source: MODELS 3.5. Checked by: tests/models/calibration_test.cc.
#pragma once

#include <optional>
#include <vector>

#include "models/calibration/robust_fit.h"

namespace clustersim {

struct TimedSize {
  double bytes = 0, seconds = 0;
};

struct CollectiveCurve {
  double small_s = 0, fill_s = 0, knee_bytes = 1, bytes_per_s = 0;  // bytes_per_s 0: no plateau was reached
  FitQuality quality;
  double seconds(double bytes) const;
};

// Nothing with fewer than two different sizes.
std::optional<CollectiveCurve> fit_curve(const std::vector<TimedSize>& sweep);

// The model's numbers of one size.
struct ModelledSize {
  double bytes = 0, seconds = 0;                   // measured
  double small_s = 0, fill_s = 0, knee_bytes = 1;  // modelled
  double bound_s = 0;                              // modelled: S x seconds per byte of the link that binds
};

struct CollectiveFactors {
  double small = 1, fill = 1, knee = 1, rate = 1;
};

struct FactorFit {
  CollectiveFactors factors;
  FitQuality quality;
};

std::optional<FactorFit> fit_factors(const std::vector<ModelledSize>& sweep);

double seconds_of(const ModelledSize& model, const CollectiveFactors& factors);

}  // namespace clustersim
