#include "clustersim/sweep.h"

#include <catch2/catch.hpp>
#include <random>

#include "clustersim/clustersim.h"
#include "sim/sweep/analysis.h"
#include "sim/sweep/study_keys.h"
#include "tests/sim/study_files.h"

using namespace clustersim;
using study_files::study;

namespace {

const study_files::Folder& folder() {
  static const study_files::Folder one("sweep");
  return one;
}

Sweep run_study(const std::string& text, int jobs = 2) {
  SweepOptions options;
  options.jobs = jobs;
  options.database = ":memory:";
  return sweep(folder().write("study.json", text), options);
}

const Sensitivity& sensitivity(const Sweep& s, const std::string& axis, const std::string& metric) {
  for (const Sensitivity& one : s.sensitivities)
    if (one.axis == axis && one.metric == metric) return one;
  FAIL("no sensitivity of " + metric + " to " + axis);
  throw 0;
}

}  // namespace

TEST_CASE("A row is what a run of the same scenario reports") {
  const Sweep s = run_study(study(R"({"pointer": "/job/target/steps", "values": [10, 20]})"));
  REQUIRE(s.rows.size() == 2);
  RunOptions options;
  options.what_if = false;
  const Report report = run(read_scenario_text(study_files::base(), "base", {{"/job/target/steps", "20"}}), options);
  REQUIRE(s.rows[1].metrics.size() == report.metrics.size());
  for (const Metric& metric : report.metrics) CHECK(s.rows[1].metric(metric.name) == metric.value);
  CHECK(s.rows[1].limit_kind == report.bottleneck.kind);
}

TEST_CASE("Rows and answers do not depend on the number of threads") {
  const std::string text = study(R"({"pointer": "/job/target/steps", "range": {"from": 1, "to": 20, "steps": 20}},
    {"pointer": "/cluster/node/gpus", "values": [0, 1, 2]})");
  const Sweep one = run_study(text, 1);
  for (const int jobs : {2, 8}) {
    const Sweep other = run_study(text, jobs);
    CHECK(write(other, "csv") == write(one, "csv"));
    CHECK(write(other, "json") == write(one, "json"));
    CHECK(write(other, "table") == write(one, "table"));
  }
}

TEST_CASE("Twice the steps take twice the time and money: elasticity 1; a GPU's price by the pair") {
  // time = steps * step time, and every cost of an owned run is proportional to its time
  const Sweep s = run_study(study(R"({"pointer": "/job/target/steps", "range": {"from": 100, "to": 1600, "factor": 2}},
    {"name": "server", "pointer": "/cost/self_hosted/server_price", "values": ["100000 USD", "200000 USD"]})"));
  for (const char* metric : {"time_to_train", "cost_self_hosted", "energy"}) {
    CHECK(sensitivity(s, "steps", metric).elasticity.value() == Approx(1).epsilon(1e-6));
    CHECK(sensitivity(s, "steps", metric).pairs == 4 * 2);
  }
  CHECK(sensitivity(s, "server", "time_to_train").elasticity.value() == Approx(0).margin(1e-12));
  // of words: the second model takes twice the step of the first
  const Sweep words = run_study(study(R"({"pointer": "/job/model/emulated_step", "values": ["200 ms", "0.4 s"]})"));
  const Sensitivity& model = sensitivity(words, "emulated_step", "time_to_train");
  REQUIRE(model.relative.size() == 1);
  CHECK(model.relative[0].second == Approx(2).epsilon(1e-3));
}

TEST_CASE("An invalid point keeps its faults and stops nobody") {
  const Sweep s = run_study(study(R"({"pointer": "/cluster/node/gpus", "values": [1, 2, "three", -1]})"));
  REQUIRE(s.rows.size() == 4);
  CHECK(s.invalid == 2);
  CHECK(s.rows[0].status == SweepRow::Status::done);
  CHECK(s.rows[2].status == SweepRow::Status::invalid);
  REQUIRE(s.faults.size() == 1);
  CHECK(s.faults[0].points == 2);
  CHECK(s.faults[0].pointer == "/cluster/node/gpus");
  CHECK(write(s, "csv").find("invalid") != std::string::npos);
}

TEST_CASE("The best point is best among those within the constraints") {
  const std::string axes = R"({"pointer": "/job/target/steps", "values": [100, 200, 400]})";
  // 0.2 s a step: 20, 40 and 80 s
  const Sweep s = run_study(study(axes, R"(, "objective": {"maximize": "energy"},
    "constraints": [{"metric": "time_to_train", "at_most": "50 s"}])"));
  CHECK(s.feasible == 2);
  REQUIRE(s.best.size() == 2);
  CHECK(s.rows[s.best[0]].point == 1);
  // The owned cost is in USD: a bound in CNY (about 7 per USD) is converted, so twice the cost of the cheapest in USD
  // and the same number in CNY part the points.
  const double cost = *s.rows[0].metric("cost_self_hosted");
  const auto kept = [&](const std::string& unit) {
    return run_study(study(axes, R"(, "constraints": [{"metric": "cost_self_hosted", "at_most": ")" +
                                     std::to_string(2.1 * cost) + " " + unit + R"("}])"))
        .feasible;
  };
  CHECK(kept("USD") == 2);
  CHECK(kept("CNY") == 0);
}

TEST_CASE("The front holds exactly the pairs that no other beats") {
  std::mt19937 random(7);  // its sequence is fixed by the standard
  for (int round = 0; round < 50; ++round) {
    std::vector<std::pair<double, double>> xy;
    for (int i = 0; i < 30; ++i) xy.emplace_back(random() % 20, random() % 20);
    const auto beats = [](const auto& a, const auto& b) {
      return a.first <= b.first && a.second <= b.second && (a.first < b.first || a.second < b.second);
    };
    const std::vector<std::size_t> result = front(xy);
    const auto on = [&](const std::pair<double, double>& p) {
      return std::any_of(result.begin(), result.end(), [&](std::size_t i) { return xy[i] == p; });
    };
    for (const auto& p : xy) {
      const bool beaten = std::any_of(xy.begin(), xy.end(), [&](const auto& other) { return beats(other, p); });
      CHECK(on(p) == !beaten);
    }
  }
}

TEST_CASE("Metrics that objectives and constraints may name have the unit of the report") {
  RunOptions options;
  options.what_if = false;
  for (const char* file : {"4node-100g.json", "bert-large-16xa100.json"}) {
    const Report report = run(read_scenario(std::string(CLUSTERSIM_SOURCE_DIR "/scenarios/") + file, {}), options);
    for (const Metric& metric : report.metrics) {
      const KnownMetric* known = find_metric(metric.name);
      if (known == nullptr) continue;
      INFO(metric.name);
      CHECK((known->dimension == Dimension::money ? "USD" : known->unit) == metric.unit);
    }
  }
}
