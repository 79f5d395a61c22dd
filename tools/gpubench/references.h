// What the kernels of kernels.h must compute, plainly, on the host.
//
// Checked by tests/tools/gpubench_test.cc. Without CUDA, so that the tests need none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace clustersim::gpubench {

std::vector<float> softmax_reference(const std::vector<float>& x, int rows, int columns);
std::vector<float> layer_norm_reference(const std::vector<float>& x, int rows, int columns);
float gelu_reference(float x);

// Whether dropout keeps the element, by the same hash as the kernel.
bool keeps_reference(std::uint32_t index, std::uint32_t seed, float keep);

struct OptimizerState {
  std::vector<float> weight, gradient, first_moment, second_moment;
};

// One update of the elements [first, first + count), which are one tensor.
void sgd_reference(OptimizerState& state, std::size_t first, std::size_t count, float rate, float momentum,
                   float decay);

struct AdamConstants {
  float rate, beta1, beta2, epsilon, decay;
};

// `lamb`: the update is scaled by the norm of the weights over its own.
void adam_reference(OptimizerState& state, std::size_t first, std::size_t count, const AdamConstants& constants,
                    bool lamb);

// Empty where all lie within `tolerance` x (1 + |expected|), else which does not.
std::string differing(const std::vector<float>& got, const std::vector<float>& expected, double tolerance);

// Numbers in (-1, 1) that look random, the same on every run.
std::vector<float> test_numbers(std::size_t count, std::uint32_t seed);

}  // namespace clustersim::gpubench
