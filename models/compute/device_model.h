// What a GPU gives to the kernels of a network: sustained arithmetic rates by number format, DRAM, fixed time, SMs.
//
//   rate(format) = min(measured, peak(format) * ceiling * sustained)   FLOP/s, main loop of a large product
//   dram         = bandwidth * stream * framework_stream     B/s; elementwise kernels: bandwidth * stream
//   fixed        = gap + ramp_cycles / boost clock           s per kernel
// Where the GPU carries measured_stream, launch_gap or one of MeasuredKernels, that number stands instead.
// ceiling: best matrix product over the data-sheet peak at full clock: the measured one on SXM boards, else of the
// class; measured: of the catalog, on boards held down by their power a bound of its own; sustained: what networks
// under load reach of it, by the board's power per peak rate of the format; stream: triad over data sheet by kind of
// memory.
//
// Assumes the reference clock is the one the board holds in such measurements; power and thermal limits below that are
// applied by the engine as a relative clock. A GPU without matrix units does everything on its CUDA cores.
// Source: constants.h. Checked by: tests/models/gemm_test.cc, tests/models/single_gpu_rows_test.cc
#pragma once

#include <cstdint>

#include "clustersim/hardware.h"
#include "clustersim/scenario.h"

namespace clustersim {

// Number format of the multiplications of a kernel.
enum class MathFormat : std::uint8_t { simt, tf32, half, fp8 };

struct DeviceModel {
  double simt_flop_per_s = 0, tf32_flop_per_s = 0, half_flop_per_s = 0, fp8_flop_per_s = 0;
  double integer_per_s = 0;            // 32-bit integer instructions
  double dram_bytes_per_s = 0;         // products, normalisation, softmax
  double elementwise_bytes_per_s = 0;  // additions, activations, casts
  double update_bytes_per_s = 0;       // an optimizer's update
  double l2_usable = 0;                // bytes of it that a tensor may fill and still be there
  double l2_speed = 1;                 // over DRAM
  double fixed_s = 0;                  // of one kernel
  double ramp_s = 0;  // its part without the launch gap: also spent at a synchronisation inside a kernel
  double transpose_elements_per_s = 0;  // most that kernels which exchange dimensions move
  double prologue_s = 0;                // of a 256 x 128 tile
  double winograd_gain = 1;             // arithmetic saved on fp32 3x3 convolutions of stride 1
  // Of convolutions on matrix units over products of the same size.
  double convolution_forward = 1, convolution_data_gradient = 1, convolution_weight_gradient = 1;
  double device_sync_s = 0;  // a copy of 4 bytes to the host, and the wait for it
  double sms = 1;
  bool held_by_power = false;  // clocks down under half-precision products: `sustained` below one

  // Rate of the format, or of the next one the chip has.
  double rate(MathFormat format) const;
};

DeviceModel device_model(const GpuSpec& gpu, bool cuda_graph);

// What the matrix units multiply in, and the bytes of an activation, under a precision on this GPU.
MathFormat math_format(Precision precision, const GpuSpec& gpu);
double activation_bytes(Precision precision);

// Hopper and later: convolution kernels that apply the normalisation before and gather its statistics after.
bool fuses_normalisation(const GpuSpec& gpu);

}  // namespace clustersim
