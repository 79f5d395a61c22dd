// What one run costs on owned and on rented machines, what it takes in energy and carbon, and when owning pays.
//
//   share of a year  s = hours / (8760 h * utilization): idle hours are paid by those that work
//   owned    s * [(servers (1 + spares) + network) (1 - residual) / years + racks / years + support * servers
//                 + colocation * P_inst * year + staff * year] + P_mean * PUE * hours * electricity
//   rented   hours * instances * price / u_r + stored * storage price * hours + sent * egress price
//     u_r  share of the hours paid for that work: 1, or of reserved ones what the scenario says
//     hours  of spot instances with what interruptions cost (models/outcome/spot.h)
//   energy   P_mean * PUE * hours;   carbon = energy * grid intensity
//   break-even utilization = s-independent part of a year / (8760 h * (rented - electricity) of an hour of work)
//     P_inst, P_mean  installed power and mean power from the wall of all nodes [W]
// At the break-even utilization owning and renting cost exactly the same; above it owning is cheaper; above 1 never.
//
// A price that is a range is worked out at its ends too: all low, all high (at_end). The break-even's low end has
// owning at its cheapest and renting at its dearest.
//
// Straight-line depreciation, no interest. A part without a price leaves the total unknown and is named; it is never
// counted as 0. Colocation, staff, storage and egress that are not given are not paid. As accurate as the prices.
// Checked by: tests/models/cost_test.cc (identities, published comparisons by hand; not validated against an invoice)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clustersim/scenario.h"
#include "clustersim/units.h"
#include "models/outcome/spot.h"

namespace clustersim {

struct RunUse {
  Time duration;
  int nodes = 1;
  int gpus = 1;                // all nodes together
  Power mean_node_power;       // from the wall, average over the run
  Power installed_node_power;  // what colocation is billed for
  Time checkpoint_interval;    // 0: none; what spot instances lose depends on it
};

struct CostLine {
  std::string what;
  Money amount;
  std::string basis;
  std::string formula;  // with its inputs, in USD
};

struct Cost {
  std::vector<CostLine> lines;
  std::vector<std::string> unpriced;  // parts without a price
  std::optional<Money> total;         // empty if anything is unpriced
  std::optional<TimePrice> per_gpu;   // money per GPU and time of the run
  Time duration;                      // expected, with interruptions
};

Cost self_hosted_cost(const SelfHosted& prices, const RunUse& run);
// `run` as it goes on the rented instances; its node power is not used.
Cost cloud_cost(const CloudCost& prices, const RunUse& run);

// The interruptions of a run on spot instances; empty on others, and where their rate is not known or too high.
std::optional<SpotRun> interruptions_of(const CloudCost& prices, const RunUse& run);

// The same prices, those that are ranges at an end. The low end of interruptions is the rare one.
SelfHosted at_end(const SelfHosted& prices, RangeEnd end);
CloudCost at_end(const CloudCost& prices, RangeEnd end);
bool has_range(const SelfHosted& prices);
bool has_range(const CloudCost& prices);

// What the owned cluster costs in a year, at the utilization and mean power given.
std::optional<Money> annual_owned_cost(const SelfHosted& prices, const RunUse& run);
// Owning against renting for the same work, by the hour of work of the owned cluster; empty if anything is unpriced.
// `rented`: the same job as it goes on the instances, which may be faster or slower.
std::optional<OwnOrRentPrices> own_or_rent(const SelfHosted& owned, const RunUse& run, const CloudCost& cloud,
                                           const RunUse& rented);
std::optional<double> break_even_utilization(const SelfHosted& owned, const RunUse& run, const CloudCost& cloud,
                                             const RunUse& rented);

Energy facility_energy(const RunUse& run, double pue);
CarbonMass carbon(Energy facility, CarbonIntensity grid);

}  // namespace clustersim
