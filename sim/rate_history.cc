#include "sim/rate_history.h"

namespace clustersim {

std::vector<RateSteps> rate_steps(const RunRecord& record, const std::vector<double>& capacity, SimTime from,
                                  SimTime to) {
  constexpr double rounding = 1e-9;
  std::vector<RateSteps> all(capacity.size());
  std::vector<double> sum(capacity.size(), 0), at_begin(capacity.size(), 0);
  const auto level = [&](std::size_t r) { return sum[r] < rounding * capacity[r] ? 0.0 : sum[r]; };
  for (const RateChange& change : record.rates) {
    const auto r = static_cast<std::size_t>(change.resource);
    if (change.time >= to) break;
    sum[r] += change.change;
    if (change.time <= from) {
      at_begin[r] = level(r);
      continue;
    }
    RateSteps& steps = all[r];
    if (steps.time.empty()) {
      steps.time.push_back(from);
      steps.rate.push_back(at_begin[r]);
    }
    if (steps.time.back() == change.time) {
      steps.rate.back() = level(r);
    } else {
      steps.time.push_back(change.time);
      steps.rate.push_back(level(r));
    }
  }
  for (std::size_t r = 0; r < all.size(); ++r)
    if (all[r].time.empty() && at_begin[r] > 0) all[r] = {{from}, {at_begin[r]}};
  return all;
}

RateTotal total(const RateSteps& steps, SimTime to) {
  RateTotal result;
  for (std::size_t i = 0; i < steps.time.size(); ++i) {
    const SimTime end = i + 1 < steps.time.size() ? steps.time[i + 1] : to;
    const double seconds = sim_time_to_seconds(end - steps.time[i]);
    result.units += steps.rate[i] * seconds;
    if (steps.rate[i] > 0) result.flowing_s += seconds;
  }
  return result;
}

}  // namespace clustersim
