// Published rows as scenarios, their summaries, and how they are written.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "clustersim/clustersim.h"
#include "sim/validation/training_suite.h"

using namespace clustersim;

namespace {

std::string suite_path() {
  return std::string(CLUSTERSIM_SOURCE_DIR).append("/scenarios/measurements/training_suite.csv");
}

const TrainingRow& row_named(const std::vector<TrainingRow>& rows, const std::string& id) {
  for (const TrainingRow& row : rows)
    if (row.id == id) return row;
  throw std::runtime_error("no row " + id);
}

ValidationRow row_of(const char* id, const char* family, double predicted, double measured) {
  ValidationRow row;
  row.id = id;
  row.family = family;
  row.predicted = predicted;
  row.measured = measured;
  row.unit = "samples/s";
  row.error = predicted / measured - 1;
  return row;
}

// Errors of 10, 20 and 33 %; the summaries are those of the nearest rank.
Validation sample() {
  Validation validation;
  validation.suite = "training";
  validation.rows = {row_of("A1", "gpu-a, net", 110, 100), row_of("A2", "gpu-a \"x\"", 80, 100),
                     row_of("B1", "gpu-b net", 1.0 / 3.0, 0.25)};
  validation.summaries = {
      {"all", 3, 0.2, 1.0 / 3, 1.0 / 3}, {"one", 2, 0.1, 0.2, 0.2}, {"two", 1, 1.0 / 3, 1.0 / 3, 1.0 / 3}};
  return validation;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// A CSV line as RFC 4180 reads it.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      cells.back() += line[i++];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += line[i];
  }
  return cells;
}

// A file with this text, gone at the end.
struct TemporaryFile {
  TemporaryFile(const char* name, const std::string& text)
      : path((std::filesystem::temp_directory_path() / name).string()) {
    std::ofstream(path) << text;
  }
  ~TemporaryFile() { std::remove(path.c_str()); }
  std::string path;
};

}  // namespace

TEST_CASE("the training suite has a scenario for each line of its file, each named once") {
  std::ifstream file(suite_path());
  std::size_t lines = 0;
  for (std::string line; std::getline(file, line);) ++lines;
  const std::vector<TrainingRow> rows = training_suite(suite_path());
  CHECK(rows.size() == lines - 1);
  std::set<std::string> ids;
  for (const TrainingRow& row : rows) {
    INFO(row.id);
    CHECK(ids.insert(row.id).second);
    CHECK(row.measured > 0);
    const auto json = nlohmann::json::parse(row.scenario);
    CHECK(json["name"] == row.id);
    const int nodes = json["cluster"]["nodes"], gpus = json["cluster"]["node"]["gpus"];
    CHECK(row.gpus == nodes * gpus);
    CHECK(row.family.find(json["job"]["model"].get<std::string>()) != std::string::npos);
    CHECK(row.group.find(json["job"]["stack"].get<std::string>()) == 0);
  }
}

TEST_CASE("a row's scenario states what the row states") {
  const std::vector<TrainingRow> rows = training_suite(suite_path());
  const TrainingRow& row = row_named(rows, "mlperf v1.1 Dell 2xR750xax4A100-PCIE-80GB resnet");
  CHECK(row.measured == 23501.2);
  CHECK(row.group == "mlperf resnet");
  CHECK(row.gpus == 8);
  const auto json = nlohmann::json::parse(row.scenario);
  CHECK(json["cluster"]["nodes"] == 2);
  CHECK(json["cluster"]["node"]["gpu"] == "a100-pcie-80gb");
  CHECK(json["cluster"]["node"]["gpu_fabric"] == "pcie");
  CHECK(json["cluster"]["node"]["nics"] == 1);  // 100 Gbit/s a node, one EDR port
  CHECK(json["job"]["batch_per_gpu"] == 408);
  CHECK(json["job"]["precision"] == "amp");
}

TEST_CASE("a training suite that cannot be read is the user's fault") {
  CHECK_THROWS_AS(training_suite("/nowhere/at/all.csv"), InputError);
  const TemporaryFile file("clustersim_broken_suite.csv", "row,model\nT1,resnet-50,more\n");
  CHECK_THROWS_AS(training_suite(file.path), InputError);
}

TEST_CASE("summaries are of the rows: the nearest rank of the absolute errors") {
  const Validation validation = validate("training");
  std::vector<double> errors;
  for (const ValidationRow& row : validation.rows)
    if (row.scored) errors.push_back(std::abs(row.error));
  std::sort(errors.begin(), errors.end());
  const auto at = [&](double q) { return errors[static_cast<std::size_t>(std::ceil(q * errors.size())) - 1]; };
  const Validation::Summary& all = validation.summaries.front();
  CHECK(all.group == "all");
  CHECK(all.rows == static_cast<int>(errors.size()));
  CHECK(all.median == at(0.5));
  CHECK(all.p90 == at(0.9));
  CHECK(all.worst == errors.back());
  int grouped = 0;
  for (std::size_t i = 1; i < validation.summaries.size(); ++i) grouped += validation.summaries[i].rows;
  CHECK(grouped == all.rows);
}

TEST_CASE("an unknown suite is refused with those there are") {
  try {
    validate("inference");
    FAIL("not refused");
  } catch (const InputError& error) {
    REQUIRE(error.problems().size() == 1);
    CHECK(error.problems()[0].expected.find("training") != std::string::npos);
    CHECK(error.problems()[0].got == "\"inference\"");
  }
}

TEST_CASE("validation as JSON has the documented names and reads back to the same bits") {
  const Validation validation = sample();
  const auto json = nlohmann::json::parse(write(validation, "json"));
  REQUIRE(json["rows"].size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(json["rows"][i]["id"] == validation.rows[i].id);
    CHECK(json["rows"][i]["family"] == validation.rows[i].family);
    CHECK(json["rows"][i]["predicted"].get<double>() == validation.rows[i].predicted);
    CHECK(json["rows"][i]["measured"].get<double>() == validation.rows[i].measured);
    CHECK(json["rows"][i]["unit"] == "samples/s");
    CHECK(json["rows"][i]["error"].get<double>() == validation.rows[i].error);
  }
  CHECK(json["summary"]["median_abs_error"] == 0.2);
  CHECK(json["summary"]["p90_abs_error"].get<double>() == 1.0 / 3);
  CHECK(json["summary"]["worst_abs_error"].get<double>() == 1.0 / 3);
  CHECK(json["groups"]["one"]["rows"] == 2);
}

TEST_CASE("validation as CSV has a row a measurement, and quotes what needs it") {
  const std::vector<std::string> lines = lines_of(write(sample(), "csv"));
  REQUIRE(lines.size() == 4);
  const std::vector<std::string> names = cells_of(lines[0]);
  const auto column = [&](const char* name) {
    const auto found = std::find(names.begin(), names.end(), name);
    REQUIRE(found != names.end());
    return static_cast<std::size_t>(found - names.begin());
  };
  for (std::size_t i = 0; i < 3; ++i) {
    const std::vector<std::string> cells = cells_of(lines[i + 1]);
    const ValidationRow row = sample().rows[i];
    REQUIRE(cells.size() == names.size());
    CHECK(cells[column("id")] == row.id);
    CHECK(cells[column("family")] == row.family);
    CHECK(cells[column("unit")] == row.unit);
    CHECK(std::stod(cells[column("predicted")]) == row.predicted);
    CHECK(std::stod(cells[column("measured")]) == row.measured);
    CHECK(std::stod(cells[column("error")]) == row.error);
  }
}

TEST_CASE("validation as a table shows each row and each summary") {
  const std::string text = write(sample(), "table");
  for (const char* part : {"suite training", "A1", "+10.0%", "-20.0%", "+33.3%", "all", "one", "two"}) {
    INFO(part);
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK_THROWS_AS(write(sample(), "xml"), InputError);
}
