#include "sim/calibrate/gpu_power.h"

#include <algorithm>
#include <map>

#include "models/calibration/power_curve.h"
#include "models/calibration/rates.h"
#include "models/power_thermal/power_draw.h"
#include "sim/calibrate/cooling_fit.h"

namespace clustersim {
namespace {

using Kernels = std::vector<SourcedKernel>;

constexpr std::size_t most_clocks = 200, most_courses = 4;

void add_sync(const std::vector<MeasuredFile>& files, std::vector<Constant>& constants) {
  std::map<double, double> casts, tests;
  for (const SourcedKernel& k : kernels_of(files, "amp_cast")) casts[k.record->number("elements")] = k.record->seconds;
  for (const SourcedKernel& k : kernels_of(files, "amp_unscale"))
    tests[k.record->number("elements")] = k.record->seconds;
  std::vector<double> at, values;
  Kernels used;
  for (const SourcedKernel& k : kernels_of(files, "amp_step")) {
    const double elements = k.record->number("elements");
    if (casts.count(elements) == 0 || tests.count(elements) == 0) continue;
    const double rest = k.record->seconds - casts[elements] - tests[elements];
    // A difference of two long times is noise.
    if (rest < 0.02 * k.record->seconds) continue;
    at.push_back(elements);
    values.push_back(rest);
    used.push_back(k);
  }
  if (values.empty()) {
    used = kernels_of(files, "launch_synchronised");
    for (const SourcedKernel& k : used)
      at.push_back(k.record->number("arguments")), values.push_back(k.record->seconds);
  }
  if (values.empty()) return;
  const Middle middle = middle_of(at, values);
  constants.push_back(kernel_constant("device_sync", Dimension::time, middle.value, middle.quality, "", used, ""));
}

void add_power(const std::vector<MeasuredFile>& files, const GpuSpec& gpu, std::vector<Constant>& constants,
               std::vector<std::string>& notes) {
  const GpuPowerModel usual = gpu_power_model(gpu);
  Kernels used;
  std::vector<PoweredClock> clocks;
  bool limited = false, blind = false;
  for (const SourcedKernel& k : kernels_of(files, "clock_sweep")) {
    const std::string work = k.record->word("work");
    if ((work != "gemm" && work != "convolution") || used.size() >= most_clocks) continue;
    const double mhz = k.record->number("sm_clock_mhz"), watts = k.record->number("power_w");
    const double celsius = k.record->number("temperature_c");
    limited = limited || (k.file->power_limit_w > 0 && k.file->power_limit_w < 0.98 * gpu.tdp.base());
    if (mhz <= 0 || watts <= 0) {
      blind = true;
      continue;
    }
    const double above = celsius > 0 ? celsius - usual.reference.in_celsius() : 0;
    clocks.push_back({work == "gemm" ? 0 : 1, mhz * 1e6, watts, 1 + usual.leakage_per_kelvin * above});
    used.push_back(k);
  }
  if (limited) {
    notes.push_back("clock_sweep: the power limit was below the data sheet's " +
                    format_quantity(gpu.tdp.base(), Dimension::power) +
                    ", so the highest clock of the sweep is not what the GPU holds; the power curve stays");
    return;
  }
  const auto fit = fit_power_curve(clocks);
  if (!fit) {
    if (blind || !used.empty())
      notes.push_back("clock_sweep: fewer than four clocks of products with their power; the power curve stays");
    return;
  }
  const FitQuality& q = fit->quality;
  const double full = std::min(fit->full_w, gpu.tdp.base());  // the limit holds; what is above it is noise
  constants.push_back(kernel_constant("power_full", Dimension::power, full, q, "Hz", used, ""));
  constants.push_back(
      kernel_constant("power_static_share", std::nullopt, std::min(0.95, fit->static_share), q, "Hz", used, ""));
  constants.push_back(kernel_constant("power_voltage_slope", std::nullopt, fit->voltage_slope, q, "Hz", used, ""));
  constants.push_back(kernel_constant("power_voltage_floor", std::nullopt, fit->voltage_floor, q, "Hz", used, ""));
  constants.push_back(
      kernel_constant("power_lowest_clock", std::nullopt, std::min(1.0, q.from / fit->highest_hz), q, "Hz", used, ""));
}

void add_cooling(const std::vector<MeasuredFile>& files, std::vector<Constant>& constants,
                 std::vector<std::string>& notes) {
  Kernels courses = kernels_of(files, "thermal_step");
  if (courses.size() > most_courses) courses.resize(most_courses);
  for (const SourcedKernel& k : courses) {
    const std::vector<double>*time = k.record->column("time_s"), *heating = k.record->column("heating"),
          *celsius = k.record->column("temperature_c"), *watts = k.record->column("power_w");
    if (time == nullptr || heating == nullptr || celsius == nullptr || watts == nullptr) continue;
    const CoolingFit fit = fit_cooling(*time, *celsius, *watts);
    if (!fit.found) {
      notes.push_back("thermal_step: " + fit.reason + "; thermal_resistance stays");
      continue;
    }
    constants.push_back(
        kernel_constant("thermal_resistance", Dimension::thermal_resistance, fit.k_per_w, fit.quality, "", {k}, ""));
    return;
  }
}

}  // namespace

void add_power_constants(const std::vector<MeasuredFile>& files, const GpuSpec& gpu, std::vector<Constant>& constants,
                         std::vector<std::string>& notes) {
  add_sync(files, constants);
  add_power(files, gpu, constants, notes);
  add_cooling(files, constants, notes);
}

}  // namespace clustersim
