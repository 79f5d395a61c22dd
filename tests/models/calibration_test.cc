#include <catch2/catch.hpp>
#include <cmath>

#include "models/calibration/collective_curve.h"
#include "models/calibration/rates.h"
#include "models/calibration/robust_fit.h"

using namespace clustersim;

namespace {

// Deterministic noise in -1..1: the fractional part of a multiple of the golden ratio.
double noise(int i) {
  const double x = 0.6180339887498949 * (i + 1);
  return 2 * (x - std::floor(x)) - 1;
}

constexpr double kib = 1024.0, mib = 1048576.0, gib = 1073741824.0;

double curve_seconds(double s) { return 38e-6 + 69e-6 * s / (s + 14.8e6) + s / 273e9; }  // 8x H200, MODELS 3.5

}  // namespace

TEST_CASE("a robust fit finds the constants behind noisy rows and one that is far off", "[calibration]") {
  // t = 20 us + S / 25 GB/s, every row off by at most 3 %, one by a factor of 5: the constants within 3 %.
  std::vector<TimedSize> sweep;
  for (int i = 0; i < 20; ++i) {
    const double s = 4 * kib * std::pow(2.0, i);
    sweep.push_back({s, (20e-6 + s / 25e9) * (1 + 0.03 * noise(i))});
  }
  sweep[11].seconds *= 5;
  const auto fit = fit_rate(sweep);
  REQUIRE(fit);
  CHECK(fit->fixed_s == Approx(20e-6).epsilon(0.03));
  CHECK(fit->per_s == Approx(25e9).epsilon(0.03));
  CHECK(fit->quality.rows == 20);
  CHECK(fit->quality.median_residual < 0.03);
  CHECK(fit->quality.worst_residual == Approx(0.8).epsilon(0.05));  // 1 - 1/5 of the row that is far off
  CHECK(fit->quality.inside(mib));
  CHECK_FALSE(fit->quality.inside(16 * gib));
}

TEST_CASE("what rows cannot show is no fit", "[calibration]") {
  CHECK_FALSE(fit_rate({}));
  CHECK_FALSE(fit_rate({{mib, 1e-3}}));
  CHECK_FALSE(fit_rate({{mib, 1e-3}, {mib, 1.1e-3}}));   // one size: the columns depend on each other
  CHECK_FALSE(fit_rate({{mib, 1e-3}, {2 * mib, 0.0}}));  // no time
  CHECK_FALSE(fit_curve({{mib, 1e-3}, {mib, 1e-3}}));
  CHECK_FALSE(fit_factors({{{mib, 1e-3, 1e-5, 0, 1, 1e-3}}}));
}

TEST_CASE("coefficients are never negative: a falling time has no rate", "[calibration]") {
  CHECK_FALSE(fit_rate({{mib, 3e-3}, {2 * mib, 2e-3}, {4 * mib, 1e-3}}));
  // Latency below zero would fit best; the row through the origin is taken instead.
  const auto fit = fit_rate({{mib, 1e-4}, {2 * mib, 3e-4}, {4 * mib, 7e-4}});
  REQUIRE(fit);
  CHECK(fit->fixed_s == 0);
}

TEST_CASE("the four numbers of a sweep are found again", "[calibration]") {
  std::vector<TimedSize> sweep;
  for (double s = 32 * kib; s <= 16 * gib; s *= 2) {
    const int i = static_cast<int>(sweep.size());
    sweep.push_back({s, curve_seconds(s) * (1 + 0.01 * noise(i))});
  }
  const auto curve = fit_curve(sweep);
  REQUIRE(curve);
  CHECK(curve->small_s == Approx(38e-6).epsilon(0.05));
  CHECK(curve->fill_s == Approx(69e-6).epsilon(0.15));
  CHECK(curve->bytes_per_s == Approx(273e9).epsilon(0.02));
  CHECK(curve->quality.median_residual < 0.01);
  CHECK(curve->seconds(1 * gib) == Approx(curve_seconds(1 * gib)).epsilon(0.02));
}

TEST_CASE("two sizes give latency and rate", "[calibration]") {
  // t = a + S/B through (1 KiB, 11 us) and (1 GiB, 10.01 ms): the two equations have one solution.
  const double slope = (10.01e-3 - 11e-6) / (gib - kib);
  const auto curve = fit_curve({{kib, 11e-6}, {gib, 10.01e-3}});
  REQUIRE(curve);
  CHECK(curve->bytes_per_s == Approx(1 / slope).epsilon(1e-9));
  CHECK(curve->small_s == Approx(11e-6 - kib * slope).epsilon(1e-6));
  CHECK(curve->fill_s == 0);
}

TEST_CASE("factors on a model are found again, and what no size shows stays the model's", "[calibration]") {
  const auto modelled = [](double s) {
    ModelledSize m;
    m.bytes = s, m.small_s = 30e-6, m.fill_s = 60e-6, m.knee_bytes = 8 * mib, m.bound_s = s / 200e9;
    return m;
  };
  const CollectiveFactors truth{1.4, 0.8, 2, 0.9};
  std::vector<std::vector<ModelledSize>> sweep;
  for (double s = 8 * kib; s <= 8 * gib; s *= 4) {
    sweep.push_back({modelled(s)});
    sweep.back()[0].seconds = seconds_of(sweep.back()[0], truth);
  }
  const auto fit = fit_factors(sweep);
  REQUIRE(fit);
  CHECK(fit->factors.small == Approx(1.4).epsilon(0.02));
  CHECK(fit->factors.fill == Approx(0.8).epsilon(0.2));  // fill and knee make up for each other
  CHECK(fit->factors.rate == Approx(0.9).epsilon(0.01));
  CHECK(fit->quality.worst_residual < 0.02);

  // Two sizes of a gigabyte: 90 us of latency are 2 % of them, so its factor hardly moves.
  std::vector<std::vector<ModelledSize>> large = {{modelled(gib)}, {modelled(2 * gib)}};
  for (auto& m : large) m[0].seconds = seconds_of(m[0], {1, 1, 1, 0.5}) * 1.01;
  const auto rate = fit_factors(large);
  REQUIRE(rate);
  CHECK(rate->factors.rate == Approx(0.5).epsilon(0.03));
  CHECK(rate->factors.small == Approx(1.0).epsilon(0.2));

  // What both ends show is followed: five times the latency, a fifth of the rate. So far from 1 a factor pulls with
  // 2 / 0.2 for latency, 2 / 0.05 for the rate; a size holds it with 2 r / 0.1^2, 2 r / 0.03^2: r = 5 % and 1.8 %.
  std::vector<std::vector<ModelledSize>> ends = {{modelled(8)}, {modelled(8 * gib)}};
  for (auto& m : ends) m[0].seconds = seconds_of(m[0], {5, 5, 1, 0.2});
  const auto slow = fit_factors(ends);
  REQUIRE(slow);
  CHECK(slow->factors.small == Approx(5).epsilon(0.055));
  CHECK(slow->factors.rate == Approx(0.2).epsilon(0.022));

  // A hundred times slower is another machine.
  for (auto& m : large) m[0].seconds *= 100;
  CHECK_FALSE(fit_factors(large));
}

TEST_CASE("the middle of values is their median, with what they scatter", "[calibration]") {
  const Middle middle = middle_of({1, 2, 4}, {10, 12, 11});
  CHECK(middle.value == 11);
  CHECK(middle.quality.rows == 3);
  CHECK(middle.quality.worst_residual == Approx(0.1));  // 11/10 - 1
  CHECK(middle.quality.from == 1);
  CHECK(middle.quality.to == 4);
}

TEST_CASE("corrections of either sign come back from rows that they made, one bad row or not", "[calibration]") {
  // y = 0.1 a - 0.2 b on ten rows; c is in none. A ridge of 1e-9 is nothing beside sums of squares of order 1.
  std::vector<std::vector<double>> rows;
  std::vector<double> lacking;
  for (int i = 0; i < 10; ++i) {
    const double a = 0.1 * i, b = i % 3 == 0 ? 1.0 : 0.3;
    rows.push_back({a, b, 0.0});
    lacking.push_back(0.1 * a - 0.2 * b);
  }
  const std::vector<double> exact = robust_correction(rows, lacking, 1e-9);
  CHECK(exact[0] == Approx(0.1).epsilon(1e-6));
  CHECK(exact[1] == Approx(-0.2).epsilon(1e-6));
  CHECK(exact[2] == 0);

  // A row off by 1, two hundred times the least spread of 0.5 %, pulls no harder than one at two spreads (Huber): of
  // nine good rows and their sums of squares 2.8 and 4.8 that is 0.01 times a share of 1 / 2.8 at most.
  lacking[9] += 1;
  const std::vector<double> pulled = robust_correction(rows, lacking, 1e-9);
  CHECK(std::fabs(pulled[0] - 0.1) < 0.01);
  CHECK(std::fabs(pulled[1] + 0.2) < 0.01);

  // With a ridge far above the sums of squares nothing moves.
  for (const double c : robust_correction(rows, lacking, 1e9)) CHECK(std::fabs(c) < 1e-8);
}
