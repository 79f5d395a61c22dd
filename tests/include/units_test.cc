#include "clustersim/units.h"

#include <catch2/catch.hpp>
#include <type_traits>

#include "clustersim/sim_time.h"

using namespace clustersim;

TEST_CASE("quotients and products carry their dimension") {
  // 25 MB over 12.5 GB/s = 2 ms.
  static_assert(std::is_same_v<decltype(Bytes() / Bandwidth()), Time>);
  static_assert(std::is_same_v<decltype(Power() * Time()), Energy>);
  CHECK((bytes(25e6) / gigabits_per_second(100)).base() == Approx(25e6 / (100e9 / 8)));
  // 300 W for an hour at 0.12 USD/kWh = 0.036 USD.
  CHECK((watts(300) * hours(1) * dollars_per_kilowatt_hour(0.12)).base() == Approx(0.3 * 0.12));
}

TEST_CASE("temperatures are points, their difference is a quantity") {
  const Temperature warm = Temperature::celsius(83), cool = Temperature::celsius(25);
  CHECK((warm - cool).base() == Approx(58));
  CHECK((cool + (warm - cool)).in_celsius() == Approx(83));
}

TEST_CASE("durations round up to whole picoseconds and refuse what cannot be represented") {
  CHECK(sim_time_from_seconds(1e-12) == 1);
  CHECK(sim_time_from_seconds(1.5e-12) == 2);
  CHECK_THROWS_AS(sim_time_from_seconds(-1), InternalError);
  CHECK_THROWS_AS(sim_time_from_seconds(1e8), InternalError);
}
