#include "tools/measurement/statistics.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace clustersim::measurement {

double quantile(std::vector<double> samples, double share) {
  if (samples.empty()) throw std::invalid_argument("a quantile needs a sample");
  std::sort(samples.begin(), samples.end());
  const double place = share * static_cast<double>(samples.size() - 1);
  const std::size_t below = static_cast<std::size_t>(place);
  if (below + 1 >= samples.size()) return samples.back();
  const double weight = place - static_cast<double>(below);
  return samples[below] + weight * (samples[below + 1] - samples[below]);
}

Summary summarise(const std::vector<double>& samples) {
  for (double sample : samples) {
    if (!std::isfinite(sample) || sample < 0) throw std::invalid_argument("a sample is not a measurement");
  }
  Summary summary;
  summary.median = quantile(samples, 0.5);
  if (summary.median > 0) summary.spread = (quantile(samples, 0.75) - quantile(samples, 0.25)) / summary.median;
  return summary;
}

}  // namespace clustersim::measurement
