#include "models/power_thermal/power_draw.h"

#include <algorithm>
#include <cmath>

#include "clustersim/error.h"

namespace clustersim {
namespace {

// V(f) = max(floor, 1 - slope (1 - f)) with f over the highest clock, on which most jobs exceed TDP; TDP sustains the
// share `sustained` of it. Slope and share serve every chip. [fitted, 2 numbers: Zeus power-limit traces, 45 jobs on
// V100, Quadro RTX 6000, A40 and P100, 6 to 9 caps each]
constexpr double slope_of_highest = 0.8, sustained = 0.87;
// The same on the axis f / sustained, which has TDP at 1: again a line with a floor.
constexpr double sustained_voltage = 1 - slope_of_highest * (1 - sustained);
constexpr double voltage_slope = slope_of_highest * sustained / sustained_voltage;

struct Curve {
  double static_share;      // of TDP
  double floor_of_highest;  // of the voltage at the highest clock
  bool assumed;
  const char* basis;
  double full_share = 1;  // of TDP, drawn at the highest clock and full activity
};

// [fitted, 6 numbers: the same traces] static parts of 15 W of 250 W, 70 W of 260 W, 90 W of 300 W; floors; and of the
// P100, whose caps of 200 W and more of 250 W cost no speed, the full draw.
constexpr double usual_floor = 0.75;
constexpr Curve volta{15.0 / 250.0, usual_floor, false, "fitted on V100 power-limit traces"};
constexpr Curve turing{70.0 / 260.0, 0.6, false, "fitted on Quadro RTX 6000 power-limit traces"};
constexpr Curve a40{90.0 / 300.0, usual_floor, false, "fitted on A40 power-limit traces, loosely"};
constexpr Curve pascal{15.0 / 250.0, usual_floor, false, "V100's curve, scaled to P100 power-limit traces", 0.8};
// [assumed: middle of 0.15-0.2 TDP]
constexpr Curve others{0.175, usual_floor, true, "assumed static power, voltage of older chips; no data of this GPU"};

// Kernels bound by memory and hand-overs between steps: a quarter of a training step at about 0.64 of full power.
// [fitted, 2 numbers: Zeus, V100, ResNet-50 in a fixed window: 227, 213, 190, 172, 149 W under caps of 250 to 150 W.
// Others follow]
constexpr double light_share = 0.25, light_power = 0.64;
constexpr double leakage_per_kelvin = 0.005;  // [assumed]
constexpr double spin_share_of_tdp = 0.5;     // [assumed: waiting GPUs draw 0.45-0.6 TDP; 150-250 W reported]
constexpr double dvfs_step_mhz = 15.0;        // [published: nvidia-smi -q -d SUPPORTED_CLOCKS]
constexpr double lowest_clock_mhz = 210.0;    // [published: lowest supported graphics clock of most boards]
constexpr double unknown_boost_mhz = 1500.0;  // [assumed, only for the size of a step where the clock is unknown]
constexpr double geforce_target_c = 83.0;     // [published: nvidia-smi -q of GeForce boards]
constexpr double slowdown_margin_k = 4.0;     // [published: A100 operates to 85 degC, slows down at 89]
constexpr double unknown_slowdown_c = 89.0;   // [assumed: as A100]
constexpr double rounding = 1e-9;             // so that a cap equal to the power of a step admits that step

const Curve& curve_of(const GpuSpec& gpu) {
  if (gpu.id == "a40") return a40;
  if (gpu.architecture == "Volta") return volta;
  if (gpu.architecture == "Turing") return turing;
  if (gpu.architecture == "Pascal") return pascal;
  return others;
}

// Its f is over the highest clock that was sustained, as the model's is.
void take_measured(const MeasuredPower& measured, GpuPowerModel& model) {
  model.full = *measured.full;
  model.static_share = *measured.static_share;
  model.voltage_slope = *measured.voltage_slope;
  model.voltage_floor = *measured.voltage_floor;
  // Waiting GPUs draw the same watts as before.
  const double dynamic = model.full.base() * (1 - model.static_share);
  model.spin_activity =
      std::clamp((spin_share_of_tdp * model.tdp.base() - model.full.base() * model.static_share) / dynamic, 0.0, 1.0);
  model.assumed = false;
  model.basis = "calibrated by a sweep of clock limits";
  model.lowest_measured = measured.lowest.value_or(0);
}

}  // namespace

bool has_own_fan(const GpuSpec& gpu) {
  return gpu.form_factor.find("axial") != std::string::npos || gpu.form_factor.find("blower") != std::string::npos;
}

Temperature throttle_temperature(const GpuSpec& gpu) {
  if (gpu.target) return *gpu.target;
  if (has_own_fan(gpu)) return Temperature::celsius(geforce_target_c);
  if (gpu.max_operating) return *gpu.max_operating;
  const double slowdown_c = gpu.slowdown.in_celsius() > 0 ? gpu.slowdown.in_celsius() : unknown_slowdown_c;
  return Temperature::celsius(slowdown_c - slowdown_margin_k);
}

GpuPowerModel gpu_power_model(const GpuSpec& gpu) {
  const Curve& curve = curve_of(gpu);
  const double boost_mhz = gpu.boost_clock.base() > 0 ? gpu.boost_clock.base() / 1e6 : unknown_boost_mhz;
  GpuPowerModel model;
  model.tdp = gpu.tdp;
  model.full = gpu.tdp * curve.full_share;
  model.idle = gpu.idle_power;
  model.static_share = curve.static_share;
  model.voltage_floor = curve.floor_of_highest / sustained_voltage;
  model.voltage_slope = voltage_slope;
  model.leakage_per_kelvin = leakage_per_kelvin;
  model.reference = throttle_temperature(gpu);
  model.spin_activity = (spin_share_of_tdp - curve.static_share) / (1 - curve.static_share);
  model.boost_clock = gpu.boost_clock;
  model.clock_step = dvfs_step_mhz / boost_mhz;
  model.lowest_clock = std::min(1.0, lowest_clock_mhz / boost_mhz);
  model.assumed = curve.assumed;
  model.basis = curve.basis;
  if (gpu.measured_power.whole()) take_measured(gpu.measured_power, model);
  return model;
}

Power gpu_power(const GpuPowerModel& model, double clock, double activity, Temperature die) {
  require(clock > 0 && clock <= 1, "a relative clock lies in (0, 1]");
  require(activity >= 0 && activity <= 1, "an activity lies in 0..1");
  const double voltage = std::max(model.voltage_floor, 1 - model.voltage_slope * (1 - clock));
  const double leakage = std::max(0.0, 1 + model.leakage_per_kelvin * (die - model.reference).base());
  const double dynamic_share = (1 - model.static_share) * clock * voltage * voltage * activity;
  return std::max(model.idle, model.full * (model.static_share * leakage + dynamic_share));
}

Power mean_power(const GpuPowerModel& model, Power heavy, double busy) {
  require(busy >= 0 && busy <= 1, "a share lies in 0..1");
  return heavy - std::max(Power(), heavy - model.full * light_power) * (light_share * busy);
}

Power idle_power(const GpuPowerModel& model) { return model.idle; }

Power spinning_power(const GpuPowerModel& model, double clock, Temperature die) {
  return gpu_power(model, clock, model.spin_activity, die);
}

int lowest_step(const GpuPowerModel& model) {
  return static_cast<int>(std::floor((1 - model.lowest_clock) / model.clock_step + rounding));
}

double clock_at_step(const GpuPowerModel& model, int steps_below) {
  require(steps_below >= 0 && steps_below <= lowest_step(model), "a clock step lies on the ladder");
  return 1 - steps_below * model.clock_step;
}

int steps_under_cap(const GpuPowerModel& model, Power cap, double activity, Temperature die) {
  const auto fits = [&](int step) {
    return gpu_power(model, clock_at_step(model, step), activity, die) <= cap * (1 + rounding);
  };
  if (fits(0)) return 0;
  int too_fast = 0, slow_enough = lowest_step(model);  // power falls with every step, so bisection finds the first
  while (slow_enough - too_fast > 1) {
    const int middle = (too_fast + slow_enough) / 2;
    (fits(middle) ? slow_enough : too_fast) = middle;
  }
  return slow_enough;
}

double clock_under_cap(const GpuPowerModel& model, Power cap, double activity, Temperature die) {
  return clock_at_step(model, steps_under_cap(model, cap, activity, die));
}

ClockLimit clock_limit(const GpuPowerModel& model, Frequency limit) {
  if (model.boost_clock.base() <= 0 || limit >= model.boost_clock) return {1.0, false};
  const double steps = std::ceil((1 - limit / model.boost_clock) / model.clock_step - rounding);
  return {clock_at_step(model, std::min(static_cast<int>(steps), lowest_step(model))), true};
}

}  // namespace clustersim
