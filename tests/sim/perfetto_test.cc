// The trace file as a viewer reads it: docs/TIMELINES.md lists what is checked here.
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "clustersim/clustersim.h"
#include "tests/sim/acceptance.h"
#include "tests/sim/small_scenarios.h"

using namespace clustersim;
using namespace clustersim::small;
using Json = nlohmann::json;

namespace {

struct Traced {
  explicit Traced(const Scenario& scenario) {
    RunOptions options;
    options.what_if = false;
    report = run(scenario, options, &detail);
    trace = Json::parse(trace_json(detail, report));
  }
  std::vector<Json> of_phase(const std::string& phase) const {
    std::vector<Json> events;
    for (const Json& event : trace["traceEvents"])
      if (event["ph"] == phase) events.push_back(event);
    return events;
  }
  Report report;
  RunDetail detail;
  Json trace;
};

Scenario two_sorts_of_node() {
  return read(R"({"groups": [{"nodes": 3, "node": {"server": "xe8545", "gpu": "a100-sxm4-40gb", "gpus": 4}},
                             {"nodes": 1, "node": {"server": "xe8545", "gpu": "a100-sxm4-40gb", "gpus": 4,
                                                   "gpu_clock_limit": "900 MHz"}}]})",
              resnet(R"({"dataset": "imagenet-1k", "from": "node", "container": "record", "loader": "dali-cpu"})"));
}

using Place = std::pair<int, int>;  // process, thread

Place place_of(const Json& event) { return {event["pid"], event["tid"]}; }

// Whole nanoseconds of a time in microseconds: what a viewer counts in.
std::int64_t ns(const Json& microseconds) { return std::llround(microseconds.get<double>() * 1000); }

}  // namespace

TEST_CASE("every process and thread of a trace has a name and a place", "[trace]") {
  const Traced traced(two_sorts_of_node());
  std::map<int, std::string> processes;
  std::map<Place, std::string> threads;
  std::set<int> process_order;
  std::set<Place> thread_order;
  for (const Json& event : traced.of_phase("M")) {
    const std::string what = event["name"];
    if (what == "process_name") CHECK(processes.emplace(event["pid"], event["args"]["name"]).second);
    if (what == "thread_name") CHECK(threads.emplace(place_of(event), event["args"]["name"]).second);
    if (what == "process_sort_index") process_order.insert(event["pid"].get<int>());
    if (what == "thread_sort_index") thread_order.insert(place_of(event));
  }
  for (const char* phase : {"X", "s", "f"})
    for (const Json& event : traced.of_phase(phase)) CHECK(threads.count(place_of(event)) == 1);
  for (const Json& event : traced.of_phase("C")) CHECK(processes.count(event["pid"]) == 1);
  CHECK(process_order.size() == processes.size());
  CHECK(thread_order.size() == threads.size());
  std::set<std::string> names;
  for (const auto& [pid, name] : processes) names.insert(name);
  CHECK(names.count("node0 (x3)") == 1);
  CHECK(names.count("node1") == 1);
  CHECK(names.count("cluster") == 1);
}

TEST_CASE("the slices of a thread nest, in whole nanoseconds, inside the window", "[trace]") {
  const Traced traced(two_sorts_of_node());
  std::map<Place, std::int64_t> end;
  std::int64_t last = 0;
  for (const Json& event : traced.of_phase("X")) {
    CHECK(event["dur"] >= 0);
    std::int64_t& free = end[place_of(event)];
    CHECK(ns(event["ts"]) >= free);
    free = ns(event["ts"]) + ns(event["dur"]);
    last = std::max(last, free);
  }
  CHECK(last == std::llround(traced.detail.timeline.window_s * 1e9));  // so ts is in microseconds
  CHECK(traced.trace["displayTimeUnit"] == "ms");
  for (const Json& event : traced.of_phase("C")) CHECK((event["ts"] >= 0 && ns(event["ts"]) <= last));
}

TEST_CASE("an arrow of a trace leaves inside a slice and arrives at the begin of one", "[trace]") {
  const Traced traced(two_sorts_of_node());
  std::map<Place, std::vector<std::pair<std::int64_t, std::int64_t>>> slices;
  for (const Json& event : traced.of_phase("X"))
    slices[place_of(event)].emplace_back(ns(event["ts"]), ns(event["ts"]) + ns(event["dur"]));
  std::map<int, Json> begins;
  for (const Json& event : traced.of_phase("s")) CHECK(begins.emplace(event["id"], event).second);
  const std::vector<Json> ends = traced.of_phase("f");
  CHECK(ends.size() == begins.size());
  CHECK(ends.size() == traced.detail.timeline.flows.size());
  for (const Json& event : ends) {
    REQUIRE(begins.count(event["id"]) == 1);
    const Json& begin = begins[event["id"]];
    CHECK(event["bp"] == "e");
    CHECK(event["ts"] >= begin["ts"]);
    const auto inside = [&](const Json& at) {
      for (const auto& [from, to] : slices[place_of(at)])
        if (ns(at["ts"]) >= from && ns(at["ts"]) < to) return true;
      return false;
    };
    CHECK(inside(begin));
    CHECK(inside(event));
  }
}

TEST_CASE("the parts of a trace's compute threads are the report's", "[trace]") {
  const Traced traced(two_sorts_of_node());
  std::map<Place, double> weight;  // GPUs that a compute thread stands for
  std::map<int, double> nodes;
  for (const Json& event : traced.of_phase("M")) {
    const std::string name = event["args"].value("name", "");
    if (event["name"] == "process_name") nodes[event["pid"]] = name == "node0 (x3)" ? 3 : 1;
    if (event["name"] == "thread_name" && name.find("compute") != std::string::npos)
      weight[place_of(event)] = nodes[event["pid"]];
  }
  REQUIRE(weight.size() == 8);
  std::map<std::string, double> parts;
  std::size_t slices = 0;
  for (const Json& event : traced.of_phase("X")) {
    if (weight.count(place_of(event)) == 0) continue;
    ++slices;
    parts[event["args"]["part"]] += event["dur"].get<double>() * 1e-6 * weight[place_of(event)] / 16;
  }
  const double rounding = static_cast<double>(slices) * 1e-9;  // each length is rounded to a nanosecond
  const auto expect = [&](const char* part, const char* metric) {
    CHECK(parts[part] == Approx(acceptance::metric(traced.report, metric)).margin(rounding));
  };
  expect("forward_backward", "forward_backward_time");
  expect("communication", "exposed_communication_time");
  expect("input", "input_stall_time");
  expect("optimizer", "optimizer_time");
  expect("host_overhead", "host_overhead_time");
  expect("straggler", "straggler_time");
  CHECK(parts["straggler"] > 0.1 * acceptance::metric(traced.report, "step_time"));  // three nodes wait for the fourth
}

TEST_CASE("a trace carries the clock, power and temperature of each GPU, and the rate of links", "[trace]") {
  const Traced traced(two_sorts_of_node());
  std::map<std::string, double> last;
  for (const Json& event : traced.of_phase("C"))
    for (const auto& [unit, value] : event["args"].items())
      last[event["name"].get<std::string>() + " [" + unit + "]"] = value;
  CHECK(last.at("node1 gpu3 clock [MHz]") <= 900);
  CHECK(last.at("node1 gpu3 clock [MHz]") == Approx(acceptance::metric(traced.report, "sustained_gpu_clock") * 1e-6));
  CHECK(last.at("node0 (x3) gpu0 temperature [degC]") ==
        Approx(acceptance::metric(traced.report, "peak_gpu_temperature")).margin(0.5));
  CHECK(last.at("node0 (x3) gpu0 power [W]") > last.at("node1 gpu0 power [W]"));
  CHECK(last.count("nic0>switch [GB/s]") == 1);
}

TEST_CASE("what was left out, and any name, stands in the trace as JSON", "[trace]") {
  RunDetail detail;
  detail.timeline.window_s = detail.timeline.step_s = 1e-3;
  detail.timeline.tracks = {{"node0", "gpu0 compute", "compute", 1}};
  detail.timeline.slices = {{0, 0, 1e-3, "a \"name\"\n\x1b[31m \xff", "other", "<&>"}};
  detail.timeline.decimation = "nearly all";
  const Json trace = Json::parse(trace_json(detail, {}));
  CHECK(trace["otherData"]["left_out"] == "nearly all");
  bool said = false, named = false;
  for (const Json& event : trace["traceEvents"]) {
    said = said || (event["ph"] == "i" && event["name"] == "left out: nearly all");
    named = named || (event["ph"] == "X" && event["name"] == "a \"name\"\n\x1b[31m \xEF\xBF\xBD");
  }
  CHECK(said);
  CHECK(named);
}
