#include "sim/sweep/analysis.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "sim/sweep/axes.h"
#include "sim/sweep/study.h"

namespace clustersim {

namespace {

constexpr const char* followed[] = {"time_to_train", "cost_self_hosted", "cost_cloud", "energy"};

bool feasible(const Sweep& sweep, const SweepRow& row, const ExchangeRates& rates) {
  return row.status == SweepRow::Status::done && row.metric(sweep.objective) &&
         std::all_of(sweep.constraints.begin(), sweep.constraints.end(),
                     [&](const SweepConstraint& c) { return keeps_constraint(row, c, rates); });
}

bool nearly(const Sweep& sweep, std::size_t x, std::size_t y, const std::string& metric) {
  const double a = sweep.rows[x].metric(metric).value_or(0), b = sweep.rows[y].metric(metric).value_or(0);
  return std::abs(a - b) <= 1e-6 * std::abs(b);
}

void choose_best(Sweep& sweep, const ExchangeRates& rates) {
  std::vector<std::size_t> good;
  for (std::size_t r = 0; r < sweep.rows.size(); ++r)
    if (feasible(sweep, sweep.rows[r], rates)) good.push_back(r);
  sweep.feasible = good.size();
  const double sign = sweep.maximize ? -1 : 1;
  const auto goodness = [&](std::size_t r) {  // of equals the faster one first
    return std::pair(sign * *sweep.rows[r].metric(sweep.objective), sweep.rows[r].metric("time_to_train"));
  };
  std::stable_sort(good.begin(), good.end(), [&](std::size_t x, std::size_t y) { return goodness(x) < goodness(y); });
  for (const std::size_t r : good) {
    // Points that differ in keys without an effect here are one.
    const bool same = !sweep.best.empty() && nearly(sweep, r, sweep.best.back(), sweep.objective) &&
                      nearly(sweep, r, sweep.best.back(), "time_to_train");
    if (!same && sweep.best.size() < best_shown) sweep.best.push_back(r);
  }
}

void find_fronts(Sweep& sweep) {
  std::vector<SweepOffer> offers;
  std::vector<std::size_t> rows;
  std::vector<std::pair<double, double>> costs, energies;
  const auto offer = [&](std::size_t r, bool rented, const char* time_name, const char* cost_name) {
    const auto time = sweep.rows[r].metric(time_name), cost = sweep.rows[r].metric(cost_name);
    if (!time || !cost) return;
    offers.push_back({r, rented, *time, *cost});
    costs.emplace_back(*time, *cost);
  };
  for (std::size_t r = 0; r < sweep.rows.size(); ++r) {
    if (sweep.rows[r].status != SweepRow::Status::done) continue;
    offer(r, false, "time_to_train", "cost_self_hosted");
    offer(r, true, "time_to_train_cloud", "cost_cloud");
    const auto time = sweep.rows[r].metric("time_to_train"), energy = sweep.rows[r].metric("energy");
    if (!time || !energy) continue;
    rows.push_back(r);
    energies.emplace_back(*time, *energy);
  }
  for (const std::size_t i : front(costs)) sweep.cost_front.push_back(offers[i]);
  for (const std::size_t i : front(energies)) sweep.energy_front.push_back(rows[i]);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

// Rows of a grid by their value on one axis, where all other values are the same.
class Lines {
 public:
  Lines(const Sweep& sweep, std::size_t axis) : sweep_(sweep), axis_(axis) {
    for (std::size_t r = 0; r < sweep.rows.size(); ++r) {
      std::vector<std::size_t> values = sweep.values_at(sweep.rows[r].point);
      const std::size_t value = values[axis];
      values[axis] = 0;
      const auto line =
          lines_.try_emplace(values, std::vector<std::size_t>(sweep.axes[axis].values.size(), none)).first;
      line->second[value] = r;
    }
  }

  // Calls `pair` with the metric of two rows of each line, at values a and b.
  template <class Pair>
  void pairs(const std::string& metric, std::size_t a, std::size_t b, const Pair& pair) const {
    for (const auto& [others, line] : lines_) {
      if (line[a] == none || line[b] == none) continue;
      const auto x = sweep_.rows[line[a]].metric(metric), y = sweep_.rows[line[b]].metric(metric);
      if (x && y && *x > 0 && *y > 0) pair(*x, *y);
    }
  }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  const Sweep& sweep_;
  std::size_t axis_;
  std::map<std::vector<std::size_t>, std::vector<std::size_t>> lines_;
};

// The positive numbers of an axis in one unit; empty for any other axis.
std::vector<double> numbers_of(const StudyAxis& axis) {
  std::vector<double> numbers;
  std::string unit;
  for (const auto& value : axis.values) {
    const auto number = axis.pointers.size() == 1 ? written_number(value[0]) : std::nullopt;
    if (!number || number->number <= 0 || (!numbers.empty() && number->unit != unit)) return {};
    unit = number->unit;
    numbers.push_back(number->number);
  }
  return numbers;
}

void follow_numbers(const Lines& lines, const std::vector<double>& numbers, Sensitivity& result) {
  std::vector<std::size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return numbers[x] < numbers[y]; });
  std::vector<double> slopes;
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    const double step = std::log(numbers[order[i + 1]] / numbers[order[i]]);
    lines.pairs(result.metric, order[i], order[i + 1],
                [&](double x, double y) { slopes.push_back(std::log(y / x) / step); });
  }
  result.pairs = static_cast<int>(slopes.size());
  if (slopes.empty()) return;
  result.elasticity = median(slopes);
  result.least = *std::min_element(slopes.begin(), slopes.end());
  result.most = *std::max_element(slopes.begin(), slopes.end());
}

void follow_words(const Lines& lines, const StudyAxis& axis, Sensitivity& result) {
  for (std::size_t v = 1; v < axis.values.size(); ++v) {
    double sum = 0;
    int count = 0;
    lines.pairs(result.metric, 0, v, [&](double x, double y) {
      sum += std::log(y / x);
      ++count;
    });
    if (count == 0) continue;
    result.pairs += count;
    result.relative.emplace_back(axis.labels[v], std::exp(sum / count));
  }
}

void find_sensitivities(Sweep& sweep) {
  if (!sweep.grid) return;
  for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
    if (sweep.axes[a].values.size() < 2) continue;
    const Lines lines(sweep, a);
    const std::vector<double> numbers = numbers_of(sweep.axes[a]);
    for (const char* metric : followed) {
      Sensitivity result;
      result.axis = sweep.axes[a].name;
      result.metric = metric;
      if (numbers.empty())
        follow_words(lines, sweep.axes[a], result);
      else
        follow_numbers(lines, numbers, result);
      if (result.pairs > 0) sweep.sensitivities.push_back(std::move(result));
    }
  }
}

void count_faults(Sweep& sweep) {
  std::map<std::string, CommonFault> by_pointer;
  for (const SweepRow& row : sweep.rows) {
    sweep.invalid += row.status == SweepRow::Status::invalid ? 1 : 0;
    sweep.failed += row.status == SweepRow::Status::failed ? 1 : 0;
    std::map<std::string, const Problem*> of_row;
    for (const Problem& problem : row.problems) of_row.emplace(problem.pointer, &problem);
    for (const auto& [pointer, problem] : of_row) {
      CommonFault& fault = by_pointer[pointer];
      if (fault.points++ == 0) fault.example = *problem;
      fault.pointer = pointer;
    }
  }
  for (auto& [pointer, fault] : by_pointer) sweep.faults.push_back(std::move(fault));
  std::stable_sort(sweep.faults.begin(), sweep.faults.end(),
                   [](const CommonFault& x, const CommonFault& y) { return x.points > y.points; });
}

}  // namespace

std::optional<double> SweepRow::metric(const std::string& name) const {
  for (const auto& [known, value] : metrics)
    if (known == name) return value;
  return std::nullopt;
}

std::vector<std::size_t> Sweep::values_at(std::size_t point) const { return clustersim::values_at(axes, grid, point); }

std::vector<std::size_t> front(const std::vector<std::pair<double, double>>& xy) {
  std::vector<std::size_t> order(xy.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return xy[a] < xy[b]; });
  std::vector<std::size_t> result;
  for (const std::size_t i : order)
    if (result.empty() || xy[i].second < xy[result.back()].second) result.push_back(i);
  return result;
}

bool keeps_constraint(const SweepRow& row, const SweepConstraint& constraint, const ExchangeRates& rates) {
  const auto value = row.metric(constraint.metric);
  if (!value) return false;
  double bound = constraint.bound;
  if (constraint.currency != "" && constraint.currency != row.currency) {
    const auto usd = in_usd(bound, constraint.currency, rates), own = in_usd(1, row.currency, rates);
    if (!usd || !own) return false;
    bound = *usd / *own;
  }
  return constraint.upper ? *value <= bound : *value >= bound;
}

void analyse(Sweep& sweep, const ExchangeRates& rates) {
  choose_best(sweep, rates);
  find_fronts(sweep);
  find_sensitivities(sweep);
  count_faults(sweep);
}

}  // namespace clustersim
