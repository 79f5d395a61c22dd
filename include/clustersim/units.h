// Quantities that know their dimension at compile time.
//
// A Quantity holds one double in base units: second, byte, FLOP (a multiply-add is 2 FLOP), joule, kelvin,
// US dollar, cubic metre, gram of CO2e. Products and quotients carry the dimension along, so that
// Bytes / Bandwidth is a Time and Power * Time is an Energy, while Power + Time does not compile.
// A temperature on a scale is a point, not a difference: see Temperature.
#pragma once

#include <compare>

namespace clustersim {

// Exponents of second, byte, FLOP, joule, kelvin, dollar, cubic metre, gram of CO2e.
template <int S, int B, int F, int J, int K, int M, int V, int G>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr static Quantity from_base(double base_units) { return Quantity(base_units); }
  // The value in base units.
  constexpr double base() const { return value_; }

  constexpr Quantity operator+(Quantity o) const { return Quantity(value_ + o.value_); }
  constexpr Quantity operator-(Quantity o) const { return Quantity(value_ - o.value_); }
  constexpr Quantity operator-() const { return Quantity(-value_); }
  constexpr Quantity operator*(double f) const { return Quantity(value_ * f); }
  constexpr Quantity operator/(double f) const { return Quantity(value_ / f); }
  constexpr Quantity& operator+=(Quantity o) {
    value_ += o.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity o) {
    value_ -= o.value_;
    return *this;
  }
  constexpr Quantity& operator*=(double f) {
    value_ *= f;
    return *this;
  }
  constexpr double operator/(Quantity o) const { return value_ / o.value_; }
  constexpr auto operator<=>(const Quantity&) const = default;

 private:
  explicit constexpr Quantity(double v) : value_(v) {}
  double value_ = 0.0;
};

template <int S, int B, int F, int J, int K, int M, int V, int G>
constexpr auto operator*(double f, Quantity<S, B, F, J, K, M, V, G> q) {
  return q * f;
}

template <int S, int B, int F, int J, int K, int M, int V, int G, int S2, int B2, int F2, int J2, int K2, int M2,
          int V2, int G2>
constexpr auto operator*(Quantity<S, B, F, J, K, M, V, G> a, Quantity<S2, B2, F2, J2, K2, M2, V2, G2> b) {
  return Quantity<S + S2, B + B2, F + F2, J + J2, K + K2, M + M2, V + V2, G + G2>::from_base(a.base() * b.base());
}

template <int S, int B, int F, int J, int K, int M, int V, int G, int S2, int B2, int F2, int J2, int K2, int M2,
          int V2, int G2>
constexpr auto operator/(Quantity<S, B, F, J, K, M, V, G> a, Quantity<S2, B2, F2, J2, K2, M2, V2, G2> b) {
  return Quantity<S - S2, B - B2, F - F2, J - J2, K - K2, M - M2, V - V2, G - G2>::from_base(a.base() / b.base());
}

using Time = Quantity<1, 0, 0, 0, 0, 0, 0, 0>;                   // s
using Frequency = Quantity<-1, 0, 0, 0, 0, 0, 0, 0>;             // 1/s
using Bytes = Quantity<0, 1, 0, 0, 0, 0, 0, 0>;                  // B
using Bandwidth = Quantity<-1, 1, 0, 0, 0, 0, 0, 0>;             // B/s
using Flop = Quantity<0, 0, 1, 0, 0, 0, 0, 0>;                   // FLOP
using FlopRate = Quantity<-1, 0, 1, 0, 0, 0, 0, 0>;              // FLOP/s
using Energy = Quantity<0, 0, 0, 1, 0, 0, 0, 0>;                 // J
using Power = Quantity<-1, 0, 0, 1, 0, 0, 0, 0>;                 // W
using TemperatureDifference = Quantity<0, 0, 0, 0, 1, 0, 0, 0>;  // K
using ThermalResistance = Quantity<1, 0, 0, -1, 1, 0, 0, 0>;     // K/W
using HeatCapacity = Quantity<0, 0, 0, 1, -1, 0, 0, 0>;          // J/K
using Money = Quantity<0, 0, 0, 0, 0, 1, 0, 0>;                  // USD
using EnergyPrice = Quantity<0, 0, 0, -1, 0, 1, 0, 0>;           // USD/J
using TimePrice = Quantity<-1, 0, 0, 0, 0, 1, 0, 0>;             // USD/s
using BytePrice = Quantity<0, -1, 0, 0, 0, 1, 0, 0>;             // USD/B
using ByteTimePrice = Quantity<-1, -1, 0, 0, 0, 1, 0, 0>;        // USD/(B s), e.g. USD per GB and month
using PowerTimePrice = EnergyPrice;                              // USD/(W s), e.g. USD per kW and month
using Airflow = Quantity<-1, 0, 0, 0, 0, 0, 1, 0>;               // m3/s
using CarbonMass = Quantity<0, 0, 0, 0, 0, 0, 0, 1>;             // g CO2e
using CarbonIntensity = Quantity<0, 0, 0, -1, 0, 0, 0, 1>;       // g CO2e/J

// A point on the temperature scale, in degrees Celsius.
class Temperature {
 public:
  constexpr Temperature() = default;
  constexpr static Temperature celsius(double c) {
    Temperature t;
    t.celsius_ = c;
    return t;
  }
  constexpr double in_celsius() const { return celsius_; }
  constexpr TemperatureDifference operator-(Temperature o) const {
    return TemperatureDifference::from_base(celsius_ - o.celsius_);
  }
  constexpr Temperature operator+(TemperatureDifference d) const { return celsius(celsius_ + d.base()); }
  constexpr Temperature operator-(TemperatureDifference d) const { return celsius(celsius_ - d.base()); }
  constexpr auto operator<=>(const Temperature&) const = default;

 private:
  double celsius_ = 0.0;
};

constexpr Time seconds(double v) { return Time::from_base(v); }
constexpr Time microseconds(double v) { return Time::from_base(v * 1e-6); }
constexpr Time hours(double v) { return Time::from_base(v * 3600.0); }
constexpr Frequency hertz(double v) { return Frequency::from_base(v); }
constexpr Frequency megahertz(double v) { return Frequency::from_base(v * 1e6); }
constexpr Bytes bytes(double v) { return Bytes::from_base(v); }
constexpr Bytes gigabytes(double v) { return Bytes::from_base(v * 1e9); }
constexpr Bytes gibibytes(double v) { return Bytes::from_base(v * 1073741824.0); }
constexpr Bandwidth bytes_per_second(double v) { return Bandwidth::from_base(v); }
constexpr Bandwidth gigabytes_per_second(double v) { return Bandwidth::from_base(v * 1e9); }
constexpr Bandwidth gigabits_per_second(double v) { return Bandwidth::from_base(v * 1e9 / 8.0); }
constexpr FlopRate teraflops(double v) { return FlopRate::from_base(v * 1e12); }
constexpr Power watts(double v) { return Power::from_base(v); }
constexpr Energy joules(double v) { return Energy::from_base(v); }
constexpr Energy kilowatt_hours(double v) { return Energy::from_base(v * 3.6e6); }
constexpr Money dollars(double v) { return Money::from_base(v); }
constexpr EnergyPrice dollars_per_kilowatt_hour(double v) { return EnergyPrice::from_base(v / 3.6e6); }
constexpr TimePrice dollars_per_hour(double v) { return TimePrice::from_base(v / 3600.0); }
// One cubic foot a minute is 4.719474e-4 m3/s (exact by the definition of the foot).
constexpr Airflow cubic_feet_per_minute(double v) { return Airflow::from_base(v * 4.719474432e-4); }

}  // namespace clustersim
