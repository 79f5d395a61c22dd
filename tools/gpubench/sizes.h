// Which sizes are measured: shapes of ResNet and BERT, and sweeps. Without CUDA; checked by
// tests/tools/gpubench_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace clustersim::gpubench {

// Bytes of one array: 64 KiB to `largest`, doubling (quick: every eighth fold), ending at `largest` rounded down to a
// power of two.
std::vector<std::int64_t> stream_sizes(std::int64_t largest, bool quick);

// m rows (tokens, or places of images), n features, k features summed over; features lie side by side in memory.
struct GemmShape {
  int m, n, k;
  std::string purpose;  // transformer, resnet, m_sweep, k_sweep
};

// Products of BERT-base and -large and of wider transformers, convolutions of ResNet-50 as implicit products, and large
// squares. `m_sweep`: 64 heights over two waves of 128 x 256 tiles on `sm_count` SMs at n = 4096, k = 1024.
// `k_sweep`: depth 64 to 8192 of an output of one wave.
std::vector<GemmShape> gemm_shapes(bool quick);
std::vector<GemmShape> gemm_m_sweep(int sm_count, bool quick);
std::vector<GemmShape> gemm_k_sweep(int sm_count, bool quick);

struct ConvShape {
  int channels_in, channels_out, size, kernel, stride;  // of a square image, padding (kernel - 1) / 2
  int times;                                            // in ResNet-50
};

// The 23 convolutions of ResNet-50 at 224 x 224 that differ (stride in the 3x3, as frameworks have it).
std::vector<ConvShape> resnet_convolutions();

int output_size(const ConvShape& shape);

// 2 b Ho Wo Ci Co k^2: forward, and either gradient.
double convolution_flop(const ConvShape& shape, int batch);

struct TensorSet {
  std::string name;
  std::vector<std::int64_t> elements;  // of each parameter tensor
};

TensorSet resnet50_tensors();    // 161 tensors, 25,557,032 parameters
TensorSet bert_large_tensors();  // 398 tensors, with the heads of pre-training

std::int64_t total(const TensorSet& set);

}  // namespace clustersim::gpubench
