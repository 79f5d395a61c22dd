// The page of --report: what it holds, and that nothing of a scenario becomes markup.
#include "clustersim/page.h"

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "clustersim/clustersim.h"
#include "sim/validation/expected_error.h"
#include "sim/validation/validate.h"
#include "sim/write/html.h"

using namespace clustersim;
using nlohmann::json;

namespace {

// A template of three marks in place of the bundled one, for as long as it lives.
class SmallTemplate {
 public:
  SmallTemplate() : path_(std::filesystem::temp_directory_path() / ("clustersim-page-" + std::to_string(getpid()))) {
    std::ofstream(path_) << "<title>@TITLE@</title><pre>@TEXT@</pre><script>@DATA@</script>";
    setenv("CLUSTERSIM_PAGE", path_.c_str(), 1);
  }
  ~SmallTemplate() {
    unsetenv("CLUSTERSIM_PAGE");
    std::filesystem::remove(path_);
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t begin = text.find(from) + from.size();
  return text.substr(begin, text.find(to, begin) - begin);
}

json data_of(const std::string& page) { return json::parse(between(page, "<script>", "</script>")); }

Scenario four_nodes(const std::vector<Override>& overrides = {}) {
  return read_scenario(CLUSTERSIM_SOURCE_DIR "/scenarios/4node-100g.json", overrides);
}

double metric(const Report& report, const std::string& name) {
  for (const Metric& m : report.metrics)
    if (m.name == name) return m.value;
  FAIL("no metric " << name);
  return 0;
}

double sum(const std::vector<CostPart>& parts) {
  double total = 0;
  for (const CostPart& part : parts) total += part.amount;
  return total;
}

}  // namespace

TEST_CASE("text between tags and JSON in a script end no element and begin none") {
  CHECK(html_text("<b a=\"1\" c='2'>&") == "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;");
  const std::string hostile = "</script><!-- & \xe2\x80\xa8\xe2\x80\xa9";
  const std::string safe = json_in_html(json(hostile).dump());
  CHECK(safe.find_first_of("<>&") == std::string::npos);
  CHECK(safe.find("\xe2\x80") == std::string::npos);
  CHECK(json::parse(safe) == hostile);
}

TEST_CASE("a mark in a name is no mark, and a name that is no UTF-8 is shown") {
  const SmallTemplate small;
  RunPage run;
  run.report.scenario = "@TEXT@ @DATA@ </script>\xff";
  const std::string text = page(run);
  CHECK(between(text, "<title>", "</title>") == "@TEXT@ @DATA@ &lt;/script&gt;\xff - clustersim");
  CHECK(data_of(text)["report"]["scenario"] == "@TEXT@ @DATA@ </script>\xef\xbf\xbd");
}

TEST_CASE("without a template one sentence says how to get it") {
  setenv("CLUSTERSIM_PAGE", "/nowhere/page.html", 1);
  try {
    require_page_template();
    FAIL("there is no template");
  } catch (const InputError& error) {
    REQUIRE(error.problems().size() == 1);
    CHECK(error.problems()[0].hint.find("npm") != std::string::npos);
  }
  unsetenv("CLUSTERSIM_PAGE");
}

TEST_CASE("the page of a run holds its report, its detail, rows like it and the sources of its parts") {
  const SmallTemplate small;
  const RunPage run = run_page(four_nodes(), {});
  const json data = data_of(page(run));
  CHECK(data["page"] == "run");
  CHECK(data["report"]["metrics"]["step_time"]["value"] == metric(run.report, "step_time"));
  CHECK(data["timeline"]["slices"]["columns"]["track"].size() == run.detail.timeline.slices.size());
  CHECK(data["picture"]["vertices"].size() == run.detail.picture.vertices.size());
  CHECK(data["heat"].size() == run.detail.heat.size());
  CHECK(data["what_if"].size() == run.report.what_ifs.size());
  CHECK(data["like"].size() == static_cast<std::size_t>(run.report.expected_error->rows));
  const auto has = [&](const char* id) {
    return std::any_of(run.sources.begin(), run.sources.end(), [&](const PartSources& part) { return part.id == id; });
  };
  for (const char* id : {"xe8545", "a100-sxm4-40gb", "epyc-7763", "eth-100g", "nvme-gen4-dc", "resnet-152",
                         "imagenet-1k", "aws-p4d-24xlarge"})
    CHECK(has(id));
}

TEST_CASE("rows like a run have the error that its report expects") {
  const Scenario scenario = four_nodes();
  const auto expected = expected_error(scenario);
  REQUIRE(expected);
  std::vector<double> errors;
  for (const ValidationRow& row : published_rows_like(scenario)) errors.push_back(std::abs(row.error));
  REQUIRE(errors.size() == static_cast<std::size_t>(expected->rows));
  CHECK(median(errors) == Approx(expected->median).margin(1e-4));  // the table has four decimals
  CHECK(quantile(errors, 0.9) == Approx(expected->p90).margin(1e-4));
}

TEST_CASE("no row is like a step that was given") {
  const char* job = R"({"model": {"emulated_step": "0.2 s", "batch": 4, "sample_bytes": "1 kB"}})";
  CHECK(published_rows_like(four_nodes({{"/job", job}})).empty());
}

// Straight-line: (1 - residual) purchase / years + fixed + electricity hours use = rent hours use at the break-even
// use (models/outcome/cost.h).
TEST_CASE("the parts of the cost are its sum, and owning and renting meet where the report says") {
  RunOptions options;
  options.what_if = false;
  const Report report = run(four_nodes({{"/cost/self_hosted/support", "0.05"},
                                        {"/cost/self_hosted/staff", "\"20000 USD/year\""},
                                        {"/cost/currency", "\"EUR\""}}),
                            options);
  REQUIRE(report.cost);
  CHECK(report.what_ifs.empty());
  CHECK(report.cost->currency == "EUR");
  CHECK(sum(report.cost->owned) == Approx(metric(report, "cost_self_hosted")));
  CHECK(sum(report.cost->rented) == Approx(metric(report, "cost_cloud")));
  CHECK(report.cost->unpriced.empty());
  REQUIRE(report.cost->own_or_rent);
  const OwnOrRentPrices& p = *report.cost->own_or_rent;
  const double idle_year = p.purchase * (1 - p.residual) / p.years + p.fixed_per_year;
  CHECK(idle_year / (8760 * (p.rented_per_hour - p.electricity_per_hour)) ==
        Approx(metric(report, "break_even_utilization")));
  const double hours = metric(report, "time_to_train") / 3600;
  CHECK(p.rented_per_hour * hours == Approx(metric(report, "cost_cloud")));
  const double servers = p.purchase / (4 * 95000.0 + 20000);  // EUR for a USD
  CHECK(p.fixed_per_year == Approx((0.05 * 4 * 95000 + 20000) * servers));
}

TEST_CASE("without a price there is nothing to compare, and the part is named") {
  RunOptions options;
  options.what_if = false;
  Scenario scenario = four_nodes();
  scenario.cost->self_hosted->server_price.reset();
  const Report report = run(scenario, options);
  REQUIRE(report.cost);
  CHECK_FALSE(report.cost->own_or_rent);
  CHECK(report.cost->unpriced == std::vector<std::string>{"servers"});
}

TEST_CASE("the page of a study holds its rows as columns, and its best and its front as places in them") {
  const SmallTemplate small;
  SweepOptions options;
  options.jobs = 1;
  options.database = ":memory:";
  const Sweep study = sweep(CLUSTERSIM_SOURCE_DIR "/tests/report/study.json", options);
  const json data = data_of(page(study)), rows = data["rows"];
  REQUIRE(rows["values"].size() == study.axes.size());
  for (const json& column : rows["values"]) CHECK(column.size() == study.rows.size());
  CHECK(rows["left_out"] == 0);
  REQUIRE(data["front"].size() == study.cost_front.size());
  for (std::size_t i = 0; i < study.cost_front.size(); ++i) {
    const json& offer = data["front"][i];
    const std::size_t row = offer["row"];
    CHECK(rows["metrics"][offer["rented"] ? "cost_cloud" : "cost_self_hosted"][row] == study.cost_front[i].cost);
    const std::vector<std::size_t> values = study.values_at(study.rows[study.cost_front[i].row].point);
    for (std::size_t a = 0; a < values.size(); ++a) CHECK(rows["values"][a][row] == values[a]);
  }
  REQUIRE(data["best"].size() == study.best.size());
  const std::size_t best = data["best"][0];
  CHECK(rows["metrics"]["cost_self_hosted"][best] == *study.rows[study.best[0]].metric("cost_self_hosted"));
}

TEST_CASE("the page of a plan holds everything that ran, what was left out, and what the catalog says of the answer") {
  const SmallTemplate small;
  const std::string path =
      (std::filesystem::temp_directory_path() / ("clustersim-plan-" + std::to_string(getpid()) + ".json")).string();
  std::ofstream(path) << R"({"clustersim_question": 1, "name": "</script>@DATA@", "deadline": "2 h",
    "job": {"model": "resnet-50", "target": {"epochs": 10}, "data": {"from": "synthetic"}},
    "machines": {"only": ["aws-p3-16xlarge", "aws-g4dn-xlarge"], "most": 2}})";
  const Plan answer = plan(path);
  std::filesystem::remove(path);
  const json data = data_of(page(answer));
  CHECK(data["page"] == "plan");
  CHECK(data["question"] == "</script>@DATA@");
  CHECK(data["currency"] == "USD");
  REQUIRE(data["tried"].size() == answer.tried.size());
  CHECK(data["tried"][0]["time_s"] == answer.tried[0].time_s);
  REQUIRE(!answer.offers.empty());
  CHECK(data["offers"][0]["machine"] == answer.offers[0].machine);
  CHECK(data["pruned"].size() == answer.pruned.size());
  CHECK(std::any_of(data["sources"].begin(), data["sources"].end(),
                    [&](const json& source) { return source["id"] == answer.offers[0].gpu; }));
}
