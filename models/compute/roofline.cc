#include "models/compute/roofline.h"

#include <algorithm>

namespace clustersim {

double kernel_seconds(const Kernel& kernel, const Conditions& conditions) {
  const double math_s = kernel.math_s / (conditions.clock * conditions.free_sms);
  const double memory_s = kernel.memory_s / (conditions.free_dram * std::min(1.0, conditions.clock / memory_knee));
  return kernel.fixed_s + std::max(math_s, memory_s);
}

double work_seconds(const Work& work, const Conditions& conditions) {
  double total_s = 0;
  for (const Kernel& kernel : work.kernels) total_s += kernel_seconds(kernel, conditions);
  return total_s;
}

}  // namespace clustersim
