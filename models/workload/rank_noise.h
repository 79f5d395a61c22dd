// How much longer the slowest of many synchronous ranks takes than their mean.
//
//   straggler_factor = 1 + sigma * z(N) / sqrt(m)
//   z(N) ~ a - (ln ln N + ln 4 pi - 2 gamma) / (2 a), a = sqrt(2 ln N)   mean of the largest of N standard normals
//   slowest_gpu = 1 + gpu_sigma * z(N)   of the arithmetic of a GPU that its power holds down
//   length_imbalance = 1 + z(groups) * cv / sqrt(sequences of a group)
// sigma: relative noise of one micro-batch; m: micro-batches between synchronisations; cv: coefficient of variation of
// the sequence length, sqrt(E[S^2]/E[S]^2 - 1). Ranks of a group of `balanced_group` exchange sequences among them.
//
// Assumes independent noise and GPUs that differ as a normal does; one that is far slower is not covered (a scenario's
// `stragglers`). +-1 % of a step below 1000 ranks.
// Source: extreme-value theory (the mean of the Gumbel limit, hence Euler's gamma); gpu_sigma published, sigma and cv
// assumed, see below.
// Checked by: tests/models/rank_noise_test.cc
#pragma once

namespace clustersim {

// [assumed, with multi-node BERT residuals in view]
constexpr double rank_sigma = 0.005;
// GPUs of one kind are not equal: under load each holds the clock that its own leakage and cooling leave of its power.
// [published: Sinha et al., SC 2022: run times on five clusters vary by 8 % on average, taken as the reach of the
// whiskers of a box plot, between which a normal has 5.4 standard deviations]
constexpr double gpu_sigma = 0.08 / 5.4;
// [published: MLPerf BERT submissions] GPUs that exchange unpadded sequences: those of one node.
constexpr int balanced_group = 8;

// Mean of the largest of n standard normals; 0 for one.
double largest_normal(double n);

double straggler_factor(int ranks, double micro_batches);

// Time of arithmetic on the slowest of so many GPUs, over their mean.
double slowest_gpu(int ranks);

double length_imbalance(int ranks, double sequences_per_rank, double length_square_ratio);

}  // namespace clustersim
