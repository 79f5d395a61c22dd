// What `clustersim serve` answers, and what nobody can make it do.
#include "clustersim/serve.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/sim/acceptance.h"
#include "tests/sim/small_scenarios.h"

using namespace clustersim;
using Json = nlohmann::json;

namespace {

const ServedScenario& four_nodes() {
  static const ServedScenario scenario = serve_scenario((acceptance::scenarios() / "4node-100g.json").string());
  return scenario;
}

std::string change(const std::string& pointer, const std::string& value) {
  return R"({"changes": [{"pointer": ")" + pointer + R"(", "value": )" + value + "}]}";
}

// The pointers of the faults of an answer, none where it is one.
std::vector<std::string> faults_of(const std::string& request) {
  const ServeAnswer answer = serve_answer(four_nodes(), request);
  const Json json = Json::parse(answer.json);
  CHECK(answer.ok != json.contains("faults"));
  std::vector<std::string> pointers;
  if (json.contains("faults"))
    for (const Json& fault : json["faults"]) pointers.push_back(fault["pointer"]);
  return pointers;
}

double metric(const ServeAnswer& answer, const char* name) {
  return Json::parse(answer.json)["report"]["metrics"][name]["value"];
}

}  // namespace

TEST_CASE("a change is answered as a run with it is", "[serve]") {
  RunOptions options;
  options.what_if = false;
  options.overrides = {{"/cluster/nodes", "8"}, {"/cluster/fabric/link", "25 Gbit/s"}};
  const Report expected = run(four_nodes().file, options);
  const ServeAnswer answer = serve_answer(four_nodes(), R"({"changes": [{"pointer": "/cluster/nodes", "value": 8},
      {"pointer": "/cluster/fabric/link", "value": "25 Gbit/s"}]})");
  REQUIRE(answer.ok);
  for (const char* name : {"step_time", "throughput", "time_to_train", "cost_self_hosted", "cost_cloud"})
    CHECK(metric(answer, name) == acceptance::metric(expected, name));
  const Json json = Json::parse(answer.json);
  CHECK(json["timeline"].is_object());
  CHECK(json["what_if"].empty());
  CHECK_FALSE(Json::parse(serve_answer(four_nodes(), R"({"what_if": true})").json)["what_if"].empty());
}

TEST_CASE("every control takes its scenario's own value, and its first choice or the least of its range", "[serve]") {
  const ServedScenario small{"test", R"({"clustersim": 1,
      "cluster": {"nodes": 1, "node": {"gpu": "rtx-3090", "gpus": 1, "gpu_power_limit": "300 W"}},
      "job": {"model": "resnet-50", "batch_per_gpu": 32, "data": {"from": "synthetic"}}})"};
  const std::vector<Control> controls = serve_controls(small);
  CHECK(controls.size() > 30);
  for (const Control& control : controls) {
    INFO(control.pointer);
    const bool numeric = control.kind == Control::Kind::integer || control.kind == Control::Kind::number;
    std::vector<std::string> values;
    if (!control.value.empty()) values.push_back(numeric ? control.value : Json(control.value).dump());
    if (control.kind == Control::Kind::choice) values.push_back(Json(control.choices.front()).dump());
    if (control.kind == Control::Kind::quantity) values.push_back(Json(control.example).dump());
    if (numeric) values.push_back(Json(control.least).dump());
    for (const std::string& value : values) {
      // It may still not fit the rest of the scenario, which is then said in the words of `check`.
      const Json json = Json::parse(serve_answer(small, change(control.pointer, value)).json);
      for (const Json& fault : json.value("faults", Json::array())) {
        CHECK(fault["expected"] != "one of the choices of this control");
        CHECK(fault["expected"].get<std::string>().find("number with a unit") == std::string::npos);
      }
    }
  }
}

TEST_CASE("a request changes nothing that no control offers", "[serve]") {
  const std::vector<std::string> at_changes = {"/changes"};
  for (const char* pointer :
       {"/cluster/node/topology", "/job/model/trace", "/job/model", "/cluster/node", "/cluster", "/job", "/name", "",
        "/", "/cluster/node/gpu/base", "/cluster/node/gpu/memory", "/cluster/nodes/0", "/cluster/groups/0/node/gpu",
        "/cluster/node/../node/gpu", "/cost/cloud", "/seed"})
    CHECK(faults_of(change(pointer, "\"/etc/passwd\"")) == at_changes);
  // A value is one of the choices, a number in the range, or a number with a unit; never an object, a list or a path.
  for (const char* value :
       {"\"../../../../etc/passwd\"", "\"/etc/passwd\"", "{\"base\": \"a100-sxm4-40gb\"}", "[1]", "null", "true", "7",
        "\"\"", "\"A100-SXM4-40GB\"", "\"{\\\"topology\\\": \\\"/etc/passwd\\\"}\""})
    CHECK(faults_of(change("/cluster/node/gpu", value)) == std::vector<std::string>{"/cluster/node/gpu"});
  for (const char* value :
       {"\"/etc/passwd\"", "\"100\"", "100", "\"{}\"", "\"100 Gbit/s; rm\"", "\"100 Gbit//s\"", "\"1 /etc\"",
        "\"1 ../x\"", "\"1 a.b\"", "\"1111111111111111111111111111111111111111 B\"", "[]", "null"})
    CHECK(faults_of(change("/cluster/fabric/link", value)) == std::vector<std::string>{"/cluster/fabric/link"});
  for (const char* value : {"0", "-1", "1.5", "1e9", "1e999", "\"4\"", "null", "[4]", "{}"})
    CHECK_FALSE(faults_of(change("/cluster/nodes", value)).empty());
}

TEST_CASE("a request that is none is refused, whatever it is", "[serve]") {
  for (const std::string& request :
       {std::string(), std::string("{"), std::string("null"), std::string("[]"), std::string("4"), std::string("\"x\""),
        std::string(100000, '['), std::string("{\"changes\": 4}"), std::string("{\"changes\": [4]}"),
        std::string("{\"changes\": [{}]}"), std::string("{\"what_if\": 1}"), std::string("{\"file\": \"/etc/passwd\"}"),
        std::string("{\"changes\": [], \"changes\": []}"), std::string("\xff\xfe\x00", 3),
        change("/cluster/nodes", "4").insert(13, R"({"pointer": "/cluster/nodes", "value": 4, "more": 1}, )")})
    CHECK_FALSE(faults_of(request).empty());
  std::string many = R"({"changes": [)";
  for (int i = 0; i < 65; ++i) many += std::string(i ? "," : "") + R"({"pointer": "/cluster/nodes", "value": 4})";
  CHECK_FALSE(faults_of(many + "]}").empty());
}

TEST_CASE("what cannot be run is said as any command says it", "[serve]") {
  // 40 GB hold no batch of a million images.
  const std::vector<std::string> faults = faults_of(change("/job/batch_per_gpu", "1000000"));
  REQUIRE_FALSE(faults.empty());
  CHECK(faults.front() == "/job/batch_per_gpu");
}

TEST_CASE("the scenario is the one that was read when serving began", "[serve]") {
  const auto path = std::filesystem::temp_directory_path() / "clustersim-served.json";
  std::filesystem::copy_file(acceptance::scenarios() / "4node-10g.json", path,
                             std::filesystem::copy_options::overwrite_existing);
  const ServedScenario scenario = serve_scenario(path.string());
  const double before = metric(serve_answer(scenario, "{}"), "step_time");
  std::ofstream(path) << "{}";
  CHECK(metric(serve_answer(scenario, "{}"), "step_time") == before);
  CHECK_THROWS_AS(serve_scenario(path.string()), InputError);
  std::filesystem::remove(path);
}

TEST_CASE("unequal nodes have controls of their own", "[serve]") {
  const ServedScenario scenario{"test", R"({"clustersim": 1, "cluster": {"groups": [
      {"nodes": 2, "node": {"server": "xe8545", "gpu": "a100-sxm4-40gb", "gpus": 4}},
      {"nodes": 1, "node": {"server": "xe8545", "gpu": "a100-sxm4-80gb", "gpus": 4}}]},
      "job": {"model": "resnet-50", "data": {"from": "synthetic"}}})"};
  const ServeAnswer more = serve_answer(scenario, change("/cluster/groups/1/nodes", "3"));
  REQUIRE(more.ok);
  CHECK(metric(more, "throughput") > 1.3 * metric(serve_answer(scenario, "{}"), "throughput"));
}
