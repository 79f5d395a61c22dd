#include "models/workload/rank_noise.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace clustersim {

double largest_normal(double n) {
  // Exact means for 2 to 4; the asymptotic form above.
  if (n < 2) return 0;
  if (n < 3) return 1 / std::sqrt(std::numbers::pi);
  if (n < 4) return 1.5 / std::sqrt(std::numbers::pi);
  if (n < 5) return 1.02938;
  const double a = std::sqrt(2 * std::log(n));
  return a - (std::log(std::log(n)) + std::log(4 * std::numbers::pi) - 2 * std::numbers::egamma) / (2 * a);
}

double straggler_factor(int ranks, double micro_batches) {
  return 1 + rank_sigma * largest_normal(ranks) / std::sqrt(std::max(1.0, micro_batches));
}

double slowest_gpu(int ranks) { return 1 + gpu_sigma * largest_normal(ranks); }

double length_imbalance(int ranks, double sequences_per_rank, double length_square_ratio) {
  const double cv = std::sqrt(std::max(0.0, length_square_ratio - 1));
  const double members = std::min(ranks, balanced_group);
  const double groups = std::floor(ranks / members);
  return 1 + largest_normal(groups) * cv / std::sqrt(std::max(1.0, sequences_per_rank * members));
}

}  // namespace clustersim
