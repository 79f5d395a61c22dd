#include "clustersim/units_text.h"

#include <catch2/catch.hpp>

using namespace clustersim;

namespace {

double base_of(const char* text, Dimension dimension) {
  const ParsedQuantity parsed = parse_quantity(text, dimension);
  INFO(text << " " << parsed.hint);
  REQUIRE(parsed.base);
  return *parsed.base;
}

std::string hint_of(const char* text, Dimension dimension) {
  const ParsedQuantity parsed = parse_quantity(text, dimension);
  INFO(text);
  CHECK_FALSE(parsed.base);
  return parsed.hint;
}

}  // namespace

TEST_CASE("each kind of quantity is read into base units") {
  CHECK(base_of("100 Gbit/s", Dimension::bandwidth) == Approx(100e9 / 8));  // 8 bit = 1 B
  CHECK(base_of("25 MiB", Dimension::bytes) == 25.0 * 1024 * 1024);         // powers of two
  CHECK(base_of("25 MB", Dimension::bytes) == 25e6);                        // powers of ten
  CHECK(base_of("300 W", Dimension::power) == 300);
  CHECK(base_of("0.12 USD/kWh", Dimension::energy_price) == Approx(0.12 / (1000.0 * 3600)));
  CHECK(base_of("25 degC", Dimension::temperature) == 25);
  CHECK(base_of("100 CFM", Dimension::airflow) == Approx(100 * 0.3048 * 0.3048 * 0.3048 / 60));  // foot = 0.3048 m
  CHECK(base_of("1410 MHz", Dimension::frequency) == Approx(1410e6));
  CHECK(base_of("312 TFLOPS", Dimension::flop_rate) == base_of("312 TFLOP/s", Dimension::flop_rate));
  CHECK(base_of("150000 USD", Dimension::money) == 150000);
  // A month is a twelfth of 8760 h.
  CHECK(base_of("180 USD/kW-month", Dimension::power_time_price) == Approx(180 / (1000.0 * 8760 / 12 * 3600)));
  CHECK(base_of("21.96 USD/h", Dimension::time_price) == Approx(21.96 / 3600));
  CHECK(base_of("369.5 g/kWh", Dimension::carbon_intensity) == Approx(369.5 / (1000.0 * 3600)));
  CHECK(base_of("0.16 K/W", Dimension::thermal_resistance) == 0.16);
  CHECK(base_of("30 min", Dimension::time) == 30 * 60);
  CHECK(base_of("1.8 us", Dimension::time) == Approx(1.8e-6));
  CHECK(base_of("0 s", Dimension::time) == 0);
  CHECK(base_of("100Gbit/s", Dimension::bandwidth) == Approx(12.5e9));
}

TEST_CASE("money keeps its currency and is converted by the table given") {
  const ParsedQuantity parsed = parse_quantity("1000 EUR", Dimension::money);
  REQUIRE(parsed.base);
  CHECK(*parsed.base == 1000);
  CHECK(parsed.currency == "EUR");
  const ExchangeRates rates{{{"EUR", 1.25}}, "2026-07"};
  CHECK(*in_usd(*parsed.base, parsed.currency, rates) == Approx(1000 * 1.25));
  CHECK_FALSE(in_usd(1, "XYZ", rates));
  CHECK(parse_quantity("3 CNY/h", Dimension::time_price).currency == "CNY");
}

TEST_CASE("a monthly price of data says so") {
  const ParsedQuantity monthly = parse_quantity("0.023 USD/GB-month", Dimension::byte_price);
  REQUIRE(monthly.base);
  CHECK(*monthly.base == Approx(0.023e-9));
  CHECK(monthly.per_month);
  CHECK(parse_quantity("1 CNY/GB per month", Dimension::byte_price).per_month);
  CHECK(base_of("8760 USD per year", Dimension::time_price) == Approx(1 / 3600.0));  // a year is 8760 h
  CHECK_FALSE(parse_quantity("75 USD/TB", Dimension::byte_price).per_month);
}

TEST_CASE("a range has its unit once, and its likely value between its ends") {
  const ParsedRange two = parse_range("90000..120000 EUR", Dimension::money);
  REQUIRE(two.base);
  CHECK(two.base->low == 90000);
  CHECK(two.base->likely == 105000);
  CHECK(two.base->high == 120000);
  CHECK(two.currency == "EUR");
  CHECK(parse_range("17.84 .. 22 .. 49.24 USD/h", Dimension::time_price).base->likely == Approx(22 / 3600.0));
  CHECK(parse_range("5 USD/h", Dimension::time_price).base->low ==
        parse_range("5 USD/h", Dimension::time_price).base->high);
  // A month has 730 h.
  CHECK(parse_range("0.05..0.1 per month", Dimension::interruption_rate).base->high == Approx(0.1 / (730 * 3600)));
  CHECK(parse_range("0.023 USD/GB-month", Dimension::byte_time_price).base->low == Approx(0.023e-9 / (730 * 3600)));
  for (const char* bad : {"5 USD..6 USD", "6..5 USD", "1..2..3..4 USD", "..5 USD", "5.. USD", "a..5 USD", "1..2", ""})
    CHECK_FALSE(parse_range(bad, Dimension::money).base);
}

TEST_CASE("units with two readings are refused and both readings named") {
  for (const char* text : {"100 Gb/s", "100 Gbps", "100 gbps"}) {
    const std::string hint = hint_of(text, Dimension::bandwidth);
    CHECK(hint.find("two readings") != std::string::npos);
    CHECK(hint.find("Gbit/s") != std::string::npos);
    CHECK(hint.find("GB/s") != std::string::npos);
  }
  CHECK(hint_of("64 KB", Dimension::bytes).find("KiB") != std::string::npos);
}

TEST_CASE("a wrong dimension is named, a near unit suggested") {
  CHECK(hint_of("300 W", Dimension::bandwidth) == "\"W\" is a unit of power");
  CHECK(hint_of("100 gbit/s", Dimension::bandwidth) == "did you mean \"Gbit/s\"?");
  CHECK(hint_of("0.12 EUR/kwh", Dimension::energy_price) == "did you mean \"EUR/kWh\"?");
  CHECK(hint_of("180 USD/kW-month", Dimension::energy_price).find("unit of price of power") != std::string::npos);
  CHECK(expected_quantity(Dimension::bandwidth) == "bandwidth with a unit, such as \"100 Gbit/s\"");
}

TEST_CASE("what is no finite number of sensible size is refused") {
  for (const char* text :
       {"", "W", "300", "inf W", "nan W", "1e400 W", "1e300 W", "-1e300 W", "1,000 W", "$300", "0x10 W"})
    CHECK_FALSE(parse_quantity(text, Dimension::power).base);
  CHECK_FALSE(hint_of("300", Dimension::power).empty());
}

TEST_CASE("quantities are written readably and read back to the same value") {
  CHECK(format_quantity(bytes(25.0 * 1024 * 1024)) == "25 MiB");
  CHECK(format_quantity(gigabits_per_second(100)) == "100 Gbit/s");
  CHECK(format_quantity(watts(300)) == "300 W");
  CHECK(format_quantity(microseconds(1.8)) == "1.8 us");
  CHECK(format_quantity(seconds(0)) == "0 s");
  CHECK(format_quantity(dollars_per_kilowatt_hour(0.12)) == "0.12 USD/kWh");
  CHECK(format_quantity(Temperature::celsius(25)) == "25 degC");
  CHECK(format_quantity(gigabytes_per_second(50), "Gbit/s") == "400 Gbit/s");
  CHECK(format_quantity(megahertz(1410)) == "1410 MHz");
  // Every unit of every dimension: what one prints, the parser understands (6 digits: 1e-5 relative).
  for (int d = 0; d <= static_cast<int>(Dimension::carbon_intensity); ++d) {
    const auto dimension = static_cast<Dimension>(d);
    for (const auto& unit : unit_names(dimension)) {
      const std::string text = "123.456 " + unit;
      const double base = base_of(text.c_str(), dimension);
      CHECK(base_of(format_quantity(base, dimension, unit).c_str(), dimension) == Approx(base).epsilon(1e-5));
      CHECK(base_of(format_quantity(base, dimension).c_str(), dimension) == Approx(base).epsilon(1e-5));
    }
  }
}
