#include "models/outcome/cost.h"

#include <charconv>

#include "clustersim/error.h"

namespace clustersim {
namespace {

constexpr Time year = hours(8760);

std::string number(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 4).ptr;
  return std::string(text, end);
}

std::string percent(double share) { return number(share * 100) + " %"; }

void finish(Cost& cost, const RunUse& run) {
  if (!cost.unpriced.empty()) return;
  Money total;
  for (const CostLine& line : cost.lines) total += line.amount;
  cost.total = total;
  cost.per_gpu = total / (run.duration * run.gpus);
}

// The part of the annual cost that does not depend on what runs, a line a part.
Cost fixed_cost_of_a_year(const SelfHosted& prices, const RunUse& run) {
  require(prices.years > 0 && prices.utilization > 0, "owned machines live and work for some time");
  const double lost_a_year = (1 - prices.residual) / prices.years;
  const std::string depreciation = number(prices.years) + " years to a residual of " + percent(prices.residual);
  Cost cost;
  if (prices.server_price) {
    const Money servers = *prices.server_price * run.nodes;
    cost.lines.push_back(
        {"servers", servers * lost_a_year,
         prices.server_price_origin + (prices.server_price_origin.empty() ? "" : "; ") + depreciation});
    if (prices.support > 0) {
      cost.lines.push_back({"support", servers * prices.support, percent(prices.support) + " of the price a year"});
    }
  } else {
    cost.unpriced.push_back("servers");
  }
  if (prices.network_price.base() > 0) {
    cost.lines.push_back({"network", prices.network_price * lost_a_year, depreciation});
  }
  if (prices.colocation) {
    cost.lines.push_back({"colocation", *prices.colocation * (run.installed_node_power * run.nodes * year),
                          number(run.installed_node_power.base() * run.nodes / 1000) + " kW installed"});
  }
  if (prices.staff) cost.lines.push_back({"staff", *prices.staff * year, "all hours of the year"});
  return cost;
}

Money electricity_cost(const SelfHosted& prices, const RunUse& run, Time worked) {
  return run.mean_node_power * run.nodes * prices.pue * worked * prices.electricity;
}

}  // namespace

Cost self_hosted_cost(const SelfHosted& prices, const RunUse& run) {
  require(run.duration.base() > 0 && run.gpus > 0 && run.nodes > 0, "a priced run takes time on some machines");
  Cost cost = fixed_cost_of_a_year(prices, run);
  const double share_of_year = run.duration / (year * prices.utilization);
  for (CostLine& line : cost.lines) {
    line.amount *= share_of_year;
    line.basis += "; at " + percent(prices.utilization) + " utilization";
  }
  cost.lines.push_back(
      {"electricity", electricity_cost(prices, run, run.duration),
       number(facility_energy(run, prices.pue) / kilowatt_hours(1)) + " kWh with PUE " + number(prices.pue)});
  finish(cost, run);
  return cost;
}

Cost cloud_cost(const CloudCost& prices, const RunUse& run) {
  require(run.duration.base() > 0 && run.gpus > 0 && prices.instances > 0, "a priced run takes time on instances");
  Cost cost;
  if (prices.price) {
    cost.lines.push_back({"instances", *prices.price * run.duration * prices.instances,
                          std::to_string(prices.instances) + " x " + prices.instance_id + " for " +
                              number(run.duration / hours(1)) + " h, price of " + prices.price_date});
  } else {
    cost.unpriced.push_back("instances of " + prices.instance_id);
  }
  finish(cost, run);
  return cost;
}

std::optional<Money> annual_owned_cost(const SelfHosted& prices, const RunUse& run) {
  const Cost fixed = fixed_cost_of_a_year(prices, run);
  if (!fixed.unpriced.empty()) return std::nullopt;
  Money total = electricity_cost(prices, run, year * prices.utilization);
  for (const CostLine& line : fixed.lines) total += line.amount;
  return total;
}

std::optional<double> break_even_utilization(const SelfHosted& owned, const RunUse& run, const CloudCost& cloud,
                                             const RunUse& rented) {
  const std::optional<Money> annual = annual_owned_cost(owned, run);
  const std::optional<Money> rent = cloud_cost(cloud, rented).total;
  if (!annual || !rent || rent->base() <= 0) return std::nullopt;
  return *annual / (*rent * (year / run.duration));
}

Energy facility_energy(const RunUse& run, double pue) { return run.mean_node_power * run.duration * (run.nodes * pue); }

CarbonMass carbon(Energy facility, CarbonIntensity grid) { return facility * grid; }

}  // namespace clustersim
