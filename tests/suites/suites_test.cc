// The suites of `validate` but the training suite's own: what is scored, how errors are counted, and a ratchet.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "clustersim/clustersim.h"
#include "sim/validation/measurement_table.h"
#include "sim/validation/validate.h"

using namespace clustersim;

namespace {

const Validation& everything() {
  static const Validation validation = validate("all");
  return validation;
}

const ValidationRow& row_named(const std::string& suite, const std::string& id) {
  for (const ValidationRow& row : everything().rows)
    if (row.suite == suite && row.id == id) return row;
  throw std::runtime_error("no row " + id);
}

std::vector<double> errors_of(const std::string& suite, const std::string& group) {
  std::vector<double> errors;
  for (const ValidationRow& row : everything().rows)
    if (row.suite == suite && row.scored && (group.empty() || row.group == group))
      errors.push_back(std::abs(row.error));
  return errors;
}

}  // namespace

TEST_CASE("a quantile is the least value that the share of values does not exceed") {
  CHECK(quantile({3, 1, 2, 4}, 0.5) == 2);  // two of four are at most 2
  CHECK(quantile({3, 1, 2, 4}, 0.9) == 4);  // 3.6 of four, so all four
  CHECK(quantile({7}, 0.5) == 7);
  CHECK(median({5, 1, 3}) == 3);
  CHECK(std::isnan(quantile({}, 0.5)));
}

TEST_CASE("a bound is met at its limit and missed beyond; what cannot be computed is missed") {
  CHECK(at_most("x", 0.05, 0.05).met);
  CHECK_FALSE(at_most("x", 0.0501, 0.05).met);
  CHECK_FALSE(at_most("x", unpredicted(), 0.05).met);
}

TEST_CASE("rows that are shown take no part in any summary") {
  std::vector<ValidationRow> rows = {compared("a", "g", "f", 110, 100, "s"), compared("b", "g", "f", 80, 100, "s"),
                                     shown("c", "g", "f", 500, 100, "s", "no topology")};
  CHECK(rows[0].error == Approx(0.10));
  CHECK(scored_errors(rows, "g").size() == 2);
  CHECK(quantile(scored_errors(rows, ""), 1.0) == Approx(0.20));
  CHECK(scored_errors(rows, "other").empty());
}

TEST_CASE("every suite has rows of its own, each told apart, and says why one is not scored") {
  std::map<std::string, int> rows;
  std::set<std::string> ids;
  for (const ValidationRow& row : everything().rows) {
    INFO(row.suite << " " << row.id);
    ++rows[row.suite];
    CHECK(ids.insert(row.suite + "|" + row.group + "|" + row.family + "|" + row.id).second);
    CHECK(row.scored == (row.scored && std::isfinite(row.error) && row.measured > 0));
    if (!row.scored) CHECK_FALSE(row.note.empty());
  }
  for (const auto& [name, meaning] : validation_suites())
    if (name != "all") CHECK(rows[name] > 0);
}

TEST_CASE("every row of a table is scored or shown, none is left out") {
  std::map<std::string, std::set<std::string>> ids;
  for (const ValidationRow& row : everything().rows) ids[row.suite].insert(row.id);
  for (const MeasurementRow& row : read_measurements(measurements_path("nccl.csv")))
    CHECK(ids["collectives"].count(row.text("id")) == 1);
  for (const MeasurementRow& row : read_measurements(measurements_path("storage.csv")))
    CHECK(ids["storage"].count(row.text("id")) == 1);
  for (const MeasurementRow& row : read_measurements(measurements_path("training_suite.csv")))
    CHECK(ids["training"].count(row.text("row")) == 1);
  // Thresholds and PUE are inputs of the catalog; all other rows of the power table are there.
  for (const MeasurementRow& row : read_measurements(measurements_path("power_thermal.csv")))
    if (row.text("category") != "temperature threshold" && row.text("category") != "PUE")
      CHECK(ids["power"].count(row.text("id")) == 1);
}

TEST_CASE("efficiency is the ratio of samples/s of one GPU, and its error a difference") {
  // T0001, T0003 and T0005: one GPU and eight of one table; the published efficiency is their ratio over 8.
  const double one = row_named("training", "T0001").measured, eight = row_named("training", "T0005").measured;
  const ValidationRow& step = row_named("scaling", "T0005 (1 to 8 GPUs)");
  CHECK(step.measured == Approx(eight / 8 / one));
  CHECK(step.predicted ==
        Approx(row_named("training", "T0005").predicted / 8 / row_named("training", "T0001").predicted));
  CHECK(step.error == Approx(step.predicted - step.measured));
}

TEST_CASE("speed under a cap is relative to the highest cap of its sweep") {
  // P0332 to P0338, V100, ResNet-50, batch 192: 6651.1 s an epoch at 100 W, 3529.61 s at 250 W.
  CHECK(row_named("power", "P0332 speed").measured == Approx(3529.61 / 6651.1));
  CHECK(row_named("power", "P0332 speed").predicted < row_named("power", "P0335 speed").predicted);
  for (const ValidationRow& row : everything().rows) CHECK(row.id != "P0338 speed");  // the reference itself
}

TEST_CASE("a reference point is predicted from the others, not from itself") {
  // 8192 lies between 4096 (40 epochs) and 13056 (45.4, the newest round) on a logarithmic axis.
  const double share = std::log(8192.0 / 4096) / std::log(13056.0 / 4096);
  CHECK(row_named("convergence", "resnet batch 8192 v1.0.0").predicted == Approx(40 + share * (45.4 - 40)));
}

TEST_CASE("time to train with the measured step is samples over throughput, first epoch and evaluations") {
  // 8 x A100, 35 epochs: 44840845 samples at 27188.3 samples/s are 1649 s; cold storage and evaluations only add.
  const std::string id = "v2.0 NVIDIA dgxa100_ngc22.04_mxnet resnet";
  double predicted = 0;
  for (const ValidationRow& row : everything().rows)
    if (row.id == id && row.group == "measured step") predicted = row.predicted;
  CHECK(predicted > 44840845 / 27188.3);
  CHECK(predicted < 1.03 * 44840845 / 27188.3);
}

TEST_CASE("left-out rows are run with constants fitted to other families only") {
  const Validation validation = validate("training", {true});
  REQUIRE(validation.left_out.size() == 4);  // all, by GPU, by source, by scale
  CHECK(validation.left_out.front().rows ==
        validation.left_out[1].rows + validation.left_out[2].rows + validation.left_out[3].rows);
  CHECK(validation.bounds.back().what == "median error, left-out rows");
  CHECK(validation.bounds.back().value == validation.left_out.front().median);
  CHECK_THROWS_AS(validate("power", {true}), InputError);
}

TEST_CASE("what no model answers is null in JSON and empty in CSV") {
  Validation validation;
  validation.suite = "storage";
  validation.rows = {shown("S1", "g", "f", unpredicted(), 5, "s", "unknown drive")};
  validation.summaries = {summary_of("all", {0.1})};
  const auto json = nlohmann::json::parse(write(validation, "json"));
  CHECK(json["rows"][0]["predicted"].is_null());
  CHECK(json["rows"][0]["scored"] == false);
  CHECK(json["rows"][0]["note"] == "unknown drive");
  CHECK(write(validation, "csv").find("S1,,g,f,,5,s,,0,unknown drive\n") != std::string::npos);
}

TEST_CASE("a table of measurements with a short line or a word for a number is the user's fault") {
  const std::string path = (std::filesystem::temp_directory_path() / "clustersim_measurements_test.csv").string();
  std::ofstream(path) << "id,value,notes\nA,1.5,\"one, two\"\nB,many,\n";
  const std::vector<MeasurementRow> rows = read_measurements(path);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].text("notes") == "one, two");
  CHECK(rows[0].number("value") == 1.5);
  CHECK_FALSE(rows[1].has("notes"));
  CHECK(rows[1].number("notes", 7) == 7);
  CHECK_THROWS_AS(rows[1].number("value"), InputError);
  CHECK_THROWS_AS(rows[0].text("unit"), InternalError);
  std::ofstream(path) << "id,value\nA\n";
  CHECK_THROWS_AS(read_measurements(path), InputError);
  std::remove(path.c_str());
  CHECK_THROWS_AS(read_measurements(path), InputError);
}

// Numbers chosen after seeing a residual: "[fitted: ...", or "[fitted, 2 numbers: ...".
TEST_CASE("fitted constants are fewer than 40, and as many as the documentation says") {
  namespace fs = std::filesystem;
  const std::regex mark(R"(\[fitted(?:, (\d+) numbers)?:)");
  int count = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(CLUSTERSIM_SOURCE_DIR "/models")) {
    if (entry.path().extension() != ".cc" && entry.path().extension() != ".h") continue;
    std::ifstream file(entry.path());
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    for (std::sregex_iterator at(text.begin(), text.end(), mark); at != std::sregex_iterator(); ++at)
      count += (*at)[1].matched ? std::stoi((*at)[1]) : 1;
  }
  CHECK(count > 0);
  CHECK(count < 40);
  std::ifstream file(CLUSTERSIM_SOURCE_DIR "/docs/VALIDATION.md");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  CHECK(text.find(std::to_string(count) + " numbers in all") != std::string::npos);
}

// What was reached; an error may not rise above 1.05 times this. Lower the numbers when a model improves.
TEST_CASE("no suite gets worse than recorded") {
  struct Recorded {
    const char *suite, *group;
    double median, p90;
  };
  constexpr double slack = 1.05;
  const Recorded recorded[] = {
      {"collectives", "all-gathers of 16 to 256 H100 over EFA", 0.1112, 0.2167},
      {"collectives", "from 1 MiB", 0.0338, 0.1611},
      {"collectives", "latency, below 1 MiB", 0.0980, 0.2608},
      {"collectives", "unseen, 16 to 256 H100 over EFA", 0.0548, 0.2363},
      {"convergence", "bert", 0.0227, 0.0729},
      {"convergence", "resnet", 0.0437, 0.0909},
      {"power", "GPU power under caps", 0.0261, 0.1091},
      {"power", "node power", 0.0558, 0.0987},
      {"power", "speed under caps", 0.0234, 0.1029},
      {"scaling", "efficiency", 0.0148, 0.0649},
      {"storage", "cold first epoch", 0.3120, 0.3148},
      {"storage", "drives and volumes", 0.3260, 0.6804},
      {"storage", "loaders in training", 0.0785, 0.3010},
      {"storage", "object stores", 0.1696, 0.6948},
      {"time-to-train", "measured step", 0.0167, 0.0560},
      {"time-to-train", "own convergence", 0.0361, 0.1026},
      {"time-to-train", "own step", 0.0304, 0.1196},
      {"training", "mlperf bert", 0.0304, 0.1255},
      {"training", "mlperf resnet", 0.0241, 0.0692},
      {"training", "mxnet-horovod resnet", 0.0227, 0.0550},
      {"training", "pytorch-ddp bert", 0.0125, 0.0680},
      {"training", "pytorch-ddp resnet", 0.0616, 0.1254},
      {"training", "tensorflow-horovod bert", 0.0352, 0.1047},
      {"training", "tensorflow-horovod resnet", 0.0463, 0.0819},
  };
  for (const Recorded& r : recorded) {
    INFO(r.suite << ", " << r.group);
    const std::vector<double> errors = errors_of(r.suite, r.group);
    REQUIRE_FALSE(errors.empty());
    CHECK(median(errors) <= slack * r.median);
    CHECK(quantile(errors, 0.9) <= slack * r.p90);
  }
}
