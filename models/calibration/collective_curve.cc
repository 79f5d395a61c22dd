#include "models/calibration/collective_curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace clustersim {
namespace {

constexpr std::size_t least_for_curve = 4;
constexpr int more_of_largest = 2;  // times that a size from a quarter of the largest on counts again
constexpr double most_factor = 20, most_residual = 0.5;
constexpr double mib = 1048576.0;

// Logarithms of the factors: small, fill, knee, rate.
using Logs = std::array<double, 4>;
constexpr Logs scatter_of_factors = {0.2, 0.4, 1, 0.05};
constexpr double outlier = 2;  // scatters, from which on a residual counts by itself, not by its square

double scatter_at(double bytes) { return bytes < mib ? 0.10 : bytes < 128 * mib ? 0.06 : 0.03; }

std::size_t different_sizes(const std::vector<double>& sizes) {
  return std::set<double>(sizes.begin(), sizes.end()).size();
}

double relative_error(const std::vector<double>& measured, const std::vector<double>& fitted) {
  double sum = 0;
  for (std::size_t i = 0; i < measured.size(); ++i) sum += std::fabs(fitted[i] / measured[i] - 1);
  return sum;
}

CollectiveFactors factors_of(const Logs& logs) {
  return {std::exp(logs[0]), std::exp(logs[1]), std::exp(logs[2]), std::exp(logs[3])};
}

double fastest(const std::vector<ModelledSize>& algorithms, const CollectiveFactors& k) {
  double least = seconds_of(algorithms.front(), k);
  for (const ModelledSize& m : algorithms) least = std::min(least, seconds_of(m, k));
  return least;
}

// What fit_factors makes least.
double cost(const std::vector<std::vector<ModelledSize>>& sweep, const Logs& logs) {
  double sum = 0;
  for (std::size_t i = 0; i < logs.size(); ++i)
    sum += 2 * (std::sqrt(1 + std::pow(logs[i] / scatter_of_factors[i], 2)) - 1);
  const CollectiveFactors k = factors_of(logs);
  for (const std::vector<ModelledSize>& size : sweep) {
    const double z = std::fabs(std::log(fastest(size, k) / size.front().seconds)) / scatter_at(size.front().bytes);
    sum += z <= outlier ? z * z : outlier * (2 * z - outlier);
  }
  return sum;
}

// Steps along the factors, and along pairs of them that make up for each other, halved where none helps.
Logs descend(const std::vector<std::vector<ModelledSize>>& sweep, Logs at) {
  static constexpr Logs ways[] = {{1, 0, 0, 0},  {0, 1, 0, 0},  {0, 0, 1, 0},     {0, 0, 0, 1},     {1, 1, 0, 0},
                                  {1, -1, 0, 0}, {0, 1, 1, 0},  {0, 1, -1, 0},    {0, 1, 0, 1},     {0, 1, 0, -1},
                                  {1, 0, 1, 0},  {1, 0, -1, 0}, {0, 0.3, 1, 0.1}, {0, -0.3, 1, 0.1}};
  constexpr double farthest = 5, finest = 1e-4;
  double least = cost(sweep, at);
  for (double step = 0.5; step > finest;) {
    bool better = false;
    for (const Logs& way : ways)
      for (const double length : {step, -step}) {
        Logs next = at;
        for (std::size_t i = 0; i < next.size(); ++i)
          next[i] = std::clamp(next[i] + length * way[i], -farthest, farthest);
        const double there = cost(sweep, next);
        if (there >= least) continue;
        least = there;
        at = next;
        better = true;
      }
    if (!better) step /= 2;
  }
  return at;
}

// Geometric steps from low to high, both included.
std::vector<double> steps(double low, double high, int count) {
  std::vector<double> out;
  for (int i = 0; i < count; ++i) out.push_back(low * std::pow(high / low, static_cast<double>(i) / (count - 1)));
  return out;
}

bool sane(double factor) { return factor >= 1 / most_factor && factor <= most_factor; }

}  // namespace

double CollectiveCurve::seconds(double bytes) const {
  return small_s + fill_s * bytes / (bytes + knee_bytes) + (bytes_per_s > 0 ? bytes / bytes_per_s : 0.0);
}

std::optional<CollectiveCurve> fit_curve(const std::vector<TimedSize>& sweep) {
  std::vector<double> sizes, measured;
  for (const TimedSize& row : sweep) {
    sizes.push_back(row.bytes);
    measured.push_back(row.seconds);
  }
  const std::size_t different = different_sizes(sizes);
  if (different < 2) return std::nullopt;
  const auto [low, high] = std::minmax_element(sizes.begin(), sizes.end());
  std::optional<CollectiveCurve> best;
  double least = 0;
  // The largest sizes count more: what lies beyond the sweep is carried on from them.
  std::vector<double> weighted_sizes = sizes, weighted = measured;
  for (std::size_t i = 0; i < sizes.size() && different >= least_for_curve; ++i)
    for (int more = 0; sizes[i] >= *high / 4 && more < more_of_largest; ++more)
      weighted_sizes.push_back(sizes[i]), weighted.push_back(measured[i]);
  const auto consider = [&](bool with_fill, double knee) {
    std::vector<std::vector<double>> rows;
    for (const double s : weighted_sizes)
      rows.push_back(with_fill ? std::vector<double>{1, s, s / (s + knee)} : std::vector<double>{1, s});
    const auto fit = robust_fit(rows, weighted);
    if (!fit) return;
    const double error = relative_error(weighted, fit->fitted);
    if (best && error >= least) return;
    least = error;
    const std::vector<double>& c = fit->coefficients;
    const std::vector<double> fitted(fit->fitted.begin(),
                                     fit->fitted.begin() + static_cast<std::ptrdiff_t>(sizes.size()));
    best = CollectiveCurve{c[0], with_fill ? c[2] : 0.0, knee, c[1] > 0 ? 1 / c[1] : 0.0,
                           quality_of(sizes, measured, fitted)};
  };
  consider(false, 1);
  if (different >= least_for_curve && *high > 16 * *low)
    for (const double knee : steps(std::max(*low, 1024.0), std::max(*high / 4, 2048.0), 64)) consider(true, knee);
  return best;
}

double seconds_of(const ModelledSize& m, const CollectiveFactors& k) {
  return k.small * m.small_s + k.fill * m.fill_s * m.bytes / (m.bytes + k.knee * m.knee_bytes) + m.bound_s / k.rate;
}

bool far_from_model(const CollectiveFactors& factors) {
  constexpr double scatters = 3;
  const auto far = [](double factor, double scatter) { return std::fabs(std::log(factor)) > scatters * scatter; };
  return far(factors.small, scatter_of_factors[0]) || far(factors.fill, scatter_of_factors[1]) ||
         far(factors.rate, scatter_of_factors[3]);
}

std::optional<FactorFit> fit_factors(const std::vector<std::vector<ModelledSize>>& sweep) {
  std::vector<double> sizes, measured, fitted;
  for (const std::vector<ModelledSize>& size : sweep) {
    sizes.push_back(size.front().bytes);
    measured.push_back(size.front().seconds);
    if (!(measured.back() > 0) || !std::isfinite(measured.back())) return std::nullopt;
  }
  if (different_sizes(sizes) < 2) return std::nullopt;
  const auto far_off = std::count_if(sweep.begin(), sweep.end(), [](const std::vector<ModelledSize>& size) {
    return !sane(size.front().seconds / fastest(size, {}));
  });
  if (2 * static_cast<std::size_t>(far_off) >= sweep.size()) return std::nullopt;
  // Where algorithms give way to each other there may be several hollows: the deepest of a few is taken.
  static constexpr Logs starts[] = {{0, 0, 0, 0}, {0, 0, 1, 0}, {0, 0, -1, 0}, {0.5, 0.5, 0, 0}, {-0.5, -0.5, 0, 0}};
  std::optional<Logs> best;
  for (const Logs& start : starts) {
    const Logs found = descend(sweep, start);
    if (!best || cost(sweep, found) < cost(sweep, *best)) best = found;
  }
  const CollectiveFactors k = factors_of(*best);
  if (!sane(k.rate) || k.small > most_factor || k.fill > most_factor) return std::nullopt;
  for (const std::vector<ModelledSize>& size : sweep) fitted.push_back(fastest(size, k));
  FactorFit fit{k, quality_of(sizes, measured, fitted)};
  if (fit.quality.median_residual > most_residual) return std::nullopt;
  return fit;
}

}  // namespace clustersim
