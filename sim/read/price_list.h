// A list of a user's own prices, as `clustersim import prices` writes it: they come before those of the catalog.
//
//   {"clustersim_prices": 1, "prices": [{"name": "p4d.24xlarge", "price": "21.96 USD/h", "term": "on-demand",
//                                        "region": "us-east-1", "date": "2026-07-20", "source": "..."}]}
// `name` is an id of the catalog (server, switch, nic, cloud), a provider's name of an instance, or one of network,
// racks, electricity, colocation, staff, storage, egress. A price may be a range, in any currency with a rate.
// Checked by: tests/sim/price_list_test.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clustersim/range.h"
#include "sim/read/read_context.h"

namespace clustersim {

struct ListedPrice {
  std::string name, price, term, region, date, source;
};

void visit_fields(FieldVisitor& v, std::vector<ListedPrice>& prices);

// A price that was found, in USD and base units.
struct FoundPrice {
  RangeOf<double> usd;
  ListedPrice listed;
  std::string currency;  // it was written in
  double usd_per_unit = 1;
};

class PriceList {
 public:
  explicit PriceList(std::vector<ListedPrice> prices = {}, std::string region = "")
      : prices_(std::move(prices)), region_(std::move(region)) {}

  bool empty() const { return prices_.empty(); }
  // The price of one of the names, of the term ("" of none). A fault goes to the context where there are several, or
  // where its unit or currency does not fit.
  std::optional<FoundPrice> find(ReadContext& context, const ExchangeRates& rates,
                                 const std::vector<std::string>& names, Dimension dimension,
                                 const std::string& term = "") const;

 private:
  std::vector<ListedPrice> prices_;
  std::string region_;
};

// `json`: the name of a file beside the scenario, or its content; "" of none. Of regions only the named one counts.
PriceList load_price_list(ReadContext& context, const std::string& json, const std::string& region);

}  // namespace clustersim
