#include "models/workload/rank_noise.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace clustersim;

TEST_CASE("rank noise: mean of the largest of n normals") {
  // Exact: 1/sqrt(pi) for two, 3/(2 sqrt(pi)) for three. Tables (Harter 1961): 1.0294 for 4, 1.5388 for 10,
  // 2.5076 for 100, 3.2414 for 1000; the error of the asymptotic form shrinks like 1 / ln n.
  CHECK(largest_normal(1) == 0);
  CHECK(largest_normal(2) == Approx(0.5642).epsilon(1e-3));
  CHECK(largest_normal(3) == Approx(0.8463).epsilon(1e-3));
  CHECK(largest_normal(10) == Approx(1.5388).epsilon(0.07));
  CHECK(largest_normal(100) == Approx(2.5076).epsilon(0.03));
  CHECK(largest_normal(1000) == Approx(3.2414).epsilon(0.02));
  for (int n = 1; n < 5000; ++n) CHECK(largest_normal(n + 1) >= largest_normal(n));
}

TEST_CASE("rank noise: one rank waits for nobody, averaging over micro-batches shrinks the wait by its root") {
  CHECK(straggler_factor(1, 1) == 1);
  CHECK(straggler_factor(64, 16) - 1 == Approx((straggler_factor(64, 1) - 1) / 4));
}

TEST_CASE("rank noise: the slowest of two GPUs is a normal's 1 / sqrt(pi) deviations slower than their mean") {
  CHECK(slowest_gpu(1) == 1);
  CHECK(slowest_gpu(2) == Approx(1 + 0.08 / 5.4 / std::sqrt(std::acos(-1.0))));
}

TEST_CASE("rank noise: imbalance of lengths") {
  // cv = sqrt(1.49 - 1) = 0.7; 64 ranks are 8 groups of 8, each with 8 * 6 sequences.
  CHECK(length_imbalance(64, 6, 1.49) == Approx(1 + largest_normal(8) * 0.7 / std::sqrt(48.0)));
  CHECK(length_imbalance(8, 6, 1.49) == 1);
  CHECK(length_imbalance(64, 6, 1.0) == 1);
}
