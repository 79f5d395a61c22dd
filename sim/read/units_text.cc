#include "clustersim/units_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <iterator>

namespace clustersim {

namespace {

// A unit of one dimension. In prices "$" stands for the currency's code. `printed` units are chosen from when a
// quantity is written for people.
struct Unit {
  Dimension dimension;
  const char* name;
  double base;  // base units in one of it
  bool printed;
};

using D = Dimension;
constexpr double kKibi = 1024.0, kMebi = kKibi * 1024, kGibi = kMebi * 1024, kTebi = kGibi * 1024;
constexpr double kHour = 3600.0, kDay = 24 * kHour;
constexpr double kMonth = 730 * kHour, kYear = 8760 * kHour;
constexpr double kKilowattHour = 3.6e6;                 // J
constexpr double kCubicFootPerMinute = 4.719474432e-4;  // m3/s, from the definition of the foot

constexpr Unit kUnits[] = {
    {D::time, "s", 1, true},
    {D::time, "ms", 1e-3, true},
    {D::time, "us", 1e-6, true},
    {D::time, "ns", 1e-9, true},
    {D::time, "ps", 1e-12, false},
    {D::time, "\u00b5s", 1e-6, false},
    {D::time, "min", 60, true},
    {D::time, "h", kHour, true},
    {D::time, "d", kDay, false},
    {D::time, "day", kDay, false},
    {D::time, "days", kDay, false},
    {D::time, "year", kYear, false},
    {D::time, "years", kYear, false},

    {D::frequency, "MHz", 1e6, true},
    {D::frequency, "GHz", 1e9, true},
    {D::frequency, "kHz", 1e3, true},
    {D::frequency, "Hz", 1, true},
    {D::frequency, "1/s", 1, false},

    {D::bytes, "B", 1, true},
    {D::bytes, "MB", 1e6, true},
    {D::bytes, "kB", 1e3, true},
    {D::bytes, "GB", 1e9, true},
    {D::bytes, "TB", 1e12, true},
    {D::bytes, "PB", 1e15, true},
    {D::bytes, "KiB", kKibi, true},
    {D::bytes, "MiB", kMebi, true},
    {D::bytes, "GiB", kGibi, true},
    {D::bytes, "TiB", kTebi, true},
    {D::bytes, "bit", 1.0 / 8, false},
    {D::bytes, "kbit", 1e3 / 8, false},
    {D::bytes, "Mbit", 1e6 / 8, false},
    {D::bytes, "Gbit", 1e9 / 8, false},

    {D::bandwidth, "Gbit/s", 1e9 / 8, true},
    {D::bandwidth, "GB/s", 1e9, true},
    {D::bandwidth, "MB/s", 1e6, true},
    {D::bandwidth, "Mbit/s", 1e6 / 8, true},
    {D::bandwidth, "kB/s", 1e3, true},
    {D::bandwidth, "B/s", 1, true},
    {D::bandwidth, "TB/s", 1e12, true},
    {D::bandwidth, "Tbit/s", 1e12 / 8, false},
    {D::bandwidth, "kbit/s", 1e3 / 8, false},
    {D::bandwidth, "bit/s", 1.0 / 8, false},
    {D::bandwidth, "KiB/s", kKibi, false},
    {D::bandwidth, "MiB/s", kMebi, false},
    {D::bandwidth, "GiB/s", kGibi, false},
    {D::bandwidth, "TiB/s", kTebi, false},

    {D::flop, "GFLOP", 1e9, true},
    {D::flop, "MFLOP", 1e6, true},
    {D::flop, "TFLOP", 1e12, true},
    {D::flop, "PFLOP", 1e15, false},
    {D::flop, "FLOP", 1, false},

    {D::flop_rate, "TFLOP/s", 1e12, true},
    {D::flop_rate, "GFLOP/s", 1e9, true},
    {D::flop_rate, "MFLOP/s", 1e6, false},
    {D::flop_rate, "PFLOP/s", 1e15, false},
    {D::flop_rate, "FLOP/s", 1, false},
    {D::flop_rate, "TFLOPS", 1e12, false},
    {D::flop_rate, "GFLOPS", 1e9, false},
    {D::flop_rate, "MFLOPS", 1e6, false},
    {D::flop_rate, "PFLOPS", 1e15, false},
    {D::flop_rate, "FLOPS", 1, false},

    {D::energy, "kWh", kKilowattHour, true},
    {D::energy, "MWh", 1e3 * kKilowattHour, true},
    {D::energy, "J", 1, true},
    {D::energy, "Wh", kHour, false},
    {D::energy, "kJ", 1e3, false},
    {D::energy, "MJ", 1e6, false},

    {D::power, "W", 1, true},
    {D::power, "kW", 1e3, true},
    {D::power, "MW", 1e6, true},
    {D::power, "mW", 1e-3, false},

    {D::temperature, "degC", 1, true},
    {D::temperature, "\u00b0C", 1, false},
    {D::temperature_difference, "K", 1, true},
    {D::thermal_resistance, "K/W", 1, true},
    {D::heat_capacity, "J/K", 1, true},
    {D::heat_capacity, "kJ/K", 1e3, false},

    {D::money, "$", 1, true},
    {D::energy_price, "$/kWh", 1 / kKilowattHour, true},
    {D::energy_price, "$/MWh", 1e-3 / kKilowattHour, false},
    {D::power_time_price, "$/kW-month", 1 / (1e3 * kMonth), true},
    {D::power_time_price, "$/kW-year", 1 / (1e3 * kYear), false},
    {D::power_time_price, "$/W-month", 1 / kMonth, false},
    {D::power_time_price, "$/W-year", 1 / kYear, false},
    {D::time_price, "$/h", 1 / kHour, true},
    {D::time_price, "$/month", 1 / kMonth, false},
    {D::time_price, "$/year", 1 / kYear, false},
    {D::time_price, "$/day", 1 / kDay, false},
    {D::byte_price, "$/GB", 1e-9, true},
    {D::byte_price, "$/TB", 1e-12, true},
    {D::byte_price, "$/GiB", 1 / kGibi, false},
    {D::byte_price, "$/TiB", 1 / kTebi, false},

    {D::byte_time_price, "$/GB-month", 1e-9 / kMonth, true},
    {D::byte_time_price, "$/TB-month", 1e-12 / kMonth, false},
    {D::byte_time_price, "$/GiB-month", 1 / (kGibi * kMonth), false},
    {D::byte_time_price, "$/TiB-month", 1 / (kTebi * kMonth), false},

    {D::interruption_rate, "per month", 1 / kMonth, true},
    {D::interruption_rate, "per day", 1 / kDay, false},
    {D::interruption_rate, "per h", 1 / kHour, false},
    {D::interruption_rate, "1/month", 1 / kMonth, false},
    {D::interruption_rate, "1/day", 1 / kDay, false},
    {D::interruption_rate, "1/h", 1 / kHour, false},

    {D::airflow, "CFM", kCubicFootPerMinute, true},
    {D::airflow, "m3/s", 1, false},
    {D::airflow, "m3/h", 1 / kHour, false},

    {D::carbon_mass, "g", 1, true},
    {D::carbon_mass, "kg", 1e3, true},
    {D::carbon_mass, "t", 1e6, true},
    {D::carbon_intensity, "g/kWh", 1 / kKilowattHour, true},
    {D::carbon_intensity, "kg/kWh", 1e3 / kKilowattHour, false},
    {D::carbon_intensity, "kg/MWh", 1 / kKilowattHour, false},
};

struct DimensionText {
  Dimension dimension;
  const char* name;
  const char* example;
};

constexpr DimensionText kDimensions[] = {
    {D::time, "time", "30 min"},
    {D::frequency, "frequency", "1410 MHz"},
    {D::bytes, "amount of data", "25 MiB"},
    {D::bandwidth, "bandwidth", "100 Gbit/s"},
    {D::flop, "amount of arithmetic", "8.2 GFLOP"},
    {D::flop_rate, "rate of arithmetic", "312 TFLOPS"},
    {D::energy, "energy", "5 kWh"},
    {D::power, "power", "300 W"},
    {D::temperature, "temperature", "25 degC"},
    {D::temperature_difference, "temperature difference", "10 K"},
    {D::thermal_resistance, "thermal resistance", "0.16 K/W"},
    {D::heat_capacity, "heat capacity", "500 J/K"},
    {D::money, "amount of money", "150000 USD"},
    {D::energy_price, "price of energy", "0.12 USD/kWh"},
    {D::power_time_price, "price of power by the month", "180 USD/kW-month"},
    {D::time_price, "price of time", "21.96 USD/h"},
    {D::byte_price, "price of data", "0.09 USD/GB"},
    {D::byte_time_price, "price of data kept", "0.023 USD/GB-month"},
    {D::interruption_rate, "rate of interruptions", "0.1 per month"},
    {D::airflow, "airflow", "100 CFM"},
    {D::carbon_mass, "mass of CO2e", "12 kg"},
    {D::carbon_intensity, "carbon intensity", "369.5 g/kWh"},
};

const DimensionText& text_of(Dimension dimension) {
  return *std::find_if(std::begin(kDimensions), std::end(kDimensions),
                       [&](const DimensionText& t) { return t.dimension == dimension; });
}

// Beyond this, in base units, nothing in a cluster is meant (10^25 FLOP is the largest training run known).
constexpr double kHuge = 1e27;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

bool is_currency_code(std::string_view s) {
  return s.size() == 3 && std::all_of(s.begin(), s.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

// The unit as it stands in the table, with "$" for a leading currency code.
std::string table_name(std::string_view unit, std::string& currency) {
  for (const Unit& u : kUnits)
    if (unit == u.name) return std::string(unit);
  const std::string_view head = unit.substr(0, unit.find('/'));
  if (!is_currency_code(head)) return std::string(unit);
  currency = std::string(head);
  return "$" + std::string(unit.substr(head.size()));
}

// "USD per year" as "USD/year", "USD/GB per month" as "USD/GB-month".
std::string with_slashes(std::string_view unit) {
  static constexpr std::string_view kPer = " per ";
  std::string out(unit);
  for (auto at = out.find(kPer); at != std::string::npos; at = out.find(kPer))
    out.replace(at, kPer.size(), out.find('/') == std::string::npos ? "/" : "-");
  return out;
}

std::string shown(const Unit& unit, const std::string& currency) {
  const std::string name = unit.name;
  return name[0] == '$' ? (currency.empty() ? "USD" : currency) + name.substr(1) : name;
}

// "100 Gb/s", "10 Gbps", "64 KB": units that people read in two ways.
std::string two_readings_hint(std::string_view unit) {
  struct Ambiguous {
    const char* name;
    const char* hint;
  };
  static constexpr Ambiguous kAmbiguous[] = {
      {"b", "\"b\" may be bits or bytes: write \"bit\" or \"B\""},
      {"kb", "write \"kB\" for 1000 bytes, \"KiB\" for 1024 bytes or \"kbit\""},
      {"mb", "write \"MB\" for bytes or \"Mbit\" for bits"},
      {"gb", "write \"GB\" for bytes or \"Gbit\" for bits"},
      {"tb", "write \"TB\" for bytes or \"Tbit\" for bits"},
      {"b/s", "\"b\" may be bits or bytes: write \"bit/s\" or \"B/s\""},
      {"kb/s", "write \"kB/s\" for bytes or \"kbit/s\" for bits"},
      {"mb/s", "write \"MB/s\" for bytes or \"Mbit/s\" for bits"},
      {"gb/s", "write \"GB/s\" for bytes or \"Gbit/s\" for bits"},
      {"tb/s", "write \"TB/s\" for bytes or \"Tbit/s\" for bits"},
      {"bps", "write \"bit/s\" or \"B/s\""},
      {"kbps", "write \"kbit/s\" for bits or \"kB/s\" for bytes"},
      {"mbps", "write \"Mbit/s\" for bits or \"MB/s\" for bytes"},
      {"gbps", "write \"Gbit/s\" for bits or \"GB/s\" for bytes"},
      {"tbps", "write \"Tbit/s\" for bits or \"TB/s\" for bytes"},
  };
  for (const auto& a : kAmbiguous)
    if (lower(unit) == a.name) return "\"" + std::string(unit) + "\" has two readings: " + a.hint;
  return "";
}

std::string hint_for_unit(std::string_view unit, const std::string& name, Dimension wanted,
                          const std::string& currency) {
  for (const Unit& u : kUnits)
    if (name == u.name) return "\"" + std::string(unit) + "\" is a unit of " + text_of(u.dimension).name;
  if (auto hint = two_readings_hint(unit); !hint.empty()) return hint;
  for (const Unit& u : kUnits)
    if (u.dimension == wanted && lower(name) == lower(u.name)) return "did you mean \"" + shown(u, currency) + "\"?";
  for (const Unit& u : kUnits)
    if (lower(name) == lower(u.name))
      return "\"" + shown(u, currency) + "\" would be a unit of " + text_of(u.dimension).name;
  std::string known;
  for (const Unit& u : kUnits)
    if (u.dimension == wanted) known += (known.empty() ? "" : ", ") + shown(u, "");
  return "known units: " + known;
}

ParsedQuantity refuse(std::string hint) {
  ParsedQuantity out;
  out.hint = std::move(hint);
  return out;
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

}  // namespace

ParsedQuantity parse_quantity(std::string_view text, Dimension dimension) {
  text = trimmed(text);
  if (text.empty()) return refuse("the text is empty");
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) return refuse("the number is out of range");
  if (error != std::errc()) return refuse("the number comes first, then the unit");
  if (!std::isfinite(number)) return refuse("the number must be finite");
  const std::string_view unit = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  if (unit.empty()) return refuse("the unit is missing");
  if (unit.front() == ',') return refuse("write the number without commas between its digits");

  ParsedQuantity out;
  std::string name = table_name(with_slashes(unit), out.currency);
  static constexpr std::string_view kMonthly = "-month";
  if (dimension == Dimension::byte_price && name.ends_with(kMonthly)) {
    out.per_month = true;
    name.resize(name.size() - kMonthly.size());
  }
  for (const Unit& u : kUnits) {
    if (u.dimension != dimension || name != u.name) continue;
    const double base = number * u.base;
    if (!(std::fabs(base) <= kHuge)) return refuse("the number is out of range");
    out.base = base;
    return out;
  }
  return refuse(hint_for_unit(unit, name, dimension, out.currency));
}

ParsedRange parse_range(std::string_view text, Dimension dimension) {
  static constexpr std::string_view kTo = "..";
  constexpr std::size_t kMost = 3;
  ParsedRange out;
  const auto refuse_range = [&](std::string hint) {
    out.hint = std::move(hint);
    return out;
  };
  std::vector<std::string_view> numbers;
  std::string_view rest = trimmed(text);
  for (auto at = rest.find(kTo); at != std::string_view::npos; at = rest.find(kTo)) {
    numbers.push_back(trimmed(rest.substr(0, at)));
    rest = rest.substr(at + kTo.size());
  }
  if (numbers.size() >= kMost) return refuse_range("a range has two ends, and at most one likely value between them");
  const ParsedQuantity last = parse_quantity(rest, dimension);
  if (!last.base) return refuse_range(last.hint);
  out.currency = last.currency;
  // The unit stands once, behind the last number.
  double ignored = 0;
  rest = trimmed(rest);
  const char* const unit = std::from_chars(rest.data(), rest.data() + rest.size(), ignored).ptr;
  const std::string shared(unit, rest.data() + rest.size());
  std::vector<double> values;
  for (const std::string_view number : numbers) {
    const ParsedQuantity parsed = parse_quantity(std::string(number) + " " + shared, dimension);
    if (!parsed.base) return refuse_range("the unit stands once, behind the last number: \"90000..120000 USD\"");
    values.push_back(*parsed.base);
  }
  values.push_back(*last.base);
  if (!std::is_sorted(values.begin(), values.end())) return refuse_range("the smaller end of a range comes first");
  const double likely = values.size() == 3 ? values[1] : (values.front() + values.back()) / 2;
  out.base = {values.front(), likely, values.back()};
  return out;
}

std::string expected_quantity(Dimension dimension) {
  const DimensionText& t = text_of(dimension);
  return std::string(t.name) + " with a unit, such as \"" + t.example + "\"";
}

std::string dimension_name(Dimension dimension) { return text_of(dimension).name; }

std::vector<std::string> unit_names(Dimension dimension) {
  std::vector<std::string> names;
  for (const Unit& u : kUnits)
    if (u.dimension == dimension) names.push_back(shown(u, "USD"));
  return names;
}

std::string format_quantity(double base, Dimension dimension, std::string_view unit) {
  const auto in_unit = [&](const Unit& u) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.6g", base / u.base);
    return std::string(digits) + " " + shown(u, "USD");
  };
  std::string best;
  double best_rank = 0;
  for (const Unit& u : kUnits) {
    if (u.dimension != dimension) continue;
    if (!unit.empty()) {
      if (shown(u, "USD") == unit) return in_unit(u);
      continue;
    }
    if (!u.printed) continue;
    // Short texts first; numbers outside 1..9999 are hard to read and exponents harder.
    const std::string candidate = in_unit(u);
    const double size = std::fabs(base / u.base);
    double rank = static_cast<double>(candidate.size() - shown(u, "USD").size());
    if (base != 0 && (size < 1 || size >= 1e4)) rank += 10;
    if (candidate.find('e') < candidate.find(' ')) rank += 10;
    if (best.empty() || rank < best_rank) {
      best = candidate;
      best_rank = rank;
    }
  }
  return best;
}

std::optional<double> in_usd(double amount, const std::string& currency, const ExchangeRates& rates) {
  if (currency == "USD") return amount;
  const auto rate = rates.usd_per_unit.find(currency);
  if (rate == rates.usd_per_unit.end()) return std::nullopt;
  return amount * rate->second;
}

}  // namespace clustersim
