// What timed kernels of one GPU say about the model of that GPU (models/compute).
//
//   share    gemm_kernel(device, shape with math_gain = x) lasts as long as was measured; x by bisection, then the
//            median over shapes. Rows that do not show it count for nothing: arithmetic under 1.05 x memory, a fixed
//            time over a fifth of the whole, x outside 0.02..20
//   prologue t = fixed + waves (K c + p)   waves: tiles of 256 x 128 over SMs, rounded up; robust_fit
//   cache    t = fixed + bytes / rate of working sets under 0.3 L2; and the working set where the time is half way
//            between what it would be in the L2 and in memory, which is 1.5 x what the L2 keeps (gemm.h, sweep_bytes)
// Error: a row's noise n moves its share by n / (1 - 1/5); a median of several by no more.
// Source: MODELS section 5. Checked by: tests/models/kernel_rates_test.cc, tests/tools/gpubench_calibrate_test.cc.
#pragma once

#include <optional>
#include <vector>

#include "models/calibration/rates.h"
#include "models/compute/gemm.h"

namespace clustersim {

struct TimedProduct {
  GemmShape shape;
  double seconds = 0;
};

// Residuals are those of the rows that count against the median; from..to is their FLOP. Nothing without such a row.
std::optional<Middle> fit_share(const DeviceModel& device, MathFormat format, const std::vector<TimedProduct>& rows);

struct PrologueFit {
  double fixed_s = 0, prologue_s = 0;
  FitQuality quality;  // of the times; from..to of K
};
// One output tile of 256 x 128 is assumed; nothing where the rows contradict it by more than 10 % in the median, or
// show no cost of a wave.
std::optional<PrologueFit> fit_prologue(double sms, const std::vector<TimedProduct>& rows);

struct CacheFit {
  double fixed_s = 0, bytes_per_s = 0;
  double usable_bytes = 0;  // 0: no edge between the sizes
  FitQuality quality;
};
// `dram`: B/s beyond the cache.
std::optional<CacheFit> fit_cache(double l2_bytes, double dram, const std::vector<TimedSize>& working_sets);

}  // namespace clustersim
