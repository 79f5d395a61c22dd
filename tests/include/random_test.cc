#include "clustersim/random.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

using namespace clustersim;

TEST_CASE("a random number follows from stream, seed and counter alone") {
  static_assert(random_bits("a", 1, 2) == random_bits("a", 1, 2));
  std::set<std::uint64_t> seen;
  for (const char* stream : {"a", "b", "ab", "ba"})
    for (std::uint64_t seed = 0; seed < 10; ++seed)
      for (std::uint64_t counter = 0; counter < 100; ++counter) seen.insert(random_bits(stream, seed, counter));
  CHECK(seen.size() == 4 * 10 * 100);
}

TEST_CASE("uniform numbers have the mean and the variance of theirs, and neighbours are strangers") {
  // Mean 1/2 and variance 1/12; of 1e5 draws the mean errs by 1e-3, 5 of these are allowed; so for the correlation.
  constexpr int draws = 100000;
  double sum = 0, squares = 0, products = 0;
  for (int i = 0; i < draws; ++i) {
    const double x = random_uniform("test", 7, static_cast<std::uint64_t>(i));
    const double next = random_uniform("test", 7, static_cast<std::uint64_t>(i) + 1);
    REQUIRE(x >= 0);
    REQUIRE(x < 1);
    sum += x;
    squares += (x - 0.5) * (x - 0.5);
    products += (x - 0.5) * (next - 0.5);
  }
  CHECK(sum / draws == Approx(0.5).margin(5e-3));
  CHECK(squares / draws == Approx(1.0 / 12).margin(5e-3));
  CHECK(std::abs(products / draws) < 5.0 / 12 / std::sqrt(draws));
}
