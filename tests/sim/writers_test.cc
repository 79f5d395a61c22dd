#include "sim/write/writers.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "sim/write/readable.h"

using namespace clustersim;

namespace {

Report sample_report() {
  Report report;
  report.scenario = "4node-100g";
  report.headline = "ResNet-152 under AMP on 4 nodes of 4 GPUs";
  report.metrics = {{"step_time", 0.1 + 0.2, "s", "one optimiser step"},
                    {"throughput", 8653.25, "samples/s", "of the whole job"},
                    {"tokens_per_s", 1.0 / 3.0, "tokens/s", "of the whole job"},
                    {"time_to_train", 10440, "s", "to the target"},
                    {"forward_backward_time", 0.2, "s", "kernels"},
                    {"exposed_communication_time", 0.1, "s", "not hidden"},
                    {"gpu_busy_share", 0.77, "", "of the step"},
                    {"energy", 5.4e9, "J", "at the wall"},
                    {"cost_cloud", 1234, "USD", "for its own time"}};
  report.bottleneck = {"node0.nic0", "fabric", 0.41, "a second network card"};
  report.assumptions = {{Assumption::Kind::default_value, "/job/precision", "amp", "not stated"},
                        {Assumption::Kind::estimate, "gpu.idle_power", "50 W", "no datasheet"},
                        {Assumption::Kind::model, "", "", "rank noise is assumed"}};
  report.notes = {{"collective", "ring, \"quoted\""}};
  report.provenance = {"0.1.0", 0.25, 123456789ULL, "00ff00ff00ff00ff"};
  return report;
}

CollectiveTable sample_table() {
  return {"all_reduce", 16, {{8, 21.5, 0.00037, 0.0007, "tree"}, {8589934592.0, 1.0e6, 8.589934592, 16.1, "ring"}}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> fields_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> fields;
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("JSON has the documented keys in their order and every metric with unit and meaning") {
  const auto json = nlohmann::ordered_json::parse(write(sample_report(), "json"));
  std::vector<std::string> keys;
  for (const auto& item : json.items()) keys.push_back(item.key());
  CHECK(keys == std::vector<std::string>{"scenario", "headline", "metrics", "bottleneck", "assumptions", "notes",
                                         "provenance"});
  const Report report = sample_report();
  std::size_t at = 0;
  for (const auto& item : json["metrics"].items()) {
    CHECK(item.key() == report.metrics[at].name);
    CHECK(item.value()["unit"] == report.metrics[at].unit);
    CHECK(item.value()["meaning"] == report.metrics[at].meaning);
    ++at;
  }
  CHECK(at == report.metrics.size());
  CHECK(json["bottleneck"]["resource"] == "node0.nic0");
  CHECK(json["bottleneck"]["share"] == 0.41);
  CHECK(json["assumptions"][0]["kind"] == "default");
  CHECK(json["provenance"]["events"] == 123456789ULL);
}

TEST_CASE("JSON numbers read back to the same bits") {
  const Report report = sample_report();
  const auto json = nlohmann::json::parse(write(report, "json"));
  for (const Metric& metric : report.metrics)
    CHECK(json["metrics"][metric.name]["value"].get<double>() == metric.value);
}

TEST_CASE("JSON refuses a number that is none and a metric given twice: both are our faults") {
  Report report = sample_report();
  report.metrics[0].value = 0.0 / 0.0;
  CHECK_THROWS_AS(write(report, "json"), InternalError);
  report = sample_report();
  report.metrics.push_back(report.metrics[0]);
  CHECK_THROWS_AS(write(report, "json"), InternalError);
}

TEST_CASE("CSV columns are name_unit, once, and as many as the row has") {
  const auto lines = lines_of(write(sample_report(), "csv"));
  REQUIRE(lines.size() == 2);
  const auto header = fields_of(lines[0]), row = fields_of(lines[1]);
  REQUIRE(header.size() == row.size());
  CHECK(header[0] == "scenario");
  CHECK(header[1] == "step_time_s");
  CHECK(header[2] == "throughput_samples_per_s");
  CHECK(header[3] == "tokens_per_s");    // the name already says its unit
  CHECK(header[7] == "gpu_busy_share");  // a share has none
  CHECK(std::stod(row[1]) == 0.1 + 0.2);
  CHECK(std::stod(row[3]) == 1.0 / 3.0);
}

TEST_CASE("CSV quotes a cell that holds a comma or a quote") {
  Report report;
  report.scenario = "a, \"b\"";
  CHECK(lines_of(write(report, "csv"))[1].rfind("\"a, \"\"b\"\"\",", 0) == 0);
}

TEST_CASE("the table fits 80 columns and says what a reader asks") {
  Report report = sample_report();
  report.notes.push_back(
      {"storage", "the page cache holds a fifth of the data set, so four reads in five go to the disk"});
  const std::string text = write(report, "table");
  for (const std::string& line : lines_of(text)) CHECK(line.size() <= 80);
  CHECK(has(text, "2.90 h"));  // 10440 s
  CHECK(has(text, "300 ms"));  // 0.3 s
  CHECK(has(text, "8,653 samples/s"));
  CHECK(has(text, "1.50 MWh"));  // 5.4e9 J / 3.6e9
  CHECK(has(text, "1.23 kUSD"));
  CHECK(has(text, "fabric (node0.nic0), 41 % of the step"));
  CHECK(has(text, "Try: a second network card"));
  CHECK(has(text, "77 %"));
}

TEST_CASE("the table's bars are as long as the parts' shares") {
  const std::string text = write(sample_report(), "table");
  for (const std::string& line : lines_of(text)) {
    const auto bar = std::count(line.begin(), line.end(), '#');
    if (has(line, "forward and backward")) CHECK(bar == 16);  // 0.2 of 0.3 s, of 24 columns
    if (has(line, "exposed communication")) CHECK(bar == 8);
  }
}

TEST_CASE("the table shows assumptions by kind, metrics it does not know, and leaves out what was not asked for") {
  Report report = sample_report();
  report.metrics.push_back({"something_new", 3, "apples", ""});
  const std::string text = write(report, "table");
  CHECK(text.find("not stated: precision amp") < text.find("gpu.idle_power: gpu.idle_power 50 W"));
  CHECK(text.find("gpu.idle_power: gpu.idle_power 50 W") < text.find("rank noise is assumed"));
  CHECK(has(text, "something_new"));
  CHECK(!has(text, "on own servers"));
}

TEST_CASE("a first epoch is told only where one is finished") {
  Report report = sample_report();
  report.metrics.push_back({"first_epoch_time", 60, "s", ""});
  report.metrics.push_back({"epochs_to_target", 0.5, "1", ""});
  CHECK(!has(write(report, "table"), "first epoch"));
  CHECK(!has(write(report, "table"), "first_epoch_time"));
  report.metrics.back().value = 1;
  CHECK(has(write(report, "table"), "first epoch"));
}

TEST_CASE("an empty report is still written in every format") {
  for (const auto& writer : report_writers()) CHECK(!write(Report{}, writer.name).empty());
}

TEST_CASE("an unknown format is the user's fault and names those there are") {
  try {
    write(sample_report(), "yaml");
    FAIL("not refused");
  } catch (const InputError& error) {
    REQUIRE(error.problems().size() == 1);
    CHECK(has(error.problems()[0].expected, "table, json, csv"));
    CHECK(error.problems()[0].got == "\"yaml\"");
  }
  CHECK_THROWS_AS(write(sample_table(), "xml"), InputError);
}

TEST_CASE("collective table in each format") {
  const auto json = nlohmann::ordered_json::parse(write(sample_table(), "json"));
  CHECK(json["op"] == "all_reduce");
  CHECK(json["ranks"] == 16);
  CHECK(json["rows"][1]["bytes"] == 8589934592.0);
  CHECK(json["rows"][1]["busbw_gb_per_s"] == 16.1);
  CHECK(json["rows"][0]["algorithm"] == "tree");
  CHECK(lines_of(write(sample_table(), "csv")).size() == 3);
  CHECK(has(write(sample_table(), "table"), "8589934592"));
}

TEST_CASE("numbers as people write them") {
  CHECK(readable(0.1183, "s") == "118 ms");
  CHECK(readable(0, "s") == "0 s");
  CHECK(readable(90, "s") == "90.0 s");
  CHECK(readable(600, "s") == "10.0 min");
  CHECK(readable(5 * 86400.0, "s") == "5.00 d");
  CHECK(readable(3.0e10, "B") == "30.0 GB");
  CHECK(readable(1.41e9, "Hz") == "1,410 MHz");
  CHECK(readable(350, "W") == "350 W");
  CHECK(readable(12.3e3, "W") == "12.3 kW");
  CHECK(readable(2.5e6, "USD") == "2.50 MUSD");
  CHECK(readable(45, "CNY") == "45.0 CNY");
  CHECK(readable(1.2e8, "samples") == "120 M samples");
  CHECK(readable(-1500, "USD") == "-1.50 kUSD");
  CHECK(shortest(0.1) == "0.1");
  CHECK(std::stod(shortest(1.0 / 3.0)) == 1.0 / 3.0);
  CHECK(percent(0.041) == "4.1 %");
}
