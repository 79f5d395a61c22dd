// The money of a report: both ways to pay, line by line, at the likely prices and at the ends of their ranges.
#pragma once

#include "sim/summarize.h"

namespace clustersim {

// Adds metrics, notes and the breakdown of the cost; nothing where the scenario has no cost. `explain`: a note a line,
// with formula, inputs, dates and sources.
void add_money(const Scenario& scenario, const SimulatedJob& own, const SimulatedJob* cloud, bool explain,
               Report& report);

}  // namespace clustersim
