// What a job keeps on a GPU for a transformer's backward pass, and what sharding leaves there of weights and states.
//
//   activations  layers x T x (16 h: with f = 4 h and as many key heads) in elements of the precision, term by term
//                6 h + 2 g + 2 f (3 f with SwiGLU), + heads S where scores are in memory; activation checkpointing
//                keeps h of each layer, and one layer's all; outputs and their gradient: T V, in fp32 too by fusion
//                eager
//   divided      1 / t of all that with t GPUs to a layer (sequence parallelism); with p stages L / p layers of min(p,
//   m)
//                passes under way (1F1B; interleaved 1 + (p - 1) / (p v) times as many), or of one and the outputs
//   sharded      every shard holds 1 / shards of the states; gathered at a time are the root and two layers, the one in
//   use
//                and the next, with the gradients of the root and of one
// Without dropout. Source: shapes; Korthikanti et al. 2022; Rajbhandari et al. 2020 (ZeRO), Zhao et al. 2023 (FSDP).
// Checked by: tests/models/decoder_test.cc
#pragma once

#include "clustersim/scenario.h"

namespace clustersim {

double transformer_activation_bytes(const Job& job);

// Of BERT, decoders, ViT and an emulated step: what is gathered at once. Root: embedding and head.
struct BlockParameters {
  double root = 0, layer = 0;
};
BlockParameters block_parameters(const Job& job);

struct StateShares {  // of what a rank would hold unsharded
  double weights = 1, gradients = 1, optimizer = 1;
};
StateShares state_shares(const Job& job, int ranks);

}  // namespace clustersim
