#include "tools/gpubench/sizes.h"

#include <algorithm>
#include <numeric>

namespace clustersim::gpubench {

std::vector<std::int64_t> stream_sizes(std::int64_t largest, bool quick) {
  std::int64_t top = 64 * 1024;
  while (top * 2 <= largest) top *= 2;
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = top; size >= 64 * 1024; size /= quick ? 8 : 2) sizes.push_back(size);
  std::reverse(sizes.begin(), sizes.end());
  return sizes;
}

std::vector<GemmShape> gemm_shapes(bool quick) {
  if (quick)
    return {{4096, 4096, 4096, "transformer"}, {8192, 8192, 8192, "transformer"}, {6144, 1024, 4096, "transformer"}};
  std::vector<GemmShape> shapes;
  // Tokens of a micro-batch x width: query-key-value, output, feed-forward up and down.
  for (int tokens : {2048, 8192, 14336}) {
    for (int width : {768, 1024}) {
      shapes.push_back({tokens, 3 * width, width, "transformer"});
      shapes.push_back({tokens, width, width, "transformer"});
      shapes.push_back({tokens, 4 * width, width, "transformer"});
      shapes.push_back({tokens, width, 4 * width, "transformer"});
    }
  }
  for (int width : {2048, 4096, 8192}) {
    shapes.push_back({4096, 4 * width, width, "transformer"});
    shapes.push_back({4096, width, 4 * width, "transformer"});
  }
  for (int side : {512, 1024, 2048, 4096, 8192}) shapes.push_back({side, side, side, "transformer"});
  for (int batch : {51, 256}) {
    for (const ConvShape& conv : resnet_convolutions()) {
      const int places = batch * output_size(conv) * output_size(conv);
      if (conv.kernel == 1 && conv.stride == 1) {
        shapes.push_back({places, conv.channels_out, conv.channels_in, "resnet"});
      }
    }
  }
  return shapes;
}

std::vector<GemmShape> gemm_m_sweep(int sm_count, bool quick) {
  constexpr int tile_m = 128, tile_n = 256, n = 4096, k = 1024;
  const int rows_a_wave = std::max(1, sm_count / (n / tile_n)) * tile_m;
  const int steps = quick ? 8 : 64;
  std::vector<GemmShape> shapes;
  for (int step = 1; step <= steps; ++step) {
    const int m = 2 * rows_a_wave * step / steps / 8 * 8;  // multiples of 8, for aligned rows
    if (m > 0) shapes.push_back({m, n, k, "m_sweep"});
  }
  return shapes;
}

std::vector<GemmShape> gemm_k_sweep(int sm_count, bool quick) {
  constexpr int tile_m = 128, tile_n = 256, n = 4096;
  const int m = std::max(1, sm_count / (n / tile_n)) * tile_m;
  std::vector<GemmShape> shapes;
  for (int k = 64; k <= 8192; k *= quick ? 8 : 2) shapes.push_back({m, n, k, "k_sweep"});
  return shapes;
}

std::vector<ConvShape> resnet_convolutions() {
  return {
      {3, 64, 224, 7, 2, 1},     {64, 64, 56, 1, 1, 1},    {64, 64, 56, 3, 1, 3},    {64, 256, 56, 1, 1, 4},
      {256, 64, 56, 1, 1, 2},    {256, 128, 56, 1, 1, 1},  {128, 128, 56, 3, 2, 1},  {128, 512, 28, 1, 1, 4},
      {256, 512, 56, 1, 2, 1},   {512, 128, 28, 1, 1, 3},  {128, 128, 28, 3, 1, 3},  {512, 256, 28, 1, 1, 1},
      {256, 256, 28, 3, 2, 1},   {256, 1024, 14, 1, 1, 6}, {512, 1024, 28, 1, 2, 1}, {1024, 256, 14, 1, 1, 5},
      {256, 256, 14, 3, 1, 5},   {1024, 512, 14, 1, 1, 1}, {512, 512, 14, 3, 2, 1},  {512, 2048, 7, 1, 1, 3},
      {1024, 2048, 14, 1, 2, 1}, {2048, 512, 7, 1, 1, 2},  {512, 512, 7, 3, 1, 2},
  };
}

int output_size(const ConvShape& shape) {
  const int padding = (shape.kernel - 1) / 2;
  return (shape.size + 2 * padding - shape.kernel) / shape.stride + 1;
}

double convolution_flop(const ConvShape& shape, int batch) {
  const double places = static_cast<double>(output_size(shape)) * output_size(shape) * batch;
  return 2 * places * shape.channels_in * shape.channels_out * shape.kernel * shape.kernel;
}

TensorSet resnet50_tensors() {
  TensorSet set = {"resnet-50", {}};
  for (const ConvShape& conv : resnet_convolutions()) {
    for (int i = 0; i < conv.times; ++i) {
      set.elements.push_back(static_cast<std::int64_t>(conv.channels_in) * conv.channels_out * conv.kernel *
                             conv.kernel);
      set.elements.push_back(conv.channels_out);  // scale and shift of the normalisation behind it
      set.elements.push_back(conv.channels_out);
    }
  }
  set.elements.push_back(2048 * 1000);
  set.elements.push_back(1000);
  return set;
}

TensorSet bert_large_tensors() {
  constexpr std::int64_t width = 1024, vocabulary = 30522;
  TensorSet set = {"bert-large", {vocabulary * width, 512 * width, 2 * width, width, width}};
  for (int layer = 0; layer < 24; ++layer) {
    for (int i = 0; i < 4; ++i) {  // query, key, value, output
      set.elements.push_back(width * width);
      set.elements.push_back(width);
    }
    for (std::int64_t elements : {width, width, 4 * width * width, 4 * width, 4 * width * width, width, width, width}) {
      set.elements.push_back(elements);
    }
  }
  // Pooler; transform, its normalisation and the bias of the words; next sentence.
  for (std::int64_t elements : {width * width, width, width * width, width, width, width, vocabulary, 2 * width}) {
    set.elements.push_back(elements);
  }
  set.elements.push_back(2);
  return set;
}

std::int64_t total(const TensorSet& set) {
  return std::accumulate(set.elements.begin(), set.elements.end(), std::int64_t{0});
}

}  // namespace clustersim::gpubench
