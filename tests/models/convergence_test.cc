#include "models/outcome/convergence.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace clustersim;

namespace {

constexpr double imagenet = 1281167;
constexpr double wikipedia = 156725653;

double resnet_epochs(double batch) {
  return samples_to_target("resnet-50", Optimizer::lars, batch, LrRule::reference, imagenet)->epochs;
}
double bert_samples(double batch) {
  return samples_to_target("bert-large", Optimizer::lamb, batch, LrRule::reference, wikipedia)->samples;
}

}  // namespace

TEST_CASE("at a reference batch the answer is the published point") {
  const double resnet[][2] = {{1632, 35.0}, {3264, 35.2}, {8192, 42}, {32768, 56}, {67840, 85.857}};
  for (const auto& [batch, epochs] : resnet) CHECK(resnet_epochs(batch) == Approx(epochs));
  const double bert[][2] = {{256, 2552704}, {448, 2410629.565}, {12288, 4470336}, {16384, 5504307.2}};
  for (const auto& [batch, samples] : bert) CHECK(bert_samples(batch) == Approx(samples));
}

TEST_CASE("between points the answer is linear in the logarithm of the batch") {
  // The geometric mean of two batches lies half-way: (56 + 68) / 2.
  CHECK(resnet_epochs(std::sqrt(32768.0 * 49152)) == Approx((56.0 + 68.0) / 2));
}

TEST_CASE("outside the table the answer continues from the edge by 1 + B/B_crit and says so") {
  const double b_crit = 46900;
  CHECK(resnet_epochs(131072) == Approx(85.857 * (1 + 131072 / b_crit) / (1 + 67840 / b_crit)));
  CHECK(resnet_epochs(256) == Approx(35.0 * (1 + 256 / b_crit) / (1 + 1632 / b_crit)));
  const auto inside = samples_to_target("resnet-50", Optimizer::lars, 3264, LrRule::reference, imagenet);
  const auto outside = samples_to_target("resnet-50", Optimizer::lars, 256, LrRule::reference, imagenet);
  CHECK_FALSE(inside->extrapolated);
  CHECK(outside->extrapolated);
  // No jump at the edge.
  CHECK(resnet_epochs(67841) == Approx(resnet_epochs(67840)).epsilon(1e-4));
}

TEST_CASE("the fitted law E_min (1 + B/B_crit) stays near the table") {
  // Published fits: 34.6 epochs, 46 900, off by 6 % at most; 2.32 M samples, 12 700, off by 13 %.
  for (double batch : {1632, 2048, 3264, 4096, 8192, 13056, 32768, 49152, 58880, 64480, 65536, 67840}) {
    CHECK(34.6 * (1 + batch / 46900) == Approx(resnet_epochs(batch)).epsilon(0.065));
  }
  for (double batch : {256, 448, 1536, 3072, 4096, 4608, 6144, 6912, 8192, 8704, 12288, 13056, 16384}) {
    CHECK(2.32e6 * (1 + batch / 12700) == Approx(bert_samples(batch)).epsilon(0.135));
  }
}

TEST_CASE("a wrong learning-rate rule costs samples by kappa times the logarithm of the miss") {
  // sqrt from 7.4 at 1632 gives 10.465 at 3264, the reference is 10.5: nothing lost. Linear gives 14.8: a miss of
  // ln(14.8 / 10.5).
  const auto epochs = [](LrRule rule) {
    return samples_to_target("resnet-50", Optimizer::lars, 3264, rule, imagenet)->epochs;
  };
  CHECK(epochs(LrRule::reference) == Approx(35.2));
  CHECK(epochs(LrRule::sqrt) == Approx(35.2).epsilon(0.002));
  CHECK(epochs(LrRule::linear) == Approx(35.2 * (1 + 0.4 * std::log(7.4 * 2 / 10.5))));
}

TEST_CASE("a pair without a reference has no answer") {
  CHECK_FALSE(samples_to_target("resnet-50", Optimizer::sgd, 256, LrRule::reference, imagenet));
  CHECK_FALSE(samples_to_target("vgg-16", Optimizer::lars, 256, LrRule::reference, imagenet));
  CHECK(reference_batches("resnet-50", Optimizer::lars)->largest == 67840);
  CHECK_FALSE(reference_batches("resnet-152", Optimizer::lars));
}

TEST_CASE("a run ends at the first evaluation at or after its target, after whole steps") {
  CHECK(on_evaluation_grid(35.2, 4) == 36);
  CHECK(on_evaluation_grid(36, 4) == 36);
  CHECK(on_evaluation_grid(36.0000001, 4) == 40);
  CHECK(on_evaluation_grid(35.2, 0) == 35.2);
  CHECK(whole_steps(1000, 300) == 4);
  CHECK(whole_steps(900, 300) == 3);
}

TEST_CASE("epochs and samples say the same") {
  const auto bert = samples_to_target("bert-large", Optimizer::lamb, 4096, LrRule::reference, wikipedia);
  CHECK(bert->epochs * wikipedia == Approx(bert->samples));
  CHECK(bert->spread == Approx(0.041));
}

TEST_CASE("a point left out is interpolated between its neighbours; an end follows the law of the critical batch") {
  // 4096 lies between 3264 (35.2 epochs) and 8192 (42).
  const double share = std::log(4096.0 / 3264) / std::log(8192.0 / 3264);
  CHECK(*left_out_amount("resnet-50", Optimizer::lars, 4096) == Approx(35.2 + share * (42 - 35.2)));
  // Without 67840 the table ends at 65536 (84.5 epochs); B_crit = 46900.
  CHECK(*left_out_amount("resnet-50", Optimizer::lars, 67840) ==
        Approx(84.5 * (1 + 67840 / 46900.0) / (1 + 65536 / 46900.0)));
  // A batch that no point has loses none: as the whole table says.
  CHECK(*left_out_amount("resnet-50", Optimizer::lars, 40000) == Approx(resnet_epochs(40000)));
  CHECK_FALSE(left_out_amount("resnet-152", Optimizer::lars, 4096));
}
