// Readers of traces and logs against damaged files: whatever comes, an answer or an InputError, never anything else.
// Deterministic: a counter-based generator, the same files on every machine. tests/sim/fuzz_rounds.h makes it longer.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>

#include "clustersim/import.h"
#include "sim/import/load_trace.h"
#include "sim/import/step_trace_file.h"
#include "tests/sim/fuzz_rounds.h"
#include "tests/sim/small_scenarios.h"
#include "tests/sim/trace_files.h"

using namespace clustersim;
using traces::operator_text;
using traces::step_text;
using traces::TestFile;

namespace {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t limit) {  // splitmix64
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return static_cast<std::size_t>((z ^ (z >> 31)) % std::max<std::size_t>(1, limit));
  }

 private:
  std::uint64_t state_;
};

// One of the usual damages.
std::string damaged(std::string text, Dice& dice) {
  const std::size_t at = dice.below(text.size()), length = 1 + dice.below(40);
  const char* const pieces[] = {
      "1e999", "-1",       "99999999999999999999999", "null",      "\"\"", "[[[[", "{\"a\":", "\\u12",
      "NaN",   "\xFF\xFE", "18446744073709551615",    "0.0000001", "true", "]}"};
  switch (dice.below(7)) {
    case 0:
      text.resize(at);
      break;
    case 1:
      text[at] = static_cast<char>(dice.below(256));
      break;
    case 2:
      text.erase(at, length);
      break;
    case 3:
      text.insert(at, text.substr(dice.below(text.size()), length));
      break;
    case 4:
      text.insert(at, pieces[dice.below(std::size(pieces))]);
      break;
    case 5:  // a number for another
      if (const std::size_t digit = text.find_first_of("0123456789", at); digit != std::string::npos)
        text.replace(digit, 1, pieces[dice.below(std::size(pieces))]);
      break;
    default:
      text.insert(at, std::string(1 + dice.below(2000), "[{\"\x01"[dice.below(4)]));
  }
  return text;
}

// Reads it, and where that goes well runs it.
void try_all(const std::string& kind, const std::string& text) {
  const TestFile file("fuzz.bin", text);
  try {
    const Imported imported = import_files(kind, {file.path()});
    if (kind == "mllog") return;
    const TestFile step("fuzz_step.json", imported.document);
    read_step_trace(step.path());
  } catch (const InputError&) {
  }
}

void try_replay(const std::string& text) {
  const TestFile file("fuzz_replay.json", text);
  try {
    const Scenario scenario = read_scenario_text(
        R"({"clustersim": 1, "cluster": {"node": {"server": "dgx-a100-80gb"}}, "job": {"model": {"trace": ")" +
            file.path() + R"(", "parameters": 1000000}}})",
        "fuzz", {});
    small::step_s(scenario);
  } catch (const InputError&) {
  }
}

const std::string our_step = step_text(
    R"("gpu": "NVIDIA A100-SXM4-40GB", "ranks": 8, "batch": 4, "step_time": "3 ms")",
    {operator_text("batch_norm", 0, 900, R"("stream": 7, "launch": "host")"),
     operator_text("ncclDevKernel_AllReduce", 500, 300,
                   R"("stream": 20, "collective": {"op": "all_reduce", "bytes": 4000000, "group": 8, "stride": 1})"),
     operator_text("sm80_xmma_gemm", 1000, 600, R"("stream": 7, "after": [1], "flop": 1e9, "bytes": 1e6)"),
     operator_text("multi_tensor_apply_adam", 1700, 200, R"("launch": "synchronized")")});

const std::string profile = R"({"schemaVersion": 1, "deviceProperties": [{"name": "NVIDIA H100"}], "traceEvents": [
 {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 10.5, "dur": 900},
 {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "tid": 1, "ts": 20, "dur": 3, "args": {"correlation": 5}},
 {"ph": "X", "cat": "kernel", "name": "ncclKernel_AllReduce", "tid": 7, "ts": 30, "dur": 100, "args": {"stream": 7,
  "correlation": 5, "In msg nelems": 100, "dtype": "Float", "Process Group Ranks": "[0, 1]"}},
 {"ph": "X", "cat": "kernel", "name": "gemm", "tid": 7, "ts": 140, "dur": 700, "args": {"stream": 7, "correlation": 6}}]})";

const std::string graph = R"({"workload_graph": [
 {"Id": 1, "Name": "fwd", "NodeType": 4, "data_deps": [], "runtime": 500, "is_cpu_op": false},
 {"Id": 2, "Name": "ar", "NodeType": 7, "data_deps": [1], "comm_type": 0, "comm_size": 4000, "is_cpu_op": false},
 {"Id": 3, "Name": "bwd", "NodeType": 4, "data_deps": [2], "runtime": 700, "is_cpu_op": false}]})";

const std::string run_log =
    "0: :::MLLOG {\"time_ms\": 1700000000000, \"key\": \"run_start\", \"value\": null, \"metadata\": {\"a\": 1}}\n"
    ":::MLPv0.5.0 resnet 1541710000.5 (/a/b.py:10) eval_accuracy: {\"epoch\": 61, \"value\": 0.749}\n"
    "0: :::MLLOG {\"time_ms\": 1700000600000, \"key\": \"run_stop\", \"value\": null, \"metadata\": {\"status\": "
    "\"success\"}}\n";

const std::string storage_summary =
    R"({"num_accelerators": 64, "num_hosts": 2, "host_memory_GB": [500, 0], "epochs": 5, "metric": {
 "train_au_mean_percentage": 70.26, "train_au_meet_expectation": "success",
 "train_throughput_mean_samples_per_second": 12557.0, "train_io_mean_MB_per_second": 33871.0}})";

const std::string step_tables =
    "| Nodes | Size | GBS | Sec/it | TFLOPs |\n| ----: | ---: | --: | -----: | -----: |\n"
    "| 48 | 200B | 2048 | 200.00 | 90.00 |\n| 40 | 200B | 2048 | 216.00 | 100.00 |\n| 48 | 200B | 2048 | OOM | xxxx "
    "|\n";

const int rounds = fuzz_rounds(400);

}  // namespace

TEST_CASE("damaged traces and logs are read or refused") {
  const std::string chakra = [] {
    const TestFile ours("fuzz_ours.json", our_step);
    try {
      return import_files("chakra", {ours.path()}).document;
    } catch (const InputError&) {
      return graph;  // built without protobuf
    }
  }();
  Dice dice(20261130);
  for (int i = 0; i < rounds; ++i) {
    try_all("kineto", damaged(profile, dice));
    try_all("chakra", damaged(i % 2 == 0 ? chakra : graph, dice));
    try_all("mllog", damaged(run_log, dice));
    if (i % 2 == 0) try_all("mllog", damaged(i % 4 == 0 ? storage_summary : step_tables, dice));
    try_replay(damaged(our_step, dice));
  }
  SUCCEED("nothing else was thrown");
}

TEST_CASE("hostile shapes are bounded") {
  const std::string deep(200000, '['), braces = std::string(100000, '{');
  for (const char* kind : {"kineto", "chakra", "mllog"}) {
    try_all(kind, deep);
    try_all(kind, "{\"traceEvents\": " + deep);
    try_all(kind, "{\"traceEvents\": [" + braces);
    try_all(kind, ":::MLLOG " + braces + "\n");
    try_all(kind, "[{\"name\": \"" + std::string(3 << 20, 'x') + "\\u0041\"}]");
    try_all(kind, std::string("\x0A\x05") + std::string(100000, '\xFF'));
  }
  try_replay("{\"clustersim_step_trace\": 1, \"operators\": " + deep);
  SUCCEED("all came back");
}
