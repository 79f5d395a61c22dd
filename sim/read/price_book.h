// The prices that a cost leans on: where each is from and of when, and which of them a reader should doubt.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/read/read_context.h"

namespace clustersim {

// Months since year 0 of "2026", "2026-Q1", "2026-07" or "2026-07-20", in the middle of what is given, and of the later
// year of "2024-2025"; empty where it is none of these.
std::optional<int> months_of(const std::string& date);

class PriceBook {
 public:
  struct Price {
    std::string line;     // of the breakdown: "servers"
    std::string what;     // "price of xe8545"
    std::string price;    // "95000 USD"
    std::string date;     // "" where none is known; of the scenario's own prices that of the costs
    std::string source;   // "catalog, newest complete price"
    std::string pointer;  // of the scenario
  };

  // A price that the scenario states: taken to be of the date of the costs.
  void add_stated(const std::string& line, const std::string& price, const std::string& pointer);
  // One that neither says, and that is of no date.
  void add_usual(const std::string& line, const std::string& price, const std::string& pointer);
  // One of the catalog or of a price list.
  void add(Price price);
  // The date that a currency's rate is of.
  void add_rate(const std::string& currency, const std::string& rate, const std::string& date);
  // Something to doubt, told in the table.
  void warn(std::string text) { warnings_.push_back(std::move(text)); }

  // The newest date noted so far, "" where there is none; looked_at: of a price that is not used.
  const std::string& newest() const { return newest_; }
  void look_at(const std::string& date);

  // Flags what is more than a year from `date`, of no date, or of several; fills origins and warnings of the cost.
  void close(ReadContext& context, CostSpec& cost);

 private:
  void flag(ReadContext& context, const Price& price, const std::string& date);
  void say_dates();

  std::vector<Price> prices_;
  std::vector<std::string> warnings_;
  std::string newest_;
};

}  // namespace clustersim
