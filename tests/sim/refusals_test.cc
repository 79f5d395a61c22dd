#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "clustersim/clustersim.h"

using namespace clustersim;
namespace fs = std::filesystem;

namespace {

std::string content_of(const fs::path& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

}  // namespace

TEST_CASE("each refusal reads as it should") {
  int checked = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(CLUSTERSIM_SOURCE_DIR) / "tests" / "bad")) {
    if (entry.path().extension() != ".json") continue;
    const std::string name = entry.path().filename().string(), path = entry.path().string();
    INFO(name);
    std::string text = "no fault";
    try {
      read_scenario(path, {});
    } catch (const InputError& error) {
      text = problems_text(error.problems());
    }
    for (auto at = text.find(path); at != std::string::npos; at = text.find(path, at + name.size()))
      text.replace(at, path.size(), name);
    CHECK(text == content_of(fs::path(path).replace_extension(".expected.txt")));
    ++checked;
  }
  CHECK(checked >= 40);
}

TEST_CASE("five faults at once are all told") {
  const fs::path file = fs::path(CLUSTERSIM_SOURCE_DIR) / "tests" / "bad" / "five_faults.json";
  try {
    read_scenario(file.string(), {});
    FAIL("no fault");
  } catch (const InputError& error) {
    std::set<std::string> pointers;
    for (const Problem& p : error.problems()) {
      pointers.insert(p.pointer);
      INFO(p.pointer);
      CHECK_FALSE(p.expected.empty());
      CHECK_FALSE(p.got.empty());
      CHECK_FALSE(p.hint.empty());
    }
    CHECK(pointers == std::set<std::string>{"/cluster/nodes", "/cluster/node/cpu", "/cluster/node/memory",
                                            "/cluster/node/gpu_power_limit", "/cluster/node/nicc"});
  }
}

TEST_CASE("the manual knows every key") {
  const std::string all = explain("");
  for (const char* key : {"/clustersim\n", "/cluster/node/gpus\n", "/cluster/fabric/link\n",
                          "/cluster/storage/cache/tier\n", "/job/batch_per_gpu\n", "/job/data/loader\n",
                          "/job/target/quality\n", "/cost/self_hosted/colocation\n", "/cost/cloud/pricing\n"}) {
    INFO(key);
    CHECK(all.find(key) != std::string::npos);
  }
  const std::string one = explain("/cluster/node/gpus");
  CHECK(one ==
        "/cluster/node/gpus\n    GPUs of a node\n    whole number, from 1 to 128; default: those of the server, else "
        "1\n");
  CHECK(explain("/cluster/node/gpu").find("/cluster/node/gpu/tdp\n") != std::string::npos);
  CHECK(explain("/cluster/groups/0/node/gpus").find("/cluster/groups/N/node/gpus") == 0);
  CHECK(explain("/cost/self_hosted/colocation").find("180 USD/kW-month") != std::string::npos);
  for (const char* file : {"study", "question", "calibration", "prices", "trace"}) {
    CHECK(all.find("clustersim explain " + std::string(file) + "\n") != std::string::npos);
    CHECK(explain(file).find("/" + std::string(file) + "/") == 0);
  }
  CHECK(explain("calibration/nic").find("/calibration/nic/rdma_efficiency\n") != std::string::npos);
  CHECK(explain("prices/prices").find("of an instance: on-demand") != std::string::npos);
  try {
    explain("/cluster/node/nicc");
    FAIL("no fault");
  } catch (const InputError& error) {
    REQUIRE(error.problems().size() == 1);
    CHECK(error.problems()[0].hint == "did you mean \"/cluster/node/nic\"?");
  }
}
