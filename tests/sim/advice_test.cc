// The buyer's checklist: which rules speak of which machine.
#include <algorithm>
#include <catch2/catch.hpp>

#include "clustersim/clustersim.h"

using namespace clustersim;

namespace {

const std::string root = CLUSTERSIM_SOURCE_DIR "/scenarios/";

const Advice* rule(const std::vector<Advice>& advice, const std::string& name) {
  const auto found = std::find_if(advice.begin(), advice.end(), [&](const Advice& a) { return a.rule == name; });
  return found == advice.end() ? nullptr : &*found;
}

std::vector<Advice> advice_of(const std::string& file, const std::vector<Override>& overrides = {}) {
  return advise(read_scenario(root + file, overrides));
}

}  // namespace

TEST_CASE("eight RTX 4090 short of cores: the loader's rule speaks, with a gain; 96 cores silence it") {
  const std::vector<Advice> advice = advice_of("8x4090-sata.json");
  const Advice* cores = rule(advice, "loader cores");
  REQUIRE(cores != nullptr);
  CHECK_FALSE(cores->gain.empty());
  CHECK(rule(advice, "ECC") != nullptr);  // GeForce
}

TEST_CASE("10 Gbit/s between nodes of A100 is too thin, 100 Gbit/s of ResNet-152 with overlap is not") {
  REQUIRE(rule(advice_of("4node-10g.json"), "network") != nullptr);
  const std::vector<Advice> wide = advice_of("4node-100g.json");
  CHECK(rule(wide, "ECC") == nullptr);
  CHECK(rule(wide, "PCIe lanes") == nullptr);  // a server's board is wired by its maker
}

TEST_CASE(
    "more cards than a desktop's processor has lanes: the width of the slots is told, there and of a collective") {
  // Core i9-13900K: 20 lanes, four of them a drive's; four cards have four each.
  const Scenario s = read_scenario_text(R"({"clustersim": 1, "cluster": {"node": {"gpu": "rtx-a6000", "gpus": 4,
      "cpu": "core-i9-13900k"}}, "job": {"model": "resnet-50"}})",
                                        "test", {});
  const std::vector<Advice> advice = advise(s);
  REQUIRE(rule(advice, "PCIe lanes") != nullptr);
  CHECK(rule(advice, "PCIe lanes")->finding.find("slots are taken for x4") != std::string::npos);
  const std::vector<Assumption> of_collective = collective(s, "all_reduce", {1e6}, {}, "auto").assumptions;
  CHECK(std::any_of(of_collective.begin(), of_collective.end(),
                    [](const Assumption& a) { return a.pointer == "/cluster/node/cpu" && a.value == "x4"; }));
}

TEST_CASE("every piece of advice has a remedy and a source") {
  for (const char* file : {"8x4090-sata.json", "4node-10g.json", "desktop-2x3090.json", "dgx-a100.json"})
    for (const Advice& advice : advice_of(file)) {
      INFO(file << ": " << advice.rule);
      CHECK_FALSE(advice.finding.empty());
      CHECK_FALSE(advice.remedy.empty());
      CHECK_FALSE(advice.source.empty());
    }
}

TEST_CASE("memory below four times the GPUs' is advised where the page cache would hold more of the data") {
  // 32 GB for 2 x 24 GB on the GPUs: less than twice.
  const auto advice = advice_of("desktop-2x3090.json", {{"/cluster/node/memory", "32 GB"}});
  REQUIRE(rule(advice, "memory") != nullptr);
  CHECK(rule(advice, "memory")->finding.find("48 GB on the GPUs") != std::string::npos);
}

TEST_CASE("prices more than a year from the date of the costs are flagged") {
  // p4d: on demand of 2026-07-20, spot of 2023-11: 32 months before.
  const Scenario spot =
      read_scenario(root + "cloud-p4d.json", {{"/cost/cloud", R"({"pricing": "spot"})"}, {"/cost/date", "2026-07"}});
  const auto old = [](const Scenario& s) {
    return std::count_if(s.assumptions.begin(), s.assumptions.end(), [](const Assumption& a) {
      return a.pointer == "/cost/cloud/pricing" && a.why.find("32 months") != std::string::npos;
    });
  };
  CHECK(old(spot) == 1);
  CHECK(old(read_scenario(root + "cloud-p4d.json", {{"/cost/date", "2026-07"}})) == 0);
}
