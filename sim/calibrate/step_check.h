// What clustersim-gpubench measured beside the constants, against what the calibrated model gives: the sums of kernels
// first (MODELS section 5: a sum must hold within 3 % before anything of a network is added). Nothing here is fitted.
// Checked by: tests/tools/gpubench_calibrate_test.cc.
#pragma once

#include <string>
#include <vector>

#include "sim/calibrate/gpu_constants.h"

namespace clustersim {

// One line each: step_chain, products beside held SMs, fused attention, streams under lower clocks, launches.
std::vector<std::string> kernel_checks(const std::vector<MeasuredFile>& files, const GpuSpec& calibrated);

// Seconds of a chain as gpubench runs it (tools/gpubench/step.cc), network bert_like or resnet_like; 0 of another.
double chain_seconds(const GpuSpec& calibrated, double short_product_share, const std::string& network, double batch,
                     bool graph);

}  // namespace clustersim
