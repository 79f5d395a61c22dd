// "400 Gbit/s" <-> Bandwidth: how quantities are written in files and read back to people.
//
// The one table of unit names is in sim/read/units_text.cc. kB, MB, GB, TB, PB are powers of ten, KiB, MiB, GiB, TiB
// of two; bits are spelled "bit" and bytes "B". What has two readings ("Gb/s", "Gbps", "KB") is refused with a hint.
// A month is 730 h and a year 8760 h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clustersim/range.h"
#include "clustersim/units.h"

namespace clustersim {

// What a quantity measures. Electricity and rented power share one C++ type (USD/J) but not their units, and so do a
// clock and a rate of interruptions.
enum class Dimension : std::uint8_t {
  time,
  frequency,
  bytes,
  bandwidth,
  flop,
  flop_rate,
  energy,
  power,
  temperature,
  temperature_difference,
  thermal_resistance,
  heat_capacity,
  money,
  energy_price,
  power_time_price,
  time_price,
  byte_price,
  byte_time_price,
  interruption_rate,
  airflow,
  carbon_mass,
  carbon_intensity
};

// The dimension that a C++ type is read with unless a field says otherwise.
template <class Q>
struct DimensionOf;
template <>
struct DimensionOf<Time> {
  static constexpr Dimension value = Dimension::time;
};
template <>
struct DimensionOf<Frequency> {
  static constexpr Dimension value = Dimension::frequency;
};
template <>
struct DimensionOf<Bytes> {
  static constexpr Dimension value = Dimension::bytes;
};
template <>
struct DimensionOf<Bandwidth> {
  static constexpr Dimension value = Dimension::bandwidth;
};
template <>
struct DimensionOf<Flop> {
  static constexpr Dimension value = Dimension::flop;
};
template <>
struct DimensionOf<FlopRate> {
  static constexpr Dimension value = Dimension::flop_rate;
};
template <>
struct DimensionOf<Energy> {
  static constexpr Dimension value = Dimension::energy;
};
template <>
struct DimensionOf<Power> {
  static constexpr Dimension value = Dimension::power;
};
template <>
struct DimensionOf<Temperature> {
  static constexpr Dimension value = Dimension::temperature;
};
template <>
struct DimensionOf<TemperatureDifference> {
  static constexpr Dimension value = Dimension::temperature_difference;
};
template <>
struct DimensionOf<ThermalResistance> {
  static constexpr Dimension value = Dimension::thermal_resistance;
};
template <>
struct DimensionOf<HeatCapacity> {
  static constexpr Dimension value = Dimension::heat_capacity;
};
template <>
struct DimensionOf<Money> {
  static constexpr Dimension value = Dimension::money;
};
template <>
struct DimensionOf<EnergyPrice> {
  static constexpr Dimension value = Dimension::energy_price;
};
template <>
struct DimensionOf<TimePrice> {
  static constexpr Dimension value = Dimension::time_price;
};
template <>
struct DimensionOf<BytePrice> {
  static constexpr Dimension value = Dimension::byte_price;
};
template <>
struct DimensionOf<ByteTimePrice> {
  static constexpr Dimension value = Dimension::byte_time_price;
};
template <>
struct DimensionOf<Airflow> {
  static constexpr Dimension value = Dimension::airflow;
};
template <>
struct DimensionOf<CarbonMass> {
  static constexpr Dimension value = Dimension::carbon_mass;
};
template <>
struct DimensionOf<CarbonIntensity> {
  static constexpr Dimension value = Dimension::carbon_intensity;
};

// What a text said, or why it says nothing.
struct ParsedQuantity {
  std::optional<double> base;  // base units of units.h; temperatures in degrees Celsius; prices in `currency`
  std::string currency;        // ISO code such as "USD" where the dimension holds money, else ""
  bool per_month = false;      // byte_price: the text said "/GB-month"; base is the price of one month
  std::string hint;            // where base is empty: how to mend the text, may be empty
};

ParsedQuantity parse_quantity(std::string_view text, Dimension dimension);

// The same for a text that may be a range: "90000..120000 USD", "80000..95000..120000 USD" with the likely one between.
struct ParsedRange {
  std::optional<RangeOf<double>> base;  // of a single value: three times the same; of two their middle is likely
  std::string currency;
  std::string hint;
};
ParsedRange parse_range(std::string_view text, Dimension dimension);

// "bandwidth with a unit, such as "100 Gbit/s"": the words of an error's `expected`.
std::string expected_quantity(Dimension dimension);
std::string dimension_name(Dimension dimension);           // "bandwidth"
std::vector<std::string> unit_names(Dimension dimension);  // every unit that is understood

// A text of at most 6 significant digits in the unit that makes it shortest ("25 MiB", "100 Gbit/s", "1.8 us"),
// or in `unit` where one is named. Money is in USD.
std::string format_quantity(double base, Dimension dimension, std::string_view unit = "");

template <class Q>
std::string format_quantity(Q quantity, std::string_view unit = "") {
  return format_quantity(quantity.base(), DimensionOf<Q>::value, unit);
}
inline std::string format_quantity(Temperature t) { return format_quantity(t.in_celsius(), Dimension::temperature); }

// USD for one unit of each currency, as of a date.
struct ExchangeRates {
  std::map<std::string, double> usd_per_unit;  // "USD" need not be listed
  std::string date;                            // of those that have none of their own
  std::map<std::string, std::string> dates = {};
  std::string date_of(const std::string& currency) const {
    const auto own = dates.find(currency);
    return own == dates.end() ? date : own->second;
  }
};

// Empty where the table does not know the currency.
std::optional<double> in_usd(double amount, const std::string& currency, const ExchangeRates& rates);

}  // namespace clustersim
