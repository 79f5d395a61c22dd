// Kernels of a BERT micro-batch of B sequences, T = B * tokens rows, width h.
//
// Products of a layer: four h x h projections (one of 3h when fused), two of the feed-forward; data and weight gradient
// of each backward. Attention: two batched products S x S x h/heads and the passes over the scores, or one kernel that
// keeps the scores on the chip (fusion "fused"), 4 B E[S^2] h FLOP forward and 2.5 times that backward.
// MLPerf's code has that kernel for some chips only (scores_in_memory); on others it takes sequence by sequence.
// The vocabulary head works on the masked 15 % of positions only.
// Memory passes between products: constants.h, by fusion profile; "nchw", PyTorch of that age, has the eager ones and
// GELU's gradient operator by operator; TensorFlow without XLA (fusion "eager") has a list of
// its own, on fp32 tensors.
// Checked by: tests/models/step_model_test.cc
#pragma once

#include "models/workload/cnn_kernels.h"

namespace clustersim {

constexpr double masked_share = 0.15;  // [published: Devlin et al. 2018] positions whose token is predicted

// The network with the job's head.
BertNetwork bert_network_of(const Job& job);

// Share of the positions whose token is predicted: none by a span head; all by plain PyTorch code, which lets the loss
// ignore what was not masked; else the masked ones.
double predicted_share(const Job& job);

// MLPerf's BERT on chips that its attention kernel was not built for: scores go through memory, sequence by sequence.
bool scores_in_memory(const Job& job, const GpuSpec& gpu);

MicroBatchKernels bert_kernels(const BertNetwork& network, const Job& job, const GpuSpec& gpu);

}  // namespace clustersim
