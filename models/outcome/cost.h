// What one run costs on owned and on rented machines, what it takes in energy and carbon, and when owning pays.
//
//   share of a year  s = hours / (8760 h * utilization): idle hours are paid by those that work
//   owned    s * [(servers + network) * (1 - residual) / years + support * servers + colocation * P_inst * year
//                 + staff * year] + P_mean * PUE * hours * electricity
//   rented   hours * instances * price
//   energy   P_mean * PUE * hours;   carbon = energy * grid intensity
//   break-even utilization = annual owned cost / (runs that fit into 8760 h * rented cost of one)
//     P_inst, P_mean  installed power and mean power from the wall of all nodes [W]
// The annual owned cost counts electricity at the utilization asked for, so the break-even is exact where it equals
// that, and a few per cent off elsewhere. Above it owning is cheaper; a value above 1 means never.
//
// Straight-line depreciation, no interest, no storage, egress or spare parts. A part without a price leaves the total
// unknown and is named; it is never counted as 0. Colocation and staff that are not given are not paid. As accurate as
// the prices. Checked by: tests/models/cost_test.cc (identities; not validated against an invoice)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clustersim/scenario.h"
#include "clustersim/units.h"

namespace clustersim {

struct RunUse {
  Time duration;
  int nodes = 1;
  int gpus = 1;                // all nodes together
  Power mean_node_power;       // from the wall, average over the run
  Power installed_node_power;  // what colocation is billed for
};

struct CostLine {
  std::string what;
  Money amount;
  std::string basis;
};

struct Cost {
  std::vector<CostLine> lines;
  std::vector<std::string> unpriced;  // parts without a price
  std::optional<Money> total;         // empty if anything is unpriced
  std::optional<TimePrice> per_gpu;   // money per GPU and time of the run
};

Cost self_hosted_cost(const SelfHosted& prices, const RunUse& run);
// `run` as it goes on the rented instances; its node power is not used.
Cost cloud_cost(const CloudCost& prices, const RunUse& run);

// What the owned cluster costs in a year, at the utilization and mean power given.
std::optional<Money> annual_owned_cost(const SelfHosted& prices, const RunUse& run);
// `rented`: the same job as it goes on the instances, which may be faster or slower.
std::optional<double> break_even_utilization(const SelfHosted& owned, const RunUse& run, const CloudCost& cloud,
                                             const RunUse& rented);

Energy facility_energy(const RunUse& run, double pue);
CarbonMass carbon(Energy facility, CarbonIntensity grid);

}  // namespace clustersim
