#include "models/power_thermal/thermal_network.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "clustersim/error.h"

using namespace clustersim;

namespace {

ThermalResistance k_per_w(double v) { return ThermalResistance::from_base(v); }
HeatCapacity j_per_k(double v) { return HeatCapacity::from_base(v); }
Temperature celsius(double v) { return Temperature::celsius(v); }

// Die and sink, 0.06 and 0.10 K/W, air as the held temperature.
ThermalNetwork card() {
  return ThermalNetwork({{j_per_k(40)}, {j_per_k(700)}}, {{0, 1, k_per_w(0.06)}}, {{1, 0, k_per_w(0.10)}});
}

}  // namespace

TEST_CASE("a steady temperature is the surroundings plus power times resistance") {
  const auto steady = card().steady({watts(300), watts(0)}, {celsius(25)});
  CHECK(steady[1].in_celsius() == Approx(25 + 300 * 0.10));
  CHECK(steady[0].in_celsius() == Approx(25 + 300 * (0.10 + 0.06)));
  // A long step ends there: the slowest mode (about 75 s) has decayed by exp(-100).
  const auto late = card().advance({celsius(25), celsius(25)}, {watts(300), watts(0)}, {celsius(25)}, seconds(7500));
  CHECK(late.end[0].in_celsius() == Approx(steady[0].in_celsius()));
}

TEST_CASE("one mass follows the exponential of its time constant") {
  const ThermalNetwork mass({{j_per_k(500)}}, {}, {{0, 0, k_per_w(0.2)}});
  // T = T_air + P R (1 - exp(-t / RC)), RC = 100 s.
  const auto step = mass.advance({celsius(20)}, {watts(100)}, {celsius(20)}, seconds(30));
  CHECK(step.end[0].in_celsius() == Approx(20 + 100 * 0.2 * (1 - std::exp(-0.3))));
}

TEST_CASE("two half steps are one step") {
  const std::vector<Temperature> start{celsius(60), celsius(40)};
  const auto whole = card().advance(start, {watts(250), watts(0)}, {celsius(30)}, seconds(20));
  const auto half = card().advance(start, {watts(250), watts(0)}, {celsius(30)}, seconds(10));
  const auto halves = card().advance(half.end, {watts(250), watts(0)}, {celsius(30)}, seconds(10));
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(halves.end[i].in_celsius() == Approx(whole.end[i].in_celsius()).epsilon(1e-12));
    CHECK((half.mean[i].in_celsius() + halves.mean[i].in_celsius()) / 2 ==
          Approx(whole.mean[i].in_celsius()).epsilon(1e-12));
  }
}

TEST_CASE("temperatures moved in place end where those of a step do") {
  for (double span_s : {0.001, 1.0, 50.0}) {
    std::vector<Temperature> moved{celsius(45), celsius(35)};
    std::vector<double> spare;
    const auto step = card().advance(moved, {watts(320), watts(5)}, {celsius(22)}, seconds(span_s));
    card().advance(moved, {watts(320), watts(5)}, {celsius(22)}, seconds(span_s), spare);
    CHECK(moved == step.end);
  }
}

TEST_CASE("energy in is energy stored plus energy let out") {
  for (double span_s : {0.001, 1.0, 50.0, 1000.0}) {
    const std::vector<Temperature> start{celsius(45), celsius(35)};
    const auto step = card().advance(start, {watts(320), watts(5)}, {celsius(22)}, seconds(span_s));
    const double stored_j = 40 * (step.end[0] - start[0]).base() + 700 * (step.end[1] - start[1]).base();
    CHECK(stored_j + step.released.base() == Approx((320 + 5) * span_s).epsilon(1e-9));
  }
}

TEST_CASE("a network without a way out only stores heat") {
  const ThermalNetwork closed({{j_per_k(100)}, {j_per_k(300)}}, {{0, 1, k_per_w(0.5)}}, {});
  const auto step = closed.advance({celsius(20), celsius(20)}, {watts(40), watts(0)}, {}, seconds(1000));
  // All heat in 400 J/K: the mean of both, weighted by capacity, rises by P t / C.
  CHECK((100 * step.end[0].in_celsius() + 300 * step.end[1].in_celsius()) / 400 == Approx(20 + 40 * 1000 / 400.0));
  CHECK(step.released.base() == 0);
  CHECK_THROWS_AS(closed.steady({watts(40), watts(0)}, {}), InternalError);
}
