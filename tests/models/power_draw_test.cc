#include "models/power_thermal/power_draw.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <utility>
#include <vector>

#include "clustersim/units.h"

using namespace clustersim;

namespace {

GpuSpec rtx_3090() {
  GpuSpec gpu;
  gpu.id = "rtx-3090";
  gpu.architecture = "Ampere";
  gpu.form_factor = "PCIe triple-slot, axial";
  gpu.boost_clock = megahertz(1695);
  gpu.tdp = watts(350);
  gpu.idle_power = watts(27);
  gpu.target = Temperature::celsius(83);
  gpu.slowdown = Temperature::celsius(95);
  gpu.shutdown = Temperature::celsius(98);
  return gpu;
}

// Time of a step at clock f over that at 1: phi clock-bound, the rest slows only below the knee f_m = 0.7.
double relative_time(double phi, double f) { return (1 - phi) * std::max(1.0, 0.7 / f) + phi / f; }

}  // namespace

TEST_CASE("full activity at full clock and the reference temperature is TDP, for every curve") {
  for (const char* architecture : {"Volta", "Turing", "Ampere", "Hopper"}) {
    GpuSpec gpu = rtx_3090();
    gpu.architecture = architecture;
    const GpuPowerModel model = gpu_power_model(gpu);
    CHECK(gpu_power(model, 1, 1, model.reference).base() == Approx(350));
    CHECK(model.assumed == (gpu.architecture != "Volta" && gpu.architecture != "Turing"));
  }
}

TEST_CASE("a Pascal GPU runs at its highest clock below its power limit") {
  GpuSpec gpu = rtx_3090();
  gpu.architecture = "Pascal";
  gpu.tdp = watts(250);
  const GpuPowerModel model = gpu_power_model(gpu);
  CHECK(gpu_power(model, 1, 1, model.reference).base() == Approx(0.8 * 250));
  // P100 sweeps: caps of 200 W and more cost no speed, 175 W does.
  CHECK(clock_under_cap(model, watts(200), 1, model.reference) == 1.0);
  CHECK(clock_under_cap(model, watts(175), 1, model.reference) < 1.0);
}

TEST_CASE("the mean of a step lies below its heavy kernels by a quarter of what these draw above 0.64") {
  GpuSpec v100 = rtx_3090();
  v100.architecture = "Volta";
  v100.tdp = watts(250);
  const GpuPowerModel model = gpu_power_model(v100);
  CHECK(mean_power(model, watts(250), 1).base() == Approx(250 - 0.25 * (250 - 0.64 * 250)));
  CHECK(mean_power(model, watts(250), 0.5).base() == Approx(250 - 0.125 * (250 - 0.64 * 250)));
  CHECK(mean_power(model, watts(150), 1).base() == 150);  // below the light kernels' power the cap holds both down
  CHECK(mean_power(model, watts(250), 0).base() == 250);
  // Zeus, ResNet-50 in a fixed window: W drawn under caps, within 4 %.
  const double measured[][2] = {{250, 227.4}, {225, 213}, {200, 190}, {175, 172}, {150, 149}, {125, 124}};
  for (const auto& [cap_w, watts_drawn] : measured)
    CHECK(mean_power(model, watts(cap_w), 1).base() == Approx(watts_drawn).epsilon(0.04));
}

TEST_CASE("power grows with clock, activity and temperature and never falls below idle") {
  for (const char* id : {"rtx-3090", "a40"}) {
    GpuSpec gpu = rtx_3090();
    gpu.id = id;
    const GpuPowerModel model = gpu_power_model(gpu);
    for (int step = 1; step <= lowest_step(model); ++step) {
      CHECK(gpu_power(model, clock_at_step(model, step), 1, model.reference) <
            gpu_power(model, clock_at_step(model, step - 1), 1, model.reference));
    }
    CHECK(gpu_power(model, 0.8, 0.4, model.reference) < gpu_power(model, 0.8, 0.5, model.reference));
    // Leakage: the static part p0 * TDP grows by beta = 0.5 % a kelvin, the rest stays.
    const Temperature warmer = model.reference + TemperatureDifference::from_base(10);
    CHECK((gpu_power(model, 1, 1, warmer) - gpu_power(model, 1, 1, model.reference)).base() ==
          Approx(350 * model.static_share * 0.005 * 10));
    CHECK(gpu_power(model, model.lowest_clock, 0, Temperature::celsius(-150)) == model.idle);
    CHECK(idle_power(model) < spinning_power(model, 1, model.reference));
    // Waiting in a collective at full clock draws half of TDP by definition.
    CHECK(spinning_power(model, 1, model.reference).base() == Approx(175));
  }
}

TEST_CASE("the clock under a cap is the largest 15 MHz step that fits") {
  const GpuPowerModel model = gpu_power_model(rtx_3090());
  for (double cap_w : {340.0, 300.0, 250.0, 150.0}) {
    const double clock = clock_under_cap(model, watts(cap_w), 1, model.reference);
    CHECK(gpu_power(model, clock, 1, model.reference).base() <= cap_w);
    CHECK(gpu_power(model, clock + 15.0 / 1695, 1, model.reference).base() > cap_w);
  }
  CHECK(clock_under_cap(model, watts(350), 1, model.reference) == 1.0);
  CHECK(clock_under_cap(model, watts(1000), 1, model.reference) == 1.0);
  // Below what the slowest clock draws nothing fits: the slowest step is all there is.
  CHECK(clock_under_cap(model, watts(1), 1, model.reference) == clock_at_step(model, lowest_step(model)));
  // Power at an activity of 0.5 is p0 + pd/2, so a cap there leaves the clock alone.
  CHECK(clock_under_cap(model, watts(350 * (0.175 + 0.825 / 2)), 0.5, model.reference) == 1.0);
}

TEST_CASE("a clock limit at or above the boost clock changes nothing, one below rounds down to a step") {
  GpuSpec a100 = rtx_3090();
  a100.boost_clock = megahertz(1410);
  CHECK_FALSE(clock_limit(gpu_power_model(a100), megahertz(1410)).effective);
  const GpuPowerModel model = gpu_power_model(rtx_3090());
  CHECK_FALSE(clock_limit(model, megahertz(1700)).effective);
  CHECK(clock_limit(model, megahertz(1410)).effective);
  // 1410 = 1695 - 19 * 15 is a step; 1419 is not, the next below is the same.
  CHECK(clock_limit(model, megahertz(1410)).clock == Approx(1410.0 / 1695));
  CHECK(clock_limit(model, megahertz(1419)).clock == Approx(1410.0 / 1695));
}

TEST_CASE("1410 of 1650-1700 MHz: about -28 % power and -7 % speed at 42 % clock-bound time") {
  const GpuPowerModel model = gpu_power_model(rtx_3090());
  // The published claim, met between f = 0.85 and 0.86; one percentage point covers the choice of f.
  const double f = 0.855;
  CHECK(gpu_power(model, f, 1, model.reference) / model.tdp - 1 == Approx(-0.28).margin(0.011));
  CHECK(1 / relative_time(0.42, f) - 1 == Approx(-0.07).margin(0.01));
}

TEST_CASE("280 W on a 350 W card keeps at least 0.93 of the throughput and saves energy per image") {
  const GpuPowerModel model = gpu_power_model(rtx_3090());
  const double f = clock_under_cap(model, watts(280), 1, model.reference);
  for (double phi : {0.5, 0.6}) {
    const double speed = 1 / relative_time(phi, f);
    CHECK(speed >= 0.93);
    // Energy per image = power / speed; the measured saving is about 15 %.
    CHECK(gpu_power(model, f, 1, model.reference) / model.tdp / speed - 1 == Approx(-0.15).margin(0.02));
  }
}

TEST_CASE("measured power-limit sweeps of training: epoch time against the cap") {
  // ResNet-50 on ImageNet, s an epoch at each cap in W (ml-energy/zeus, nsdi23 traces). Full activity; the one free
  // number is the clock-bound share phi. The knee f_m of the memory-bound rest is 0.7 of the highest clock, that is
  // 0.7 / f_s of the sustained one. The A40 at 100 W is left out: it drew 116 W, so the cap did not hold. These sweeps
  // took part in the fit: this checks the restatement, not prediction.
  struct Sweep {
    const char* id;
    const char* architecture;
    double tdp_w, boost_mhz, knee, tolerance;
    std::vector<std::pair<double, double>> points;  // highest cap last
  };
  const Sweep sweeps[] = {
      {"v100-pcie-32gb",
       "Volta",
       250,
       1380,
       0.7 / 0.87,
       0.04,
       {{100, 6651.1}, {125, 5046.68}, {150, 4163.81}, {175, 3863.01}, {200, 3718.21}, {225, 3599.98}, {250, 3529.61}}},
      {"quadro-rtx-6000",
       "Turing",
       260,
       1770,
       0.7 / 0.87,
       0.05,
       {{100, 11655.7},
        {125, 7133.07},
        {150, 6039.48},
        {175, 5555.84},
        {200, 5304.99},
        {225, 5149.69},
        {250, 5050.14},
        {260, 5017.22}}},
      {"a40",
       "Ampere",
       300,
       1740,
       0.0,
       0.20,
       {{125, 8983.51},
        {150, 6291.6},
        {175, 4524.21},
        {200, 4038.78},
        {225, 3879.2},
        {250, 3821.15},
        {275, 3798.56},
        {300, 3780.56}}}};
  for (const Sweep& sweep : sweeps) {
    INFO(sweep.id);
    GpuSpec gpu = rtx_3090();
    gpu.id = sweep.id;
    gpu.architecture = sweep.architecture;
    gpu.tdp = watts(sweep.tdp_w);
    gpu.boost_clock = megahertz(sweep.boost_mhz);
    const GpuPowerModel model = gpu_power_model(gpu);
    double best = 1;
    for (double phi = 0; phi <= 1; phi += 0.05) {
      double worst = 0;
      for (const auto& [cap_w, epoch_s] : sweep.points) {
        const double f = clock_under_cap(model, watts(cap_w), 1, model.reference);
        const double slower = (1 - phi) * std::max(1.0, sweep.knee / f) + phi / f;
        worst = std::max(worst, std::abs(slower * sweep.points.back().second / epoch_s - 1));
      }
      best = std::min(best, worst);
    }
    CAPTURE(best);
    CHECK(best < sweep.tolerance);
  }
}

TEST_CASE("a GPU with unknown clock and limits still has a model") {
  GpuSpec gpu;
  gpu.form_factor = "OAM";
  gpu.tdp = watts(600);
  gpu.idle_power = watts(100);
  const GpuPowerModel model = gpu_power_model(gpu);
  // Unknown slowdown is taken as the A100's 89 degC, and the limit 4 K below it.
  CHECK(throttle_temperature(gpu).in_celsius() == Approx(89 - 4));
  CHECK(gpu_power(model, 1, 1, model.reference).base() == Approx(600));
  CHECK(clock_under_cap(model, watts(400), 1, model.reference) < 1);
  // Without a boost clock a limit in hertz means nothing.
  CHECK_FALSE(clock_limit(model, megahertz(1000)).effective);
}
