// nccl-tests logs of every era, in shapes that people paste. The numbers are our own, from a formula:
// t = 20 us + S x f / B, busbw = S / t x f, so that every row agrees with itself.
#include <catch2/catch.hpp>
#include <cstdio>

#include "sim/import/measurement_formats.h"
#include "sim/import/nccl_rows.h"
#include "sim/import/text_source.h"
#include "tests/sim/measurement_samples.h"

using namespace clustersim;

namespace {

constexpr double bus_gb = 200;

double seconds_of(CollectiveOp op, int ranks, double bytes) {
  return 20e-6 + bytes * bus_factor(op, ranks) / (bus_gb * 1e9);
}

std::string text_of(const char* format, double a, double b, double c) {
  char text[80];
  std::snprintf(text, sizeof text, format, a, b, c);
  return text;
}

// "  time  algbw  busbw", in microseconds times `unit`.
std::string side(CollectiveOp op, int ranks, double bytes, double slower = 1, double unit = 1) {
  const double t = seconds_of(op, ranks, bytes) * slower, algbw = bytes / t / 1e9;
  return text_of("  %.4g  %.2f  %.2f", t * 1e6 * unit, algbw, algbw * bus_factor(op, ranks));
}

std::string devices(int ranks, int per_node, const std::string& tag = "") {
  std::string text;
  for (int r = 0; r < ranks; ++r)
    text += tag + "#  Rank " + std::to_string(r) + " Group  0 Pid " + std::to_string(1000 + r) + " on secret-host" +
            std::to_string(r / per_node) + " device " + std::to_string(r % per_node) + " [0x0" +
            std::to_string(r % per_node) + "] NVIDIA A100-SXM4-40GB\n";
  return text;
}

MeasuredFile read(const std::string& text) { return read_measurements("log.txt", clean_text(text)); }

}  // namespace

TEST_CASE("an old log: operator column, no root, N/A for errors", "[measurements]") {
  const auto op = CollectiveOp::all_reduce;
  std::string text = "# nThread 1 nGpus 8 minBytes 8 maxBytes 64 step: 2(factor)\n# Using devices\n" + devices(8, 8) +
                     "#       size  count  type  redop   time  algbw  busbw  error   time  algbw  busbw  error\n"
                     "#        (B)                        (us)  (GB/s)  (GB/s)         (us)\n";
  for (const double s : {1048576.0, 268435456.0, 8589934592.0})
    text += "  " + std::to_string(static_cast<long long>(s)) + "  " + std::to_string(static_cast<long long>(s / 4)) +
            "  float  sum" + side(op, 8, s) + "  N/A" + side(op, 8, s, 1.02) + "  N/A\n";
  text += "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 68.4\n";
  const MeasuredFile file = read(text);
  CHECK(file.format == "nccl-tests text");
  CHECK(file.gpu == "NVIDIA A100-SXM4-40GB");
  REQUIRE(file.collectives.size() == 3);
  CHECK(file.collectives[2].op == op);
  CHECK(file.collectives[2].ranks == 8);
  CHECK(file.collectives[2].nodes == 1);
  CHECK(file.collectives[2].line == 15);
  // Of out of place and in place the slower one.
  CHECK(file.collectives[2].seconds == Approx(1.02 * seconds_of(op, 8, 8589934592.0)).epsilon(0.001));
  CHECK(file.warnings.empty());
}

TEST_CASE("a log under mpirun: tags, trailing blanks, two nodes, root and #wrong, iterations", "[measurements]") {
  const auto op = CollectiveOp::all_reduce;
  std::string text;
  for (const double s : {0.0, 65536.0, 134217728.0})
    text += "[1,0]<stdout>:  " + std::to_string(static_cast<long long>(s)) + "  " +
            std::to_string(static_cast<long long>(s / 4)) + "  float  sum  -1" +
            (s > 0 ? side(op, 16, s) : "  12.3  0.00  0.00") + "  0" +
            (s > 0 ? side(op, 16, s) : "  12.1  0.00  0.00") + "  0  20  \r\n";
  const MeasuredFile file = read(devices(16, 8, "[1,0]<stdout>:") + "[1,0]<stdout>:# busbw algbw\n" + text);
  REQUIRE(file.collectives.size() == 2);  // the empty first size is no measurement
  CHECK(file.collectives[0].ranks == 16);
  CHECK(file.collectives[0].nodes == 2);
  for (const Warning& warning : file.warnings) CHECK(warning.text.find("secret") == std::string::npos);
}

TEST_CASE("all-to-all leaves the operator blank and prints like all-gather: it must be named", "[measurements]") {
  const auto op = CollectiveOp::all_to_all;
  std::string text = devices(8, 8) + "# algbw busbw\n";
  for (const double s : {1048576.0, 8589934592.0})
    text += std::to_string(static_cast<long long>(s)) + " " + std::to_string(static_cast<long long>(s / 32)) +
            " float" + side(op, 8, s) + " 0e+00" + side(op, 8, s) + " 0e+00\n";
  const MeasuredFile unnamed = read(text);
  CHECK(unnamed.empty());
  REQUIRE_FALSE(unnamed.warnings.empty());
  CHECK(unnamed.warnings.back().text.find("--op") != std::string::npos);
  const MeasuredFile named = read("$ mpirun -np 8 ./build/alltoall_perf -b 1M -e 8G\n" + text);
  REQUIRE(named.collectives.size() == 2);
  CHECK(named.collectives[1].op == op);
  const MeasuredFile option = read_measurements("log.txt", text, {op});
  CHECK(option.collectives.size() == 2);
}

TEST_CASE("a reduce with root 0 and a reduce_scatter are told by their factor", "[measurements]") {
  for (const auto op : {CollectiveOp::reduce, CollectiveOp::reduce_scatter}) {
    std::string text = devices(8, 8) + "# algbw busbw\n";
    for (const double s : {1048576.0, 8589934592.0})
      text += std::to_string(static_cast<long long>(s)) + " " + std::to_string(static_cast<long long>(s / 4)) +
              " float sum " + (op == CollectiveOp::reduce ? "0" : "-1") + side(op, 8, s) + " 0" + side(op, 8, s) +
              " 0\n";
    const MeasuredFile file = read(text);
    REQUIRE(file.collectives.size() == 2);
    CHECK(file.collectives[0].op == op);
  }
}

TEST_CASE("milliseconds of the first NCCL tests are told by the bandwidth beside them", "[measurements]") {
  const auto op = CollectiveOp::all_reduce;
  std::string text =
      "# Rank 0 uses device 0 [0x04] Tesla P100\n# Rank 1 uses device 1 [0x05] Tesla P100\n# algbw busbw\n";
  text +=
      "100000000 25000000 float sum" + side(op, 2, 1e8, 1, 1e-3) + " 0e+00" + side(op, 2, 1e8, 1, 1e-3) + " 0e+00\n";
  const MeasuredFile file = read(text);
  REQUIRE(file.collectives.size() == 1);
  CHECK(file.collectives[0].seconds == Approx(seconds_of(op, 2, 1e8)).epsilon(0.001));
}

TEST_CASE("rows that do not agree with themselves are left out with their line", "[measurements]") {
  const auto op = CollectiveOp::all_reduce;
  const MeasuredFile file = read(devices(8, 8) + "# algbw busbw\n268435456 67108864 float sum -1" +
                                 side(op, 8, 268435456) + " 0" + side(op, 8, 268435456) +
                                 " 0\n268435456 67108864 float sum -1  1386.8 193.57 193.57 0 1386.8 193.57 193.57 0\n"
                                 "268435456 67108864 float sum -1" +
                                 side(op, 8, 268435456) + " 7" + side(op, 8, 268435456) + " 0\n");
  CHECK(file.collectives.size() == 1);
  REQUIRE(file.warnings.size() >= 2);
  CHECK(file.warnings[0].line == 11);  // busbw equals algbw: of another operation or column
  CHECK(file.warnings.back().line == 12);
  CHECK(file.warnings.back().text.find("wrong") != std::string::npos);
}

TEST_CASE("a log without rows is no data, never 0 GB/s", "[measurements]") {
  const MeasuredFile file = read("# nThread 1 nGpus 1 minBytes 8 maxBytes 8\n# Avg bus bandwidth    : 0\n");
  CHECK(file.format == "nccl-tests text");
  CHECK(file.empty());
  REQUIRE(file.warnings.size() == 1);
  CHECK(file.warnings[0].text.find("no data") != std::string::npos);
}

TEST_CASE("without device lines the ranks follow from busbw over algbw", "[measurements]") {
  const auto op = CollectiveOp::all_reduce;
  const MeasuredFile file = read("# algbw busbw\n8589934592 2147483648 float sum -1" + side(op, 8, 8589934592.0) +
                                 " 0" + side(op, 8, 8589934592.0) + " 0\n");
  REQUIRE(file.collectives.size() == 1);
  CHECK(file.collectives[0].ranks == 8);
  CHECK(file.warnings.size() == 1);
}

TEST_CASE("a column that somebody put in front is not the size", "[measurements]") {
  // "4 1073741824 268435456 float sum ...": nodes, then size and count; the first two whole numbers are no size and
  // count, since the type stands behind the third.
  const auto op = CollectiveOp::all_reduce;
  const MeasuredFile file = read(devices(32, 8) + "# algbw busbw\n4 1073741824 268435456 float sum -1" +
                                 side(op, 32, 1073741824) + " 0" + side(op, 32, 1073741824) + " 0\n");
  REQUIRE(file.collectives.size() == 1);
  CHECK(file.collectives[0].bytes == 1073741824);
}

TEST_CASE("old logs tell all-gather and all-to-all by the header's columns", "[measurements]") {
  // All-gather had no column for the operator, all-to-all an empty one. 8 GiB on 8 ranks: busbw = algbw x 7/8.
  const std::string devices = [] {
    std::string text;
    for (int r = 0; r < 8; ++r)
      text += "#   Rank  " + std::to_string(r) + " Pid      1 on       host device  " + std::to_string(r) +
              " [0x01] A100-SXM4-40GB\n";
    return text;
  }();
  const std::string gather =
      devices +
      "#       size         count    type     time   algbw   busbw  error     time   algbw   busbw  error\n"
      "  8589934592     268435456   float    33646  255.31  223.39    N/A    32669  262.94  230.07    N/A\n";
  const std::string exchange =
      devices +
      "#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error\n"
      "  8589934592     268435456   float            33508  256.36  224.31    N/A    33234  258.47  226.16    N/A\n";
  REQUIRE(read_measurements("f", gather).collectives.size() == 1);
  CHECK(read_measurements("f", gather).collectives[0].op == CollectiveOp::all_gather);
  REQUIRE(read_measurements("f", exchange).collectives.size() == 1);
  CHECK(read_measurements("f", exchange).collectives[0].op == CollectiveOp::all_to_all);
}

TEST_CASE("a log of several runs: each has its own ranks and operation", "[measurements]") {
  // Two ranks, then four of another test, as one terminal shows them. busbw of an all-reduce: 2 (n - 1)/n of algbw.
  const auto run = [](const std::string& program, int ranks, const std::string& row) {
    std::string text = "$ ./build/" + program + " -g " + std::to_string(ranks) + "\n# nThread 1 nGpus " +
                       std::to_string(ranks) + " minBytes 8\n# Using devices\n";
    for (int r = 0; r < ranks; ++r)
      text += "#  Rank  " + std::to_string(r) + " Group  0 Pid 1 on h device  " + std::to_string(r) + " [0x07] A100\n";
    return text + "#  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong\n" + row +
           "# Avg bus bandwidth : 1\n# Collective test concluded: " + program + "\n";
  };
  const MeasuredFile file = read_measurements(
      "f",
      run("all_reduce_perf", 2, " 8388608 2097152 float sum -1 60.00 139.81 139.81 0 60.00 139.81 139.81 0\n") +
          run("all_gather_perf", 4, " 8388608 524288 float none -1 60.00 139.81 104.86 0 60.00 139.81 104.86 0\n"));
  REQUIRE(file.collectives.size() == 2);
  CHECK(file.collectives[0].op == CollectiveOp::all_reduce);
  CHECK(file.collectives[0].ranks == 2);
  CHECK(file.collectives[1].op == CollectiveOp::all_gather);
  CHECK(file.collectives[1].ranks == 4);
  REQUIRE(file.warnings.size() == 1);
  CHECK(file.warnings[0].text.find("2 runs") == 0);
  // A line of NCCL's between the rows that names the program begins none.
  const std::string row = " 8388608 2097152 float sum -1 60.00 139.81 139.81 0 60.00 139.81 139.81 0\n";
  const MeasuredFile one =
      read_measurements("f", run("all_reduce_perf", 2, row + "h:1:2 [0] NCCL INFO ./build/all_reduce_perf\n" + row));
  CHECK(one.collectives.size() == 2);
  CHECK(one.warnings.empty());
}

TEST_CASE("columns of single iterations, NCCL's own lines between the rows, JSON of the newest", "[measurements]") {
  const MeasuredFile text = read_measurements("f", samples::nccl_iterations);
  REQUIRE(text.collectives.size() == 2);
  CHECK(text.collectives[0].op == CollectiveOp::all_gather);
  CHECK(text.collectives[0].seconds == Approx(64e-6));  // in place, the slower side
  CHECK(text.collectives[1].seconds == Approx(41e-6));
  const MeasuredFile json = read_measurements("f", samples::nccl_json_new);
  REQUIRE(json.collectives.size() == 2);
  CHECK(json.collectives[0].op == CollectiveOp::send_recv);
  CHECK(json.collectives[0].ranks == 2);  // of the first group
  CHECK(json.collectives[0].nodes == 2);
  CHECK(json.gpu == "NVIDIA H100 80GB HBM3");
  CHECK(json.program.find("NCCL 2.27.3") != std::string::npos);
}

TEST_CASE("rows that NCCL's own lines break apart are put together again", "[measurements]") {
  // Two ranks: busbw = algbw = S / t: 8 MiB in 81.20 us are 103.31 GB/s, in 80.98 us 103.59; 16 MiB in 127 us 132.1.
  const MeasuredFile file = read(
      "#  Rank  0 Group  0 Pid  64904 on mew0 device  0 [0x17] NVIDIA A100 80GB PCIe\n"
      "#  Rank  1 Group  0 Pid  64904 on mew0 device  1 [0x65] NVIDIA A100 80GB PCIe\n"
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw\n"
      "     8388608       2097152     float     sum      -1mew0:64904:64904 [1] NCCL INFO AllReduce: opCount 0\n"
      "mew0:64904:64904 [0] NCCL INFO AllReduce: 8388608 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..23}\n"
      "    81.20  103.31  103.31      0mew0:64904:64904 [1] NCCL INFO AllReduce: opCount 0 sendbuff 0xf20000000\n"
      "    80.98  103.59  103.59      0\n"
      "    16777216       4194304     float     sum      -1mew0:64904:64904 [1] NCCL INFO AllReduce: opCount 0\n"
      "    127.0  132.13  132.13      0\n");
  REQUIRE(file.collectives.size() == 2);
  CHECK(file.collectives[0].op == CollectiveOp::all_reduce);
  CHECK(file.collectives[0].seconds == Approx(81.20e-6));  // the slower side
  CHECK(file.collectives[1].seconds == Approx(127.0e-6));
}

TEST_CASE("rows too small for digits of rates are told by their count of elements", "[measurements]") {
  const auto row = [](const char* count) {
    return read(
        "#  Rank  0 Pid 1 on a device  0 [0x17] X\n#  Rank  1 Pid 2 on a device  1 [0x65] X\n"
        "#       size         count      type   redop     time   algbw   busbw  error\n"
        "          64            " +
        std::string(count) + "     float     sum    55.57    0.00    0.00    N/A\n");
  };
  REQUIRE(row("16").collectives.size() == 1);
  CHECK(row("16").collectives[0].op == CollectiveOp::all_reduce);
  REQUIRE(row(" 8").collectives.size() == 1);
  CHECK(row(" 8").collectives[0].op == CollectiveOp::reduce_scatter);
  CHECK(row(" 5").collectives.empty());
}

TEST_CASE("nccl-tests JSON: null sides, cpu_time, ranks from the device list", "[measurements]") {
  const double s = 1073741824, t = seconds_of(CollectiveOp::all_gather, 2, s) * 1e6;
  const double algbw = s / t / 1e3;
  const MeasuredFile file = read(
      "warning before\n{\"version\": 2, \"args\": [\"./all_gather_perf\", \"-J\", \"x\"], \"nccl_version\": \"2.27.5\","
      "\"config\": {\"devices\": [{\"rank\": 0, \"host\": \"secret\"}, {\"rank\": 1, \"host\": \"secret\"}]},"
      "\"results\": [{\"size\": 1073741824, \"count\": 1, \"type\": \"float\", \"redop\": \"none\", \"root\": -1,"
      "\"out_of_place\": null, \"in_place\": {\"cpu_time\": " +
      std::to_string(t) + ", \"alg_bw\": " + std::to_string(algbw) + ", \"bus_bw\": " + std::to_string(algbw / 2) +
      ", \"nwrong\": 0}}]}");
  CHECK(file.format == "nccl-tests JSON");
  REQUIRE(file.collectives.size() == 1);
  CHECK(file.collectives[0].op == CollectiveOp::all_gather);
  CHECK(file.collectives[0].ranks == 2);
  CHECK(file.collectives[0].seconds == Approx(t * 1e-6));
}

TEST_CASE("columns in another order, or fewer of them, are read by the names of the header", "[measurements]") {
  // The row of 4 MiB on 4 ranks: t = 20 us + S x 1.5 / 200 GB/s = 51.5 us, algbw 81.5, busbw 122.
  const auto op = CollectiveOp::all_reduce;
  const double s = 4194304, t = seconds_of(op, 4, s), algbw = s / t / 1e9;
  const std::string size = std::to_string(static_cast<long long>(s)), us = text_of("%.6g", t * 1e6, 0, 0),
                    alg = text_of("%.2f", algbw, 0, 0), bus = text_of("%.2f", algbw * 1.5, 0, 0);
  const std::string head = "# nThread 1 nGpus 4 minBytes 8 maxBytes 64\n" + devices(4, 4);
  const std::string slower = text_of("%.6g", t * 1.02e6, 0, 0), slower_alg = text_of("%.2f", algbw / 1.02, 0, 0),
                    slower_bus = text_of("%.2f", algbw * 1.5 / 1.02, 0, 0);
  const std::string tables[] = {"# time size busbw algbw\n" + us + " " + size + " " + bus + " " + alg + "\n",
                                "# size type redop time busbw\n" + size + " float sum " + us + " " + bus + "\n",
                                "# size redop algbw time\n" + size + " sum " + alg + " " + us + "\n",
                                "# size count type redop root time algbw busbw time algbw busbw\n" + size +
                                    " 1048576 float sum -1 " + us + " " + alg + " " + bus + " " + slower + " " +
                                    slower_alg + " " + slower_bus + "\n",
                                "# busbw algbw time size busbw algbw time\n" + bus + " " + alg + " " + us + " " + size +
                                    " " + slower_bus + " " + slower_alg + " " + slower + "\n"};
  for (const std::string& table : tables) {
    INFO(table);
    const MeasuredFile file = read_measurements("log", clean_text(head + table), {op});
    REQUIRE(file.collectives.size() == 1);
    CHECK(file.collectives[0].bytes == s);
    const bool two = table.find(slower) != std::string::npos;  // of both sides the slower time counts
    CHECK(file.collectives[0].seconds == Approx(two ? 1.02 * t : t).epsilon(1e-4));
  }
  // A busbw of another column than the name says is no row of this operation.
  const MeasuredFile wrong = read_measurements(
      "log", clean_text(head + "# time size algbw busbw\n" + us + " " + size + " " + bus + " " + alg + "\n"), {op});
  CHECK(wrong.collectives.empty());
}
