#include "models/compute/gemm.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "models/compute/constants.h"
#include "tests/models/suite_rows.h"

using namespace clustersim;

namespace {

// A round device: 100 SMs, no prologue, no fixed time, so that the formulas stand alone.
DeviceModel plain_device() {
  DeviceModel device;
  device.simt_flop_per_s = 1e13, device.half_flop_per_s = 1e14;
  device.dram_bytes_per_s = 1e12, device.elementwise_bytes_per_s = 1.1e12;
  device.l2_usable = compute::l2_usable * 4e7, device.l2_speed = compute::l2_speed, device.sms = 100;
  return device;
}

}  // namespace

TEST_CASE("gemm: a product that fills whole waves of the largest tile runs at the full rate") {
  // 2560 x 1280 = 10 x 10 tiles of 256 x 128, one wave on 100 SMs.
  const Kernel kernel = gemm_kernel(plain_device(), MathFormat::half, {2560, 1280, 4096});
  CHECK(kernel.math_s == Approx(2.0 * 2560 * 1280 * 4096 / 1e14));
}

TEST_CASE("gemm: never faster than the rate, whatever the shape") {
  for (double m : {64.0, 1000.0, 2560.0, 2561.0, 50000.0})
    for (double n : {64.0, 256.0, 1000.0})
      for (double k : {64.0, 576.0, 4608.0})
        for (bool split : {false, true}) {
          GemmShape shape{m, n, k};
          shape.split_k = split;
          CHECK(gemm_kernel(plain_device(), MathFormat::half, shape).math_s >= 2 * m * n * k / 1e14 * (1 - 1e-12));
        }
}

TEST_CASE("gemm: wave quantisation is a sawtooth in M") {
  const DeviceModel device = plain_device();
  const auto seconds = [&](double m) { return gemm_kernel(device, MathFormat::half, {m, 1280, 4096}).math_s; };
  // Rows that need no further tile cost nothing: 2305 rows fill ten rows of tiles, as 2560 do.
  CHECK(seconds(2305) == Approx(seconds(2560)));
  // One row more than a full wave starts another wave.
  CHECK(seconds(2561) > 1.05 * seconds(2560));
  // Never falls with M.
  for (double m = 256; m < 12000; m += 128) CHECK(seconds(m + 128) >= seconds(m) * (1 - 1e-12));
  // Over many waves the tooth shrinks: the rate approaches the peak from below.
  CHECK(2 * 256000. * 1280 * 4096 / seconds(256000) == Approx(1e14).epsilon(0.01));
}

TEST_CASE("gemm: split-K fills the chip when the output is small") {
  GemmShape shape{256, 128, 400000};
  const double whole_s = gemm_kernel(plain_device(), MathFormat::half, shape).math_s;
  shape.split_k = true;
  const double split_s = gemm_kernel(plain_device(), MathFormat::half, shape).math_s;
  // One 256 x 128 tile occupies one of 100 SMs and 64 x 64 tiles eight; 64 splits occupy most of the chip.
  CHECK(split_s < whole_s / 4);
  CHECK(split_s >= 2 * shape.m * shape.n * shape.k / 1e14);
}

TEST_CASE("gemm: memory of a streaming kernel and L2 residency") {
  const DeviceModel device = plain_device();
  CHECK(stream_kernel(device, 1e9).memory_s == Approx(1e9 / 1e12));
  CHECK(elementwise_kernel(device, 1e9).memory_s == Approx(1e9 / 1.1e12));
  // A tensor far beyond L2 pays every pass; a small one pays first passes and less for repeats; monotone between.
  CHECK(sweep_bytes(device, 1e9, 3, 1) == Approx(3e9));
  CHECK(sweep_bytes(device, 1e6, 3, 1) < 3e6);
  CHECK(sweep_bytes(device, 1e6, 3, 1) >= 2e6);
  double last = 0;
  for (double size = 1e6; size < 1e8; size *= 1.1) {
    const double now = sweep_bytes(device, size, 5, 3);
    CHECK(now > last);
    last = now;
  }
}

TEST_CASE("device: rates stay below data sheet times the best measured fraction, and order by format") {
  for (const char* id : {"v100-sxm2-16gb", "a100-sxm4-80gb", "a30", "l40s", "h100-sxm5-80gb", "b200-sxm-180gb"}) {
    const GpuSpec gpu = suite::gpu_spec(id);
    const DeviceModel device = device_model(gpu, false);
    const double top = gpu.measured_matmul_bf16 ? gpu.measured_matmul_bf16->base() : gpu.peak_fp16->base();
    CHECK(device.half_flop_per_s <= top);
    CHECK(device.half_flop_per_s > 0.5 * top);
    CHECK(device.simt_flop_per_s < device.half_flop_per_s);
    // Kernels with sums fall short of a triad on HBM only.
    const bool hbm = gpu.memory_type.find("HBM") == 0;
    CHECK(device.dram_bytes_per_s / device.elementwise_bytes_per_s == Approx(hbm ? compute::framework_stream : 1.0));
    CHECK(device.elementwise_bytes_per_s < gpu.memory_bandwidth.base());
    // A CUDA graph shortens the gap between kernels, nothing else.
    CHECK(device_model(gpu, true).fixed_s < device.fixed_s);
    CHECK(device_model(gpu, true).ramp_s == device.ramp_s);
  }
}

TEST_CASE("device: a format the chip lacks falls back to the next it has") {
  const GpuSpec volta = suite::gpu_spec("v100-sxm2-16gb");
  CHECK(math_format(Precision::tf32, volta) == MathFormat::simt);
  CHECK(math_format(Precision::fp8, volta) == MathFormat::half);
  GpuSpec pascal = volta;
  pascal.peak_fp16.reset();
  const DeviceModel device = device_model(pascal, false);
  CHECK(device.rate(MathFormat::half) == device.simt_flop_per_s);
}

TEST_CASE("device: a GPU without a measured product is predicted from its data sheet alone") {
  // GeForce boards exceed their data-sheet boost, boards of 75 W do not reach theirs.
  const auto fraction = [](const char* id) {
    const GpuSpec gpu = suite::gpu_spec(id);
    return device_model(gpu, false).half_flop_per_s / gpu.peak_fp16->base();
  };
  CHECK(fraction("rtx-3090") > fraction("l40s"));
  CHECK(fraction("t4") < fraction("l40s"));
}

TEST_CASE("device: mixed precision takes the faster of two 16-bit formats") {
  // Gaudi3's data sheet: 459 TFLOP/s in half precision, 1677 in bfloat16.
  GpuSpec gpu = suite::gpu_spec("h100-sxm5-80gb");
  gpu.measured_matmul_bf16.reset();
  gpu.peak_fp16 = teraflops(459), gpu.peak_bf16 = teraflops(1677);
  GpuSpec same = gpu;
  same.peak_fp16 = teraflops(1677);
  CHECK(device_model(gpu, true).rate(MathFormat::half) == device_model(same, true).rate(MathFormat::half));
}

TEST_CASE("device: CUDA cores that share a port slow down where the board has few watts for them") {
  // L40S: 350 W for 91.6 TFLOP/s, 3.8 W each, of the 4.7 W where the share begins to fall; measured is 0.51 of the
  // peak.
  const GpuSpec l40s = suite::gpu_spec("l40s");
  const double share = 0.61 * std::pow(350 / 91.6 / 4.7, 0.75);
  CHECK(device_model(l40s, true).rate(MathFormat::simt) == Approx(share * 91.6e12));
  CHECK(share == Approx(0.51).epsilon(0.03));
  // RTX 3090: 350 W for 35.6, enough for all it can do.
  CHECK(device_model(suite::gpu_spec("rtx-3090"), true).rate(MathFormat::simt) == Approx(0.69 * 35.6e12));
}

TEST_CASE("device: an accelerator with few known numbers still gets positive rates") {
  // As a data sheet that lists one matrix peak, bandwidth and memory only: no fp32 peak, no clock, no SM count.
  GpuSpec sparse;
  sparse.memory_type = "HBM2", sparse.memory_bandwidth = gigabytes_per_second(1000);
  sparse.peak_bf16 = teraflops(400);
  const DeviceModel device = device_model(sparse, false);
  for (MathFormat format : {MathFormat::simt, MathFormat::tf32, MathFormat::half, MathFormat::fp8})
    CHECK(device.rate(format) > 0);
  CHECK(device.fixed_s > 0);
  CHECK(gemm_kernel(device, MathFormat::half, {1000, 1000, 1000}).math_s > 0);
}

// sustained = min(1, 0.95 * (w / 2.4)^0.177), w the board's watts per TFLOP/s of the format's peak. A board with half
// the power keeps 0.5^0.177 of its rate; one with ample power keeps the measured ceiling and no more.
TEST_CASE("device model: the share of the ceiling held falls with the power per peak rate") {
  GpuSpec gpu = suite::gpu_spec("h100-sxm5-80gb");
  const auto half_rate = [&](double tdp_w) {
    gpu.tdp = watts(tdp_w);
    return device_model(gpu, false).half_flop_per_s;
  };
  CHECK(half_rate(350) / half_rate(700) == Approx(std::pow(0.5, compute::sustained_power)));
  const double w_per_tflop = 700 / 989.0;
  const double share =
      compute::sustained_cool * std::pow(w_per_tflop / compute::cool_w_per_tflop, compute::sustained_power);
  CHECK(half_rate(700) == Approx(gpu.measured_matmul_bf16->base() * share));
  CHECK(half_rate(1e5) == Approx(gpu.measured_matmul_bf16->base()));
}

TEST_CASE(
    "device model: on a board that its power holds down the measured product is a bound, on an SXM board a base") {
  // H100 PCIe: 756 TFLOP/s of the data sheet; a measurement above what 350 W leaves changes nothing, one below is held.
  GpuSpec board = suite::gpu_spec("h100-sxm5-80gb");
  board.form_factor = "PCIe dual-slot, passive";
  board.tdp = watts(350), board.peak_fp16 = teraflops(756), board.measured_matmul_bf16.reset();
  const double free = device_model(board, false).half_flop_per_s;
  board.measured_matmul_bf16 = FlopRate::from_base(free * 1.2);
  CHECK(device_model(board, false).half_flop_per_s == Approx(free));
  board.measured_matmul_bf16 = FlopRate::from_base(free * 0.7);
  CHECK(device_model(board, false).half_flop_per_s == Approx(free * 0.7));
  // A100 SXM: 271.2 of 312 TFLOP/s measured, of which 400 W hold 0.95 (1.28 / 2.4)^0.177.
  const GpuSpec module = suite::gpu_spec("a100-sxm4-80gb");
  const double held =
      compute::sustained_cool * std::pow(400.0 / 312 / compute::cool_w_per_tflop, compute::sustained_power);
  CHECK(device_model(module, false).half_flop_per_s == Approx(271.2e12 * held));
}

TEST_CASE("device model: Winograd saves nothing where integer work shares the fp32 units") {
  CHECK(device_model(suite::gpu_spec("v100-sxm2-16gb"), false).winograd_gain == compute::winograd_gain);
  CHECK(device_model(suite::gpu_spec("t4"), false).winograd_gain == compute::winograd_gain);
  CHECK(device_model(suite::gpu_spec("rtx-3090"), false).winograd_gain == 1);
}
