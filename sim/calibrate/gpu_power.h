// What clustersim-gpubench measured of a GPU beside its kernels.
//
//   device_sync          amp_step less amp_cast and amp_unscale; else launch_synchronised    median
//   power_*              clock_sweep of products and convolutions                            power_curve.h
//   thermal_resistance   thermal_step, where the heat sink was seen to settle                cooling_fit.h
// Checked by: tests/tools/gpubench_calibrate_test.cc.
#pragma once

#include <string>
#include <vector>

#include "sim/calibrate/gpu_constants.h"

namespace clustersim {

void add_power_constants(const std::vector<MeasuredFile>& files, const GpuSpec& gpu, std::vector<Constant>& constants,
                         std::vector<std::string>& notes);

}  // namespace clustersim
