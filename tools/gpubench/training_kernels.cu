#include "tools/gpubench/kernels.h"

namespace clustersim::gpubench {
namespace {

constexpr int threads = 256;

unsigned blocks_for(std::size_t count) { return static_cast<unsigned>((count + threads - 1) / threads); }

struct alignas(16) Halves {
  __half v[8];
};

// Sum or maximum over the block; every thread gets it.
template <class F>
__device__ float block_reduce(float value, float neutral, F combine) {
  __shared__ float parts[33];
  for (int offset = 16; offset > 0; offset /= 2) value = combine(value, __shfl_xor_sync(0xffffffffu, value, offset));
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    float part = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : neutral;
    for (int offset = 16; offset > 0; offset /= 2) part = combine(part, __shfl_xor_sync(0xffffffffu, part, offset));
    if (threadIdx.x == 0) parts[32] = part;
  }
  __syncthreads();
  const float result = parts[32];
  __syncthreads();
  return result;
}

__device__ float block_sum(float value) {
  return block_reduce(value, 0.0f, [](float a, float b) { return a + b; });
}

// How a row is shared: among the lanes of one warp where it is short, else among the threads of a block. A thread keeps
// `packs` of 8 numbers, so that short rows, too, have enough reads under way.
template <int row_threads_, int packs_>
struct RowShape {
  static constexpr int row_threads = row_threads_, packs = packs_, rows_a_block = threads / row_threads_;
};

template <class Shape, class F>
__device__ float row_reduce(float value, float neutral, F combine) {
  if constexpr (Shape::row_threads == threads) {
    return block_reduce(value, neutral, combine);
  } else {
    for (int offset = 16; offset > 0; offset /= 2) value = combine(value, __shfl_xor_sync(0xffffffffu, value, offset));
    return value;
  }
}

template <class Shape>
__device__ float row_sum(float value) {
  return row_reduce<Shape>(value, 0.0f, [](float a, float b) { return a + b; });
}

// Reads a row into registers, lets `f` work on it, writes it back: one read and one write. All threads of a row call f.
template <class Shape, class F>
__device__ void for_row(const __half* in, __half* out, int rows, int columns, F f) {
  const int row_index = blockIdx.x * Shape::rows_a_block + threadIdx.x / Shape::row_threads;
  if (row_index >= rows) return;
  const Halves* row = reinterpret_cast<const Halves*>(in + static_cast<std::size_t>(row_index) * columns);
  Halves* out_row = reinterpret_cast<Halves*>(out + static_cast<std::size_t>(row_index) * columns);
  const int packs = columns / 8, lane = threadIdx.x % Shape::row_threads;
  float x[Shape::packs * 8];
  int count = 0;
#pragma unroll
  for (int u = 0; u < Shape::packs; ++u) {
    const int i = u * Shape::row_threads + lane;
    if (i < packs) {
      const Halves pack = row[i];
#pragma unroll
      for (int k = 0; k < 8; ++k) x[u * 8 + k] = __half2float(pack.v[k]);
      count = (u + 1) * 8;
    }
  }
  f(x, count);
#pragma unroll
  for (int u = 0; u < Shape::packs; ++u) {
    const int i = u * Shape::row_threads + lane;
    if (i < packs) {
      Halves pack;
#pragma unroll
      for (int k = 0; k < 8; ++k) pack.v[k] = __float2half(x[u * 8 + k]);
      out_row[i] = pack;
    }
  }
}

template <class Shape>
__global__ void softmax_kernel(const __half* in, __half* out, int rows, int columns) {
  for_row<Shape>(in, out, rows, columns, [](float* x, int count) {
    float largest = -INFINITY;
#pragma unroll
    for (int k = 0; k < Shape::packs * 8; ++k) {
      if (k < count) largest = fmaxf(largest, x[k]);
    }
    largest = row_reduce<Shape>(largest, -INFINITY, [](float a, float b) { return fmaxf(a, b); });
    float sum = 0;
#pragma unroll
    for (int k = 0; k < Shape::packs * 8; ++k) {
      if (k < count) sum += x[k] = __expf(x[k] - largest);
    }
    const float scale = 1.0f / row_sum<Shape>(sum);
#pragma unroll
    for (int k = 0; k < Shape::packs * 8; ++k) x[k] *= scale;
  });
}

template <class Shape>
__global__ void layer_norm_kernel(const __half* in, __half* out, int rows, int columns) {
  for_row<Shape>(in, out, rows, columns, [columns](float* x, int count) {
    float sum = 0;
#pragma unroll
    for (int k = 0; k < Shape::packs * 8; ++k) {
      if (k < count) sum += x[k];
    }
    const float mean = row_sum<Shape>(sum) / columns;
    float squares = 0;
#pragma unroll
    for (int k = 0; k < Shape::packs * 8; ++k) {
      if (k < count) squares += (x[k] - mean) * (x[k] - mean);
    }
    const float scale = rsqrtf(row_sum<Shape>(squares) / columns + 1e-5f);
#pragma unroll
    for (int k = 0; k < Shape::packs * 8; ++k) x[k] = (x[k] - mean) * scale;
  });
}

// Calls launch(RowShape) with the smallest that holds a row of so many columns; 16384 at most.
template <class Launch>
void with_row_shape(int columns, Launch launch) {
  if (columns <= 256) return launch(RowShape<32, 1>{});
  if (columns <= 512) return launch(RowShape<32, 2>{});
  if (columns <= 1024) return launch(RowShape<32, 4>{});
  if (columns <= 2048) return launch(RowShape<threads, 1>{});
  if (columns <= 4096) return launch(RowShape<threads, 2>{});
  launch(RowShape<threads, 8>{});
}

template <class Shape>
unsigned row_blocks(int rows) {
  return static_cast<unsigned>((rows + Shape::rows_a_block - 1) / Shape::rows_a_block);
}

// out[i] = f(a[i], b[i], index), eight at a time; `b` may be `a`.
template <class F>
__global__ void elementwise_kernel(const Halves* a, const Halves* b, Halves* out, std::size_t packs, F f) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x;
  if (i >= packs) return;
  Halves x = a[i];
  const Halves y = b[i];
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    x.v[k] = __float2half(f(__half2float(x.v[k]), __half2float(y.v[k]), static_cast<std::uint32_t>(i * 8 + k)));
  }
  out[i] = x;
}

template <class F>
void elementwise(const __half* a, const __half* b, __half* out, std::size_t count, cudaStream_t stream, F f) {
  const std::size_t packs = count / 8;
  elementwise_kernel<<<blocks_for(packs), threads, 0, stream>>>(
      reinterpret_cast<const Halves*>(a), reinterpret_cast<const Halves*>(b), reinterpret_cast<Halves*>(out), packs, f);
}

__device__ std::uint32_t hashed(std::uint32_t index, std::uint32_t seed) {
  std::uint32_t h = index * 0x9E3779B1u ^ seed * 0xC2B2AE3Du;
  h = (h ^ (h >> 15)) * 0x2C1B3C6Du;
  h = (h ^ (h >> 12)) * 0x297A2D39u;
  return h ^ (h >> 15);
}

__global__ void sgd_kernel(Parameters32 p, std::size_t first, std::size_t count, Step step) {
  const std::size_t at = static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x;
  if (at >= count) return;
  const std::size_t i = first + at;
  const float weight = p.weight[i];
  const float moment = step.momentum * p.first_moment[i] + p.gradient[i] + step.decay * weight;
  p.first_moment[i] = moment;
  p.weight[i] = weight - step.rate * moment;
  p.half_weight[i] = __float2half(weight - step.rate * moment);
}

// The direction of Adam without bias correction, as LAMB uses it; moments are updated.
__device__ float adam_direction(const Parameters32& p, std::size_t i, float weight, const Step& step) {
  const float gradient = p.gradient[i];
  const float first = step.beta1 * p.first_moment[i] + (1 - step.beta1) * gradient;
  const float second = step.beta2 * p.second_moment[i] + (1 - step.beta2) * gradient * gradient;
  p.first_moment[i] = first;
  p.second_moment[i] = second;
  return first / (sqrtf(second) + step.epsilon) + step.decay * weight;
}

__global__ void adam_kernel(Parameters32 p, std::size_t first, std::size_t count, Step step) {
  const std::size_t at = static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x;
  if (at >= count) return;
  const std::size_t i = first + at;
  const float weight = p.weight[i];
  const float updated = weight - step.rate * adam_direction(p, i, weight, step);
  p.weight[i] = updated;
  p.half_weight[i] = __float2half(updated);
}

__global__ void lamb_direction_kernel(Parameters32 p, const Chunk* chunks, float* norms, Step step) {
  const Chunk chunk = chunks[blockIdx.x];
  float weights = 0, updates = 0;
  for (int at = threadIdx.x; at < chunk.count; at += threads) {
    const std::size_t i = chunk.first + at;
    const float weight = p.weight[i];
    const float update = adam_direction(p, i, weight, step);
    p.update[i] = update;
    weights += weight * weight;
    updates += update * update;
  }
  weights = block_sum(weights);
  updates = block_sum(updates);
  if (threadIdx.x == 0) {
    atomicAdd(&norms[2 * chunk.tensor], weights);
    atomicAdd(&norms[2 * chunk.tensor + 1], updates);
  }
}

__global__ void lamb_apply_kernel(Parameters32 p, const Chunk* chunks, const float* norms, Step step) {
  const Chunk chunk = chunks[blockIdx.x];
  const float weights = norms[2 * chunk.tensor], updates = norms[2 * chunk.tensor + 1];
  const float trust = weights > 0 && updates > 0 ? sqrtf(weights / updates) : 1.0f;
  for (int at = threadIdx.x; at < chunk.count; at += threads) {
    const std::size_t i = chunk.first + at;
    const float updated = p.weight[i] - step.rate * trust * p.update[i];
    p.weight[i] = updated;
    p.half_weight[i] = __float2half(updated);
  }
}

__global__ void cast_kernel(const float4* in, __half2* out, std::size_t packs) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x;
  if (i >= packs) return;
  const float4 x = in[i];
  out[2 * i] = __floats2half2_rn(x.x, x.y);
  out[2 * i + 1] = __floats2half2_rn(x.z, x.w);
}

__global__ void unscale_kernel(float4* gradient, std::size_t packs, float scale, int* found) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x;
  if (i >= packs) return;
  float4 x = gradient[i];
  if (!isfinite(x.x) || !isfinite(x.y) || !isfinite(x.z) || !isfinite(x.w)) *found = 1;
  x.x *= scale;
  x.y *= scale;
  x.z *= scale;
  x.w *= scale;
  gradient[i] = x;
}

}  // namespace

void softmax_rows(const __half* in, __half* out, int rows, int columns, cudaStream_t stream) {
  with_row_shape(columns, [=](auto shape) {
    using Shape = decltype(shape);
    softmax_kernel<Shape><<<row_blocks<Shape>(rows), threads, 0, stream>>>(in, out, rows, columns);
  });
}

void layer_norm_rows(const __half* in, __half* out, int rows, int columns, cudaStream_t stream) {
  with_row_shape(columns, [=](auto shape) {
    using Shape = decltype(shape);
    layer_norm_kernel<Shape><<<row_blocks<Shape>(rows), threads, 0, stream>>>(in, out, rows, columns);
  });
}

void gelu(const __half* in, __half* out, std::size_t count, cudaStream_t stream) {
  elementwise(in, in, out, count, stream, [] __device__(float x, float, std::uint32_t) {
    return 0.5f * x * (1 + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
  });
}

void dropout(const __half* in, __half* out, std::size_t count, float keep, std::uint32_t seed, cudaStream_t stream) {
  const auto limit = static_cast<std::uint32_t>(keep * 4294967040.0f);
  const float scale = 1 / keep;
  elementwise(in, in, out, count, stream,
              [=] __device__(float x, float, std::uint32_t i) { return hashed(i, seed) < limit ? x * scale : 0.0f; });
}

void residual_add(const __half* a, const __half* b, __half* out, std::size_t count, cudaStream_t stream) {
  elementwise(a, b, out, count, stream, [] __device__(float x, float y, std::uint32_t) { return x + y; });
}

void sgd_update(const Parameters32& p, std::size_t first, std::size_t count, const Step& step, cudaStream_t stream) {
  sgd_kernel<<<blocks_for(count), threads, 0, stream>>>(p, first, count, step);
}

void adam_update(const Parameters32& p, std::size_t first, std::size_t count, const Step& step, cudaStream_t stream) {
  adam_kernel<<<blocks_for(count), threads, 0, stream>>>(p, first, count, step);
}

void lamb_update(const Parameters32& p, const Chunk* chunks, int chunk_count, float* norms, int tensors,
                 const Step& step, cudaStream_t stream) {
  cudaMemsetAsync(norms, 0, 2 * sizeof(float) * tensors, stream);
  lamb_direction_kernel<<<chunk_count, threads, 0, stream>>>(p, chunks, norms, step);
  lamb_apply_kernel<<<chunk_count, threads, 0, stream>>>(p, chunks, norms, step);
}

void cast_to_half(const float* in, __half* out, std::size_t count, cudaStream_t stream) {
  cast_kernel<<<blocks_for(count / 4), threads, 0, stream>>>(reinterpret_cast<const float4*>(in),
                                                             reinterpret_cast<__half2*>(out), count / 4);
}

void unscale(float* gradient, std::size_t count, float scale, int* found, cudaStream_t stream) {
  unscale_kernel<<<blocks_for(count / 4), threads, 0, stream>>>(reinterpret_cast<float4*>(gradient), count / 4, scale,
                                                                found);
}

}  // namespace clustersim::gpubench
