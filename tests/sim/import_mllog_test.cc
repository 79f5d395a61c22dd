// MLPerf logs: small ones made here, in the forms of their versions.
#include <catch2/catch.hpp>

#include "clustersim/clustersim.h"
#include "clustersim/import.h"
#include "tests/sim/trace_files.h"

using namespace clustersim;
using traces::TestFile;

namespace {

std::string entry(const std::string& key, double time_ms, const std::string& value, const std::string& metadata = "") {
  char time[40];
  std::snprintf(time, sizeof time, "%.0f", time_ms);
  return R"(0: :::MLLOG {"namespace": "", "time_ms": )" + std::string(time) +
         R"(, "event_type": "POINT_IN_TIME", "key": ")" + key + R"(", "value": )" + value +
         R"(, "metadata": {"file": "/home/jane/train.py", "lineno": 3)" + (metadata.empty() ? "" : ", " + metadata) +
         "}} and more text\r\n";
}

// A run of `minutes` with two evaluations after 3 and 4 epochs of 1000 samples.
std::string run_of(double start_ms, double minutes, const std::string& status = "success") {
  return "noise {\n" + entry("submission_benchmark", start_ms, "\"resnet\"") +
         entry("submission_org", start_ms, "\"us, and others\"") + entry("global_batch_size", start_ms, "64") +
         entry("train_samples", start_ms, "1000") + entry("run_start", start_ms, "null") +
         entry("run_start", start_ms + 5, "null") +  // another rank
         entry("eval_accuracy", start_ms + 1000, "0.7", "\"epoch_num\": 3") +
         entry("tracked_stats", start_ms + 1000, R"({"throughput": 5000.0})", "\"step\": 3") +
         entry("eval_accuracy", start_ms + 2000, "0.76", "\"epoch_num\": 4") +
         entry("eval_accuracy", start_ms + 2001, "0.76", "\"epoch_num\": 4") +
         entry("run_stop", start_ms + minutes * 60000, "null", "\"status\": \"" + status + "\", \"epoch_num\": 4");
}

std::string value_of(const Imported& imported, const std::string& column) {
  const std::size_t line_end = imported.document.find('\n');
  const auto cells = [](const std::string& line) {
    std::vector<std::string> out(1);
    bool quoted = false;
    for (const char c : line) {
      if (c == '"')
        quoted = !quoted;
      else if (c == ',' && !quoted)
        out.emplace_back();
      else
        out.back() += c;
    }
    return out;
  };
  const auto names = cells(imported.document.substr(0, line_end));
  const auto values = cells(imported.document.substr(line_end + 1, imported.document.size() - line_end - 2));
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == column) return values.at(i);
  return "no such column";
}

}  // namespace

TEST_CASE("five runs: the mean without the best and the worst") {
  std::vector<std::string> paths;
  std::vector<std::unique_ptr<TestFile>> files;
  for (const double minutes : {10.0, 12.0, 14.0, 16.0, 40.0}) {
    const std::string name = "run" + std::to_string(files.size()) + ".txt";
    files.push_back(std::make_unique<TestFile>(name, run_of(1.7e12 + 1e8 * minutes, minutes)));
    paths.push_back(files.back()->path());
  }
  const TestFile system("system.json", R"({"submitter": "us", "system_name": "box", "number_of_nodes": 2,
    "accelerators_per_node": "8", "accelerator_model_name": "A100", "framework": "PyTorch"})");
  paths.push_back(system.path());
  const Imported row = import_files("mllog", paths);
  CHECK(value_of(row, "mlperf_score_min") == "14");  // (12 + 14 + 16) / 3
  CHECK(value_of(row, "time_to_train_min") == "18.4");
  CHECK(value_of(row, "n_runs") == "5");
  CHECK(value_of(row, "benchmark") == "resnet");
  CHECK(value_of(row, "submitter") == "us, and others");
  CHECK(value_of(row, "total_accelerators") == "16");
  CHECK(value_of(row, "global_batch_size") == "64");
  CHECK(value_of(row, "epochs") == "4");
  CHECK(value_of(row, "evaluations") == "2");
  CHECK(value_of(row, "logged_throughput") == "5000");
  // 4 epochs of 1000 samples in 10 to 40 minutes.
  double mean = 0;
  for (const double minutes : {10.0, 12.0, 14.0, 16.0, 40.0}) mean += 4000 / (60 * minutes) / 5;
  CHECK(std::stod(value_of(row, "derived_throughput")) == Approx(mean).epsilon(1e-5));
  CHECK(row.document.find("jane") == std::string::npos);
}

TEST_CASE("a run without success is the worst; two leave no score") {
  const auto score = [](const std::vector<std::string>& texts) {
    std::string log;
    for (const std::string& text : texts) log += text;
    const TestFile file("several.txt", log);
    return value_of(import_files("mllog", {file.path()}), "mlperf_score_min");
  };
  const std::string a = run_of(1.7e12, 10), b = run_of(1.71e12, 20), bad = run_of(1.72e12, 5, "aborted");
  CHECK(score({a, b, bad}) == "20");  // without 10, the best, and the aborted one
  CHECK(score({a, bad, run_of(1.73e12, 6, "aborted")}).empty());
  CHECK(score({a}) == "10");
}

TEST_CASE("logs of v0.5 and v0.6") {
  const TestFile v5("v05.txt",
                    ":::MLPv0.5.0 resnet 1541710000.5 (/a/b.py:10) run_start\n"
                    ":::MLPv0.5.0 resnet 1541710000.6 (/a/b.py:11) input_batch_size: 1664\n"
                    ":::MLPv0.5.0 resnet 1541710100.5 (/a/b.py:12) eval_accuracy: {\"epoch\": 61, \"value\": 0.749}\n"
                    ":::MLPv0.5.0 resnet 1541710600.5 (/a/b.py:13) run_stop: {\"success\": true}\n");
  const Imported first = import_files("mllog", {v5.path()});
  CHECK(value_of(first, "time_to_train_min") == "10");
  CHECK(value_of(first, "global_batch_size") == "1664");
  CHECK(value_of(first, "epochs") == "61");
  const TestFile v6("v06.txt",
                    "x :::MLL 1558640000.0 global_batch_size: {\"value\": 65536, \"metadata\": {\"lineno\": 1}}\n"
                    "x :::MLL 1558640010.0 run_start: {\"value\": null, \"metadata\": {}}\n"
                    "x :::MLL 1558640130.0 run_stop: {\"value\": null, \"metadata\": {\"status\": \"success\"}}\n");
  const Imported second = import_files("mllog", {v6.path()});
  CHECK(value_of(second, "time_to_train_min") == "2");
  CHECK(value_of(second, "global_batch_size") == "65536");
}

TEST_CASE("ranks of one run in files of their own count once") {
  const TestFile a("rank_a.txt", run_of(1.7e12, 10)), b("rank_b.txt", run_of(1.7e12 + 300, 10));
  const Imported row = import_files("mllog", {a.path(), b.path()});
  CHECK(value_of(row, "n_runs") == "1");
}

TEST_CASE("a text without log lines is refused") {
  const TestFile file("text.txt", "nothing of that kind\n");
  CHECK_THROWS_AS(import_files("mllog", {file.path()}), InputError);
}
