#include "sim/read/price_book.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace clustersim {

namespace {

constexpr int kLongMonths = 12;  // beyond it a price is old

}  // namespace

std::optional<int> months_of(const std::string& date) {
  const auto digits = [&](std::size_t at, std::size_t count) {
    for (std::size_t i = at; i < at + count; ++i)
      if (i >= date.size() || date[i] < '0' || date[i] > '9') return -1;
    return std::stoi(date.substr(at, count));
  };
  const int year = digits(0, 4), month = digits(5, 2), day = digits(8, 2), quarter = digits(6, 1);
  if (year < 0 || (date.size() > 4 && date[4] != '-')) return std::nullopt;
  if (date.size() == 4) return 12 * year + 6;
  if (date.size() == 9 && digits(5, 4) >= year) return 12 * digits(5, 4) + 6;
  if (date.size() == 7 && date[5] == 'Q')
    return quarter >= 1 && quarter <= 4 ? std::optional(12 * year + 3 * quarter - 1) : std::nullopt;
  if (month < 1 || month > 12) return std::nullopt;
  const std::chrono::year_month_day calendar{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                             std::chrono::day(static_cast<unsigned>(std::max(day, 0)))};
  const bool has_day = date.size() == 10 && date[7] == '-' && calendar.ok();
  if (!(date.size() == 7 || has_day)) return std::nullopt;
  return 12 * year + month;
}

void PriceBook::look_at(const std::string& date) {
  const int known = months_of(newest_).value_or(-1), next = months_of(date).value_or(-1);
  if (next > known || (next == known && date > newest_)) newest_ = date;
}

void PriceBook::add(Price price) {
  look_at(price.date);
  prices_.push_back(std::move(price));
}

void PriceBook::add_stated(const std::string& line, const std::string& price, const std::string& pointer) {
  prices_.push_back({line, "", price, "", "scenario", pointer});
}

void PriceBook::add_usual(const std::string& line, const std::string& price, const std::string& pointer) {
  prices_.push_back({line, "", price, "", "default", pointer});
}

void PriceBook::add_rate(const std::string& currency, const std::string& rate, const std::string& date) {
  const auto same = [&](const Price& p) { return p.line == "rates" && p.what == "rate of " + currency; };
  if (std::none_of(prices_.begin(), prices_.end(), same))
    prices_.push_back({"rates", "rate of " + currency, rate, date, "rate of exchange", "/cost/currency"});
}

void PriceBook::flag(ReadContext& context, const Price& price, const std::string& date) {
  const std::optional<int> today = months_of(date), then = months_of(price.date);
  if (price.date.empty() || !then) {
    warnings_.push_back(price.what + " (" + price.price + "): of when is not known");
    return;
  }
  if (!today || std::abs(*today - *then) <= kLongMonths) return;
  const std::string far = std::to_string(std::abs(*today - *then)) + " months " +
                          (*then < *today ? "before" : "after") + " the date of the costs, " + date;
  warnings_.push_back(price.what + " (" + price.price + ") is of " + price.date + ", " + far + ": ask for a new one");
  context.estimate(price.pointer, price.what + " of " + price.date,
                   std::to_string(std::abs(*today - *then)) + " months from the date of the costs, " + date +
                       ": ask for a new price");
}

// A report that mixes dates says so.
void PriceBook::say_dates() {
  std::string text;
  std::vector<std::string> dates;
  for (const Price& price : prices_) {
    if (price.date.empty()) continue;
    const std::string item = (price.line == "rates" ? price.what : price.line) + " " + price.date;
    if (text.find(item) == std::string::npos) text += (text.empty() ? "" : ", ") + item;
    if (std::find(dates.begin(), dates.end(), price.date) == dates.end()) dates.push_back(price.date);
  }
  if (dates.size() > 1) warnings_.push_back("prices of several dates: " + text);
}

void PriceBook::close(ReadContext& context, CostSpec& cost) {
  for (const Price& price : prices_)
    if (price.source != "scenario" && price.source != "default") flag(context, price, cost.date);
  say_dates();
  for (const Price& price : prices_) cost.origins.push_back({price.line, price.price, price.date, price.source});
  cost.warnings = warnings_;
}

}  // namespace clustersim
