// What a run means: numbers with unit and meaning, what limits it, and what it leaned on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace clustersim {

// One number of the report, in the base unit named beside it. Names are those of the report format.
struct Metric {
  std::string name;
  double value = 0;
  std::string unit;
  std::string meaning;
};

// Something the answer leans on that the user did not state.
struct Assumption {
  enum class Kind : std::uint8_t { default_value, estimate, model } kind = Kind::default_value;
  std::string pointer;  // scenario key or catalog field it concerns
  std::string value;    // as a user would write it
  std::string why;
};

struct Bottleneck {
  std::string resource;  // e.g. "node0.nic0"
  std::string kind;      // compute, memory, fabric, input, host, storage, thermal, power
  double share = 0;      // of the step time, 0..1
  std::string advice;
};

struct Provenance {
  std::string version;
  double wall_time_s = 0;
  std::uint64_t events = 0;
  std::string fingerprint;  // 16 hex digits
};

// A labelled row of context for the reader ("collective": "ring, 4 nodes x 1 GPU, 11.5 GB/s", ...).
struct Note {
  std::string topic;
  std::string text;
};

// A steady step with one resource doubled.
struct WhatIf {
  std::string change;  // "2x NIC rate"
  double step_s = 0;
  double now_s = 0;  // the same step as it is, simulated as this was
};

// How far off predictions like this one have been: of |error| of the throughput of published rows.
struct ExpectedError {
  double median = 0, p90 = 0;
  int rows = 0;
  std::string like;  // "resnet on a100, mlperf, amp"
};

// What a sum of money is made of, and on what basis.
struct CostPart {
  std::string what;
  double amount = 0;
  std::string basis;
  double low = 0, high = 0;  // equal to `amount` where no price is a range
  std::string formula;       // with its inputs; in USD, before the exchange
  std::string source;        // of its prices, each with its date
};

// What owning and renting cost over the years, for the same work: an hour of it is one on the owned cluster.
//   owned   purchase + years (fixed_per_year + electricity_per_hour hours_a_year use) - residual purchase, when sold
//   rented  years rented_per_hour hours_a_year use
struct OwnOrRentPrices {
  double purchase = 0;  // servers, spares, network, racks
  double residual = 0;  // share of all of it that is left after `years`; of racks nothing is
  double years = 0;
  double utilization = 0;           // that the scenario states
  double fixed_per_year = 0;        // support, colocation, staff
  double electricity_per_hour = 0;  // of work, cooling included
  double rented_per_hour = 0;       // what is paid for the work that the owned cluster does in an hour

  double owned_a_year(double use) const {
    return purchase * (1 - residual) / years + fixed_per_year + electricity_per_hour * 8760 * use;
  }
  double rented_a_year(double use) const { return rented_per_hour * 8760 * use; }
  // The use at which owning for `years` and renting for the same work cost the same:
  //   (purchase (1 - residual) / years + fixed_per_year) / (8760 (rented_per_hour - electricity_per_hour))
  // above it owning is cheaper. Above 1: never; empty: never, since electricity alone costs as much as renting.
  std::optional<double> break_even_utilization() const {
    if (!(rented_per_hour > electricity_per_hour)) return std::nullopt;
    return owned_a_year(0) / (8760 * (rented_per_hour - electricity_per_hour));
  }
  // The month in which what was paid for the machines has been saved in rent, at `utilization` and without a sale:
  //   purchase / (a month's rent - a month's running); empty: never.
  std::optional<double> break_even_months() const {
    const double running = fixed_per_year + electricity_per_hour * 8760 * utilization;
    const double gained = (rented_a_year(utilization) - running) / 12;
    return gained > 0 ? std::optional(purchase / gained) : std::nullopt;
  }
};

// The cost metrics taken apart; all in `currency`. A way that was not asked for has no parts.
struct CostBreakdown {
  std::string currency;
  std::string date = {};  // that the prices are meant to be of
  std::vector<CostPart> owned = {}, rented = {};
  std::vector<std::string> unpriced = {};           // parts without a price; their sum is then unknown
  std::vector<std::string> warnings = {};           // old, undated and disputed prices, rates of another time, ...
  std::optional<OwnOrRentPrices> own_or_rent = {};  // where both are priced
};

struct Report {
  std::string scenario;
  std::string headline;  // what was run, in one line
  std::vector<Metric> metrics;
  Bottleneck bottleneck;
  std::vector<Assumption> assumptions;
  std::vector<Note> notes;
  std::vector<WhatIf> what_ifs;  // empty: not asked for
  std::optional<ExpectedError> expected_error;
  std::optional<CostBreakdown> cost;
  Provenance provenance;
};

}  // namespace clustersim
