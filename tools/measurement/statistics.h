// Median and spread of repeated measurements.
//
//   quantile(p) of n sorted samples x: linear between x[floor(h)] and x[floor(h)+1], h = p (n - 1)
//   median = quantile(1/2),   spread = (quantile(3/4) - quantile(1/4)) / median
//
// The median, since a disturbance only ever lengthens a measurement. Checked by tests/tools/statistics_test.cc.
#pragma once

#include <vector>

namespace clustersim::measurement {

struct Summary {
  double median = 0;
  double spread = 0;  // 0 where the median is 0
};

// `share` in [0, 1]. Throws std::invalid_argument without samples.
double quantile(std::vector<double> samples, double share);

// Throws std::invalid_argument without samples, or where one is not finite or is negative.
Summary summarise(const std::vector<double>& samples);

}  // namespace clustersim::measurement
