// What the two ways to pay are resolved from, and where their prices are noted.
#pragma once

#include <optional>
#include <string>

#include "sim/read/price_book.h"
#include "sim/read/price_list.h"
#include "sim/read/scenario_keys.h"

namespace clustersim {

struct CostReading {
  ReadContext& context;
  const ScenarioKeys& keys;
  const ExchangeRates& rates;
  Scenario& scenario;
  PriceBook& book;
  const PriceList& list;

  // Of the price list, noted under `line`; empty where it has none.
  template <class Q>
  std::optional<RangeOf<Q>> listed(const std::string& line, const std::vector<std::string>& names,
                                   const std::string& pointer, std::optional<Dimension> dimension = {},
                                   const std::string& term = "") const {
    if (list.empty()) return std::nullopt;
    const auto found = list.find(context, rates, names, dimension.value_or(DimensionOf<Q>::value), term);
    if (!found) return std::nullopt;
    const ListedPrice& one = found->listed;
    if (!found->currency.empty() && found->currency != "USD")
      book.add_rate(found->currency, number_text(found->usd_per_unit) + " USD", rates.date_of(found->currency));
    context.assume(pointer, one.price, "of the price list" + (one.date.empty() ? "" : ", " + one.date));
    book.add({line, "price of " + one.name, one.price, one.date,
              "price list" + (one.source.empty() ? "" : ": " + one.source), pointer});
    return RangeOf<Q>{Q::from_base(found->usd.low), Q::from_base(found->usd.likely), Q::from_base(found->usd.high)};
  }
};

// "90000..120000 USD", or one number where the ends are one.
template <class Q>
std::string range_text(const RangeOf<Q>& range, Dimension dimension = DimensionOf<Q>::value) {
  const std::string high = format_quantity(range.high.base(), dimension);
  if (!(range.low < range.high)) return high;
  return format_quantity(range.low.base(), dimension) + " to " + high;
}

SelfHosted resolve_self_hosted(CostReading& reading, const SelfHostedKeys& keys);
// Adds the rented twin to the scenario where the cluster is not the instance. Empty where nothing is rented.
std::optional<CloudCost> resolve_cloud_cost(CostReading& reading, const CloudCostKeys& keys);

}  // namespace clustersim
