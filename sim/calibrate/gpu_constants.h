// Records of clustersim-gpubench -> constants of the kernels, the power and the cooling of a GPU (GpuSpec::measured,
// measured_power), each fitted against the model that a run uses, so that the run meets what was measured.
//
//   measured_l2_stream, l2_usable      stream_* within and beyond the L2                      kernel_rates.h, fit_cache
//   measured_reduce_stream             layer_norm, softmax, attention_softmax                 t = fixed + bytes / rate
//   measured_update_stream             optimizer, multi_tensor, of the larger model           median
//   convolution_*, winograd_gain       convolution over gemm of the same format               fit_share, medians
//   transpose_rate                     convolution nchw less nhwc, fp16                       median
//   *norm_passes, fused_add_*          batch_norm, tensors of twice what the L2 keeps and more: passes with which the
//                                      model's kernel lasts as long                            median
//   tile_prologue                      gemm, k_sweep and m_sweep without split-K              fit_prologue
// Needs the catalog's entry of the GPU. Records that cannot show their constant become a note, never a number.
// Checked by: tests/tools/gpubench_calibrate_test.cc.
#pragma once

#include <string>
#include <vector>

#include "models/compute/gemm.h"
#include "sim/calibrate/constants.h"

namespace clustersim {

struct SourcedKernel {
  const KernelRecord* record;
  const MeasuredFile* file;
};
// Of one benchmark, in the order of the files.
std::vector<SourcedKernel> kernels_of(const std::vector<MeasuredFile>& files, const std::string& benchmark);

// A constant of the GPU with its files and lines; `doubt` "" where it is no guess.
Constant kernel_constant(const char* key, std::optional<Dimension> dimension, double value, const FitQuality& quality,
                         const char* swept, const std::vector<SourcedKernel>& from, const std::string& doubt);

// Appends to `constants`, which hold measured_stream, the gaps and the products already.
void add_kernel_constants(const std::vector<MeasuredFile>& files, const GpuSpec& gpu, std::vector<Constant>& constants,
                          std::vector<std::string>& notes);

// The GPU as a run has it that takes the constants.
GpuSpec calibrated_gpu(const GpuSpec& gpu, const std::vector<Constant>& constants);

// How fast short products run over what the model gives to sustained ones, fp16; 1 where no record says it.
double short_product_share(const std::vector<MeasuredFile>& files, const GpuSpec& calibrated);

// A convolution's record as the model's product; `forward`, `data_gradient` or `weight_gradient`.
GemmShape convolution_shape(const KernelRecord& record, const DeviceModel& device);

}  // namespace clustersim
