#include "models/calibration/collective_curve.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace clustersim {
namespace {

constexpr std::size_t least_for_curve = 4;
constexpr double most_factor = 20, most_residual = 0.5;
// Rows scatter by about 5 %, the model's latencies and rates by 35 %, its knees by a factor of e: ratios of squares.
constexpr double pull_to_model = 0.02, pull_of_knee = 0.0025;
constexpr double bad_row = 0.1;  // from here on a residual counts by itself, not by its square

std::size_t different_sizes(const std::vector<double>& sizes) {
  return std::set<double>(sizes.begin(), sizes.end()).size();
}

double relative_error(const std::vector<double>& measured, const std::vector<double>& fitted) {
  double sum = 0;
  for (std::size_t i = 0; i < measured.size(); ++i) sum += std::fabs(fitted[i] / measured[i] - 1);
  return sum;
}

double row_cost(double residual) {
  const double r = std::fabs(residual);
  return r <= bad_row ? r * r : bad_row * (2 * r - bad_row);
}

// What fit_factors makes least: the rows' residuals, and how far the factors are from the model's own 1.
double cost(const std::vector<ModelledSize>& sweep, const CollectiveFactors& k) {
  double sum = pull_of_knee * std::pow(std::log(k.knee), 2);
  for (const double factor : {k.small, k.fill, k.rate})
    sum += pull_to_model * std::pow(std::log(std::max(factor, 1 / most_factor)), 2);
  for (const ModelledSize& m : sweep) sum += row_cost(seconds_of(m, k) / m.seconds - 1);
  return sum;
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
  const auto consider = [&](bool with_fill, double knee) {
    std::vector<std::vector<double>> rows;
    for (const double s : sizes)
      rows.push_back(with_fill ? std::vector<double>{1, s, s / (s + knee)} : std::vector<double>{1, s});
    const auto fit = robust_fit(rows, measured);
    if (!fit) return;
    const double error = relative_error(measured, fit->fitted);
    if (best && error >= least) return;
    least = error;
    const std::vector<double>& c = fit->coefficients;
    best = CollectiveCurve{c[0], with_fill ? c[2] : 0.0, knee, c[1] > 0 ? 1 / c[1] : 0.0,
                           quality_of(sizes, measured, fit->fitted)};
  };
  consider(false, 1);
  if (different >= least_for_curve && *high > 16 * *low)
    for (const double knee : steps(std::max(*low, 1024.0), std::max(*high / 4, 2048.0), 64)) consider(true, knee);
  return best;
}

double seconds_of(const ModelledSize& m, const CollectiveFactors& k) {
  return k.small * m.small_s + k.fill * m.fill_s * m.bytes / (m.bytes + k.knee * m.knee_bytes) + m.bound_s / k.rate;
}

std::optional<FactorFit> fit_factors(const std::vector<ModelledSize>& sweep) {
  std::vector<double> sizes, measured;
  bool fills = true;
  for (const ModelledSize& row : sweep) {
    sizes.push_back(row.bytes);
    measured.push_back(row.seconds);
    fills = fills && row.fill_s > 0;
  }
  const std::size_t different = different_sizes(sizes);
  if (different < 2) return std::nullopt;
  std::optional<FactorFit> best;
  double least = 0;
  for (const double knee : fills ? steps(0.125, 8, 25) : std::vector<double>{1}) {
    std::vector<std::vector<double>> rows;
    for (const ModelledSize& m : sweep) {
      const double fill = m.fill_s * m.bytes / (m.bytes + knee * m.knee_bytes);
      rows.push_back(fills ? std::vector<double>{m.small_s, m.bound_s, fill}
                           : std::vector<double>{m.small_s + fill, m.bound_s});
    }
    const auto fit = robust_fit(rows, measured, pull_to_model);
    if (!fit) continue;
    const std::vector<double>& c = fit->coefficients;
    const CollectiveFactors k{c[0], fills ? c[2] : c[0], knee, c[1] > 0 ? 1 / c[1] : 0};
    if (!sane(k.rate) || k.small > most_factor || k.fill > most_factor) continue;
    std::vector<double> fitted;
    for (const ModelledSize& m : sweep) fitted.push_back(seconds_of(m, k));
    const double error = cost(sweep, k);
    if (best && error >= least) continue;
    least = error;
    best = FactorFit{k, quality_of(sizes, measured, fitted)};
  }
  if (best && best->quality.median_residual > most_residual) best.reset();
  return best;
}

}  // namespace clustersim
