#include "tools/measurement/record.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

using namespace clustersim::measurement;
using nlohmann::json;

namespace {

std::string content(const std::string& path) {
  std::ifstream stream(path);
  return (std::ostringstream() << stream.rdbuf()).str();
}

}  // namespace

TEST_CASE("a measurement file holds what docs/MEASUREMENTS.md lists", "[measurement]") {
  MeasurementFile file;
  file.program = "clustersim-test";
  file.version = "1";
  file.date = "2026-11-30";
  file.machine = {{"cpu", std::string("Processor \"X\"")}, {"cores", std::int64_t{2}}};
  Record record =
      measured("stream_triad", {{"bytes", std::int64_t{3000}}, {"precision", std::string("fp32")}}, {1, 2, 3});
  record.derived = {{"bytes_per_s", 3000 / record.median}};
  record.conditions = {{"power_w", 250}};
  record.series = {{"time_s", {0, 1}}, {"temperature_c", {40, 41.5}}};
  file.records = {record, failed("gemm", {}, "no memory"), skipped("jpeg_decode", {}, "not built")};

  const json read = json::parse(to_json(file));
  CHECK(read["clustersim_measurements"] == 1);
  CHECK(read["machine"] == json({{"cpu", "Processor \"X\""}, {"cores", 2}}));
  CHECK(read["quick"] == false);
  REQUIRE(read["records"].size() == 3);
  const json expected = {{"benchmark", "stream_triad"},
                         {"parameters", {{"bytes", 3000}, {"precision", "fp32"}}},
                         {"median", 2.0},
                         {"unit", "s"},
                         {"spread", (2.5 - 1.5) / 2.0},
                         {"samples", 3},
                         {"derived", {{"bytes_per_s", 1500.0}}},
                         {"conditions", {{"power_w", 250.0}}},
                         {"series", {{"time_s", {0.0, 1.0}}, {"temperature_c", {40.0, 41.5}}}}};
  CHECK(read["records"][0] == expected);
  // What did not run has a reason and no number.
  CHECK(read["records"][1] == json({{"benchmark", "gemm"}, {"parameters", json::object()}, {"failed", "no memory"}}));
  CHECK(read["records"][2]["skipped"] == "not built");
}

TEST_CASE("a number that is not finite is left out, not written", "[measurement]") {
  MeasurementFile file;
  file.records = {measured("x", {}, {0})};
  file.records[0].derived = {{"bytes_per_s", 1.0 / 0.0}, {"count", 1}};
  CHECK(json::parse(to_json(file))["records"][0]["derived"] == json({{"count", 1.0}}));
}

TEST_CASE("numbers are written with six digits", "[measurement]") {
  MeasurementFile file;
  file.records = {measured("x", {{"rate", 2.0 / 3}}, {1.0 / 3})};
  const json record = json::parse(to_json(file))["records"][0];
  CHECK(record["median"].dump() == "0.333333");
  CHECK(record["parameters"]["rate"].dump() == "0.666667");
}

TEST_CASE("text that is not UTF-8 does not stop the writing", "[measurement]") {
  MeasurementFile file;
  file.records = {failed("x", {}, "bad \xff byte")};
  CHECK_NOTHROW(json::parse(to_json(file)));
}

TEST_CASE("a file appears whole or not at all", "[measurement]") {
  const std::string folder = std::filesystem::temp_directory_path() / "clustersim_record_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  const std::string path = folder + "/out.json";
  require_writable(path);
  CHECK(std::filesystem::is_empty(folder));
  write_whole(path, "text");
  CHECK(content(path) == "text");
  CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 1);
  CHECK_THROWS_AS(require_writable(folder + "/missing/out.json"), std::runtime_error);
  CHECK_THROWS_AS(write_whole(folder + "/missing/out.json", "x"), std::runtime_error);
  std::filesystem::create_directory(folder + "/taken");
  CHECK_THROWS_AS(write_whole(folder + "/taken", "x"), std::runtime_error);
  CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 2);
  std::filesystem::remove_all(folder);
}

TEST_CASE("a pipe is written, not replaced; behind a link the file is", "[measurement]") {
  const std::string folder = std::filesystem::temp_directory_path() / "clustersim_record_pipe_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  const std::string pipe = folder + "/pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const int end = open(pipe.c_str(), O_RDWR | O_NONBLOCK);
  require_writable(pipe);
  write_whole(pipe, "text");
  char got[8] = {};
  CHECK(read(end, got, sizeof got) == 4);
  CHECK(std::string(got) == "text");
  close(end);
  CHECK(std::filesystem::is_fifo(pipe));

  write_whole(folder + "/file", "old");
  std::filesystem::create_symlink(folder + "/file", folder + "/link");
  write_whole(folder + "/link", "new");
  CHECK(std::filesystem::is_symlink(folder + "/link"));
  CHECK(content(folder + "/file") == "new");
  std::filesystem::remove_all(folder);
}

TEST_CASE("the example of the manual is a measurement file", "[measurement]") {
  const json example = json::parse(content(CLUSTERSIM_SOURCE_DIR "/tests/measurements/example.json"));
  CHECK(example["clustersim_measurements"] == 1);
  for (const json& record : example["records"]) {
    CHECK(record.contains("median") + record.contains("failed") + record.contains("skipped") == 1);
  }
}
