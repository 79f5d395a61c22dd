// What a price list says, a row a price, whatever its format; and the file of ours that it becomes
// (sim/read/price_list.h).
#pragma once

#include <string>
#include <vector>

#include "clustersim/error.h"
#include "clustersim/import.h"

namespace clustersim {

struct PriceRow {
  std::string name;   // "p4d.24xlarge", "xe8545"
  std::string price;  // "21.957642 USD/h", a range "80000..95000 USD"
  std::string term, region, date, source;
  int line = 0;  // of the file; 0: none
};

// What a reader fills.
struct PriceRows {
  std::string format;
  std::vector<PriceRow> rows;
  std::vector<Problem> problems;  // every fault of the file
  std::vector<std::string> unknown, warnings;
};

constexpr std::size_t kMostPriceRows = 20000;

// A list of one's own: a header, then a line a price (price_csv.cc).
bool is_price_csv(const std::string& text);
PriceRows read_price_csv(const std::string& text, const std::string& path);

// AWS: the offer file of a region or of all, JSON (aws_offer_file.cc) or CSV (aws_csv.cc), and what
// `aws pricing get-products` prints (aws_products.cc).
bool is_aws_offer_file(const std::string& beginning);
PriceRows read_aws_offer_file(const std::string& path);
bool is_aws_csv(const std::string& beginning);
PriceRows read_aws_csv(const std::string& path);
bool is_aws_products(const std::string& beginning);
PriceRows read_aws_products(const std::string& path);

// The Go file of Karpenter's provider for AWS (karpenter_prices.cc).
bool is_karpenter_prices(const std::string& beginning);
PriceRows read_karpenter_prices(const std::string& path);

// `clustersim import prices`.
Imported import_prices(const std::vector<std::string>& paths);

}  // namespace clustersim
