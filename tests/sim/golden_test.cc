// The report of every scenario that ships, as it was last reviewed: tests/golden/<name>.json.
//
// CLUSTERSIM_REWRITE_GOLDEN=1 in the environment writes the files instead of comparing; read the diff.
// Numbers are kept to 9 significant digits, so that another compiler's last bits do not matter; of the provenance only
// the fingerprint is kept, the order of all events in integer picoseconds.
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/sim/acceptance.h"

using namespace clustersim;
using namespace clustersim::acceptance;

namespace {

using Json = nlohmann::ordered_json;

std::filesystem::path golden() { return std::filesystem::path(CLUSTERSIM_SOURCE_DIR) / "tests" / "golden"; }

void round_numbers(Json& json) {
  if (json.is_number_float()) {
    char text[40];
    std::snprintf(text, sizeof text, "%.9g", json.get<double>());
    json = std::strtod(text, nullptr);
  }
  if (json.is_structured())
    for (Json& member : json) round_numbers(member);
}

Json kept_of(const std::string& name) {
  Json json = Json::parse(write(run((scenarios() / (name + ".json")).string(), {}), "json"));
  json["provenance"] = {{"fingerprint", json["provenance"]["fingerprint"]}};
  round_numbers(json);
  return json;
}

}  // namespace

TEST_CASE("each report is the one last reviewed", "[golden]") {
  const bool rewrite = std::getenv("CLUSTERSIM_REWRITE_GOLDEN") != nullptr;
  for (const std::string& name : json_files(scenarios())) {
    const std::filesystem::path path = golden() / (name + ".json");
    const Json now = kept_of(name);
    if (rewrite) {
      std::ofstream(path) << now.dump(2) << "\n";
      WARN("written: " << path.string());
      continue;
    }
    INFO(name << ": after an intended change rewrite with CLUSTERSIM_REWRITE_GOLDEN=1 and review the diff");
    std::ifstream file(path);
    REQUIRE(file);
    const Json before = Json::parse(file);
    INFO("what differs, as a JSON patch: " << Json::diff(before, now).dump(1).substr(0, 4000));
    const bool as_reviewed = before == now;  // the diff above says more than both texts
    CHECK(as_reviewed);
  }
}

TEST_CASE("each expected report belongs to a scenario", "[golden]") {
  CHECK(json_files(golden()) == json_files(scenarios()));
}
