#include "models/compute/roofline.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace clustersim;

TEST_CASE("roofline: alone at the reference clock a kernel takes its fixed part and the longer of its two bounds") {
  CHECK(kernel_seconds({3e-3, 1e-3, 5e-6}, {}) == Approx(5e-6 + 3e-3));
  CHECK(kernel_seconds({1e-3, 3e-3, 5e-6}, {}) == Approx(5e-6 + 3e-3));
}

TEST_CASE("roofline: continuous at the ridge") {
  // The ridge is where math_s / (c s) = memory_s / d, with c above the knee: math_s = memory_s c s / d. A relative
  // step of eps to either side of it may move the time by no more than eps.
  const Conditions at{0.9, 0.8, 0.6};
  const double memory_s = 2e-3, ridge_s = memory_s * at.clock * at.free_sms / at.free_dram, eps = 1e-9;
  const double below = kernel_seconds({ridge_s * (1 - eps), memory_s, 0}, at);
  const double above = kernel_seconds({ridge_s * (1 + eps), memory_s, 0}, at);
  CHECK(above >= below);
  CHECK(above - below <= 2 * eps * above);
}

TEST_CASE("roofline: never faster than either roof") {
  for (double clock : {0.3, 0.69, 0.7, 0.71, 1.0, 1.2})
    for (double sms : {0.2, 0.8, 1.0})
      for (double dram : {0.3, 1.0})
        for (double math_s : {0.0, 1e-4, 1e-3}) {
          const Kernel kernel{math_s, 4e-4, 6e-6};
          const double t = kernel_seconds(kernel, {clock, sms, dram});
          CHECK(t >= kernel.fixed_s + math_s / (clock * sms));
          CHECK(t >= kernel.fixed_s + kernel.memory_s / dram);
        }
}

TEST_CASE("roofline: monotone in the clock, and flat in it above the knee when DRAM-bound") {
  const Kernel math{1e-3, 1e-5, 0}, memory{1e-5, 1e-3, 0};
  double last_math = 1e9, last_memory = 1e9;
  for (double clock = 0.2; clock < 1.3; clock += 0.05) {
    const double t_math = kernel_seconds(math, {clock, 1, 1}), t_memory = kernel_seconds(memory, {clock, 1, 1});
    CHECK(t_math < last_math);
    CHECK(t_memory <= last_memory);
    CHECK(t_memory == Approx(1e-3 / std::min(1.0, clock / memory_knee)));
    last_math = t_math, last_memory = t_memory;
  }
}

TEST_CASE("roofline: a work is the sum of its kernels") {
  const Work work{{{1e-3, 0, 1e-6}, {0, 2e-3, 1e-6}, {0, 0, 3e-6}}, 1.0};
  CHECK(work_seconds(work, {}) == Approx(1e-3 + 2e-3 + 5e-6));
  CHECK(work_seconds({}, {}) == 0);
}
