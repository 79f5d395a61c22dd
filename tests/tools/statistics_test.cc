#include "tools/measurement/statistics.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>

using clustersim::measurement::quantile;
using clustersim::measurement::summarise;
using clustersim::measurement::Summary;

TEST_CASE("quantiles lie between the sorted samples", "[measurement]") {
  // Five samples: h = p * 4, so quartiles fall on samples.
  CHECK(quantile({5, 1, 4, 2, 3}, 0.25) == 2);
  CHECK(quantile({5, 1, 4, 2, 3}, 0.5) == 3);
  // Four samples: h = 0.75 * 3 = 2.25, a quarter of the way from the third to the fourth.
  CHECK(quantile({10, 40, 20, 30}, 0.75) == Approx(30 + 0.25 * 10));
  CHECK(quantile({7}, 0.9) == 7);
  CHECK(quantile({1, 2}, 1.0) == 2);
}

TEST_CASE("spread is the interquartile range over the median", "[measurement]") {
  const Summary summary = summarise({1, 2, 3, 4, 5});
  CHECK(summary.median == 3);
  CHECK(summary.spread == Approx((4.0 - 2.0) / 3.0));
}

TEST_CASE("one disturbed sample leaves the median alone", "[measurement]") {
  CHECK(summarise({1, 1, 1, 1, 100}).median == 1);
  CHECK(summarise({1, 1, 1, 1, 100}).spread == 0);
}

TEST_CASE("what is no measurement is refused", "[measurement]") {
  CHECK_THROWS_AS(summarise({}), std::invalid_argument);
  CHECK_THROWS_AS(summarise({1, -1}), std::invalid_argument);
  CHECK_THROWS_AS(summarise({std::numeric_limits<double>::infinity()}), std::invalid_argument);
  CHECK_THROWS_AS(summarise({std::nan("")}), std::invalid_argument);
  CHECK(summarise({0, 0}).spread == 0);
}
