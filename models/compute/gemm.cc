#include "models/compute/gemm.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "models/compute/constants.h"

namespace clustersim {

namespace {

struct Tile {
  double m, n, matrix_share, simt_share;  // shares of the rate that the tile's main loop reaches; 0: not offered
};

// [assumed: CUTLASS's usual tile sizes; shares from the operand traffic of a tile through shared memory]
constexpr std::array<Tile, 6> tiles = {{{256, 128, 1.00, 0.0},
                                        {128, 256, 1.00, 0.0},
                                        {128, 128, 0.93, 1.0},
                                        {128, 64, 0.80, 0.95},
                                        {64, 128, 0.80, 0.95},
                                        {64, 64, 0.62, 0.9}}};
constexpr double most_splits = 128, fewest_k_per_split = 256, most_waves_of_splits = 4;

}  // namespace

Kernel gemm_kernel(const DeviceModel& device, MathFormat format, const GemmShape& shape) {
  const bool simt = device.rate(format) <= device.simt_flop_per_s;
  const double rate = device.rate(format);
  const double k = shape.k / shape.math_gain;
  Kernel best;
  double best_s = 0;
  for (const Tile& tile : tiles) {
    const double share = simt ? tile.simt_share : tile.matrix_share;
    if (share <= 0) continue;
    const double blocks = std::ceil(shape.m / tile.m) * std::ceil(shape.n / tile.n) * std::ceil(shape.batch);
    for (double split = 1; split <= (shape.split_k ? most_splits : 1.0); split *= 2) {
      if (split > 1 && (blocks * split > most_waves_of_splits * device.sms || k / split < fewest_k_per_split)) break;
      const double waves = std::ceil(blocks * split / device.sms);
      const double tile_s = 2 * tile.m * tile.n * (k / split) / (rate * share / device.sms) +
                            device.prologue_s * tile.m * tile.n / (256.0 * 128.0);
      Kernel kernel;
      kernel.math_s = waves * tile_s;
      kernel.memory_s = shape.bytes / device.dram_bytes_per_s;
      kernel.fixed_s = device.fixed_s;
      if (split > 1) {
        kernel.fixed_s += device.fixed_s;
        const double partial_bytes = split * shape.m * shape.n * 4;
        if (partial_bytes > device.l2_usable) kernel.memory_s += 2 * partial_bytes / device.dram_bytes_per_s;
      }
      const double time_s = kernel.fixed_s + std::max(kernel.math_s, kernel.memory_s);
      if (best_s == 0 || time_s < best_s) best = kernel, best_s = time_s;
    }
  }
  return best;
}

Kernel stream_kernel(const DeviceModel& device, double bytes) {
  return {0.0, bytes / device.dram_bytes_per_s, device.fixed_s};
}

Kernel transpose_kernel(const DeviceModel& device, double elements, double element_bytes) {
  return {elements / device.transpose_elements_per_s, elements * element_bytes / device.dram_bytes_per_s,
          device.fixed_s};
}

Kernel normalisation_kernel(const DeviceModel& device, double bytes) {
  return {0.0, bytes / device.dram_bytes_per_s, device.fixed_s + device.ramp_s};
}

Kernel elementwise_kernel(const DeviceModel& device, double bytes) {
  return {0.0, bytes / device.elementwise_bytes_per_s, device.fixed_s};
}

Kernel update_kernel(const DeviceModel& device, double bytes) {
  return {0.0, bytes / device.update_bytes_per_s, device.fixed_s};
}

double sweep_bytes(const DeviceModel& device, double tensor_bytes, double passes, double again) {
  // Beyond the usable size the share that survives shrinks linearly to nothing at twice that size.
  const double kept = std::clamp(2.0 - tensor_bytes / std::max(device.l2_usable, 1.0), 0.0, 1.0);
  return tensor_bytes * (passes - again * kept * (1 - 1 / device.l2_speed));
}

}  // namespace clustersim
