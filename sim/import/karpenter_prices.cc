// The table of prices that Karpenter's provider for AWS ships as a Go file: on demand, by region, USD an hour.
//
//   // generated at 2026-01-19T13:23:24Z for us-east-1
//   var InitialOnDemandPricesAWS = map[string]map[ec2types.InstanceType]float64{
//     "us-east-1": {
//       "p4d.24xlarge": 21.957642, "p5.48xlarge": 55.040000,
// Taken: families with GPUs or other accelerators, by their names (p, g, dl, and a digit). Prices of regions "cn-..."
// are in CNY.
// Source: aws/karpenter-provider-aws, pkg/providers/pricing. Checked by: tests/sim/import_prices_test.cc
#include <algorithm>
#include <cctype>
#include <set>

#include "sim/import/measurement_text.h"
#include "sim/import/price_rows.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

bool has_accelerators(const std::string& instance) {
  const auto digit = [&](std::size_t at) { return at < instance.size() && instance[at] >= '0' && instance[at] <= '9'; };
  const bool family = (instance[0] == 'p' || instance[0] == 'g') && digit(1);
  return family || (instance.starts_with("dl") && digit(2));
}

bool is_name(const std::string& text) {
  constexpr std::size_t longest = 64;
  if (text.empty() || text.size() > longest) return false;
  for (const char c : text)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-') return false;
  return true;
}

}  // namespace

bool is_karpenter_prices(const std::string& beginning) {
  return contains(beginning, "OnDemandPrices") && contains(beginning, "map[") && contains(beginning, "float64{");
}

PriceRows read_karpenter_prices(const std::string& path) {
  constexpr std::size_t most_bytes = std::size_t{16} << 20;
  const std::string text = clean_text(read_source(path, most_bytes));
  PriceRows out;
  out.format = "Karpenter's table of AWS prices";
  std::string date, region;
  if (const std::size_t at = text.find("generated at "); at != std::string::npos) date = text.substr(at + 13, 10);
  if (date.size() != 10 || date.find_first_not_of("0123456789-") != std::string::npos) date.clear();
  std::size_t others = 0, odd = 0;
  int number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    for (std::size_t at = line.find('"'); at != std::string::npos;) {
      const std::size_t close = line.find('"', at + 1);
      if (close == std::string::npos) break;
      const std::string name = line.substr(at + 1, close - at - 1);
      const std::size_t next = line.find('"', close + 1), colon = line.find(':', close);
      at = next;
      if (colon != close + 1 || !is_name(name)) continue;
      const std::string value = trimmed(line.substr(colon + 1, std::min(next, line.size()) - colon - 1));
      if (value.starts_with("{")) {
        region = name;
        continue;
      }
      if (!has_accelerators(name)) {
        ++others;
        continue;
      }
      const auto price = number_of(value.substr(0, value.find_first_of(",}")));
      if (!price || *price <= 0 || *price > 1e5 || region.empty() || out.rows.size() >= kMostPriceRows) {
        ++odd;
        continue;
      }
      std::string digits = value.substr(0, value.find_first_of(",}"));
      out.rows.push_back({name, trimmed(digits) + (region.starts_with("cn-") ? " CNY/h" : " USD/h"), "on-demand",
                          region, date, "AWS, by Karpenter's table", number});
    }
  }
  if (others > 0) out.warnings.push_back(std::to_string(others) + " instances without a GPU: left out");
  if (odd > 0) out.warnings.push_back(std::to_string(odd) + " prices that are none, or more than are kept: left out");
  out.unknown.emplace_back("spot and reserved prices: this table has none");
  return out;
}

}  // namespace clustersim
