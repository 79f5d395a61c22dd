// Logs that users published, item by item: their rows and oddities in small texts of our own.
#include <catch2/catch.hpp>
#include <cmath>

#include "sim/import/measurement_formats.h"
#include "sim/import/nccl_rows.h"
#include "sim/import/text_source.h"

using namespace clustersim;

namespace {

MeasuredFile read(const std::string& text) { return read_measurements("log", clean_text(text)); }

std::string devices(int ranks, const std::string& model = "A100-SXM4-40GB") {
  std::string text = "# Using devices\n";
  for (int r = 0; r < ranks; ++r)
    text += "#   Rank  " + std::to_string(r) + " Pid  1 on host" + std::to_string(r / 8) + " device  " +
            std::to_string(r % 8) + " [0x07] " + model + "\n";
  return text;
}

std::vector<Measured> of(const MeasuredFile& file, Subject subject) {
  std::vector<Measured> found;
  for (const Measured& m : file.values)
    if (m.subject == subject) found.push_back(m);
  return found;
}

double busbw_gb(const CollectiveTime& row) { return row.bytes / row.seconds * bus_factor(row.op, row.ranks) * 1e-9; }

const std::string new_head =
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw "
    "#wrong\n";

}  // namespace

TEST_CASE("items 50 to 52: all-reduce of an old header, all-to-all without an operator, reduce with a root",
          "[cases]") {
  const MeasuredFile reduce_all = read(
      devices(8) +
      "#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error\n"
      "  8589934592    2147483648   float     sum    63896  134.44  235.26    N/A    63959  134.30  235.03    N/A\n"
      "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 68.4048\n");
  REQUIRE(reduce_all.collectives.size() == 1);
  CHECK(reduce_all.collectives[0].op == CollectiveOp::all_reduce);
  CHECK(busbw_gb(reduce_all.collectives[0]) == Approx(235.03).epsilon(1e-3));  // in place, the slower
  const MeasuredFile exchange = read(
      devices(8) +
      "#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error\n"
      "  8589934592     268435456   float            33508  256.36  224.31    N/A    33234  258.47  226.16    N/A\n");
  REQUIRE(exchange.collectives.size() == 1);
  CHECK(exchange.collectives[0].op == CollectiveOp::all_to_all);
  CHECK(exchange.collectives[0].bytes == 8589934592.0);  // the count is that of a peer
  CHECK(busbw_gb(exchange.collectives[0]) == Approx(224.31).epsilon(1e-3));
  const MeasuredFile rooted = read(devices(8) +
                                   "#       size         count    type   redop    root     time   algbw   busbw  error "
                                   "    time   algbw   busbw  error\n"
                                   "  8589934592    2147483648   float     sum       0    37613  228.38  228.38    N/A "
                                   "   37613  228.38  228.38    N/A\n");
  REQUIRE(rooted.collectives.size() == 1);
  CHECK(rooted.collectives[0].op == CollectiveOp::reduce);
  CHECK(busbw_gb(rooted.collectives[0]) == Approx(228.38).epsilon(1e-3));
}

TEST_CASE("item 56: mpirun's tags and trailing blanks, an average over all sizes that is no measurement", "[cases]") {
  std::string text;
  for (const std::string& line :
       lines_of(devices(16) + new_head +
                "  1073741824     268435456     float     sum      -1   16229   66.16  124.05      0"
                "    16242   66.11  123.96      0\n# Avg bus bandwidth    : 92.3400\n"))
    text += "[1,0]<stdout>:" + line + "   \r\n";
  const MeasuredFile file = read(text);
  REQUIRE(file.collectives.size() == 1);
  CHECK(file.collectives[0].ranks == 16);
  CHECK(busbw_gb(file.collectives[0]) == Approx(123.96).epsilon(1e-3));
}

TEST_CASE("item 59: a table whose first column a user added, with a header of his own", "[cases]") {
  // 1 to 4 nodes of 8: busbw = 2 (n - 1)/n x size / time; the sizes are 1 GiB, not 1 to 4.
  std::string text = "p4dn size count type redop time algbw busbw error time algbw busbw error\n";
  const double size = 1073741824;
  for (int nodes = 1; nodes <= 4; ++nodes) {
    const int ranks = 8 * nodes;
    const double us = 12000.0 * nodes, algbw = size / us / 1e3, busbw = algbw * 2 * (ranks - 1) / ranks;
    char row[200];
    std::snprintf(row, sizeof row, "%d 1073741824 268435456 float sum %.0f %.2f %.3f 1e-07 %.0f %.2f %.3f 1e-07\n",
                  nodes, us, algbw, busbw, us, algbw, busbw);
    text += row;
  }
  const MeasuredFile file = read(text);
  REQUIRE(file.collectives.size() == 4);
  for (int nodes = 1; nodes <= 4; ++nodes) {
    const CollectiveTime& row = file.collectives[static_cast<std::size_t>(nodes) - 1];
    CHECK(row.bytes == size);
    CHECK(row.nodes == nodes);
    CHECK(row.ranks == 8 * nodes);
    CHECK(row.seconds == Approx(0.012 * nodes));
  }
}

TEST_CASE("items 61 and 64: a linear sweep of 24 ranks, and the header that ends with iterations", "[cases]") {
  // 133 MB at 96.33 and 96.69 GB/s: t = S x 2 x 23/24 / busbw.
  const double bytes = 132120576, out_us = bytes * 2 * 23 / 24 / 96.33e3, in_us = bytes * 2 * 23 / 24 / 96.69e3;
  char row[240];
  std::snprintf(
      row, sizeof row,
      "   132120576      33030144     float     sum      -1   %.1f  %.2f  96.33      0   %.1f  %.2f  96.69      0\n",
      out_us, bytes / out_us / 1e3, in_us, bytes / in_us / 1e3);
  const std::string head =
      "# nThread 1 nGpus 1 minBytes 1048576 maxBytes 134217728 step: 1048576(bytes) warmup iters: 5 iters: 20\n";
  const MeasuredFile linear = read(head + devices(24) + new_head + row + "# Avg bus bandwidth    : 84.8558\n");
  REQUIRE(linear.collectives.size() == 1);
  CHECK(linear.collectives[0].ranks == 24);
  CHECK(linear.collectives[0].nodes == 3);
  CHECK(busbw_gb(linear.collectives[0]) == Approx(96.33).epsilon(1e-3));
  std::string iterations = row;
  iterations.insert(iterations.size() - 1, "      20");
  const MeasuredFile newer = read(head + devices(24) +
                                  "#  size  count  type  redop  root  time  algbw  busbw #wrong  time  algbw  "
                                  "busbw #wrong #iters\n" +
                                  iterations);
  REQUIRE(newer.collectives.size() == 1);
  CHECK(busbw_gb(newer.collectives[0]) == Approx(96.33).epsilon(1e-3));
}

TEST_CASE("item 66: an average of 0 and no rows is no data", "[cases]") {
  const MeasuredFile file = read("# nThread 1 nGpus 1 minBytes 8 maxBytes 8\n" + devices(2) + new_head +
                                 "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 0\n");
  CHECK(file.empty());
  REQUIRE_FALSE(file.warnings.empty());
  CHECK(file.warnings[0].text.find("no data") != std::string::npos);
}

TEST_CASE("items 67 and 70: perftest in MB of 2^20, with tabs and two rulers, or behind a list of CUDA devices",
          "[cases]") {
  const std::string ruler(87, '-');
  const MeasuredFile loop = read(ruler + "\n                    RDMA_Write BW Test\n Number of qps   : 1\n" + ruler +
                                 "\n #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n"
                                 " 8388608\t20000\t24056.74\t24056.72\t0.003007\n" +
                                 ruler + "\n" + ruler + "\n");
  REQUIRE(of(loop, Subject::rdma_rate).size() == 1);
  CHECK(of(loop, Subject::rdma_rate)[0].value * 8e-9 == Approx(201.8).epsilon(1e-3));
  const MeasuredFile gpu = read(
      "initializing CUDA\nListing all CUDA devices in system:\nCUDA device 0: PCIe address is 17:00\n"
      "\nPicking device No. 0\n[pid = 1, dev = 0] device name = [NVIDIA A30]\ncreating CUDA Ctx\n"
      "making it the current CUDA Ctx\ncuMemAlloc() of a 131072 bytes GPU buffer\n" +
      ruler + "\n                    RDMA_Write BW Test\n" + ruler +
      "\n #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n"
      " 65536      5000             11010.00            11000.00             0.176000\n" +
      ruler + "\n");
  REQUIRE(of(gpu, Subject::rdma_rate).size() == 1);
  CHECK(of(gpu, Subject::rdma_rate)[0].value == Approx(11000.0 * 1048576));  // staged, or over the sockets
  CHECK(of(gpu, Subject::rdma_rate)[0].how.ends_with("GPU memory"));
}

TEST_CASE("item 72: nvbandwidth of one device with columns that are not there, waived tests, nanoseconds", "[cases]") {
  const MeasuredFile file = read(
      "nvbandwidth Version: v0.4\n\nRunning host_to_device_memcpy_ce.\nmemcpy CE CPU(row) -> GPU(column) bandwidth "
      "(GB/s)\n"
      "          0         1         2\n0    330.91    330.95    330.94\n1    330.92    330.93    330.95\n\n"
      "SUM host_to_device_memcpy_ce 1985.60\n\nRunning device_to_host_memcpy_ce.\nmemcpy CE CPU(row) <- GPU(column) "
      "bandwidth "
      "(GB/s)\n          0\n0    295.15\n\nSUM device_to_host_memcpy_ce 295.15\n\n"
      "Waived: \nRunning device_to_device_latency_sm.\nDevice to Device Latency SM GPU(row) <- GPU(column) (ns)\n"
      "          0\n0    772.58\n\nSUM device_to_device_latency_sm 772.58\n");
  const auto down = of(file, Subject::host_to_gpu), up = of(file, Subject::gpu_to_host);
  REQUIRE(down.size() == 6);
  double sum = 0;
  for (const Measured& m : down) sum += m.value * 1e-9;
  CHECK(sum == Approx(1985.60).epsilon(1e-4));
  REQUIRE(up.size() == 1);
  CHECK(up[0].value == Approx(295.15e9));
  CHECK(file.values.size() == 7);  // no latency among the rates
}

TEST_CASE("item 73: nvbandwidth between eight GPUs: no diagonal, and no way that shares with its opposite", "[cases]") {
  std::string text =
      "nvbandwidth Version: v0.6\n\nRunning device_to_device_memcpy_write_ce.\nmemcpy CE GPU(row) <- GPU(column) "
      "bandwidth (GB/s)\n  ";
  for (int g = 0; g < 8; ++g) text += "       " + std::to_string(g);
  for (int a = 0; a < 8; ++a) {
    text += "\n" + std::to_string(a);
    for (int b = 0; b < 8; ++b) text += a == b ? "    0.00" : "  276.07";
  }
  text +=
      "\n\nSUM device_to_device_memcpy_write_ce 15459.92\n\nRunning host_to_device_memcpy_ce.\nmemcpy CE CPU(row) -> "
      "GPU(column) bandwidth (GB/s)\n        0       1\n0   26.03   25.94\n\nRunning "
      "host_to_device_bidirectional_memcpy_ce.\n"
      "memcpy CE CPU(row) <-> GPU(column) bandwidth (GB/s)\n        0       1\n0   18.56   18.37\n";
  const MeasuredFile file = read(text);
  CHECK(of(file, Subject::gpu_pair).size() == 56);
  for (const Measured& m : of(file, Subject::gpu_pair)) CHECK(m.value == Approx(276.07e9));
  REQUIRE(of(file, Subject::host_to_gpu).size() == 2);
  CHECK(of(file, Subject::host_to_gpu)[0].value == Approx(26.03e9));
}

TEST_CASE("item 75: the latency of the GPU's block, not of the CPU's below the same title", "[cases]") {
  const MeasuredFile file = read(
      "[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]\nDevice: 0, Tesla V100-SXM2-16GB, pciBusID: 1, pciDeviceID: 0, "
      "pciDomainID:0\nDevice: 1, Tesla V100-SXM2-16GB, pciBusID: 2, pciDeviceID: 0, pciDomainID:0\nP2P Connectivity "
      "Matrix\n"
      "     D\\D     0     1\n     0\t     1     1\n     1\t     1     1\nP2P=Disabled Latency Matrix (us)\n   GPU     "
      "0      1\n"
      "     0   1.60  19.80\n     1  11.20   1.60\n\n   CPU     0      1\n     0   3.10   8.20\n     1   8.10   3.00\n"
      "P2P=Enabled Latency (P2P Writes) Matrix (us)\n   GPU     0      1\n     0   1.60   1.80\n     1   2.30   "
      "1.60\n\n"
      "   CPU     0      1\n     0   3.10   2.20\n     1   2.30   3.00\n");
  const auto latency = of(file, Subject::gpu_pair_latency);
  REQUIRE(latency.size() == 2);
  CHECK(latency[0].value == Approx(1.8e-6));
  CHECK(latency[1].value == Approx(2.3e-6));
}

TEST_CASE("items 78, 80 and 83: bandwidthTest's lines of no time, copies by DMA, iperf3's JSON with tabs", "[cases]") {
  const MeasuredFile shmoo = read(
      "bandwidthTest-H2D-Pinned, Bandwidth = 0.3 GB/s, Time = 0.00000 s, Size = 1000 bytes, NumDevsUsed = 1\n"
      "bandwidthTest-H2D-Pinned, Bandwidth = 12.4 GB/s, Time = 0.00516 s, Size = 64000000 bytes, NumDevsUsed = 1\n");
  REQUIRE(of(shmoo, Subject::host_to_gpu).size() == 2);
  CHECK(of(shmoo, Subject::host_to_gpu)[1].value == Approx(12.4e9));
  CHECK(of(shmoo, Subject::host_to_gpu)[1].bytes == 64e6);
  const MeasuredFile copies = read(
      "cpu_to_gpu0_by_sm_under_numa0 26.24\ngpu0_to_cpu_by_sm_under_numa0 5.67\ngpu0_to_cpu_by_dma_under_numa0 "
      "25.85\n");
  REQUIRE(copies.values.size() == 1);
  CHECK(copies.values[0].value == Approx(25.85e9));
  const MeasuredFile udp = read(
      "{\n\t\"start\":\t{\n\t\t\"version\":\t\"iperf "
      "3.19\",\n\t\t\"target_bitrate\":\t170000000,\n\t\t\"test_start\":\t{\n"
      "\t\t\t\"protocol\":\t\"UDP\",\n\t\t\t\"num_streams\":\t1,\n\t\t\t\"duration\":\t10,\n\t\t\t\"target_bitrate\":"
      "\t170000000\n\t\t}\n"
      "\t},\n\t\"intervals\":\t[],\n\t\"end\":\t{\n\t\t\"sum\":\t{\n\t\t\t\"bits_per_second\":\t169998000.5,"
      "\n\t\t\t\"lost_percent\":\t0\n"
      "\t\t}\n\t}\n}\n");
  REQUIRE(udp.values.size() == 1);
  CHECK(udp.values[0].subject == Subject::udp_rate);
  CHECK(udp.values[0].value * 8e-6 == Approx(170).epsilon(1e-3));
}

TEST_CASE("items 84 and 87: fio 3 with percentiles of lat_ns, fio 2 in microseconds", "[cases]") {
  const MeasuredFile three = read(
      R"({"fio version": "fio-3.16", "global options": {"direct": "1", "bs": "4k", "iodepth": "64", "numjobs": "4",
      "rw": "randrw", "lat_percentiles": "1", "group_reporting": ""}, "jobs": [{"jobname": "rand_read_write", "error": 0,
      "read": {"io_bytes": 1, "bw_bytes": 348743777, "bw": 340570, "iops": 85139.6, "clat_ns": {"mean": 1500000.0},
      "lat_ns": {"mean": 1501000.0, "percentile": {"99.000000": 4000000}}},
      "write": {"io_bytes": 1, "bw_bytes": 348500000, "bw": 340332, "iops": 85066.0}}]})");
  const auto reads = of(three, Subject::storage_read_iops), writes = of(three, Subject::storage_write_iops);
  REQUIRE(reads.size() == 1);
  REQUIRE(writes.size() == 1);
  CHECK(reads[0].value * reads[0].bytes == Approx(348.7e6).epsilon(1e-3));
  CHECK(reads[0].value == Approx(85139.6));
  CHECK(reads[0].streams == 256);
  CHECK(writes[0].value == Approx(85066));
  const MeasuredFile two = read(
      R"({"fio version": "fio-2.21", "jobs": [{"jobname": "one", "error": 0, "job options": {"rw": "randread", "bs": "4k",
      "iodepth": "1", "direct": "1"}, "read": {"io_bytes": 5, "bw": 40000, "iops": 10000, "lat": {"mean": 96.0},
      "clat": {"mean": 95.0}}}]})");
  REQUIRE(of(two, Subject::storage_read_latency).size() == 1);
  CHECK(of(two, Subject::storage_read_latency)[0].value == Approx(95e-6));
}
