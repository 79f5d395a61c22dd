// What a sweep of a collective over sizes says: on its own, and against a model of the same collective.
//
//   on its own     T(S) = small + fill S/(S+knee) + S/rate                 (MODELS 3.5's four numbers)
//   on a model     T(S) = k_small small_m + k_fill fill_m S/(S + k_knee knee_m) + S spb_m / k_rate
// S buffer as nccl-tests counts it (bytes), T seconds; rate is algbw; *_m are the model's own numbers for the same
// ranks and size, k_* dimensionless, 1 where the model is right.
//
// On its own: with fewer than four sizes, or none on either side of the knee, fill is 0 (alpha-beta). `knee` is found
// by trying 4 to 64 steps a decade between the sizes, the rest by robust_fit, in which sizes from a quarter of the
// largest on count three times: the rate is read off them. Of 18 published logs the largest size is met within 4 %, but
// one of four sizes within 13 %. On a model: small, fill, knee and rate each get a factor, so that two sizes are
// enough: what the sizes do not show stays near 1. Of the algorithms that compete for a size the fastest counts.
// Minimised is
//   sum over sizes of h(r / scatter(S)) + sum over factors of 2 (sqrt(1 + (ln k / scatter_k)^2) - 1)
// r = ln(modelled / measured); h(z) = z^2 up to 2, 4 z - 4 beyond: where a protocol gives way to the next is what the
// model knows least. Scatter of sizes: 10 % below 1 MiB, 6 % below 128 MiB, 3 % from there; of factors: small 20 %,
// fill 40 %, knee a factor of e, rate 5 % [as 18 published all-reduce logs, fitted whole, scatter around this model:
// about 1.5 times the median distance]. A factor far from 1 costs in proportion to its logarithm, so that what both
// ends of a sweep show is followed. Refused are factors above 20, of the rate below 1/20, sweeps that are off by more
// than 20 times, or after the fit by half, at half of their sizes: such a measurement is of another machine.
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

// Whether a factor lies more than three of its scatters from 1.
bool far_from_model(const CollectiveFactors& factors);

struct FactorFit {
  CollectiveFactors factors;
  FitQuality quality;
};

// Each size under every algorithm that competes for it.
std::optional<FactorFit> fit_factors(const std::vector<std::vector<ModelledSize>>& sweep);

double seconds_of(const ModelledSize& model, const CollectiveFactors& factors);

}  // namespace clustersim
