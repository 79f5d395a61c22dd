#include "sim/engine/progress.h"

#include <catch2/catch.hpp>

using namespace clustersim;

TEST_CASE("work at a changing rate ends when its integral is reached, rounded up") {
  // 100 units: 2 s at 10/s leave 80, 1 s at 40/s leaves 40, at 5/s those take 8 s: the end is at 2 + 1 + 8 = 11 s.
  const SimTime second = sim_time_from_seconds(1);
  Progress p{100, 0, 0};
  p.set_rate(0, 10);
  CHECK(p.finish() == 10 * second);
  p.set_rate(2 * second, 40);
  p.set_rate(3 * second, 5);
  CHECK(p.finish() == 11 * second);

  // A third of a second is no whole number of ps: never early, at most 1 ps late.
  const Progress third{1, 3, 0};
  CHECK(sim_time_to_seconds(third.finish()) >= 1.0 / 3);
  CHECK(sim_time_to_seconds(third.finish() - 1) < 1.0 / 3);
}

TEST_CASE("work that stands still never ends, work that is done ends where it is") {
  CHECK(Progress{1, 0, 5}.finish() == sim_time_never);
  CHECK(Progress{0, 0, 5}.finish() == 5);
  Progress p{1, 10, 0};
  p.advance(sim_time_from_seconds(1));  // ten times as long as it needs
  CHECK(p.remaining == 0);
}
