#include "models/calibration/kernel_rates.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "models/calibration/power_curve.h"
#include "models/power_thermal/power_draw.h"

using namespace clustersim;

namespace {

// Deterministic noise in -1..1: the fractional part of a multiple of the golden ratio.
double noise(int i) {
  const double x = 0.6180339887498949 * (i + 1);
  return 2 * (x - std::floor(x)) - 1;
}

DeviceModel device() {
  DeviceModel d;
  d.simt_flop_per_s = 1e13, d.half_flop_per_s = 2.5e14;
  d.dram_bytes_per_s = 1.4e12, d.elementwise_bytes_per_s = 1.5e12;
  d.l2_usable = 16e6, d.l2_speed = 3;
  d.fixed_s = 5e-6, d.ramp_s = 3e-6, d.prologue_s = 2e-6, d.sms = 108;
  return d;
}

double seconds_of(const Kernel& kernel) { return kernel.fixed_s + std::max(kernel.math_s, kernel.memory_s); }

// Square products of 1024 to 8192 whose arithmetic runs at `share` of the device's.
std::vector<TimedProduct> products(double share, double amplitude) {
  std::vector<TimedProduct> rows;
  int i = 0;
  for (const double side : {1024.0, 2048.0, 3072.0, 4096.0, 6144.0, 8192.0}) {
    GemmShape shape{side, side, side, 1, 6 * side * side, false, 1};
    GemmShape slower = shape;
    slower.math_gain = share;
    rows.push_back({shape, seconds_of(gemm_kernel(device(), MathFormat::half, slower)) * (1 + amplitude * noise(i++))});
  }
  return rows;
}

}  // namespace

TEST_CASE("the share of a device's rate is found again from timed products", "[calibration]") {
  for (const double share : {0.5, 0.8, 1.3}) {
    const auto exact = fit_share(device(), MathFormat::half, products(share, 0));
    REQUIRE(exact);
    CHECK(exact->value == Approx(share).epsilon(1e-6));
    // A time that is 2 % off, of which a fifth at most is fixed, moves its share by 2 % / (1 - 1/5); so it does the
    // median. Tiles and their prologues are discrete in nothing that moves here.
    const auto noisy = fit_share(device(), MathFormat::half, products(share, 0.02));
    REQUIRE(noisy);
    CHECK(std::fabs(noisy->value / share - 1) < 0.025);
    CHECK(noisy->quality.worst_residual < 0.06);
  }
  // A product that memory binds says nothing of arithmetic: K = 32 does 16 FLOP a byte where 178 are needed.
  GemmShape thin{8192, 8192, 32, 1, 2 * (2.0 * 8192 * 32 + 8192.0 * 8192), false, 1};
  CHECK_FALSE(
      fit_share(device(), MathFormat::half, {{thin, seconds_of(gemm_kernel(device(), MathFormat::half, thin))}}));
}

TEST_CASE("the prologue of a tile is found again from sweeps of m and k", "[calibration]") {
  // t = 6 us + waves (K 2 x 256 x 128 / (300 TFLOP/s / 108) + 1.5 us), every row off by at most 0.5 %.
  constexpr double sms = 108, rate = 3e14, fixed = 6e-6, prologue = 1.5e-6;
  std::vector<TimedProduct> rows;
  const auto add = [&](double m, double k, double amplitude) {
    const double waves = std::ceil(std::ceil(m / 256) * 32 / sms);
    const double t = fixed + waves * (2 * 256 * 128 * k / (rate / sms) + prologue);
    rows.push_back({{m, 4096, k, 1, 0, false, 1}, t * (1 + amplitude * noise(static_cast<int>(rows.size())))});
  };
  for (const double amplitude : {0.0, 0.005}) {
    rows.clear();
    for (double k = 64; k <= 8192; k *= 2) add(768, k, amplitude);
    for (int step = 1; step <= 64; ++step) add(24 * step, 1024, amplitude);
    const auto fit = fit_prologue(sms, rows);
    REQUIRE(fit);
    // The step from one wave to two at K = 1024, 32 us behind 38, shows K c + p within 0.5 % of 38 + 70 us = 0.5 us
    // each way; the slope along K takes c out of it. A third of p at most.
    CHECK(fit->prologue_s == Approx(prologue).epsilon(amplitude > 0 ? 0.35 : 1e-6));
    CHECK(fit->quality.median_residual <= amplitude + 1e-9);
  }
  // Other tiles than assumed: the time follows m, not waves.
  rows.clear();
  for (int step = 1; step <= 64; ++step) rows.push_back({{24.0 * step, 4096, 1024, 1, 0, false, 1}, 1e-6 * step});
  CHECK_FALSE(fit_prologue(sms, rows));
}

TEST_CASE("the rate of a cache and what it keeps are found again from streams", "[calibration]") {
  // The model's own law (sweep_bytes): of a working set w the share clamp(2 - w / usable, 0, 1) comes from the cache.
  constexpr double l2 = 50e6, usable = 30e6, cache = 6e12, dram = 2e12, fixed = 2e-6;
  std::vector<TimedSize> rows;
  int i = 0;
  for (double bytes = 65536; bytes < 4e9; bytes *= 1.5) {
    const double kept = std::clamp(2 - bytes / usable, 0.0, 1.0);
    rows.push_back({bytes, (fixed + bytes * (kept / cache + (1 - kept) / dram)) * (1 + 0.01 * noise(i++))});
  }
  const auto fit = fit_cache(l2, dram, rows);
  REQUIRE(fit);
  // Sizes up to 15 MB, whose bytes take 2.5 us beside 2 us: 1 % of the time is 1.8 % of their rate.
  CHECK(fit->bytes_per_s == Approx(cache).epsilon(0.03));
  CHECK(fit->fixed_s == Approx(fixed).epsilon(0.03));
  // The edge is interpolated between sizes 1.5 times apart, over which the share falls by 0.75: within a tenth.
  CHECK(fit->usable_bytes == Approx(usable).epsilon(0.1));
  CHECK_FALSE(fit_cache(l2, 7e12, rows));  // a cache slower than memory is none
}

TEST_CASE("the power curve of a sweep of clocks is found again", "[calibration]") {
  // 400 W at 1.4 GHz: 80 W static, V = max(0.75, 1 - 0.8 (1 - f)), so that the floor is met at f = 0.6875.
  const PowerCurve truth{400, 0.2, 0.8, 0.75, 1.4e9, {}};
  const auto sweep = [&](double amplitude) {
    std::vector<PoweredClock> rows;
    int i = 0;
    for (const double f : {1.0, 0.9, 0.8, 0.7, 0.6, 0.5})
      for (const int work : {0, 1}) {
        const double dynamic = truth.watts(f * 1.4e9) - 80;
        rows.push_back({work, f * 1.4e9, (80 + dynamic * (work == 0 ? 1 : 0.8)) * (1 + amplitude * noise(i++)), 1});
      }
    return rows;
  };
  const auto exact = fit_power_curve(sweep(0));
  REQUIRE(exact);
  CHECK(exact->full_w == Approx(400).epsilon(1e-3));
  CHECK(exact->static_share == Approx(0.2).margin(0.01));
  CHECK(exact->voltage_slope == Approx(0.8).margin(0.02));
  CHECK(exact->voltage_floor == Approx(0.75).margin(0.011));  // steps of 0.01
  // With 1 % of noise in twelve rows the parts make up for each other, but the curve is that of the rows: between the
  // clocks it is within the noise of a row and, at most, as much again.
  const auto noisy = fit_power_curve(sweep(0.01));
  REQUIRE(noisy);
  for (double f = 0.5; f <= 1; f += 0.025)
    CHECK(noisy->watts(f * 1.4e9) == Approx(truth.watts(f * 1.4e9)).epsilon(0.02));
  CHECK(noisy->quality.from == Approx(0.7e9));
  std::vector<PoweredClock> few = sweep(0);
  few.resize(6);  // three clocks
  CHECK_FALSE(fit_power_curve(few));
}

TEST_CASE("a GPU with a curve of its own draws by it", "[power]") {
  GpuSpec gpu;
  gpu.id = "mine", gpu.architecture = "Hopper";
  gpu.tdp = watts(700), gpu.idle_power = watts(70), gpu.boost_clock = Frequency::from_base(1.98e9);
  gpu.max_operating = Temperature::celsius(85);
  CHECK(gpu_power_model(gpu).assumed);
  gpu.measured_power = {watts(650), 0.25, 1.0, 0.6, 0.5};
  const GpuPowerModel model = gpu_power_model(gpu);
  CHECK_FALSE(model.assumed);
  CHECK(model.lowest_measured == 0.5);
  // P = 650 (0.25 + 0.75 f V^2), at the reference temperature; V = 1 - 0.3 at f = 0.7.
  CHECK(gpu_power(model, 1, 1, model.reference).base() == Approx(650));
  CHECK(gpu_power(model, 0.7, 1, model.reference).base() == Approx(650 * (0.25 + 0.75 * 0.7 * 0.7 * 0.7)));
  // A part of a curve is none.
  gpu.measured_power.voltage_floor.reset();
  CHECK(gpu_power_model(gpu).assumed);
}

TEST_CASE("the knee of memory against the clock is found again", "[calibration]") {
  std::vector<std::pair<double, double>> rows;
  int i = 0;
  for (const double f : {1.0, 0.9, 0.8, 0.7, 0.6, 0.5})
    rows.emplace_back(f * 1.4e9, 1e-3 * std::max(1.0, 0.75 / f) * (1 + 0.005 * noise(i++)));
  const auto knee = memory_knee_hz(rows);
  REQUIRE(knee);
  // Three clocks are below it: 0.5 % of their times is 0.5 % of the knee, and as much of the flat ones.
  CHECK(*knee == Approx(0.75 * 1.4e9).epsilon(0.015));
  for (auto& [clock, seconds] : rows) seconds = 1e-3;
  CHECK_FALSE(memory_knee_hz(rows));
}
