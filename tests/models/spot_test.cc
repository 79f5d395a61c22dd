#include "models/outcome/spot.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "clustersim/random.h"

using namespace clustersim;

TEST_CASE("what interruptions cost, by hand") {
  // 4 instances, each taken back every 100 h: one interruption in 25 h. 97 stretches of an hour between checkpoints,
  // each repeated exp(1/25) - 1 = 0.0408 times, 15 min to start again.
  const SpotRun run = *spot_run(Frequency::from_base(1 / (100 * 3600.0)), 4, hours(97), hours(1), hours(0.25));
  CHECK(run.mtbf / hours(1) == Approx(25));
  CHECK(run.interruptions == Approx(97 * (std::exp(0.04) - 1)));
  CHECK(run.wall / hours(1) == Approx(25.25 * 97 * (std::exp(0.04) - 1)));
  CHECK(run.lost / hours(1) == Approx(run.wall / hours(1) - 97));
}

TEST_CASE("without checkpoints the run begins anew each time") {
  const SpotRun run = *spot_run(Frequency::from_base(1 / (100 * 3600.0)), 1, hours(10), Time(), Time());
  CHECK(run.interval / hours(1) == Approx(10));
  CHECK(run.wall / hours(1) == Approx(100 * (std::exp(0.1) - 1)));
  // One an hour: 5 h in one piece take 1 h x (exp(5) - 1), six days; 20 h come to no end.
  CHECK(spot_run(Frequency::from_base(1 / 3600.0), 1, hours(5), Time(), Time())->wall / hours(1) ==
        Approx(std::exp(5.0) - 1));
  CHECK_FALSE(spot_run(Frequency::from_base(1 / 3600.0), 1, hours(20), Time(), Time()));
  // Two stretches and a half.
  CHECK(spot_run(Frequency::from_base(1 / 36000.0), 1, hours(5), hours(2), Time())->wall / hours(1) ==
        Approx(10 * (2 * (std::exp(0.2) - 1) + std::exp(0.1) - 1)));
  CHECK(spot_run(Frequency(), 1, hours(10), Time(), Time())->wall / hours(1) == Approx(10));
}

TEST_CASE("a share taken back in a month is a rate") {
  // p = 1 - exp(-lambda month)
  const double lambda = interruption_rate(0.1).base();
  CHECK(1 - std::exp(-lambda * 730 * 3600) == Approx(0.1));
}

// Interruptions drawn from an exponential distribution, each of which throws the work back to the last checkpoint.
TEST_CASE("drawn interruptions cost what the formula says") {
  const double mtbf = 20, interval = 1, restart = 0.2, work = 50;  // h
  std::uint64_t drawn = 0;
  const auto until_next = [&] { return -mtbf * std::log(1 - random_uniform("spot", 7, drawn++)); };
  double total = 0;
  const int runs = 4000;
  for (int i = 0; i < runs; ++i) {
    double done = 0, clock = 0, next = until_next();
    while (done < work) {
      const double goal = std::min(work, done + interval);
      if (clock + (goal - done) <= next) {
        clock += goal - done;
        done = goal;
      } else {
        clock = next + restart;
        next = clock + until_next();
      }
    }
    total += clock;
  }
  const SpotRun run =
      *spot_run(Frequency::from_base(1 / (mtbf * 3600)), 1, hours(work), hours(interval), hours(restart));
  // 4000 runs with 2.6 interruptions each: the mean is sure to 0.1 %.
  CHECK(total / runs == Approx(run.wall / hours(1)).epsilon(0.005));
}
