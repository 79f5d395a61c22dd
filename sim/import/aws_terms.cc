#include "sim/import/aws_terms.h"

#include <algorithm>
#include <cstdio>

#include "sim/import/measurement_text.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

constexpr double kHoursOfAYear = 8760;
constexpr std::size_t kMostName = 64;  // characters of an instance's or a region's name

bool is_name(const std::string& text) {
  return !text.empty() && text.size() <= kMostName &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return c > ' ' && c < 0x7f && c != '"'; });
}

// Whether an attribute that is there says this.
bool is_or_absent(const JsonValue& attributes, const char* key, const std::string& wanted) {
  const std::string said = text_at(attributes, key);
  return said.empty() || said == wanted;
}

// "2026-07-20T00:00:00Z" -> "2026-07-20".
std::string day_of(const std::string& text) {
  const std::string day = text.substr(0, 10);
  return day.size() == 10 && day.find_first_not_of("0123456789-") == std::string::npos ? day : "";
}

std::string plain(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.8g", value);
  return text;
}

// The one price of a rate: its currency, and the number that AWS writes as a text.
std::optional<std::pair<std::string, double>> price_of(const JsonValue& rate) {
  const JsonValue* prices = at_path(rate, "pricePerUnit");
  if (!prices) return std::nullopt;
  for (const auto& [currency, value] : prices->members) {
    const auto number = number_of(value.text);
    const bool sound = number && *number >= 0 && *number < 1e9 && currency.size() == 3 &&
                       std::all_of(currency.begin(), currency.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    if (sound) return std::make_pair(currency, *number);
  }
  return std::nullopt;
}

}  // namespace

std::optional<AwsProduct> AwsPrices::product(const JsonValue& document) {
  const JsonValue* attributes = at_path(document, "attributes");
  const std::string instance = attributes ? text_at(*attributes, "instanceType") : "";
  if (!is_name(instance)) {
    ++no_instance_;
    return std::nullopt;
  }
  std::string region = text_at(*attributes, "regionCode");
  if (!is_name(region)) region = "";
  if (text_at(*attributes, "gpu").empty()) {
    ++without_gpu_;
    return std::nullopt;
  }
  const bool plain_offer =
      is_or_absent(*attributes, "operatingSystem", "Linux") && is_or_absent(*attributes, "tenancy", "Shared") &&
      is_or_absent(*attributes, "capacitystatus", "Used") && is_or_absent(*attributes, "preInstalledSw", "NA") &&
      is_or_absent(*attributes, "marketoption", "OnDemand");
  if (!plain_offer) {
    ++other_software_;
    return std::nullopt;
  }
  return AwsProduct{instance, region};
}

void AwsPrices::add_offers(const AwsProduct& product, bool reserved, const JsonValue& offers) {
  for (const auto& [code, offer] : offers.members) add_offer(product, reserved, offer);
}

void AwsPrices::add_offer(const AwsProduct& product, bool reserved, const JsonValue& offer) {
  std::string term = "on-demand";
  double years = 0;
  Found found;
  if (reserved) {
    const std::string length = text_at(offer, "termAttributes/LeaseContractLength");
    years = length == "1yr" ? 1 : length == "3yr" ? 3 : 0;
    if (years == 0 || text_at(offer, "termAttributes/OfferingClass") == "convertible") return;
    term = years == 1 ? "reserved-1y" : "reserved-3y";
    found.how = text_at(offer, "termAttributes/PurchaseOption");
    found.rank = found.how == "No Upfront" ? 0 : found.how == "Partial Upfront" ? 1 : 2;
  }
  const JsonValue* rates = at_path(offer, "priceDimensions");
  double hourly = 0;
  for (const auto& [code, rate] : rates ? rates->members : std::vector<std::pair<std::string, JsonValue>>{}) {
    const auto price = price_of(rate);
    if (!price || (!found.currency.empty() && found.currency != price->first)) continue;
    const std::string unit = text_at(rate, "unit");
    if (unit == "Hrs")
      hourly += price->second;
    else if (unit == "Quantity" && years > 0)
      hourly += price->second / (years * kHoursOfAYear);
    else
      continue;
    found.currency = price->first;
  }
  if (!(hourly > 0)) {
    ++without_price_;
    return;
  }
  found.low = found.high = hourly;
  found.date = day_of(text_at(offer, "effectiveDate"));
  if (best_.size() >= kMostPriceRows) return;
  const auto [known, is_new] = best_.emplace(Key{product.instance, term, product.region}, found);
  if (is_new) return;
  Found& old = known->second;
  if (found.rank < old.rank) {
    old = found;
  } else if (found.rank == old.rank && found.currency == old.currency) {
    old.low = std::min(old.low, found.low);
    old.high = std::max(old.high, found.high);
    old.date = std::max(old.date, found.date);
  }
}

void AwsPrices::fill(PriceRows& out, const std::string& date) const {
  bool advance = false;
  std::size_t ranges = 0;
  for (const auto& [key, found] : best_) {
    const auto& [instance, term, region] = key;
    const bool range = found.low < found.high;
    ranges += range ? 1 : 0;
    advance = advance || found.rank > 0;
    out.rows.push_back(
        {instance, (range ? plain(found.low) + ".." : "") + plain(found.high) + " " + found.currency + "/h", term,
         region, found.date.empty() ? day_of(date) : found.date,
         "AWS price list" + (found.rank > 0 ? ", " + shown(found.how) + " spread over its hours" : ""), 0});
  }
  const auto told = [&](std::size_t count, const std::string& what) {
    if (count > 0) out.warnings.push_back(std::to_string(count) + " " + what);
  };
  told(ranges, "prices stand with several values: kept as ranges");
  if (best_.size() >= kMostPriceRows)
    out.warnings.push_back("only the first " + std::to_string(kMostPriceRows) +
                           " prices are kept: take a region's file");
  if (advance) out.warnings.push_back("payments in advance are spread over the hours of their term, without interest");
  told(other_software_, "products with other systems, hosts or software left out: Linux on shared hosts is read");
  told(without_gpu_, "instances without a GPU left out");
  told(no_instance_, "products that are no instances left out");
  told(without_price_, "offers without a price, or of 0, left out: unknown, not free");
  out.unknown.push_back("spot prices: they are in no price list of AWS");
  out.unknown.push_back("storage, traffic and support, which are paid beside");
}

}  // namespace clustersim
