// What AWS's price lists have in common: a product's attributes, and the terms it is offered on.
//
//   product  {"sku": ..., "attributes": {"instanceType": ..., "regionCode": ..., "operatingSystem": "Linux",
//             "tenancy": "Shared", "capacitystatus": "Used", "preInstalledSw": "NA", "gpu": "8"}}
//   terms    {"OnDemand"|"Reserved": {OFFER: {"effectiveDate": ..., "termAttributes": {"LeaseContractLength": "1yr",
//             "PurchaseOption": "No Upfront", "OfferingClass": "standard"},
//             "priceDimensions": {RATE: {"unit": "Hrs"|"Quantity", "pricePerUnit": {"USD": "21.9576420000"}}}}}}
// Taken: Linux on shared hosts without extra software, with a GPU. Of reserved offers the standard class without
// payment in advance; where there is none, one with it, spread over its hours. A price of 0 is none.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "sim/import/price_rows.h"
#include "sim/read/json_value.h"

namespace clustersim {

struct AwsProduct {
  std::string instance, region;
};

class AwsPrices {
 public:
  // The product where it is one of those taken, else counted by why not.
  std::optional<AwsProduct> product(const JsonValue& document);
  // `offers`: what "OnDemand" or "Reserved" holds for one product.
  void add_offers(const AwsProduct& product, bool reserved, const JsonValue& offers);

  std::size_t taken() const { return best_.size(); }
  // Rows, and what was left out; `date`: of the list, for offers without one.
  void fill(PriceRows& out, const std::string& date) const;

 private:
  struct Found {
    double low = 0, high = 0;
    int rank = 0;  // the smaller, the plainer the offer
    std::string currency, date, how;
  };
  using Key = std::tuple<std::string, std::string, std::string>;  // instance, term, region

  void add_offer(const AwsProduct& product, bool reserved, const JsonValue& offer);

  std::map<Key, Found> best_;
  std::size_t without_gpu_ = 0, other_software_ = 0, no_instance_ = 0, without_price_ = 0;
};

}  // namespace clustersim
