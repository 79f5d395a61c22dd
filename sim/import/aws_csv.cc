// AWS's offer file as CSV (index.csv of AmazonEC2): lines of metadata, then a header, then a line a rate.
//
//   "FormatVersion","v1.0"  "Publication Date","2026-07-17T18:55:15Z"  ...
//   "SKU","OfferTermCode","RateCode","TermType",...,"EffectiveDate",...,"Unit","PricePerUnit","Currency",
//   "LeaseContractLength","PurchaseOption","OfferingClass",...,"Instance Type",...,"Tenancy",...,"Operating System",
//   "GPU","CapacityStatus","Pre Installed S/W","Region Code","marketoption",...
// Columns are found by name. An offer with a payment in advance has two lines: they are joined by SKU and term. Read as
// a stream, since a region's file has gigabytes; of the products only those with GPUs are kept.
// Checked by: tests/sim/import_aws_csv_test.cc
#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "sim/import/aws_terms.h"
#include "sim/import/csv_cells.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

constexpr std::size_t kMostBytes = std::size_t{8} << 30;
constexpr std::size_t kLongestLine = 1 << 16;
constexpr std::size_t kMostProducts = 500000, kMostOffers = 100000;

JsonValue text_of(const std::string& text) {
  JsonValue value;
  value.kind = JsonValue::Kind::text;
  value.text = text;
  return value;
}

JsonValue object_of(std::vector<std::pair<std::string, JsonValue>> members) {
  JsonValue value;
  value.kind = JsonValue::Kind::object;
  value.members = std::move(members);
  return value;
}

class OfferLines {
 public:
  void take(const std::string& line) {
    const auto cells = csv_cells(line, ',');
    if (!cells) {
      ++broken_;
    } else if (!header_) {
      take_metadata(*cells);
    } else if (cells->size() < header_->size()) {
      ++broken_;
    } else {
      take_rate(*cells);
    }
  }
  void break_off() { ++broken_; }

  PriceRows rows() {
    PriceRows out;
    out.format = "AWS offer file, CSV";
    if (!header_) out.warnings.emplace_back("no line of column names, \"SKU\" the first");
    for (const auto& [key, offer] : offers_) {
      const auto& [sku, reserved, code] = key;
      prices_.add_offers(*products_.at(sku), reserved,
                         object_of({{code, object_of({{"effectiveDate", text_of(offer.date)},
                                                      {"termAttributes", offer.attributes},
                                                      {"priceDimensions", object_of(offer.rates)}})}}));
    }
    prices_.fill(out, date_);
    if (broken_ > 0)
      out.warnings.push_back(std::to_string(broken_) + (broken_ == 1 ? " line that is" : " lines that are") +
                             " cut off or no CSV: left out");
    return out;
  }

 private:
  struct Offer {
    std::string date;
    JsonValue attributes;
    std::vector<std::pair<std::string, JsonValue>> rates;
  };

  void take_metadata(const std::vector<std::string>& cells) {
    if (cells.size() >= 2 && cells[0] == "Publication Date") date_ = cells[1];
    if (cells.empty() || cells[0] != "SKU") return;
    std::vector<std::string> names;
    for (const std::string& cell : cells) names.push_back(lower_case(cell));
    header_.emplace(names);
  }

  // Nothing where it is none of those that count.
  const std::optional<AwsProduct>& product_of(const std::string& sku, const std::vector<std::string>& cells) {
    const auto known = products_.find(sku);
    if (known != products_.end()) return known->second;
    static const std::optional<AwsProduct> none;
    if (products_.size() >= kMostProducts) return none;
    const auto cell = [&](const char* name) { return text_of(header_->cell(cells, {name})); };
    const JsonValue document = object_of({{"attributes", object_of({{"instanceType", cell("instance type")},
                                                                    {"regionCode", cell("region code")},
                                                                    {"gpu", cell("gpu")},
                                                                    {"operatingSystem", cell("operating system")},
                                                                    {"tenancy", cell("tenancy")},
                                                                    {"capacitystatus", cell("capacitystatus")},
                                                                    {"preInstalledSw", cell("pre installed s/w")},
                                                                    {"marketoption", cell("marketoption")}})}});
    return products_.emplace(sku, prices_.product(document)).first->second;
  }

  void take_rate(const std::vector<std::string>& cells) {
    const auto cell = [&](const char* name) { return header_->cell(cells, {name}); };
    const std::string sku = cell("sku"), term = cell("termtype");
    if (!product_of(sku, cells) || (term != "OnDemand" && term != "Reserved")) return;
    const std::tuple key{sku, term == "Reserved", cell("offertermcode")};
    if (offers_.size() >= kMostOffers && offers_.count(key) == 0) return;
    Offer& offer = offers_[key];
    offer.date = cell("effectivedate");
    offer.attributes = object_of({{"LeaseContractLength", text_of(cell("leasecontractlength"))},
                                  {"PurchaseOption", text_of(cell("purchaseoption"))},
                                  {"OfferingClass", text_of(cell("offeringclass"))}});
    if (offer.rates.size() >= 16) return;  // an hour's rate and a payment
    offer.rates.emplace_back(
        cell("ratecode"),
        object_of({{"unit", text_of(cell("unit"))},
                   {"pricePerUnit", object_of({{cell("currency"), text_of(cell("priceperunit"))}})}}));
  }

  AwsPrices prices_;
  std::optional<CsvHeader> header_;
  std::map<std::string, std::optional<AwsProduct>> products_;  // by SKU
  std::map<std::tuple<std::string, bool, std::string>, Offer> offers_;
  std::string date_;
  std::size_t broken_ = 0;
};

}  // namespace

bool is_aws_csv(const std::string& beginning) {
  const std::size_t first = beginning.find_first_not_of("\xef\xbb\xbf \t\r\n");
  return first != std::string::npos && (beginning.compare(first, 15, "\"FormatVersion\"") == 0 ||
                                        beginning.compare(first, 14, "FormatVersion,") == 0);
}

PriceRows read_aws_csv(const std::string& path) {
  OfferLines lines;
  const auto source = open_source(path, kMostBytes);
  std::vector<char> buffer(kLongestLine);
  while (source->getline(buffer.data(), static_cast<std::streamsize>(buffer.size())) || source->gcount() > 0) {
    if (source->fail() && !source->eof()) {  // longer than any line of it
      source->clear();
      source->ignore(static_cast<std::streamsize>(kMostBytes), '\n');
      lines.break_off();
      continue;
    }
    const std::string line = trimmed(buffer.data());
    if (!line.empty()) lines.take(line);
    if (source->eof()) break;
  }
  return lines.rows();
}

}  // namespace clustersim
