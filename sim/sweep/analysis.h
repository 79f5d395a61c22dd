// What the rows of a study say together.
#pragma once

#include <vector>

#include "clustersim/sweep.h"
#include "sim/read/catalog.h"

namespace clustersim {

inline constexpr std::size_t best_shown = 10;

// Fills best, feasible, the fronts, the sensitivities and the faults from axes, rows, objective and constraints.
void analyse(Sweep& sweep, const ExchangeRates& rates);

// Indices of those that nothing else beats: no other is as small in both, and smaller in one. In order of `x`.
std::vector<std::size_t> front(const std::vector<std::pair<double, double>>& xy);

bool keeps_constraint(const SweepRow& row, const SweepConstraint& constraint, const ExchangeRates& rates);

}  // namespace clustersim
