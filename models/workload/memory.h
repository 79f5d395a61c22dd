// GPU memory that a data-parallel training job needs, and whether it fits.
//
//   weights + gradients + optimizer: bytes per parameter by precision and optimiser, the optimiser's over its shards
//   activations: CNN: convolution outputs and their normalised copies, 2 B per element under half precision, 4 else
//                BERT: layers * T * h * (34 + 5 * heads * S / h) B under half precision, twice else; without the term
//                in S when attention is fused; plus the logits of the predicted positions
//   workspace: CUDA context, libraries' scratch, allocator's rounding
// T: tokens of a micro-batch, counted at the full sequence length where sequences are padded, else at the mean and two
// standard deviations. Rematerialisation is not covered.
//
// A card's "GB" are GiB in fact (a 24 GB card has 24 GiB): fits() reads them so.
// Source: Korthikanti et al. 2022 (transformer activations); shapes of the layers.
// Checked by: tests/models/memory_test.cc (every row of the training suite ran, so every row must fit)
#pragma once

#include "clustersim/hardware.h"
#include "clustersim/scenario.h"

namespace clustersim {

struct MemoryNeed {
  Bytes weights, gradients, optimizer, activations, workspace, total;
};

MemoryNeed memory_needed(const Job& job, const GpuSpec& gpu, int ranks);
bool fits(const Job& job, const GpuSpec& gpu, int ranks);
// Largest batch_per_gpu (up to 65536) that fits with the job's accumulation; 0 if not even one sample does.
int largest_batch(Job job, const GpuSpec& gpu, int ranks);

// What the card really has, from the catalog's decimal gigabytes.
Bytes usable_memory(const GpuSpec& gpu);

}  // namespace clustersim
