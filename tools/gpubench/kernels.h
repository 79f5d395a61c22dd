// The program's own kernels, each with a CPU reference in references.h.
//
// All counts are elements; vector kernels need counts that are multiples of 8 (16 bytes of halves). Nothing here waits.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace clustersim::gpubench {

// ---- Data

enum class Element { fp32, fp16, bf16, fp8 };

std::size_t bytes_of(Element element);

// Normally distributed (mean 0, deviation `scale`), from a hash of index and seed.
void fill_normal(void* data, std::size_t count, Element element, float scale, std::uint32_t seed, cudaStream_t stream);

// ---- Memory streams, 16 bytes a thread and access

template <class T>
void stream_copy(const T* a, T* out, std::size_t count, cudaStream_t stream);
template <class T>
void stream_read(const T* a, float* sum, std::size_t count, cudaStream_t stream);  // adds to *sum
template <class T>
void stream_triad(const T* a, const T* b, T* out, float s, std::size_t count, cudaStream_t stream);  // a + s b
template <class T>
void stream_three(const T* a, const T* b, const T* c, T* out, std::size_t count, cudaStream_t stream);  // a + b + c

// out = a + b by `blocks` thread blocks alone: what a channel of a ring does.
void ring_step(const float* a, const float* b, float* out, std::size_t count, int blocks, cudaStream_t stream);

// ---- Launch

// Does nothing, with 1, 16 or 64 arguments of 4 bytes.
void launch_empty(int arguments, cudaStream_t stream);

// Keeps `blocks` SMs (a block takes all the shared memory of one) until *release is not 0 or `limit_ms` have passed.
void hold_sms(int blocks, const volatile int* release, int limit_ms, int shared_bytes, cudaStream_t stream);

// ---- Rows of fp16, accumulated in fp32; 16384 columns at most

void softmax_rows(const __half* in, __half* out, int rows, int columns, cudaStream_t stream);
void layer_norm_rows(const __half* in, __half* out, int rows, int columns, cudaStream_t stream);
void gelu(const __half* in, __half* out, std::size_t count, cudaStream_t stream);
void dropout(const __half* in, __half* out, std::size_t count, float keep, std::uint32_t seed, cudaStream_t stream);
void residual_add(const __half* a, const __half* b, __half* out, std::size_t count, cudaStream_t stream);

// ---- Optimizers: fp32 state and an fp16 copy of the weights

struct Step {
  float rate = 1e-3f, momentum = 0.9f, beta1 = 0.9f, beta2 = 0.999f, epsilon = 1e-6f, decay = 0.01f;
};

// The state of `count` parameters from `first` on.
struct Parameters32 {
  float* weight;
  const float* gradient;
  float* first_moment;
  float* second_moment;  // SGD: unused
  float* update;         // LAMB: scratch
  __half* half_weight;
};

void sgd_update(const Parameters32& p, std::size_t first, std::size_t count, const Step& step, cudaStream_t stream);
void adam_update(const Parameters32& p, std::size_t first, std::size_t count, const Step& step, cudaStream_t stream);

// A piece of one tensor, the work of a block.
struct Chunk {
  std::int64_t first;
  int count;
  int tensor;
};

// norms: two floats a tensor, cleared first (squared norm of weights, of updates). Chunks lie on the GPU.
void lamb_update(const Parameters32& p, const Chunk* chunks, int chunk_count, float* norms, int tensors,
                 const Step& step, cudaStream_t stream);

// ---- Mixed precision

void cast_to_half(const float* in, __half* out, std::size_t count, cudaStream_t stream);
// gradient *= scale; *found = 1 if one was not finite.
void unscale(float* gradient, std::size_t count, float scale, int* found, cudaStream_t stream);

}  // namespace clustersim::gpubench
