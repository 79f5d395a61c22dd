#include "models/outcome/cost.h"

#include <algorithm>
#include <charconv>

#include "clustersim/error.h"

namespace clustersim {
namespace {

constexpr Time year = hours(8760);
constexpr Time month = hours(730);

std::string number(double value, int digits = 4) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits).ptr;
  return std::string(text, end);
}

// Money with all the digits that a price has.
std::string usd(Money amount) { return number(amount.base(), 8) + " USD"; }

std::string percent(double share) { return number(share * 100) + " %"; }

std::string in_hours(Time time) { return number(time / hours(1), 5) + " h"; }

void finish(Cost& cost, const RunUse& run) {
  cost.duration = std::max(cost.duration, run.duration);
  if (!cost.unpriced.empty()) return;
  Money total;
  for (const CostLine& line : cost.lines) total += line.amount;
  cost.total = total;
  cost.per_gpu = total / (cost.duration * run.gpus);
}

// The lines of an owned cluster that do not depend on what runs, by the year.
class YearOfOwning {
 public:
  YearOfOwning(const SelfHosted& prices, const RunUse& run) : prices_(prices), run_(run) {
    require(prices.years > 0 && prices.utilization > 0, "owned machines live and work for some time");
  }

  Cost make() {
    add_servers();
    for (const std::string& part : prices_.unpriced) cost_.unpriced.push_back(part);
    if (prices_.network_price.base() > 0)
      add("network", prices_.network_price * lost_a_year(), wear(), usd(prices_.network_price) + wear_formula());
    if (prices_.racks.base() > 0)
      add("racks", prices_.racks / prices_.years, "over " + number(prices_.years) + " years, nothing is left of them",
          usd(prices_.racks) + " / " + number(prices_.years) + " years");
    if (prices_.colocation)
      add("colocation", *prices_.colocation * (run_.installed_node_power * run_.nodes * year),
          number(run_.installed_node_power.base() * run_.nodes / 1000) + " kW installed",
          number(prices_.colocation->base() * 1000 * month.base(), 6) + " USD/kW-month x " +
              number(run_.installed_node_power.base() * run_.nodes / 1000) + " kW x 12");
    if (prices_.staff)
      add("staff", *prices_.staff * year, "all hours of the year",
          number(prices_.staff->base() * year.base(), 8) + " USD/year");
    return std::move(cost_);
  }

 private:
  void add(const char* what, Money a_year, const std::string& basis, const std::string& formula) {
    cost_.lines.push_back({what, a_year, basis, formula});
  }

  double lost_a_year() const { return (1 - prices_.residual) / prices_.years; }
  std::string wear() const { return number(prices_.years) + " years to a residual of " + percent(prices_.residual); }
  std::string wear_formula() const {
    return " x (1 - " + number(prices_.residual) + ") / " + number(prices_.years) + " years";
  }

  void add_servers() {
    if (!prices_.server_price) {
      cost_.unpriced.push_back("servers");
      return;
    }
    const Money servers = *prices_.server_price * run_.nodes;
    const std::string counted = usd(*prices_.server_price) + " x " + std::to_string(run_.nodes);
    const std::string& origin = prices_.server_price_origin;
    add("servers", servers * lost_a_year(), origin + (origin.empty() ? "" : "; ") + wear(), counted + wear_formula());
    if (prices_.spares > 0)
      add("spares", servers * prices_.spares * lost_a_year(), percent(prices_.spares) + " of the servers, " + wear(),
          counted + " x " + number(prices_.spares) + wear_formula());
    if (prices_.support > 0)
      add("support", servers * prices_.support, percent(prices_.support) + " of the price a year",
          counted + " x " + number(prices_.support) + " a year");
  }

  const SelfHosted& prices_;
  const RunUse& run_;
  Cost cost_;
};

Cost fixed_cost_of_a_year(const SelfHosted& prices, const RunUse& run) { return YearOfOwning(prices, run).make(); }

Money electricity_cost(const SelfHosted& prices, const RunUse& run, Time worked) {
  return run.mean_node_power * run.nodes * prices.pue * worked * prices.electricity;
}

bool is_reserved(const CloudCost& prices) {
  return prices.pricing == CloudPricing::reserved_1y || prices.pricing == CloudPricing::reserved_3y;
}

// For how long instances are paid; empty, and why, where that is not known.
std::optional<Time> paid_time(const CloudCost& prices, const RunUse& run, Cost& cost) {
  if (prices.pricing != CloudPricing::spot || !prices.spot) return run.duration;
  if (!prices.spot->interruptions) {
    cost.unpriced.push_back("interruptions of " + prices.instance_id + ", whose rate is not known");
    return std::nullopt;
  }
  const auto interrupted = interruptions_of(prices, run);
  if (!interrupted) {
    cost.unpriced.push_back("a run on " + prices.instance_id +
                            ", which interruptions let last a thousand times as long");
    return std::nullopt;
  }
  return interrupted->wall;
}

void add_instances(const CloudCost& prices, const RunUse& run, Cost& cost) {
  const std::optional<Time> paid = paid_time(prices, run, cost);
  if (!prices.price) cost.unpriced.push_back("instances of " + prices.instance_id);
  if (!prices.price || !paid) return;
  cost.duration = *paid;
  const double used = is_reserved(prices) ? prices.utilization : 1;
  std::string basis = std::to_string(prices.instances) + " x " + prices.instance_id + " for " +
                      number(*paid / hours(1)) + " h, price of " +
                      (prices.price_date.empty() ? "an unknown date" : prices.price_date);
  std::string formula = std::to_string(prices.instances) + " x " + number(*prices.price / dollars_per_hour(1), 8) +
                        " USD/h x " + in_hours(*paid);
  if (is_reserved(prices)) {
    basis += "; reserved hours in use " + percent(used);
    formula += " / " + number(used);
  }
  if (*paid > run.duration) {
    basis += "; " + in_hours(run.duration) + " of work, the rest lost to interruptions";
  }
  cost.lines.push_back({"instances", *prices.price * *paid * prices.instances / used, basis, formula});
}

void add_data(const CloudCost& prices, Cost& cost) {
  if (prices.stored > Bytes()) {
    const std::string size = number(prices.stored / gigabytes(1)) + " GB";
    if (prices.storage_price)
      cost.lines.push_back({"storage", *prices.storage_price * prices.stored * cost.duration,
                            size + " for as long as the run takes",
                            size + " x " + number(prices.storage_price->base() * 1e9 * month.base()) +
                                " USD/GB-month x " + in_hours(cost.duration) + " / 730 h"});
    else
      cost.unpriced.push_back("storage in the cloud");
  }
  if (prices.sent > Bytes()) {
    const std::string size = number(prices.sent / gigabytes(1)) + " GB";
    if (prices.egress_price)
      cost.lines.push_back({"egress", *prices.egress_price * prices.sent, size + " out of the cloud, once",
                            size + " x " + number(prices.egress_price->base() * 1e9) + " USD/GB"});
    else
      cost.unpriced.push_back("egress from the cloud");
  }
}

template <class Q>
void move_to(std::optional<Q>& price, const std::optional<RangeOf<Q>>& range, RangeEnd end) {
  if (price && range) price = at(*range, end);
}

template <class Q>
void move_to(Q& price, const std::optional<RangeOf<Q>>& range, RangeEnd end) {
  if (range) price = at(*range, end);
}

}  // namespace

Cost self_hosted_cost(const SelfHosted& prices, const RunUse& run) {
  require(run.duration.base() > 0 && run.gpus > 0 && run.nodes > 0, "a priced run takes time on some machines");
  Cost cost = fixed_cost_of_a_year(prices, run);
  const double share_of_year = run.duration / (year * prices.utilization);
  for (CostLine& line : cost.lines) {
    line.amount *= share_of_year;
    line.basis += "; at " + percent(prices.utilization) + " utilization";
    line.formula += " x " + in_hours(run.duration) + " / (8760 h x " + number(prices.utilization) + ")";
  }
  const std::string energy = number(facility_energy(run, prices.pue) / kilowatt_hours(1)) + " kWh";
  cost.lines.push_back(
      {"electricity", electricity_cost(prices, run, run.duration), energy + " with PUE " + number(prices.pue),
       number(run.mean_node_power.base() * run.nodes / 1000) + " kW x " + in_hours(run.duration) + " x PUE " +
           number(prices.pue) + " x " + number(prices.electricity / dollars_per_kilowatt_hour(1)) + " USD/kWh"});
  finish(cost, run);
  return cost;
}

std::optional<SpotRun> interruptions_of(const CloudCost& prices, const RunUse& run) {
  if (prices.pricing != CloudPricing::spot || !prices.spot || !prices.spot->interruptions) return std::nullopt;
  return spot_run(*prices.spot->interruptions, prices.instances, run.duration, run.checkpoint_interval,
                  prices.spot->restart);
}

Cost cloud_cost(const CloudCost& prices, const RunUse& run) {
  require(run.duration.base() > 0 && run.gpus > 0 && prices.instances > 0, "a priced run takes time on instances");
  require(prices.utilization > 0, "reserved instances work for some of their time");
  Cost cost;
  cost.duration = run.duration;
  add_instances(prices, run, cost);
  add_data(prices, cost);
  finish(cost, run);
  return cost;
}

SelfHosted at_end(const SelfHosted& prices, RangeEnd end) {
  SelfHosted moved = prices;
  move_to(moved.server_price, prices.server_price_range, end);
  move_to(moved.network_price, prices.network_price_range, end);
  move_to(moved.racks, prices.racks_range, end);
  move_to(moved.electricity, prices.electricity_range, end);
  move_to(moved.colocation, prices.colocation_range, end);
  move_to(moved.staff, prices.staff_range, end);
  return moved;
}

CloudCost at_end(const CloudCost& prices, RangeEnd end) {
  CloudCost moved = prices;
  move_to(moved.price, prices.price_range, end);
  move_to(moved.storage_price, prices.storage_price_range, end);
  move_to(moved.egress_price, prices.egress_price_range, end);
  if (moved.spot) move_to(moved.spot->interruptions, prices.spot->interruptions_range, end);
  return moved;
}

bool has_range(const SelfHosted& prices) {
  return prices.server_price_range || prices.network_price_range || prices.racks_range || prices.electricity_range ||
         prices.colocation_range || prices.staff_range;
}

bool has_range(const CloudCost& prices) {
  return prices.price_range || prices.storage_price_range || prices.egress_price_range ||
         (prices.spot && prices.spot->interruptions_range);
}

std::optional<Money> annual_owned_cost(const SelfHosted& prices, const RunUse& run) {
  const Cost fixed = fixed_cost_of_a_year(prices, run);
  if (!fixed.unpriced.empty()) return std::nullopt;
  Money total = electricity_cost(prices, run, year * prices.utilization);
  for (const CostLine& line : fixed.lines) total += line.amount;
  return total;
}

std::optional<OwnOrRentPrices> own_or_rent(const SelfHosted& owned, const RunUse& run, const CloudCost& cloud,
                                           const RunUse& rented) {
  const std::optional<Money> annual = annual_owned_cost(owned, run);
  const std::optional<Money> rent = cloud_cost(cloud, rented).total;
  if (!annual || !rent) return std::nullopt;
  OwnOrRentPrices both;
  const double kept = (*owned.server_price * (run.nodes * (1 + owned.spares)) + owned.network_price).base();
  both.purchase = kept + owned.racks.base();
  both.residual = both.purchase > 0 ? owned.residual * kept / both.purchase : 0;
  both.years = owned.years;
  both.utilization = owned.utilization;
  both.electricity_per_hour = electricity_cost(owned, run, hours(1)).base();
  const double running = both.electricity_per_hour * 8760 * owned.utilization;
  both.fixed_per_year = std::max(0.0, annual->base() - both.purchase * (1 - both.residual) / both.years - running);
  both.rented_per_hour = rent->base() / (run.duration / hours(1));
  return both;
}

std::optional<double> break_even_utilization(const SelfHosted& owned, const RunUse& run, const CloudCost& cloud,
                                             const RunUse& rented) {
  const auto both = own_or_rent(owned, run, cloud, rented);
  return both ? both->break_even_utilization() : std::nullopt;
}

Energy facility_energy(const RunUse& run, double pue) { return run.mean_node_power * run.duration * (run.nodes * pue); }

CarbonMass carbon(Energy facility, CarbonIntensity grid) { return facility * grid; }

}  // namespace clustersim
