#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include "tools/gpubench/kernels.h"

namespace clustersim::gpubench {
namespace {

constexpr int threads = 256;
constexpr int unroll = 4;

template <class T>
struct alignas(16) Pack {
  static constexpr int size = 16 / sizeof(T);
  T v[size];
};

unsigned blocks_for(std::size_t packs) {
  return static_cast<unsigned>((packs + threads * unroll - 1) / (threads * unroll));
}

// store(i, load(i)) for the packs of this block: `unroll` of them a thread, neighbours side by side. All are loaded
// before one is stored, since the compiler may not move a load over a store that could be to the same place.
template <class T, class Load, class Store>
__device__ void for_packs(std::size_t packs, Load load, Store store) {
  const std::size_t base = static_cast<std::size_t>(blockIdx.x) * threads * unroll + threadIdx.x;
  Pack<T> x[unroll];
#pragma unroll
  for (int u = 0; u < unroll; ++u) {
    const std::size_t i = base + static_cast<std::size_t>(u) * threads;
    if (i < packs) x[u] = load(i);
  }
#pragma unroll
  for (int u = 0; u < unroll; ++u) {
    const std::size_t i = base + static_cast<std::size_t>(u) * threads;
    if (i < packs) store(i, x[u]);
  }
}

template <class T>
__global__ void copy_kernel(const Pack<T>* a, Pack<T>* out, std::size_t packs) {
  for_packs<T>(
      packs, [=](std::size_t i) { return a[i]; }, [=](std::size_t i, const Pack<T>& x) { out[i] = x; });
}

// One atomic sum a block: of one a warp, all to the same place, there would be more than the L2 can take.
template <class T>
__global__ void read_kernel(const Pack<T>* a, float* sum, std::size_t packs) {
  __shared__ float parts[threads / 32];
  float part = 0;
  for_packs<T>(
      packs, [=](std::size_t i) { return a[i]; },
      [&](std::size_t, const Pack<T>& x) {
#pragma unroll
        for (int k = 0; k < Pack<T>::size; ++k) part += static_cast<float>(x.v[k]);
      });
  for (int offset = 16; offset > 0; offset /= 2) part += __shfl_down_sync(0xffffffffu, part, offset);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = part;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < threads / 32; ++warp) part += parts[warp];
  atomicAdd(sum, part);
}

template <class T>
__global__ void triad_kernel(const Pack<T>* a, const Pack<T>* b, Pack<T>* out, T s, std::size_t packs) {
  for_packs<T>(
      packs,
      [=](std::size_t i) {
        Pack<T> x = a[i];
        const Pack<T> y = b[i];
#pragma unroll
        for (int k = 0; k < Pack<T>::size; ++k) x.v[k] = x.v[k] + s * y.v[k];
        return x;
      },
      [=](std::size_t i, const Pack<T>& x) { out[i] = x; });
}

template <class T>
__global__ void three_kernel(const Pack<T>* a, const Pack<T>* b, const Pack<T>* c, Pack<T>* out, std::size_t packs) {
  for_packs<T>(
      packs,
      [=](std::size_t i) {
        Pack<T> x = a[i];
        const Pack<T> y = b[i], z = c[i];
#pragma unroll
        for (int k = 0; k < Pack<T>::size; ++k) x.v[k] = x.v[k] + y.v[k] + z.v[k];
        return x;
      },
      [=](std::size_t i, const Pack<T>& x) { out[i] = x; });
}

__global__ void ring_kernel(const Pack<float>* a, const Pack<float>* b, Pack<float>* out, std::size_t packs) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; i < packs; i += unroll * stride) {
    Pack<float> x[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      if (i + u * stride >= packs) continue;
      x[u] = a[i + u * stride];
      const Pack<float> y = b[i + u * stride];
#pragma unroll
      for (int k = 0; k < 4; ++k) x[u].v[k] += y.v[k];
    }
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      if (i + u * stride < packs) out[i + u * stride] = x[u];
    }
  }
}

__device__ std::uint32_t hashed(std::uint64_t index, std::uint32_t seed) {
  std::uint32_t h = static_cast<std::uint32_t>(index) * 0x9E3779B1u ^
                    static_cast<std::uint32_t>(index >> 32) * 0x85EBCA77u ^ seed * 0xC2B2AE3Du;
  h = (h ^ (h >> 15)) * 0x2C1B3C6Du;
  h = (h ^ (h >> 12)) * 0x297A2D39u;
  return h ^ (h >> 15);
}

template <class T>
__global__ void normal_kernel(T* data, std::size_t count, float scale, std::uint32_t seed) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    const float u = (hashed(i, seed) + 1.0f) * 0x1p-32f, v = hashed(i, seed ^ 0x5bd1e995u) * 0x1p-32f;
    data[i] = static_cast<T>(scale * sqrtf(-2.0f * logf(fminf(u, 1.0f))) * cospif(2.0f * v));
  }
}

template <int words>
struct Arguments {
  int word[words];
};

template <int words>
__global__ void empty_kernel(Arguments<words>) {}

__global__ void hold_kernel(const volatile int* release, unsigned long long limit_ns) {
  if (threadIdx.x != 0) return;
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (*release == 0 && now - begin < limit_ns);
}

template <class T>
const Pack<T>* packs_of(const T* data) {
  return reinterpret_cast<const Pack<T>*>(data);
}
template <class T>
Pack<T>* packs_of(T* data) {
  return reinterpret_cast<Pack<T>*>(data);
}

}  // namespace

std::size_t bytes_of(Element element) { return element == Element::fp32 ? 4 : element == Element::fp8 ? 1 : 2; }

void fill_normal(void* data, std::size_t count, Element element, float scale, std::uint32_t seed, cudaStream_t stream) {
  constexpr unsigned blocks = 2048;
  switch (element) {
    case Element::fp32:
      normal_kernel<<<blocks, threads, 0, stream>>>(static_cast<float*>(data), count, scale, seed);
      break;
    case Element::fp16:
      normal_kernel<<<blocks, threads, 0, stream>>>(static_cast<__half*>(data), count, scale, seed);
      break;
    case Element::bf16:
      normal_kernel<<<blocks, threads, 0, stream>>>(static_cast<__nv_bfloat16*>(data), count, scale, seed);
      break;
    case Element::fp8:
      normal_kernel<<<blocks, threads, 0, stream>>>(static_cast<__nv_fp8_e4m3*>(data), count, scale, seed);
      break;
  }
}

template <class T>
void stream_copy(const T* a, T* out, std::size_t count, cudaStream_t stream) {
  const std::size_t packs = count / Pack<T>::size;
  copy_kernel<T><<<blocks_for(packs), threads, 0, stream>>>(packs_of(a), packs_of(out), packs);
}

template <class T>
void stream_read(const T* a, float* sum, std::size_t count, cudaStream_t stream) {
  const std::size_t packs = count / Pack<T>::size;
  read_kernel<T><<<blocks_for(packs), threads, 0, stream>>>(packs_of(a), sum, packs);
}

template <class T>
void stream_triad(const T* a, const T* b, T* out, float s, std::size_t count, cudaStream_t stream) {
  const std::size_t packs = count / Pack<T>::size;
  triad_kernel<T>
      <<<blocks_for(packs), threads, 0, stream>>>(packs_of(a), packs_of(b), packs_of(out), static_cast<T>(s), packs);
}

template <class T>
void stream_three(const T* a, const T* b, const T* c, T* out, std::size_t count, cudaStream_t stream) {
  const std::size_t packs = count / Pack<T>::size;
  three_kernel<T>
      <<<blocks_for(packs), threads, 0, stream>>>(packs_of(a), packs_of(b), packs_of(c), packs_of(out), packs);
}

template void stream_copy(const float*, float*, std::size_t, cudaStream_t);
template void stream_copy(const __half*, __half*, std::size_t, cudaStream_t);
template void stream_read(const float*, float*, std::size_t, cudaStream_t);
template void stream_read(const __half*, float*, std::size_t, cudaStream_t);
template void stream_triad(const float*, const float*, float*, float, std::size_t, cudaStream_t);
template void stream_triad(const __half*, const __half*, __half*, float, std::size_t, cudaStream_t);
template void stream_three(const float*, const float*, const float*, float*, std::size_t, cudaStream_t);
template void stream_three(const __half*, const __half*, const __half*, __half*, std::size_t, cudaStream_t);

void ring_step(const float* a, const float* b, float* out, std::size_t count, int blocks, cudaStream_t stream) {
  ring_kernel<<<blocks, 512, 0, stream>>>(packs_of(a), packs_of(b), packs_of(out), count / 4);
}

void launch_empty(int arguments, cudaStream_t stream) {
  if (arguments <= 1) {
    empty_kernel<<<1, 32, 0, stream>>>(Arguments<1>{});
  } else if (arguments <= 16) {
    empty_kernel<<<1, 32, 0, stream>>>(Arguments<16>{});
  } else {
    empty_kernel<<<1, 32, 0, stream>>>(Arguments<64>{});
  }
}

void hold_sms(int blocks, const volatile int* release, int limit_ms, int shared_bytes, cudaStream_t stream) {
  cudaFuncSetAttribute(hold_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  hold_kernel<<<blocks, 32, shared_bytes, stream>>>(release, limit_ms * 1'000'000ull);
}

}  // namespace clustersim::gpubench
