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

bool is_turing(const GpuSpec& gpu) { return gpu.architecture == "Turing"; }

// Share of the peak that large products reach at full clock.
double ceiling(const GpuSpec& gpu, double peak, const std::optional<FlopRate>& measured) {
  if (is_hbm(gpu) && !is_pcie(gpu) && measured) return measured->base() / peak;
  if (is_low_power(gpu)) return compute::ceiling_low_power;
  if (is_geforce(gpu)) return compute::ceiling_geforce;
  if (!is_hbm(gpu)) return compute::ceiling_pro;
  return gpu.architecture == "Volta" ? compute::ceiling_volta : compute::ceiling_hbm;
}

// Share of the measured ceiling held under load, by watts per TFLOP/s of the format.
double sustained(const GpuSpec& gpu, double peak_flop_per_s, const FittedConstants& fitted) {
  const double w_per_tflop = gpu.tdp.base() / (peak_flop_per_s * 1e-12);
  return std::min(1.0,
                  fitted.sustained_cool * std::pow(w_per_tflop / compute::cool_w_per_tflop, fitted.sustained_power));
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
bool is_dual_issue(const GpuSpec& gpu) { return !is_hbm(gpu) && gpu.peak_tf32.has_value(); }

double simt_fraction(const GpuSpec& gpu) {
  if (is_dual_issue(gpu)) {
    const double share = is_geforce(gpu) ? compute::simt_dual_issue : compute::simt_dual_issue_pro;
    const double watts = gpu.tdp.base() / (gpu.peak_fp32.base() * 1e-12);
    return share * std::min(1.0, std::pow(watts / compute::simt_cool_w_per_tflop, compute::simt_held_power));
  }
  if (gpu.architecture == "Hopper") return compute::simt_hopper;
  return is_turing(gpu) && !is_geforce(gpu) ? compute::simt_turing : compute::simt_hbm;
}

// Rate of a format under load, at most what was measured.
double rate_under_load(const GpuSpec& gpu, double peak, double ceiling_share, const std::optional<FlopRate>& measured,
                       const FittedConstants& fitted) {
  const double rate = peak * ceiling_share * sustained(gpu, peak, fitted);
  return measured ? std::min(rate, measured->base()) : rate;
}

}  // namespace

double DeviceModel::rate(MathFormat format) const {
  if (format == MathFormat::fp8 && fp8_flop_per_s > 0) return fp8_flop_per_s;
  if (format >= MathFormat::half && half_flop_per_s > 0) return half_flop_per_s;
  if (format == MathFormat::tf32 && tf32_flop_per_s > 0) return tf32_flop_per_s;
  return simt_flop_per_s;
}

DeviceModel device_model(const GpuSpec& gpu, bool cuda_graph, const FittedConstants& fitted) {
  DeviceModel device;
  device.sms = std::max(1, gpu.sm_count);
  const MeasuredKernels& measured = gpu.measured;
  device.l2_usable = measured.l2_usable.value_or(compute::l2_usable) * gpu.l2_cache.base();
  device.elementwise_bytes_per_s =
      gpu.measured_stream ? gpu.measured_stream->base() : gpu.memory_bandwidth.base() * stream_fraction(gpu);
  device.dram_bytes_per_s =
      measured.reduce_stream
          ? measured.reduce_stream->base()
          : device.elementwise_bytes_per_s * (is_hbm(gpu) || is_turing(gpu) ? fitted.framework_stream : 1.0);
  device.update_bytes_per_s = measured.update_stream ? measured.update_stream->base() : device.dram_bytes_per_s;
  device.l2_speed = measured.l2_stream && device.elementwise_bytes_per_s > 0
                        ? std::max(1.0, measured.l2_stream->base() / device.elementwise_bytes_per_s)
                        : compute::l2_speed;
  const double clock_hz = gpu.boost_clock.base() > 0 ? gpu.boost_clock.base() : 1.5e9;
  device.ramp_s = fitted.ramp_cycles / clock_hz;
  device.integer_per_s = compute::integer_per_sm_cycle * device.sms * clock_hz;
  device.transpose_elements_per_s =
      measured.transpose_rate.value_or(fitted.transpose_elements_per_sm_cycle * device.sms * clock_hz);
  device.prologue_s = measured.tile_prologue ? measured.tile_prologue->base() : compute::prologue_cycles / clock_hz;
  device.convolution_forward = measured.convolution_forward.value_or(1);
  device.convolution_data_gradient = measured.convolution_data_gradient.value_or(1);
  device.convolution_weight_gradient = measured.convolution_weight_gradient.value_or(1);
  device.device_sync_s = measured.device_sync ? measured.device_sync->base() : compute::device_sync_s;
  const std::optional<Time>& gap = cuda_graph ? gpu.graph_gap : gpu.launch_gap;
  device.fixed_s = (gap ? gap->base() : cuda_graph ? compute::gap_graph_s : compute::gap_stream_s) + device.ramp_s;

  // The faster of the two 16-bit formats, which mixed precision takes.
  const double half_peak =
      std::max(gpu.peak_fp16.value_or(FlopRate()).base(), gpu.peak_bf16.value_or(FlopRate()).base());
  const std::optional<FlopRate>& half = gpu.measured_matmul_bf16;
  const double share = half_peak > 0 ? ceiling(gpu, half_peak, half) : ceiling(gpu, 1, std::nullopt);
  device.held_by_power = half_peak > 0 && sustained(gpu, half_peak, fitted) < 1;
  if (half_peak > 0) device.half_flop_per_s = rate_under_load(gpu, half_peak, share, half, fitted);
  if (gpu.peak_tf32) {
    const double peak = gpu.peak_tf32->base();
    std::optional<FlopRate> product = gpu.measured_matmul_tf32;
    const double tf32_share = product ? ceiling(gpu, peak, product) : share;
    if (!product && half && half_peak > 0) product = *half * (peak / half_peak);
    device.tf32_flop_per_s = rate_under_load(gpu, peak, tf32_share, product, fitted);
  }
  if (gpu.peak_fp8 && gpu.peak_fp8->base() > 0) {
    const double peak = gpu.peak_fp8->base();
    const std::optional<FlopRate>& product = gpu.measured_matmul_fp8;
    const double top = product ? ceiling(gpu, peak, product) : 0.9 * ceiling(gpu, peak, std::nullopt);
    device.fp8_flop_per_s = rate_under_load(gpu, peak, top, product, fitted);
  }
  device.simt_flop_per_s =
      gpu.measured_matmul_fp32 ? gpu.measured_matmul_fp32->base() : gpu.peak_fp32.base() * simt_fraction(gpu);
  device.winograd_gain = measured.winograd_gain.value_or(is_dual_issue(gpu) ? 1.0 : fitted.winograd_gain);
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
