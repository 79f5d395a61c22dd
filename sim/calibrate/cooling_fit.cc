#include "sim/calibrate/cooling_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace clustersim {
namespace {

constexpr std::size_t least_readings = 16;
constexpr double least_heating = 1.5;  // of the heat sink's time constant
constexpr double most_residual = 0.03;

// The lagged power at each time.
std::vector<double> lagged(const std::vector<double>& time_s, const std::vector<double>& watts, double tau_s) {
  std::vector<double> x(time_s.size(), 0.0);
  for (std::size_t i = 1; i < x.size(); ++i) {
    const double left = std::exp(-(time_s[i] - time_s[i - 1]) / tau_s);
    x[i] = x[i - 1] * left + watts[i - 1] * (1 - left);
  }
  return x;
}

bool sound(const std::vector<double>& time_s, const std::vector<double>& celsius, const std::vector<double>& watts) {
  if (time_s.size() < least_readings || celsius.size() != time_s.size() || watts.size() != time_s.size()) return false;
  for (std::size_t i = 0; i < time_s.size(); ++i) {
    if (!(celsius[i] > 1 && celsius[i] < 150) || !(watts[i] > 0 && watts[i] < 1e4)) return false;
    if (i > 0 && !(time_s[i] > time_s[i - 1])) return false;
  }
  return true;
}

std::string text_of(const char* format, double a, double b) {
  char text[160];
  std::snprintf(text, sizeof text, format, a, b);
  return text;
}

}  // namespace

CoolingFit fit_cooling(const std::vector<double>& time_s, const std::vector<double>& celsius,
                       const std::vector<double>& watts) {
  CoolingFit best;
  if (!sound(time_s, celsius, watts)) {
    best.reason = "fewer than 16 readings of time, temperature and power";
    return best;
  }
  double least = 0;
  for (double sink_s = 5; sink_s <= 200; sink_s *= 1.15)
    for (const double die_s : {0.5, 1.0, 2.0, 3.0, 5.0}) {
      if (die_s * 2 > sink_s) continue;
      const std::vector<double> die = lagged(time_s, watts, die_s), sink = lagged(time_s, watts, sink_s);
      std::vector<std::vector<double>> columns;
      for (std::size_t i = 0; i < time_s.size(); ++i)
        columns.push_back({1, die[i], sink[i], std::exp(-(time_s[i] - time_s[0]) / sink_s)});
      const auto fit = robust_fit(columns, celsius);
      if (!fit) continue;
      double error = 0;
      for (std::size_t i = 0; i < celsius.size(); ++i) error += std::fabs(fit->fitted[i] / celsius[i] - 1);
      if (best.sink_s > 0 && error >= least) continue;
      least = error;
      best.k_per_w = fit->coefficients[1] + fit->coefficients[2];
      best.sink_s = sink_s;
      best.quality = quality_of(time_s, celsius, fit->fitted);
    }
  const double hot_w = 0.7 * *std::max_element(watts.begin(), watts.end());
  double heating_s = 0;
  for (std::size_t i = 1; i < time_s.size(); ++i)
    if (watts[i - 1] > hot_w) heating_s += time_s[i] - time_s[i - 1];
  if (!(best.k_per_w > 0))
    best.reason = "the temperature does not follow the power";
  else if (heating_s < least_heating * best.sink_s)
    best.reason =
        text_of("%.0f s of heating are too short for a heat sink that takes %.0f s to follow", heating_s, best.sink_s);
  else if (best.quality.median_residual > most_residual)
    best.reason = text_of("the temperature is off a constant resistance by %.0f %% (a fan that turns?)",
                          100 * best.quality.median_residual, 0);
  best.found = best.reason.empty();
  return best;
}

}  // namespace clustersim
