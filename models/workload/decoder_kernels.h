// Kernels of a transformer's micro-batch: decoders of text (GPT, Llama) and encoders of images (ViT).
//
// T rows (tokens), width h, feed-forward f (F = 2 f with SwiGLU, else f), g = h kv_heads / heads, S tokens a sequence.
//   products forward   T x (h + 2 g) x h,  T x h x h,  T x F x h,  T x h x f;  data and weight gradient of each
//                      projections of one input are one product
//   attention          fused  one kernel, scores stay on the chip (attention.h)
//                      eager  two batched products S x S x h/heads forward, four backward, and passes over the scores;
//                             the masked half is computed and thrown away
//   head               the output product over the whole vocabulary, and the loss as traffic over its T V outputs
// What lies between the products is traffic, by fusion:
//   eager  a kernel for each operator of the published code; RMSNorm and rotary positions are several operators
//   fused  one kernel each for attention, normalisation, rotary positions, SwiGLU and loss
//   jit    the same, and additions joined with the normalisation that follows
// Where tensors are divided among t GPUs: f, g, F and the columns of h that leave a product, 1 / t of each; what lies
// between the products 1 / t of the rows; where layers are divided into stages: those of the last stage and the head.
// Without dropout. No number here was fitted to a decoder. Source: shapes; Dao 2023 and Shah et al. 2024 (attention
// kernels). Checked by: tests/models/decoder_test.cc; shown beside published runs by `validate throughput`.
#pragma once

#include "models/workload/cnn_kernels.h"

namespace clustersim {

double layer_parameters(const TransformerShape& shape);
double embedding_parameters(const TransformerShape& shape);
// Last normalisation, and the output product where its weights are its own.
double head_parameters(const TransformerShape& shape);
double parameters(const TransformerShape& shape);
// That one GPU holds where tensors and layers are divided (model_parallel.h), of the first or last stage.
double parameters_of_a_gpu(const TransformerShape& shape, const Job& job);
int tensors(const TransformerShape& shape);
// FLOPs of a forward pass over one sequence, the masked half of the scores counted, as is usual.
double forward_flop(const TransformerShape& shape, double tokens, double tokens_squared);

// Tokens of an image: its patches and one for the class.
constexpr int image_pixels = 224;
int image_tokens(const TransformerShape& shape);

MicroBatchKernels transformer_kernels(const TransformerShape& shape, const Job& job, const GpuSpec& gpu);

}  // namespace clustersim
