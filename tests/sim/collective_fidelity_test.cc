// `collective --fidelity messages` through the front door.
#include <catch2/catch.hpp>

#include "clustersim/clustersim.h"

using namespace clustersim;

namespace {

Scenario two_nodes() {
  return read_scenario_text(
      R"({"clustersim": 1, "cluster": {"nodes": 2, "node": {"server": "dgx-a100-80gb"}}, "job": {"model": "resnet-50"}})",
      "two nodes", {});
}

CollectiveTable table(const std::string& operation, const std::string& algorithm, const std::string& fidelity) {
  return collective(two_nodes(), operation, {1e9}, std::nullopt, algorithm, fidelity);
}

}  // namespace

TEST_CASE("messages and bundle print the same table within 1 % for a gigabyte") {
  // The bandwidth term of a gigabyte is far above ten latencies of a step.
  for (const char* operation : {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"}) {
    const std::string algorithm = operation == std::string("all_to_all") ? "auto" : "ring";
    const CollectiveRow bundle = table(operation, algorithm, "bundle").rows.at(0);
    const CollectiveRow messages = table(operation, "auto", "messages").rows.at(0);
    CHECK(messages.time_us == Approx(bundle.time_us).epsilon(0.01));
    CHECK(messages.algorithm == bundle.algorithm);
  }
}

TEST_CASE("what has no messages is refused, with every fault at once") {
  CHECK_THROWS_AS(table("all_reduce", "auto", "packets"), InputError);
  CHECK_THROWS_AS(table("all_to_all", "ring", "messages"), InputError);
  try {
    table("reduce", "tree", "messages");
    FAIL("refused");
  } catch (const InputError& error) {
    CHECK(error.problems().size() == 2);
  }
}
