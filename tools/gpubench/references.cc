#include "tools/gpubench/references.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace clustersim::gpubench {

std::vector<float> softmax_reference(const std::vector<float>& x, int rows, int columns) {
  std::vector<float> out(x.size());
  for (int row = 0; row < rows; ++row) {
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(row) * columns;
    const double largest = *std::max_element(begin, begin + columns);
    double sum = 0;
    for (int i = 0; i < columns; ++i) sum += std::exp(begin[i] - largest);
    for (int i = 0; i < columns; ++i) {
      out[static_cast<std::size_t>(row) * columns + i] = static_cast<float>(std::exp(begin[i] - largest) / sum);
    }
  }
  return out;
}

std::vector<float> layer_norm_reference(const std::vector<float>& x, int rows, int columns) {
  std::vector<float> out(x.size());
  for (int row = 0; row < rows; ++row) {
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(row) * columns;
    double mean = 0, variance = 0;
    for (int i = 0; i < columns; ++i) mean += begin[i];
    mean /= columns;
    for (int i = 0; i < columns; ++i) variance += (begin[i] - mean) * (begin[i] - mean);
    const double scale = 1 / std::sqrt(variance / columns + 1e-5);
    for (int i = 0; i < columns; ++i) {
      out[static_cast<std::size_t>(row) * columns + i] = static_cast<float>((begin[i] - mean) * scale);
    }
  }
  return out;
}

float gelu_reference(float x) {
  return static_cast<float>(0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x))));
}

bool keeps_reference(std::uint32_t index, std::uint32_t seed, float keep) {
  std::uint32_t h = index * 0x9E3779B1u ^ seed * 0xC2B2AE3Du;
  h = (h ^ (h >> 15)) * 0x2C1B3C6Du;
  h = (h ^ (h >> 12)) * 0x297A2D39u;
  return (h ^ (h >> 15)) < static_cast<std::uint32_t>(keep * 4294967040.0f);
}

void sgd_reference(OptimizerState& state, std::size_t first, std::size_t count, float rate, float momentum,
                   float decay) {
  for (std::size_t i = first; i < first + count; ++i) {
    state.first_moment[i] = momentum * state.first_moment[i] + state.gradient[i] + decay * state.weight[i];
    state.weight[i] -= rate * state.first_moment[i];
  }
}

void adam_reference(OptimizerState& state, std::size_t first, std::size_t count, const AdamConstants& constants,
                    bool lamb) {
  std::vector<double> update(count);
  double weights = 0, updates = 0;
  for (std::size_t at = 0; at < count; ++at) {
    const std::size_t i = first + at;
    const float gradient = state.gradient[i];
    state.first_moment[i] = constants.beta1 * state.first_moment[i] + (1 - constants.beta1) * gradient;
    state.second_moment[i] = constants.beta2 * state.second_moment[i] + (1 - constants.beta2) * gradient * gradient;
    update[at] = state.first_moment[i] / (std::sqrt(state.second_moment[i]) + constants.epsilon) +
                 constants.decay * state.weight[i];
    weights += static_cast<double>(state.weight[i]) * state.weight[i];
    updates += update[at] * update[at];
  }
  const double trust = lamb && weights > 0 && updates > 0 ? std::sqrt(weights / updates) : 1;
  for (std::size_t at = 0; at < count; ++at) {
    state.weight[first + at] -= static_cast<float>(constants.rate * trust * update[at]);
  }
}

std::string differing(const std::vector<float>& got, const std::vector<float>& expected, double tolerance) {
  if (got.size() != expected.size()) return "the count of results differs";
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double distance = std::fabs(static_cast<double>(got[i]) - expected[i]);
    if (distance <= tolerance * (1 + std::fabs(expected[i]))) continue;
    return "element " + std::to_string(i) + " is " + std::to_string(got[i]) + " where the CPU has " +
           std::to_string(expected[i]);
  }
  return "";
}

std::vector<float> test_numbers(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> numbers(count);
  for (float& number : numbers) number = static_cast<float>(random() / 2147483648.0 - 1);
  return numbers;
}

}  // namespace clustersim::gpubench
