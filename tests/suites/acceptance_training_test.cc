// Published training throughput (scenarios/measurements/training_suite.csv) through validate().
//
// No constant is set for a row. The bounds are those the project promises: the published rows scatter by 5 % among
// themselves (same GPU, model and batch, other submitter or month), so a median of 7 % is little more than that.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "tests/sim/acceptance.h"

using namespace clustersim;
using namespace clustersim::acceptance;

namespace {

const Validation& training() {
  static const Validation validation = validate("training");
  return validation;
}

double median_error(bool (*wanted)(const ValidationRow&)) {
  std::vector<double> errors;
  for (const ValidationRow& row : training().rows)
    if (wanted(row)) errors.push_back(std::abs(row.error));
  std::sort(errors.begin(), errors.end());
  REQUIRE(errors.size() > 100);
  return errors[errors.size() / 2];
}

}  // namespace

TEST_CASE("no row of the training suite is refused", "[acceptance]") {
  CHECK(training().rows.size() == 367);  // the lines of the file; a refused row would have thrown
  for (const ValidationRow& row : training().rows) {
    INFO(row.id);
    CHECK(row.predicted > 0);
    CHECK(row.error == Approx(row.predicted / row.measured - 1));
  }
}

TEST_CASE("MLPerf ResNet and PyTorch DDP rows: median error at most 7 %", "[acceptance]") {
  CHECK(median_error([](const ValidationRow& row) {
          const bool mlperf_resnet = has(row.family, " mlperf ") && has(row.family, "resnet");
          return mlperf_resnet || has(row.family, " pytorch-ddp ");
        }) <= 0.07);
}

TEST_CASE("named rows are met within 12 %", "[acceptance]") {
  const std::map<std::string, double> named = {
      {"T0074", 1200},                                         // ResNet-50, 1 V100 16 GB, AMP, batch 256, PyTorch DDP
      {"T0076", 8322},                                         // the same on 8
      {"mlperf v2.1 NVIDIA dgxh100_preview resnet", 52438.1},  // 8 H100, batch 400
      {"mlperf v3.0 NVIDIA dgxh100_ngc23.04_mxnet resnet", 56071},
      {"mlperf v3.1 NVIDIA eos_ngc23.09_mxnet resnet", 56437.8},
      {"mlperf v4.0 NVIDIA eos_ngc24.04_mxnet resnet", 57292.1},
      {"mlperf v1.1 Dell 2xR750xax4A100-PCIE-80GB resnet", 23501.2},  // 2 x 4 A100 PCIe, batch 408
  };
  std::size_t found = 0;
  for (const ValidationRow& row : training().rows) {
    const auto name = named.find(row.id);
    if (name == named.end()) continue;
    INFO(row.id << ": predicted " << row.predicted << ", measured " << row.measured);
    CHECK(row.measured == name->second);
    CHECK(std::abs(row.error) <= 0.12);
    ++found;
  }
  CHECK(found == named.size());
}
