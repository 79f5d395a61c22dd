#include "models/calibration/kernel_rates.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace clustersim {
namespace {

constexpr double least_share = 0.02, most_share = 20;
constexpr double binding = 1.05;    // arithmetic over memory of a row that counts
constexpr double most_fixed = 0.2;  // of its time
constexpr double tile_m = 256, tile_n = 128;
constexpr double most_prologue_residual = 0.10;
constexpr double well_inside = 0.3;  // of the L2
constexpr double half_kept = 1.5;    // working set over usable bytes where half of it is kept

double seconds_of(const Kernel& kernel) { return kernel.fixed_s + std::max(kernel.math_s, kernel.memory_s); }

// The factor on arithmetic with which the model meets the row.
std::optional<double> share_of(const DeviceModel& device, MathFormat format, const TimedProduct& row) {
  const auto kernel = [&](double share) {
    GemmShape shape = row.shape;
    shape.math_gain *= share;
    return gemm_kernel(device, format, shape);
  };
  const GemmShape& s = row.shape;
  if (!(s.m >= 1 && s.n >= 1 && s.k >= 1 && s.batch >= 1 && s.bytes > 0)) return std::nullopt;
  if (!std::isfinite(s.m * s.n * s.k * s.batch) || !std::isfinite(s.bytes) || !(row.seconds > 0)) return std::nullopt;
  double low = least_share, high = most_share;
  if (seconds_of(kernel(low)) < row.seconds || seconds_of(kernel(high)) > row.seconds) return std::nullopt;
  for (int i = 0; i < 60; ++i) {
    const double middle = std::sqrt(low * high);
    (seconds_of(kernel(middle)) > row.seconds ? low : high) = middle;
  }
  const Kernel met = kernel(high);
  if (met.math_s < binding * met.memory_s || met.fixed_s > most_fixed * row.seconds) return std::nullopt;
  return high;
}

}  // namespace

std::optional<Middle> fit_share(const DeviceModel& device, MathFormat format, const std::vector<TimedProduct>& rows) {
  std::vector<double> flop, shares;
  for (const TimedProduct& row : rows) {
    const auto share = share_of(device, format, row);
    if (!share) continue;
    shares.push_back(*share);
    flop.push_back(2 * row.shape.m * row.shape.n * row.shape.k * row.shape.batch);
  }
  if (shares.empty()) return std::nullopt;
  return middle_of(flop, shares);
}

std::optional<PrologueFit> fit_prologue(double sms, const std::vector<TimedProduct>& rows) {
  std::vector<std::vector<double>> columns;
  std::vector<double> measured, depths;
  for (const TimedProduct& row : rows) {
    const GemmShape& s = row.shape;
    if (!std::isfinite(s.m * s.n * s.k)) return std::nullopt;
    const double waves = std::ceil(std::ceil(s.m / tile_m) * std::ceil(s.n / tile_n) * s.batch / sms);
    columns.push_back({1, waves * s.k, waves});
    measured.push_back(row.seconds);
    depths.push_back(s.k);
  }
  const auto fit = robust_fit(columns, measured);
  if (!fit || !(fit->coefficients[2] > 0)) return std::nullopt;
  PrologueFit out{fit->coefficients[0], fit->coefficients[2], quality_of(depths, measured, fit->fitted)};
  if (out.quality.median_residual > most_prologue_residual) return std::nullopt;
  return out;
}

std::optional<CacheFit> fit_cache(double l2_bytes, double dram, const std::vector<TimedSize>& working_sets) {
  std::vector<TimedSize> inside;
  for (const TimedSize& row : working_sets)
    if (row.bytes < well_inside * l2_bytes) inside.push_back(row);
  if (inside.size() < 3) return std::nullopt;
  const auto rate = fit_rate(inside);
  if (!rate || rate->per_s <= dram) return std::nullopt;
  CacheFit fit{rate->fixed_s, rate->per_s, 0, rate->quality};
  // Share that came from the cache, by working set: 1 inside, 0 far outside.
  std::map<double, std::vector<double>> kept;
  for (const TimedSize& row : working_sets) {
    const double in_memory = row.bytes / dram, in_cache = row.bytes / rate->per_s;
    kept[row.bytes].push_back((in_memory - (row.seconds - rate->fixed_s)) / (in_memory - in_cache));
  }
  double before_bytes = 0, before = 1;
  for (const auto& [bytes, shares] : kept) {
    const double now = median_of(shares);
    if (bytes >= well_inside * l2_bytes && now <= 0.5 && before > 0.5 && before_bytes > 0) {
      const double way = (before - 0.5) / (before - now);
      fit.usable_bytes = before_bytes * std::pow(bytes / before_bytes, way) / half_kept;
      break;
    }
    before_bytes = bytes, before = now;
  }
  return fit;
}

}  // namespace clustersim
