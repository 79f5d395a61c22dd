// The offer file of AWS (index.json of AmazonEC2, of a region or of all): products and terms apart, joined by SKU.
//
//   {"formatVersion": "v1.0", "offerCode": "AmazonEC2", "publicationDate": ..., "products": {SKU: {...}},
//    "terms": {"OnDemand": {SKU: {OFFER: {...}}}, "Reserved": {...}}}
// Read as a stream: a product or the offers of one at a time. A whole file has gigabytes; the limits below hold memory
// to what is kept of it. Where terms come before the products the file is read twice.
// Checked by: tests/sim/import_prices_test.cc
#include <map>
#include <nlohmann/json.hpp>
#include <streambuf>

#include "sim/import/aws_terms.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostBytes = std::size_t{8} << 30;
constexpr std::size_t kLongestText = 1 << 20;  // of a key or value
constexpr std::size_t kMostValues = 50000;     // of one product or its offers
constexpr std::size_t kMostProducts = 500000;  // that are kept
constexpr std::size_t kDeepest = 16;

// Ends the source where a text in quotes grows too long, which a parser would have to hold whole.
class ShortTexts : public std::streambuf {
 public:
  explicit ShortTexts(std::istream& source) : source_(source) {}
  bool too_long() const { return length_ > kLongestText; }

 protected:
  int_type underflow() override {
    if (too_long()) return traits_type::eof();
    source_.read(buffer_, sizeof buffer_);
    const auto got = static_cast<std::size_t>(source_.gcount());
    if (got == 0) return traits_type::eof();
    for (std::size_t i = 0; i < got && !too_long(); ++i) look(buffer_[i]);
    setg(buffer_, buffer_, buffer_ + got);
    return traits_type::to_int_type(buffer_[0]);
  }

 private:
  void look(char c) {
    if (!quoted_) {
      quoted_ = c == '"';
      length_ = 0;
    } else if (escaped_) {
      escaped_ = false;
      ++length_;
    } else {
      escaped_ = c == '\\';
      quoted_ = c != '"';
      ++length_;
    }
  }

  std::istream& source_;
  char buffer_[1 << 16];
  bool quoted_ = false, escaped_ = false;
  std::size_t length_ = 0;
};

// Builds products and offers, each a small tree, and hands them on.
class OfferFile : public nlohmann::json_sax<Json> {
 public:
  OfferFile(AwsPrices& prices, std::map<std::string, AwsProduct>& products) : prices_(prices), products_(products) {}

  std::string trouble, date;
  bool terms_first = false, saw_terms = false;

  bool key(string_t& name) override {
    key_ = name;
    return true;
  }
  bool start_object(std::size_t) override { return open(JsonValue::Kind::object); }
  bool start_array(std::size_t) override { return open(JsonValue::Kind::list); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool string(string_t& text) override {
    if (path_.size() == 1 && key_ == "publicationDate") date = text;
    if (tree_.empty()) return true;
    JsonValue value;
    value.kind = JsonValue::Kind::text;
    value.text = text;
    return add(std::move(value));
  }
  bool parse_error(std::size_t position, const std::string&, const Json::exception&) override {
    trouble = "the file is no JSON, or breaks off, at byte " + std::to_string(position);
    return false;
  }

 private:
  // Where a tree of its own begins: /products/SKU, /terms/KIND/SKU.
  bool begins_tree() const {
    if (path_.size() == 2) return path_[1] == "products";
    return path_.size() == 3 && path_[1] == "terms";
  }

  bool open(JsonValue::Kind kind) {
    if (path_.size() >= kDeepest) return stop("more than " + std::to_string(kDeepest) + " levels");
    if (!tree_.empty() || begins_tree()) {
      if (tree_.empty()) {
        sku_ = key_;
        values_ = 0;
      }
      JsonValue value;
      value.kind = kind;
      tree_.push_back({key_, std::move(value)});
    }
    path_.push_back(path_.empty() ? "" : key_);
    if (path_.size() == 2 && key_ == "terms") {
      saw_terms = true;
      terms_first = products_.empty();
    }
    return true;
  }

  bool close() {
    path_.pop_back();
    if (tree_.empty()) return true;
    auto [name, value] = std::move(tree_.back());
    tree_.pop_back();
    if (!tree_.empty()) {
      key_ = name;
      return add(std::move(value));
    }
    return finish(value);
  }

  bool add(JsonValue value) {
    if (++values_ > kMostValues) return stop("a product with more than " + std::to_string(kMostValues) + " values");
    JsonValue& parent = tree_.back().second;
    if (parent.kind == JsonValue::Kind::object)
      parent.members.emplace_back(key_, std::move(value));
    else
      parent.items.push_back(std::move(value));
    return true;
  }

  bool finish(const JsonValue& value) {
    if (path_[1] == "products") {
      if (products_.size() >= kMostProducts) return true;
      if (const auto product = prices_.product(value)) products_.emplace(sku_, *product);
      return true;
    }
    const bool reserved = path_[2] == "Reserved";
    if (!reserved && path_[2] != "OnDemand") return true;
    const auto product = products_.find(sku_);
    if (product != products_.end()) prices_.add_offers(product->second, reserved, value);
    return true;
  }

  bool stop(const std::string& why) {
    trouble = "the file has " + why;
    return false;
  }

  AwsPrices& prices_;
  std::map<std::string, AwsProduct>& products_;
  std::vector<std::string> path_;  // keys of the open objects, "" of the root
  std::vector<std::pair<std::string, JsonValue>> tree_;
  std::string key_, sku_;
  std::size_t values_ = 0;
};

}  // namespace

bool is_aws_offer_file(const std::string& beginning) {
  return beginning.find("\"offerCode\"") != std::string::npos || beginning.find("\"products\"") != std::string::npos ||
         beginning.find("\"terms\"") != std::string::npos;
}

PriceRows read_aws_offer_file(const std::string& path) {
  PriceRows out;
  out.format = "AWS offer file";
  std::map<std::string, AwsProduct> products;
  std::string date, trouble;
  AwsPrices prices;
  const auto pass = [&](AwsPrices& into) {
    OfferFile file(into, products);
    const auto source = open_source(path, kMostBytes);
    ShortTexts bounded(*source);
    std::istream stream(&bounded);
    Json::sax_parse(stream, &file);
    trouble = bounded.too_long() ? "the file has a text of more than a megabyte" : file.trouble;
    date = file.date;
    return file.terms_first;
  };
  if (pass(prices)) {
    AwsPrices again;
    pass(again);
    prices = std::move(again);
  }
  if (!trouble.empty()) out.warnings.push_back(trouble + ": what stands before is read");
  prices.fill(out, date);
  return out;
}

}  // namespace clustersim
