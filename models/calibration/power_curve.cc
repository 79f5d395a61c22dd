#include "models/calibration/power_curve.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace clustersim {
namespace {

constexpr std::size_t least_clocks = 4;
constexpr double most_slope = 1.5, least_floor = 0.4;
constexpr double better = 1 - 1e-6;  // a fit replaces one of a higher floor only where it is closer by more

double voltage(double f, double slope, double floor) { return std::max(floor, 1 - slope * (1 - f)); }

struct Trial {
  double error = 0, slope = 0, floor = 1, constant_w = 0, first_w = 0;
  std::vector<double> fitted;
};

class Search {
 public:
  Search(const std::vector<PoweredClock>& rows, double highest_hz) : rows_(rows), highest_hz_(highest_hz) {
    for (const PoweredClock& row : rows) {
      measured_.push_back(row.power_w);
      works_ = std::max(works_, row.work + 1);
    }
  }

  // Floors from the highest down.
  void over(double slope_from, double slope_to, double floor_from, double floor_to, double step) {
    for (double floor = floor_to; floor > floor_from - step / 2; floor -= step)
      for (double slope = slope_from; slope < slope_to + step / 2; slope += step)
        consider(std::clamp(slope, 0.0, most_slope), std::clamp(floor, least_floor, 1.0));
  }
  const std::optional<Trial>& best() const { return best_; }

 private:
  void consider(double slope, double floor) {
    std::vector<std::vector<double>> columns;
    for (const PoweredClock& row : rows_) {
      std::vector<double> c(static_cast<std::size_t>(works_) + 1, 0.0);
      const double f = row.clock_hz / highest_hz_, v = voltage(f, slope, floor);
      c[0] = row.leakage;
      c[static_cast<std::size_t>(row.work) + 1] = f * v * v;
      columns.push_back(std::move(c));
    }
    const auto fit = robust_fit(columns, measured_);
    if (!fit) return;
    double error = 0;
    for (std::size_t i = 0; i < measured_.size(); ++i) error += std::fabs(fit->fitted[i] / measured_[i] - 1);
    if (best_ && error >= best_->error * better) return;
    best_ = Trial{error, slope, floor, fit->coefficients[0], fit->coefficients[1], fit->fitted};
  }

  const std::vector<PoweredClock>& rows_;
  double highest_hz_;
  int works_ = 1;
  std::vector<double> measured_;
  std::optional<Trial> best_;
};

}  // namespace

double PowerCurve::watts(double clock_hz) const {
  const double f = clock_hz / highest_hz, v = voltage(f, voltage_slope, voltage_floor);
  return full_w * (static_share + (1 - static_share) * f * v * v);
}

std::optional<PowerCurve> fit_power_curve(const std::vector<PoweredClock>& rows) {
  std::set<double> clocks;
  std::vector<double> at, measured;
  for (const PoweredClock& row : rows) {
    if (!(row.clock_hz > 0) || !(row.power_w > 0)) return std::nullopt;
    if (row.work == 0) clocks.insert(std::round(row.clock_hz / 10e6));
    at.push_back(row.clock_hz);
    measured.push_back(row.power_w);
  }
  if (clocks.size() < least_clocks) return std::nullopt;
  double highest = 0;
  for (const PoweredClock& row : rows)
    if (row.work == 0) highest = std::max(highest, row.clock_hz);
  Search search(rows, highest);
  search.over(0, most_slope, least_floor, 1, 0.05);
  if (!search.best()) return std::nullopt;
  const Trial coarse = *search.best();
  search.over(coarse.slope - 0.05, coarse.slope + 0.05, coarse.floor - 0.05, coarse.floor + 0.05, 0.01);
  const Trial& best = *search.best();
  PowerCurve curve;
  curve.full_w = best.constant_w + best.first_w;
  if (!(curve.full_w > 0) || !(best.first_w > 0)) return std::nullopt;
  curve.static_share = best.constant_w / curve.full_w;
  curve.voltage_slope = best.slope;
  curve.voltage_floor = best.floor;
  curve.highest_hz = highest;
  curve.quality = quality_of(at, measured, best.fitted);
  return curve;
}

std::optional<double> memory_knee_hz(const std::vector<std::pair<double, double>>& rows) {
  std::set<double> clocks;
  for (const auto& [clock, seconds] : rows) {
    if (!(clock > 0) || !(seconds > 0)) return std::nullopt;
    clocks.insert(clock);
  }
  if (clocks.size() < least_clocks) return std::nullopt;
  double best_knee = 0, least = 0;
  constexpr double step = 0.005;
  for (double knee = *clocks.begin() * (1 - step); knee < *clocks.rbegin(); knee *= 1 + step) {
    std::vector<double> flat;
    for (const auto& [clock, seconds] : rows) flat.push_back(seconds / std::max(1.0, knee / clock));
    const double t0 = median_of(flat);
    double error = 0;
    for (const double t : flat) error += std::fabs(t / t0 - 1);
    if (best_knee == 0 || error < least) best_knee = knee, least = error;
  }
  return best_knee < *clocks.begin() ? std::nullopt : std::optional<double>(best_knee);
}

}  // namespace clustersim
