// GPU memory that a data-parallel training job needs, and whether it fits.
//
//   weights + gradients + optimizer: bytes per parameter by precision and optimiser, each over its shards
//   activations: CNN: convolution outputs and their normalised copies, 2 B per element under half precision, 4 else
//                BERT: layers * T * h * (16 e + 2 + (2 e + 1) * heads * S / h) B with e bytes an element, 2 under half
//                precision, 4 else; without the term in S when attention is fused; plus the logits of the predicted
//                positions. TensorFlow without XLA: (30 e + 4 e * heads * S / h). Decoders and ViT: state_memory.h
//   workspace: CUDA context, libraries' scratch, allocator's rounding
// T: tokens of a micro-batch, counted at the full sequence length where sequences are padded, else at the mean and two
// standard deviations. Rematerialisation is not covered, but for activation checkpointing.
//
// A card's "GB" are GiB in fact (a 24 GB card has 24 GiB), of which the driver shows about 99 %, and a data-centre
// board on GDDR 15/16 of those. The count is right within about 5 %: published runs whose batch was chosen to fill the
// memory lie between 89 and 99 % of it. Within that distance of the limit the answer is `tight`: it may run or not.
// Not counted: buckets of distributed gradients, which grow while the activations go, and fragmentation.
// Source: Korthikanti et al. 2022 (transformer activations); shapes of the layers.
// Checked by: tests/models/memory_test.cc (every published row ran, so none may exceed)
#pragma once

#include <cstdint>

#include "clustersim/hardware.h"
#include "clustersim/scenario.h"

namespace clustersim {

struct MemoryNeed {
  Bytes weights, gradients, optimizer, activations, workspace, total;
  Bytes saved;  // by a checkpoint: weights without the half copy, which is made anew, and the optimizer's states
};

// Activations in two bytes; and weights and gradients too, with a master copy in the optimizer.
bool is_half(const Job& job);
bool half_weights(const Job& job);

constexpr double memory_uncertainty = 0.05;  // of the memory of the card

enum class MemoryFit : std::uint8_t { fits, tight, exceeds };

MemoryNeed memory_needed(const Job& job, const GpuSpec& gpu, int ranks);
MemoryFit memory_fit(const Job& job, const GpuSpec& gpu, int ranks);
// Beyond doubt.
bool fits(const Job& job, const GpuSpec& gpu, int ranks);
// Largest batch_per_gpu (up to 65536) that fits with the job's accumulation; 0 if not even one sample does.
int largest_batch(Job job, const GpuSpec& gpu, int ranks);

// What the card really shows, from the catalog's decimal gigabytes.
Bytes usable_memory(const GpuSpec& gpu);

}  // namespace clustersim
