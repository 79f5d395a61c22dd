#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "tools/gpubench/references.h"
#include "tools/gpubench/sensors.h"
#include "tools/gpubench/sizes.h"

using namespace clustersim::gpubench;

TEST_CASE("stream sizes double up to the largest power of two", "[gpubench]") {
  const auto sizes = stream_sizes(3 * 256 * 1024, false);
  CHECK(sizes == std::vector<std::int64_t>{65536, 2 * 65536, 4 * 65536, 8 * 65536});
  CHECK(stream_sizes(std::int64_t{1} << 31, false).size() == 16);  // 64 KiB to 2 GiB: 2^16 to 2^31
  CHECK(stream_sizes(8 * 65536, true) == std::vector<std::int64_t>{65536, 8 * 65536});
}

TEST_CASE("the convolutions of ResNet-50", "[gpubench]") {
  const auto shapes = resnet_convolutions();
  REQUIRE(shapes.size() == 23);
  int count = 0;
  double flop = 0;
  for (const ConvShape& shape : shapes) {
    count += shape.times;
    flop += shape.times * convolution_flop(shape, 1);
  }
  // 1 stem, 16 blocks of 3, 4 projections. 4.089 GMAC an image is published for the network with its last layer
  // (2048 x 1000), twice as many FLOP.
  CHECK(count == 1 + 16 * 3 + 4);
  CHECK(flop + 2.0 * 2048 * 1000 == Approx(2 * 4.089e9).epsilon(0.001));
  CHECK(output_size({3, 64, 224, 7, 2, 1}) == 112);
  CHECK(output_size({256, 512, 56, 1, 2, 1}) == 28);
}

TEST_CASE("parameter tensors of the models", "[gpubench]") {
  // torchvision's resnet50: 25,557,032 parameters in 161 tensors.
  CHECK(total(resnet50_tensors()) == 25'557'032);
  CHECK(resnet50_tensors().elements.size() == 161);
  // BERT-large: 335,141,888 to the pooler; transform 1024 x 1024 + 1024, its norm 2 x 1024, bias of 30,522 words,
  // sentence head 2 x 1024 + 2. Embeddings 5, layers 24 x 16, pooler 2, heads 7 tensors.
  CHECK(total(bert_large_tensors()) == 335'141'888 + 1024 * 1024 + 1024 + 2 * 1024 + 30'522 + 2 * 1024 + 2);
  CHECK(bert_large_tensors().elements.size() == 5 + 24 * 16 + 2 + 7);
}

TEST_CASE("products to be measured", "[gpubench]") {
  // Two waves of 128 x 256 tiles: 108 SMs hold 108 / 16 = 6 rows of tiles at a time (n = 4096 is 16 tiles wide).
  const auto sweep = gemm_m_sweep(108, false);
  REQUIRE(sweep.size() == 64);
  CHECK(sweep.back().m == 2 * 6 * 128);
  for (std::size_t i = 1; i < sweep.size(); ++i) CHECK(sweep[i].m > sweep[i - 1].m);
  for (const GemmShape& shape : gemm_shapes(false)) {
    CHECK(shape.n % 8 == 0);
    CHECK(shape.k % 8 == 0);
  }
  const auto depths = gemm_k_sweep(108, false);
  CHECK(depths.front().k == 64);
  CHECK(depths.back().k == 8192);
  CHECK(gemm_shapes(true).size() < gemm_shapes(false).size());
}

TEST_CASE("rows: softmax sums to one, normalised rows have mean 0 and variance 1", "[gpubench]") {
  const auto x = test_numbers(3 * 64, 5);
  const auto soft = softmax_reference(x, 3, 64);
  const auto norm = layer_norm_reference(x, 3, 64);
  for (std::size_t row = 0; row < 3; ++row) {
    double sum = 0, mean = 0, square = 0;
    for (std::size_t i = row * 64; i < row * 64 + 64; ++i) {
      sum += soft[i];
      mean += norm[i] / 64;
      square += norm[i] * norm[i] / 64;
    }
    CHECK(sum == Approx(1));
    CHECK(mean == Approx(0).margin(1e-6));
    CHECK(square == Approx(1).epsilon(1e-3));  // epsilon 1e-5 in the variance of a third
  }
  // The ratio of two of them is e to their difference.
  CHECK(soft[1] / soft[0] == Approx(std::exp(x[1] - x[0])));
}

TEST_CASE("GELU goes from 0 to x", "[gpubench]") {
  CHECK(gelu_reference(0) == 0);
  CHECK(gelu_reference(6) == Approx(6));
  CHECK(gelu_reference(-6) == Approx(0).margin(1e-5));
  // x Phi(x) at 1 is 0.8413; the tanh form is within 0.0005.
  CHECK(gelu_reference(1) == Approx(0.8413).margin(5e-4));
}

TEST_CASE("dropout keeps its share", "[gpubench]") {
  int kept = 0;
  for (std::uint32_t i = 0; i < 100'000; ++i) kept += keeps_reference(i, 3, 0.9f) ? 1 : 0;
  // 0.9 with a standard deviation of sqrt(0.9 x 0.1 / 1e5) = 0.001.
  CHECK(kept / 1e5 == Approx(0.9).margin(0.005));
}

TEST_CASE("optimizers move one weight as their formulas say", "[gpubench]") {
  OptimizerState state = {{2}, {0.5f}, {0.1f}, {0.04f}};
  sgd_reference(state, 0, 1, 0.1f, 0.9f, 0.01f);
  const double moment = 0.9 * 0.1 + 0.5 + 0.01 * 2;
  CHECK(state.weight[0] == Approx(2 - 0.1 * moment));

  OptimizerState adam = {{2}, {0.5f}, {0.1f}, {0.04f}};
  adam_reference(adam, 0, 1, {0.1f, 0.9f, 0.99f, 0, 0.01f}, false);
  const double first = 0.9 * 0.1 + 0.1 * 0.5, second = 0.99 * 0.04 + 0.01 * 0.25;
  const double update = first / std::sqrt(second) + 0.01 * 2;
  CHECK(adam.weight[0] == Approx(2 - 0.1 * update).epsilon(1e-5));

  // LAMB: a single weight moves by rate x |w| against the sign of its update.
  OptimizerState lamb = {{2}, {0.5f}, {0.1f}, {0.04f}};
  adam_reference(lamb, 0, 1, {0.1f, 0.9f, 0.99f, 0, 0.01f}, true);
  CHECK(lamb.weight[0] == Approx(2 - 0.1 * 2).epsilon(1e-5));
}

TEST_CASE("a comparison names the first element that differs", "[gpubench]") {
  CHECK(differing({1, 2}, {1, 2}, 1e-6).empty());
  CHECK(differing({1, 2.1f}, {1, 2}, 0.1).empty());  // 0.1 x (1 + 2)
  CHECK_THAT(differing({1, 2.5f}, {1, 2}, 0.1), Catch::Contains("element 1"));
  CHECK_THAT(differing({1}, {1, 2}, 0.1), Catch::Contains("count"));
  CHECK_THAT(differing({std::nanf("")}, {1}, 0.1), Catch::Contains("element 0"));
}

TEST_CASE("conditions are means of what is known", "[gpubench]") {
  Reading first, second;
  first.power_w = 100;
  second.power_w = 200;
  second.sm_clock_mhz = 1500;
  const auto numbers = means({first, second});
  REQUIRE(numbers.size() == 2);
  CHECK(numbers[0] == std::pair<std::string, double>("sm_clock_mhz", 1500));
  CHECK(numbers[1] == std::pair<std::string, double>("power_w", 150));
  CHECK(means({}).empty());
}

TEST_CASE("power is of work that lasted long enough to be read", "[gpubench]") {
  Reading before, during;
  before.time_s = 1;
  during.time_s = 2.1;
  before.power_w = 100;
  during.power_w = 700;
  during.sm_clock_mhz = 1700;
  const auto long_work = within({before, during}, 2, 2.5);
  REQUIRE(long_work.size() == 1);
  CHECK(*long_work[0].power_w == 700);
  const auto short_work = within({before, during}, 2, 2.2);
  REQUIRE(short_work.size() == 1);
  CHECK_FALSE(short_work[0].power_w);
  CHECK(*short_work[0].sm_clock_mhz == 1700);
}
