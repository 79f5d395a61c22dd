// Arithmetic of a fused attention kernel, which keeps the scores on the chip: FlashAttention and its kind.
//
//   t = rows x (S_c + 180) x (f d / min(p peak, rate) + 1 / (16 SMs clock))
//   rows   queries: sequences x heads x S; d: size of a head
//   S_c    keys that a query meets: S, or (S + 128) / 2 where causal (blocks that are wholly masked are left out)
//   180    keys that filling and draining a row of blocks costs
//   f      FLOP of the products for a score and unit of d: 4 forward, 10 backward, which computes the scores again
//   p      share of the data sheet's peak that the products reach, by kernel and generation of GPU (attention.cc)
//   rate   what any product sustains under load: kernels written for Hopper are held by it, earlier ones by p
//   16     exponentials of an SM in a cycle, not overlapped but by Blackwell's kernels
// Range: heads of 64 to 128; with heads of 256 FlashAttention-2 is up to 25 % slower. Error against published
// micro-benchmarks on A100 and H100, 512 to 16,384 tokens: 117 of FlashAttention-2 and 3, 4 % in the median and 9 of 10
// within 11 %; 72 of the kernels before, 12 and 20 %, since there the two heads and the two kernels differ as much.
// Source: Dao 2023 (FlashAttention-2), Shah et al. 2024 (FlashAttention-3), rows "attention" of micro.csv.
// Checked by: tests/models/attention_test.cc.
#pragma once

#include "clustersim/hardware.h"
#include "clustersim/scenario.h"

namespace clustersim {

struct AttentionPass {
  double head = 128;    // size
  double length = 512;  // S
  bool causal = true;
  bool forward = true;
};

// The kernel that PyTorch itself runs on this GPU.
Attention usual_attention(const GpuSpec& gpu);
// Kernels written for Hopper and its successors run on no other.
bool can_run(const GpuSpec& gpu, Attention kernel);

// Of `queries` x S scores before masking, s. `rate`: FLOP/s that products sustain.
double attention_seconds(const GpuSpec& gpu, double rate, Attention kernel, const AttentionPass& pass, double queries);

}  // namespace clustersim
