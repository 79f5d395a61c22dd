#include "models/compute/device_model.h"

#include <algorithm>
#include <cmath>

#include "models/compute/constants.h"

namespace clustersim {

namespace {

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }
bool is_hbm(const GpuSpec& gpu) { return contains(gpu.memory_type, "HBM"); }
bool is_geforce(const GpuSpec& gpu) { return contains(gpu.name, "GeForce"); }
bool is_low_power(const GpuSpec& gpu) { return gpu.tdp.base() > 0 && gpu.tdp.base() <= 75; }
bool is_pcie(const GpuSpec& gpu) { return contains(gpu.form_factor, "PCIe"); }

double ceiling(const GpuSpec& gpu) {
  if (is_low_power(gpu)) return compute::ceiling_low_power;
  if (is_geforce(gpu)) return compute::ceiling_geforce;
  if (!is_hbm(gpu)) return compute::ceiling_pro;
  if (is_pcie(gpu) && gpu.architecture == "Hopper") return compute::ceiling_hopper_pcie;
  return is_pcie(gpu) ? compute::ceiling_hbm_pcie : compute::ceiling_hbm_sxm;
}

// Share of the measured ceiling held under load, by watts per TFLOP/s of the format.
double sustained(const GpuSpec& gpu, double peak_flop_per_s) {
  const double w_per_tflop = gpu.tdp.base() / (peak_flop_per_s * 1e-12);
  return std::min(
      1.0, compute::sustained_cool * std::pow(w_per_tflop / compute::cool_w_per_tflop, compute::sustained_power));
}

double stream_fraction(const GpuSpec& gpu) {
  if (is_low_power(gpu)) return compute::stream_low_power;
  if (!is_hbm(gpu)) return compute::stream_gddr;
  if (gpu.memory_type == "HBM2e") return compute::stream_hbm2e;
  if (gpu.memory_type == "HBM3") return compute::stream_hbm3;
  if (gpu.memory_type == "HBM3e") return compute::stream_hbm3e;
  return compute::stream_hbm2;
}

// Ampere's GA10x and later consumer-derived chips count an fp32 port that integer work shares.
double simt_fraction(const GpuSpec& gpu) {
  const bool dual_issue = !is_hbm(gpu) && gpu.peak_tf32.has_value();
  return dual_issue ? compute::simt_dual_issue : compute::simt_hbm;
}

}  // namespace

double DeviceModel::rate(MathFormat format) const {
  if (format == MathFormat::fp8 && fp8_flop_per_s > 0) return fp8_flop_per_s;
  if (format >= MathFormat::half && half_flop_per_s > 0) return half_flop_per_s;
  if (format == MathFormat::tf32 && tf32_flop_per_s > 0) return tf32_flop_per_s;
  return simt_flop_per_s;
}

DeviceModel device_model(const GpuSpec& gpu, bool cuda_graph) {
  DeviceModel device;
  device.sms = std::max(1, gpu.sm_count);
  device.l2_bytes = gpu.l2_cache.base();
  device.elementwise_bytes_per_s =
      gpu.measured_stream ? gpu.measured_stream->base() : gpu.memory_bandwidth.base() * stream_fraction(gpu);
  device.dram_bytes_per_s = device.elementwise_bytes_per_s * (is_hbm(gpu) ? compute::framework_stream : 1.0);
  const double clock_hz = gpu.boost_clock.base() > 0 ? gpu.boost_clock.base() : 1.5e9;
  device.ramp_s = compute::ramp_cycles / clock_hz;
  device.transpose_elements_per_s = compute::transpose_elements_per_sm_cycle * device.sms * clock_hz;
  device.prologue_s = compute::prologue_cycles / clock_hz;
  const std::optional<Time>& gap = cuda_graph ? gpu.graph_gap : gpu.launch_gap;
  device.fixed_s = (gap ? gap->base() : cuda_graph ? compute::gap_graph_s : compute::gap_stream_s) + device.ramp_s;

  const double board = ceiling(gpu);
  const double half_peak = gpu.peak_fp16 ? gpu.peak_fp16->base() : gpu.peak_bf16 ? gpu.peak_bf16->base() : 0.0;
  const double half_top = gpu.measured_matmul_bf16 ? gpu.measured_matmul_bf16->base() : half_peak * board;
  device.half_flop_per_s = half_peak > 0 ? half_top * sustained(gpu, half_peak) : 0.0;
  if (gpu.peak_tf32) {
    const double share = half_peak > 0 ? half_top / half_peak : board;
    const double top = gpu.measured_matmul_tf32 ? gpu.measured_matmul_tf32->base() : gpu.peak_tf32->base() * share;
    device.tf32_flop_per_s = top * sustained(gpu, gpu.peak_tf32->base());
  }
  if (gpu.peak_fp8 && gpu.peak_fp8->base() > 0) {
    const double top = gpu.measured_matmul_fp8 ? gpu.measured_matmul_fp8->base() : gpu.peak_fp8->base() * board * 0.9;
    device.fp8_flop_per_s = top * sustained(gpu, gpu.peak_fp8->base());
  }
  device.simt_flop_per_s =
      gpu.measured_matmul_fp32 ? gpu.measured_matmul_fp32->base() : gpu.peak_fp32.base() * simt_fraction(gpu);
  if (device.simt_flop_per_s <= 0) device.simt_flop_per_s = std::max(device.half_flop_per_s / 8, 1e12);
  return device;
}

MathFormat math_format(Precision precision, const GpuSpec& gpu) {
  switch (precision) {
    case Precision::fp32:
      return MathFormat::simt;
    case Precision::tf32:
      return gpu.peak_tf32 ? MathFormat::tf32 : MathFormat::simt;
    case Precision::fp8:
      return gpu.peak_fp8 ? MathFormat::fp8 : MathFormat::half;
    case Precision::amp:
    case Precision::bf16:
      return MathFormat::half;
  }
  return MathFormat::simt;
}

double activation_bytes(Precision precision) {
  return precision == Precision::fp32 || precision == Precision::tf32 ? 4.0 : 2.0;
}

bool fuses_normalisation(const GpuSpec& gpu) {
  return gpu.vendor == "NVIDIA" && gpu.peak_fp8.has_value() && is_hbm(gpu);
}

}  // namespace clustersim
