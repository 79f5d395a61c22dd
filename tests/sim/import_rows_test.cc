// Results that become rows of measurements: MLPerf Storage, tables of step times, and MLPerf logs as published.
#include "tests/sim/import_files.h"

namespace clustersim {
namespace {

using imports::fault_of;
using imports::says;
using imports::ScratchFile;

Imported read(const std::string& text) {
  const ScratchFile file(text);
  return import_files("mllog", {file.path()});
}

std::string value_of(const Imported& imported, const std::string& name) {
  for (const std::string& line : imported.known)
    if (line.starts_with(name + ": ")) return line.substr(name.size() + 2);
  return "";
}

// As DLIO writes it; twelve of sixteen hosts were not asked what they are.
std::string storage(const std::string& metric) {
  std::string zeros;
  for (int i = 0; i < 12; ++i) zeros += ", 0";
  return "{\"num_accelerators\": 64, \"num_hosts\": 16, \"hostname\": \"secret\", \"epochs\": 5,\n\"host_memory_GB\": "
         "[500, "
         "502, 504, 506" +
         zeros + "],\n\"host_cpu_count\": [96, 96, 96, 96" + zeros + "],\n\"metric\": {" + metric + "}}\n";
}
const std::string metric =
    R"("train_au_percentage": [70.1, 70.4], "train_au_mean_percentage": 70.26, "train_au_meet_expectation": "success",
       "train_throughput_mean_samples_per_second": 12557.0, "train_io_mean_MB_per_second": 33871.0)";

}  // namespace

TEST_CASE("item 88: a summary of MLPerf Storage is a row; hosts of zeros are not counted among those described") {
  const Imported row = read(storage(metric));
  CHECK(row.format == "MLPerf Storage summary");
  CHECK(value_of(row, "accelerator_use_percent") == "70.26");
  CHECK(value_of(row, "samples_per_s") == "12557");
  CHECK(value_of(row, "read_mib_per_s") == "33871");
  // DLIO's "MB" are MiB: over 12,557 samples/s they are the 2,828,486 bytes of a sample, to the digits printed.
  CHECK(std::stod(value_of(row, "sample_bytes")) == Approx(2828486).epsilon(2e-4));
  CHECK(value_of(row, "hosts") == "16");
  CHECK(value_of(row, "hosts_described") == "4");
  CHECK(value_of(row, "accelerators") == "64");
  CHECK(value_of(row, "host_memory_gb") == "503");
  CHECK(value_of(row, "host_cpus") == "96");
  CHECK(says(row.warnings, "12 of 16 hosts say 0"));
  CHECK(row.document.find("secret") == std::string::npos);
  const Imported half = read(storage(R"("train_au_mean_percentage": 0.0, "train_au_meet_expectation": "fail",
      "train_io_mean_MB_per_second": -3)"));
  CHECK(says(half.unknown, "samples_per_s"));
  CHECK(says(half.unknown, "read_mib_per_s"));
  CHECK(says(half.warnings, "waited more than the rules allow"));
  CHECK_THROWS_AS(read(storage(metric).substr(0, 400)), InputError);
}

TEST_CASE("item 115: tables of a training diary are checked by seconds x TFLOP/s") {
  const std::string head =
      "# chronicles\ntext | with a bar\n\n| Nodes | Size | DP | TP | PP | MBS |  GBS | Mem  | Sec/it | TFLOPs | Notes "
      "|\n"
      "| ----: | ---: | -: | -: | -: | --: |  --: | ---: | -----: | -----: | ----: |\n";
  // 200 s x 90 TFLOP/s x 48 nodes / 2048 samples; as much on 40 nodes; once exchanged; once off by 10 %.
  const Imported rows = read(head +
                             "|    48 | 200B | 12 |  8 |  4 |   1 | 2048 | 47GB | 200.00 |  90.00 | 02-20 |\n"
                             "|    40 | 200B |  4 |  8 | 10 |   1 | 2048 | 35GB | 216.00 | 100.00 |       |\n"
                             "|    48 | 200B |  4 |  8 | 12 |   2 | 2048 | 37GB |  90.00 | 200.00 | 02-21 |\n"
                             "|    48 | 200B |  4 |  8 | 12 |   4 | 2048 | 37GB | 180.00 | 100.00 | 02-21 |\n"
                             "|    48 | 200B |  4 |  8 | 12 |   8 | 2048 | 37GB | 180.00 | 110.00 | 02-21 |\n"
                             "|    48 | 200B |  8 |  8 |  1 |   1 | 2048 | OOM  |   xxxx |   xxxx | may hang |\n"
                             "|       |      |    |    |    |     |      |      |        |        |       |\n\n"
                             "| origin | size |\n| --- | --- |\n| bs | 104B |\n");
  CHECK(says(rows.known, "5 rows"));
  CHECK(says(rows.known, "2 of them agree"));
  CHECK(says(rows.warnings, "line 6: seconds and TFLOP/s exchanged here or in line 8"));
  CHECK(says(rows.warnings, "line 8: seconds and TFLOP/s exchanged here or in line 6"));
  CHECK(says(rows.warnings, "line 10: product off by 10 %"));
  CHECK(says(rows.unknown, "1 lines without a number"));
  CHECK(rows.document.find("40,,200B,,4,8,10,1,2048,216,100,agrees,7\n") != std::string::npos);
  const Imported one = read(
      "| async | GBS | TFLOPs | Notes |\n|---|---|---|---|\n| no | 512 | 91.04 | |\n| yes | 2048 | xxxx | always hangs "
      "|\n");
  CHECK(one.document.find(",512,,91.04,,3\n") != std::string::npos);
  CHECK_THROWS_AS(read("| a | Sec/it |\n|---|---|\n| 1 | OOM |\n"), InputError);
}

TEST_CASE("items 108 and 112: published MLPerf runs by their first start and successful stop") {
  const auto line = [](const std::string& key, const std::string& time, const std::string& value,
                       const std::string& more) {
    return ":::MLLOG {\"namespace\": \"\", \"time_ms\": " + time + ", \"event_type\": \"INTERVAL_START\", \"key\": \"" +
           key + "\", \"value\": " + value + ", \"metadata\": {\"file\": \"x.py\", \"lineno\": 1" + more + "}}\n";
  };
  // 8 samples a step, 3840 seen: 1.887 samples/s over the whole run of 33.93 min, 2.115 logged while training.
  const Imported lora =
      read(line("global_batch_size", "1755477300000", "8", "") + line("run_start", "1755477365577", "null", "") +
           line("tracked_stats", "1755478000000", "{\"throughput\": 2.115}", "") +
           line("eval_accuracy", "1755479400000", "0.92", ", \"samples_count\": 3840") +
           line("run_stop", "1755479401425", "null", ", \"samples_count\": 3840, \"status\": \"success\""));
  CHECK(std::stod(value_of(lora, "time_to_train_min")) ==
        Approx((1755479401425.0 - 1755477365577.0) / 60000).epsilon(1e-5));
  CHECK(value_of(lora, "global_batch_size") == "8");
  CHECK(value_of(lora, "logged_throughput") == "2.115");
  CHECK(value_of(lora, "samples_to_converge_mean") == "3840");
  // 2241 lines: each of 64 nodes clears its cache and says so, blocks of steps follow; 24,120 ms are 0.402 min.
  std::string theia;
  for (int node = 0; node < 64; ++node)
    theia += std::to_string(node) + ": " + line("cache_clear", "1700000000000", "true", "");
  theia += line("run_start", "1700000100000", "null", "");
  for (int block = 0; block < 2241 - 64 - 2; ++block)
    theia += line("block_start", "1700000100001", "null", ", \"samples_count\": 0");
  const Imported fast = read(theia + line("run_stop", "1700000124120", "null", ", \"status\": \"success\""));
  CHECK(value_of(fast, "time_to_train_min") == "0.402");
  CHECK(value_of(fast, "n_runs") == "1");
}

}  // namespace clustersim
