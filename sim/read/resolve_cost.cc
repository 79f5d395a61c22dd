#include "sim/read/resolve_cost.h"

#include <algorithm>
#include <string>

#include "sim/read/cost_reading.h"

namespace clustersim {

namespace {

class CostResolver {
 public:
  CostResolver(ReadContext& context, const ScenarioKeys& keys, const ExchangeRates& rates, Scenario& scenario)
      : context_(context), keys_(keys), cost_keys_(*keys.cost), rates_(rates), scenario_(scenario) {}

  void resolve(const std::vector<Conversion>& conversions) {
    scenario_.cost.emplace();
    const PriceList list =
        load_price_list(context_, cost_keys_.prices.value_or(""), cost_keys_.prices_region.value_or(""));
    CostReading reading{context_, keys_, rates_, scenario_, book_, list};
    const bool both = !cost_keys_.self_hosted && !cost_keys_.cloud;
    if (both) context_.assume("/cost", "self-hosted and cloud", "default: both, with catalog prices");
    add_currency();
    for (const Conversion& c : conversions)
      if (c.pointer.starts_with("/cost")) book_.add_rate(c.currency, number_text(c.usd_per_unit) + " USD", c.date);
    if (both || cost_keys_.self_hosted)
      scenario_.cost->self_hosted = resolve_self_hosted(reading, cost_keys_.self_hosted.value_or(SelfHostedKeys{}));
    if (both || cost_keys_.cloud)
      scenario_.cost->cloud = resolve_cloud_cost(reading, cost_keys_.cloud.value_or(CloudCostKeys{}));
    add_date();
    book_.close(context_, *scenario_.cost);
  }

 private:
  CostSpec& cost() { return *scenario_.cost; }

  void add_date() {
    if (!cost_keys_.date) note_catalog_dates();
    cost().date = cost_keys_.date.value_or(book_.newest());
    if (cost_keys_.date && !months_of(*cost_keys_.date))
      context_.fault("/cost/date", "a year and month, such as \"2026-07\", or a day", "\"" + *cost_keys_.date + "\"");
    if (!cost_keys_.date && !cost().date.empty())
      context_.assume("/cost/date", cost().date, "the newest of the catalog");
  }

  // Of all prices that are rented at.
  void note_catalog_dates() {
    std::vector<Problem> quiet;
    for (const std::string& id : context_.catalog().ids("cloud"))
      book_.look_at(context_.catalog().cloud(id, {context_.lookup.file, "", quiet}).on_demand_date);
  }

  void add_currency() {
    cost().currency = cost_keys_.currency.value_or("USD");
    if (!cost_keys_.currency) context_.assume("/cost/currency", "USD", "default");
    const auto usd = in_usd(1.0, cost().currency, rates_);
    if (!usd) {
      std::string known = "USD";
      for (const auto& [code, rate] : rates_.usd_per_unit) known += ", " + code;
      context_.fault("/cost/currency", "one of: " + known, "\"" + cost().currency + "\"",
                     "give its rate: /cost/exchange {\"date\": \"2026-07\", \"GBP\": \"1.27 USD\"}");
      return;
    }
    cost().currency_per_usd = 1 / *usd;
    if (cost().currency == "USD") return;
    const std::string date = rates_.date_of(cost().currency);
    book_.add_rate(cost().currency, number_text(*usd) + " USD", date);
    context_.assume(
        "/cost/currency", number_text(cost().currency_per_usd) + " " + cost().currency + " per USD",
        std::string("rate of ") + (rates_.dates.count(cost().currency) ? "the scenario, " : "the catalog, ") + date);
  }

  ReadContext& context_;
  const ScenarioKeys& keys_;
  const CostKeys& cost_keys_;
  const ExchangeRates& rates_;
  Scenario& scenario_;
  PriceBook book_;
};

bool is_currency(const std::string& code) {
  return code.size() == 3 && std::all_of(code.begin(), code.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

}  // namespace

void resolve_cost(ReadContext& context, const ScenarioKeys& keys, const ExchangeRates& rates,
                  const std::vector<Conversion>& conversions, Scenario& scenario) {
  if (keys.cost) CostResolver(context, keys, rates, scenario).resolve(conversions);
}

void add_exchange(const JsonValue& document, const std::string& file, ExchangeRates& rates,
                  std::vector<Problem>& problems) {
  const JsonValue* cost = document.find("cost");
  const JsonValue* exchange = cost ? cost->find("exchange") : nullptr;
  if (exchange == nullptr || exchange->kind != JsonValue::Kind::object) return;  // the reader tells of another kind
  const std::string root = "/cost/exchange/";
  const JsonValue* dated = exchange->find("date");
  if (dated == nullptr || !months_of(dated->text))
    problems.push_back({file, root + "date", "the date of the rates, such as \"2026-07\"",
                        dated ? "\"" + dated->text + "\"" : "nothing", ""});
  for (const auto& [code, value] : exchange->members) {
    if (code == "date") continue;
    const ParsedQuantity usd = parse_quantity(value.text, Dimension::money);
    const bool sound = usd.base && usd.currency == "USD" && *usd.base > 1e-9 && *usd.base < 1e9;
    if (!is_currency(code) || code == "USD" || !sound) {
      problems.push_back({file, root + code, "what one of a currency costs, such as \"GBP\": \"1.27 USD\"",
                          "\"" + value.text + "\"", is_currency(code) ? "" : "a currency has three capital letters"});
      continue;
    }
    rates.usd_per_unit[code] = *usd.base;
    rates.dates[code] = dated ? dated->text : "";
  }
}

}  // namespace clustersim
