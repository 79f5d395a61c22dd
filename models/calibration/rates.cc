#include "models/calibration/rates.h"

#include "clustersim/error.h"

namespace clustersim {

std::optional<RateFit> fit_rate(const std::vector<TimedSize>& sweep) {
  std::vector<std::vector<double>> rows;
  std::vector<double> sizes, measured;
  for (const TimedSize& row : sweep) {
    rows.push_back({1.0, row.bytes});
    sizes.push_back(row.bytes);
    measured.push_back(row.seconds);
  }
  const auto fit = robust_fit(rows, measured);
  if (!fit || !(fit->coefficients[1] > 0)) return std::nullopt;
  return RateFit{fit->coefficients[0], 1 / fit->coefficients[1], quality_of(sizes, measured, fit->fitted)};
}

Middle middle_of(const std::vector<double>& at, const std::vector<double>& values) {
  require(!values.empty() && at.size() == values.size(), "a middle of values");
  Middle middle;
  middle.value = median_of(values);
  middle.quality = quality_of(at, values, std::vector<double>(values.size(), middle.value));
  return middle;
}

}  // namespace clustersim
