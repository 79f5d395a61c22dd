// Which published rows a report takes its expected error from.
#include "sim/validation/expected_error.h"

#include <catch2/catch.hpp>

#include "clustersim/clustersim.h"
#include "sim/validation/measurement_table.h"

using namespace clustersim;

namespace {

Scenario scenario_of(const std::string& gpu, const std::string& job) {
  return read_scenario_text(R"({"clustersim": 1, "cluster": {"node": {"gpu": ")" + gpu + R"("}}, "job": )" + job + "}",
                            "test", {});
}

// The table's own line, so that the test holds when its numbers change.
double recorded(const char* model, const char* gpu, const char* stack, const char* precision, const char* column) {
  for (const MeasurementRow& row : read_measurements(measurements_path("expected_error.csv")))
    if (row.text("model") == model && row.text("gpu") == gpu && row.text("stack") == stack &&
        row.text("precision") == precision)
      return row.number(column);
  return -1;
}

}  // namespace

TEST_CASE("rows of the same network, GPU design, stack and precision come first") {
  const auto error = expected_error(scenario_of("a100-sxm4-40gb", R"({"model": "resnet-50", "stack": "mlperf"})"));
  REQUIRE(error);
  CHECK(error->like == "resnet on a100, mlperf, amp");
  CHECK(error->rows == recorded("resnet", "a100", "mlperf", "amp", "rows"));
  CHECK(error->median == recorded("resnet", "a100", "mlperf", "amp", "median"));
  CHECK(error->p90 == recorded("resnet", "a100", "mlperf", "amp", "p90"));
  CHECK(error->median <= error->p90);
}

TEST_CASE("another size of the network and of the GPU's memory is like it") {
  const auto one = expected_error(scenario_of("a100-sxm4-40gb", R"({"model": "resnet-50", "stack": "mlperf"})"));
  const auto other = expected_error(scenario_of("a100-pcie-80gb", R"({"model": "resnet-152", "stack": "mlperf"})"));
  REQUIRE((one && other));
  CHECK(one->like == other->like);
}

TEST_CASE("a design is the GPU's name without memory and slot") {
  CHECK(gpu_design("a100-pcie-40gb") == "a100");
  CHECK(gpu_design("rtx-3090") == "rtx-3090");
  CHECK(gpu_design("rtx-6000-ada-generation") == "rtx-6000");
  CHECK(gpu_design("a40") == "a40");
}

TEST_CASE("a stack without three rows takes any stack, a GPU without any takes its architecture") {
  const auto stack = expected_error(scenario_of("a100-sxm4-80gb", R"({"model": "resnet-50", "stack": "native"})"));
  REQUIRE(stack);
  CHECK(stack->like == "resnet on a100, any stack, amp");
  CHECK(stack->rows > recorded("resnet", "a100", "mlperf", "amp", "rows"));
  REQUIRE(recorded("resnet", "a40", "any", "amp", "rows") < 3);  // none, or too few
  const auto gpu = expected_error(scenario_of("a40", R"({"model": "resnet-50", "stack": "pytorch-ddp"})"));
  REQUIRE(gpu);
  CHECK(gpu->like == "resnet on any Ampere, any stack, amp");
}

TEST_CASE("what nobody published has no expected error") {
  // No row is of a Pascal GPU, none of VGG, none of a step given from outside.
  CHECK_FALSE(expected_error(scenario_of("p100-pcie-16gb", R"({"model": "resnet-50", "precision": "fp32"})")));
  CHECK_FALSE(expected_error(scenario_of("a100-sxm4-80gb", R"({"model": "vgg16"})")));
  CHECK_FALSE(expected_error(scenario_of(
      "a100-sxm4-80gb", R"({"model": {"emulated_step": "0.2 s", "batch": 400, "sample_bytes": "114660 B"}})")));
}

TEST_CASE("the table that ships has a line for each family and agrees with the suite") {
  // Every line of three rows and more has a sound share of error.
  int lines = 0;
  for (const MeasurementRow& row : read_measurements(measurements_path("expected_error.csv"))) {
    ++lines;
    CHECK(row.number("rows") >= 1);
    CHECK(row.number("median") >= 0);
    CHECK(row.number("p90") >= row.number("median"));
  }
  CHECK(lines > 20);
}
