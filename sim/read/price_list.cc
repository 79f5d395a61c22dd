#include "sim/read/price_list.h"

#include <algorithm>
#include <filesystem>

#include "sim/read/json_reader.h"

namespace clustersim {

namespace {

constexpr const char* kPointer = "/cost/prices";
constexpr std::size_t kMostPrices = 20000;

}  // namespace

void visit_fields(FieldVisitor& v, std::vector<ListedPrice>& prices) {
  int version = 0;
  v.key({.name = "clustersim_prices", .meaning = "version of the format", .required = true, .min = 1, .max = 1},
        version);
  v.list({.name = "prices", .meaning = "the prices", .required = true}, [&](FieldVisitor& in) {
    ListedPrice& one = prices.emplace_back();
    in.key({.name = "name",
            .meaning = "id of the catalog, a provider's name of an instance, or network, racks, electricity, "
                       "colocation, staff, storage, egress",
            .required = true},
           one.name);
    in.key({.name = "price", .meaning = "with its unit, such as \"21.96 USD/h\"; may be a range", .required = true},
           one.price);
    in.key({.name = "term",
            .meaning = "of an instance: on-demand, reserved-1y, reserved-3y, spot",
            .default_text = "on-demand"},
           one.term);
    in.key({.name = "region", .meaning = "where", .default_text = "anywhere"}, one.region);
    in.key({.name = "date", .meaning = "of when", .default_text = "unknown"}, one.date);
    in.key({.name = "source", .meaning = "whose price it is", .default_text = "the list"}, one.source);
  });
  for (const char* more : {"name", "sources", "notes"}) v.skip(more);
}

std::optional<FoundPrice> PriceList::find(ReadContext& context, const ExchangeRates& rates,
                                          const std::vector<std::string>& names, Dimension dimension,
                                          const std::string& term) const {
  std::vector<const ListedPrice*> found;
  for (const ListedPrice& one : prices_) {
    if (std::find(names.begin(), names.end(), one.name) == names.end()) continue;
    const std::string& listed_term = one.term.empty() ? "on-demand" : one.term;
    if (!term.empty() && listed_term != term) continue;
    if (!region_.empty() && !one.region.empty() && one.region != region_) continue;
    found.push_back(&one);
  }
  if (found.empty()) return std::nullopt;
  const ListedPrice& one = *found.front();
  const bool same =
      std::all_of(found.begin(), found.end(), [&](const auto* other) { return other->price == one.price; });
  if (!same) {
    std::string regions;
    for (const ListedPrice* other : found)
      regions += (regions.empty() ? "" : ", ") + other->price + (other->region.empty() ? "" : " in " + other->region);
    context.fault(kPointer, "one price of \"" + one.name + "\"" + (term.empty() ? "" : " " + term), regions,
                  "name one region in /cost/prices_region, or leave one line of the list");
    return std::nullopt;
  }
  const ParsedRange parsed = parse_range(one.price, dimension);
  const auto rate = parsed.currency.empty() ? std::optional(1.0) : in_usd(1.0, parsed.currency, rates);
  if (!parsed.base || !rate) {
    context.fault(
        kPointer, "\"" + one.name + "\" with a " + expected_quantity(dimension), "\"" + one.price + "\"",
        parsed.base ? "no exchange rate for " + parsed.currency + ": give one in /cost/exchange" : parsed.hint);
    return std::nullopt;
  }
  if (parsed.base->low < 0) {
    context.fault(kPointer, "a price of 0 or more", "\"" + one.price + "\"");
    return std::nullopt;
  }
  if (!parsed.currency.empty() && parsed.currency != "USD")
    context.assume(kPointer, one.price,
                   "converted at " + number_text(*rate) + " USD, rate of " + rates.date_of(parsed.currency));
  const RangeOf<double> usd{parsed.base->low * *rate, parsed.base->likely * *rate, parsed.base->high * *rate};
  return FoundPrice{usd, one, parsed.currency, *rate};
}

PriceList load_price_list(ReadContext& context, const std::string& json, const std::string& region) {
  if (json.empty()) return PriceList();
  std::vector<Problem>& problems = context.lookup.problems;
  const std::size_t before = problems.size();
  JsonValue value = parse_json(json, context.lookup.file, problems);
  if (value.kind != JsonValue::Kind::text && value.kind != JsonValue::Kind::object) {
    context.fault(kPointer, "the name of a file of `clustersim import prices`, or its content", json);
    return PriceList();
  }
  std::string path = context.lookup.file;
  const bool in_place = value.kind == JsonValue::Kind::object;
  if (!in_place) {
    const std::filesystem::path given(value.text);
    path = given.is_absolute() ? value.text : (std::filesystem::path(path).parent_path() / given).string();
    value = load_json(path, problems);
  }
  std::vector<ListedPrice> prices;
  if (problems.size() == before)
    JsonReader(value, path, problems).read([&](FieldVisitor& v) { visit_fields(v, prices); });
  if (prices.size() > kMostPrices)
    problems.push_back({path, "/prices", "at most " + std::to_string(kMostPrices) + " prices",
                        std::to_string(prices.size()), "leave out what the scenario does not rent"});
  for (std::size_t i = before; i < problems.size(); ++i) {
    if (in_place)
      problems[i].pointer = kPointer + problems[i].pointer;
    else
      problems[i].hint = std::string("named by ") + kPointer + ", and looked for beside the scenario";
  }
  return problems.size() > before ? PriceList() : PriceList(std::move(prices), region);
}

}  // namespace clustersim
