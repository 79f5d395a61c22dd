#include <catch2/catch.hpp>

#include "sim/import/measurement_formats.h"
#include "sim/import/measurement_text.h"
#include "sim/import/text_source.h"
#include "tests/sim/measurement_samples.h"

using namespace clustersim;

namespace {

MeasuredFile read(const std::string& text) { return read_measurements("file", text); }

std::vector<Measured> of(const MeasuredFile& file, Subject subject) {
  std::vector<Measured> found;
  for (const Measured& m : file.values)
    if (m.subject == subject) found.push_back(m);
  return found;
}

bool warned(const MeasuredFile& file, const std::string& part) {
  for (const Warning& warning : file.warnings)
    if (warning.text.find(part) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("every format is recognised by its content alone", "[measurements]") {
  for (const auto& [format, text] : samples::all()) {
    CHECK(read(text).format == format);
    CHECK_FALSE(read(text).empty());
  }
  CHECK(read("hello\n").format.empty());
  CHECK(read("{\"clustersim\": 1}").format.empty());
  CHECK(read("").format.empty());
}

TEST_CASE("perftest: MB/sec are 2^20 bytes, both ways are halved, latency is t_typical", "[measurements]") {
  const auto rates = of(read(samples::perftest_bw), Subject::rdma_rate);
  REQUIRE(rates.size() == 2);
  CHECK(rates[1].value == Approx(23000.0 * 1048576));
  CHECK(rates[1].bytes == 8388608);
  CHECK(rates[1].streams == 2);
  CHECK(rates[1].line == 9);
  CHECK(of(read(samples::perftest_both), Subject::rdma_rate)[0].value == Approx(390e9 / 8 / 2));
  const auto latency = of(read(samples::perftest_lat), Subject::rdma_latency);
  REQUIRE(latency.size() == 1);
  CHECK(latency[0].value == Approx(1.12e-6));
  CHECK(of(read(samples::perftest_json), Subject::rdma_rate)[0].value == Approx(96e9 / 8));
}

TEST_CASE("newer perftest: MiB/sec, service levels, GPU memory; JSON that names no unit", "[measurements]") {
  const auto rates = of(read(samples::perftest_levels), Subject::rdma_rate);
  REQUIRE(rates.size() == 1);
  CHECK(rates[0].value == Approx(11000.0 * 1048576));
  CHECK(rates[0].how.ends_with("GPU memory"));
  const auto json = of(read(R"({"test_info": {"test": "RDMA_Write_Bidirectional_BW_Test", "Number_of_qps": 2,
      "cuda_device": 0}, "results": {"MsgSize": 65536, "n_iterations": 5000, "BW_peak": 0.00, "BW_average": 20000.00,
      "MsgRate": 0.32}})"),
                       Subject::rdma_rate);
  REQUIRE(json.size() == 1);
  CHECK(json[0].value == Approx(20000.0 * 1048576 / 2));
  CHECK(json[0].confidence == Confidence::low);
  CHECK(json[0].how.ends_with("GPU memory"));
}

TEST_CASE("what iperf3 prints: the receiver's sum, loss taken off, a run by itself", "[measurements]") {
  const MeasuredFile file = read(samples::iperf3_text);
  REQUIRE(file.values.size() == 2);
  CHECK(file.values[0].subject == Subject::tcp_rate);
  CHECK(file.values[0].value == Approx(93.4e9 / 8));
  CHECK(file.values[0].streams == 2);
  CHECK(file.values[1].subject == Subject::udp_rate);
  CHECK(file.values[1].value == Approx(1e9 / 8 * 0.985));
  CHECK(file.values[1].streams == 1);
}

TEST_CASE("what fio prints: powers of two, depth times jobs, doubtful unless it says direct", "[measurements]") {
  const MeasuredFile file = read(samples::fio_text);
  CHECK(file.program == "fio-3.28");
  REQUIRE(file.values.size() == 2);
  CHECK(file.values[0].subject == Subject::storage_read);
  CHECK(file.values[0].value == Approx(2861.0 * 1048576));
  CHECK(file.values[1].subject == Subject::storage_read_iops);
  CHECK(file.values[1].value == Approx(85100));
  CHECK(file.values[1].streams == 64 * 4);
  CHECK(file.values[1].confidence == Confidence::low);
  CHECK(warned(file, "direct=1"));
  const MeasuredFile old = read(samples::fio2_text);
  REQUIRE(old.values.size() == 1);
  CHECK(old.values[0].subject == Subject::storage_write);
  CHECK(old.values[0].value == Approx(348743.0 * 1024));
  CHECK(old.values[0].bytes == 128 * 1024.0);
  CHECK(old.values[0].confidence == Confidence::high);
}

TEST_CASE("STREAM of a host and of a GPU: the triad", "[measurements]") {
  const MeasuredFile host = read(samples::stream);
  REQUIRE(host.values.size() == 1);
  CHECK(host.values[0].subject == Subject::host_memory);
  CHECK(host.values[0].value == Approx(363e9));
  CHECK(host.values[0].streams == 32);
  const MeasuredFile gpu = read(samples::gpu_stream);
  REQUIRE(gpu.values.size() == 1);
  CHECK(gpu.values[0].subject == Subject::gpu_memory);
  CHECK(gpu.values[0].value == Approx(3.05e12));
  CHECK(gpu.values[0].bytes == 4294967296.0);
  CHECK(gpu.gpu == "NVIDIA H100 80GB HBM3");
}

TEST_CASE("copies by DMA of SuperBench, and the medians of HIP's bus test", "[measurements]") {
  const MeasuredFile copies = read(samples::gpu_copy);
  REQUIRE(copies.values.size() == 3);  // no kernels' copies, no device with itself, no two ways at once
  CHECK(of(copies, Subject::host_to_gpu)[0].value == Approx(26e9));
  CHECK(of(copies, Subject::gpu_to_host)[0].value == Approx(25.8e9));
  CHECK(of(copies, Subject::gpu_pair)[0].value == Approx(279e9));
  const MeasuredFile hip = read(samples::hip_bus);
  REQUIRE(hip.values.size() == 1);
  CHECK(hip.values[0].value == Approx(24.5e9));
  CHECK(hip.values[0].bytes == 65536 * 1024.0);
}

TEST_CASE("what no machine gives is left out with the range, and no zero is a value", "[measurements]") {
  const auto fio = [](const std::string& rate) {
    return read(R"({"fio version": "fio-3.33", "jobs": [{"jobname": "a", "error": 0, "job options": {"rw": "read",
        "bs": "1m", "direct": "1"}, "read": {"bw_bytes": )" +
                rate + "}}]}");
  };
  CHECK(fio("3e9").values.size() == 1);
  for (const char* rate : {"1e300", "-3e9", "1", "1e15"}) {
    const MeasuredFile file = fio(rate);
    CHECK(file.values.empty());
    CHECK(warned(file, "is not from 1e+03 to 1e+12 B/s"));
  }
  CHECK(fio("0").values.empty());
  CHECK(fio("nan").values.empty());
  const MeasuredFile tcp =
      read(R"({"start": {"version": "iperf 3.16"}, "end": {"sum_received": {"bits_per_second": -1e9}}})");
  CHECK(tcp.values.empty());
  CHECK(warned(tcp, "TCP rate of -1.25e+08 B/s"));
  MeasuredFile file;
  file.add(CollectiveTime{CollectiveOp::all_reduce, 2, 1, 1e6, 1e300, 7});
  file.add(CollectiveTime{CollectiveOp::all_reduce, 2, 1, 1e6, 1e-3, 8});
  CHECK(file.collectives.size() == 1);
  CHECK(warned(file, "a collective in 1e+300 s"));
}

TEST_CASE("iperf3: the receiver's rate, losses taken off, several documents, repeated keys", "[measurements]") {
  const MeasuredFile tcp = read(samples::iperf3_tcp);
  REQUIRE(of(tcp, Subject::tcp_rate).size() == 1);
  CHECK(of(tcp, Subject::tcp_rate)[0].value == Approx(93.6e9 / 8));
  CHECK(of(tcp, Subject::tcp_rate)[0].streams == 8);
  const MeasuredFile log = read(samples::iperf3_log);
  REQUIRE(log.values.size() == 1);
  CHECK(log.values[0].subject == Subject::udp_rate);
  CHECK(log.values[0].value == Approx(8e9 / 8 * 0.75));
  CHECK(warned(log, "unable to connect"));
  const auto both = of(read(samples::iperf3_bidir), Subject::tcp_rate);
  REQUIRE(both.size() == 2);
  CHECK(both[0].value == Approx(20e9 / 8));  // of a repeated key the last
  CHECK(both[1].value == Approx(18e9 / 8));
  const auto stream = of(read(samples::iperf3_stream), Subject::tcp_rate);
  REQUIRE(stream.size() == 1);
  CHECK(stream[0].value == Approx(10e9));
  CHECK(stream[0].streams == 4);
}

TEST_CASE("fio 3: bytes before KiB/s, lat_ns where clat_ns is not, depth times jobs", "[measurements]") {
  const MeasuredFile file = read(samples::fio3);
  CHECK(file.program == "fio-3.16");
  const auto reads = of(file, Subject::storage_read_iops), writes = of(file, Subject::storage_write_iops);
  REQUIRE(reads.size() == 1);
  REQUIRE(writes.size() == 1);
  CHECK(reads[0].value == Approx(85139.6));
  CHECK(reads[0].bytes == 4096);
  CHECK(reads[0].streams == 64 * 4);
  CHECK(writes[0].value == Approx(85066));
  CHECK(of(file, Subject::storage_read_latency).empty());  // at depth 64 it is the queue's
}

TEST_CASE("fio 2: KiB/s, microseconds, jobs of a group added, a failed job left out", "[measurements]") {
  const MeasuredFile file = read(samples::fio2);
  const auto sequential = of(file, Subject::storage_read);
  REQUIRE(sequential.size() == 1);
  CHECK(sequential[0].value == Approx(1500000.0 * 1024));
  const auto latency = of(file, Subject::storage_read_latency);
  REQUIRE(latency.size() == 1);
  CHECK(latency[0].value == Approx(95e-6));
  CHECK(warned(file, "error 5"));
  const auto clients = of(read(samples::fio_clients), Subject::storage_write);
  REQUIRE(clients.size() == 1);
  CHECK(clients[0].value == Approx(3e9));  // both clients, the sum that fio prints not on top
}

TEST_CASE("dd is decimal, read or write by its command, and of low confidence", "[measurements]") {
  const MeasuredFile file = read(samples::dd_lines);
  REQUIRE(file.values.size() == 2);
  CHECK(file.values[0].subject == Subject::storage_write);
  CHECK(file.values[0].value == Approx(1073741824 / 0.5));
  CHECK(file.values[1].subject == Subject::storage_read);
  CHECK(file.values[1].value == Approx(1073741824 / 0.25));
  for (const Measured& m : file.values) CHECK(m.confidence == Confidence::low);
}

TEST_CASE("nvbandwidth: copy engines, no diagonal, no nanoseconds, no kernels, no bidirectional", "[measurements]") {
  const MeasuredFile file = read(samples::nvbandwidth_text);
  CHECK(file.gpu == "NVIDIA H100 80GB HBM3");
  REQUIRE(of(file, Subject::host_to_gpu).size() == 2);
  CHECK(of(file, Subject::host_to_gpu)[1].value == Approx(55.4e9));
  CHECK(of(file, Subject::gpu_to_host).size() == 2);
  REQUIRE(of(file, Subject::gpu_pair).size() == 2);
  CHECK(of(file, Subject::gpu_pair)[0].value == Approx(396e9));
  CHECK(file.values.size() == 6);
  const MeasuredFile json = read(samples::nvbandwidth_json);
  REQUIRE(json.values.size() == 2);
  CHECK(json.values[1].value == Approx(26.5e9));
  CHECK(warned(json, "device_to_host_memcpy_ce did not pass"));
}

TEST_CASE("bandwidthTest: MB/s of old samples, pageable copies of low confidence, CSV", "[measurements]") {
  const MeasuredFile file = read(samples::bandwidth_test);
  CHECK(file.gpu == "Tesla T4");
  REQUIRE(of(file, Subject::host_to_gpu).size() == 2);
  CHECK(of(file, Subject::host_to_gpu)[1].value == Approx(12000.0 * 1048576));
  CHECK(of(file, Subject::gpu_to_host)[0].confidence == Confidence::low);
  CHECK(of(file, Subject::gpu_memory)[0].value == Approx(240e9));
  const MeasuredFile csv = read(samples::bandwidth_test_csv);
  REQUIRE(csv.values.size() == 2);
  CHECK(csv.values[0].value == Approx(12.4e9));
  CHECK(csv.values[0].bytes == 33554432);
  CHECK(csv.values[1].confidence == Confidence::low);
}

TEST_CASE("p2pBandwidthLatencyTest: a pair without access stays without, latency of the GPU's block",
          "[measurements]") {
  const MeasuredFile file = read(samples::p2p);
  CHECK(file.gpu == "NVIDIA GeForce RTX 4090");
  CHECK(of(file, Subject::gpu_memory).size() == 6);  // both diagonals
  REQUIRE(of(file, Subject::gpu_pair).size() == 4);  // of six pairs two have no access
  for (const Measured& m : of(file, Subject::gpu_pair)) CHECK(m.value == Approx(26e9));
  CHECK(of(file, Subject::gpu_pair_no_access).size() == 8);
  REQUIRE(of(file, Subject::gpu_pair_latency).size() == 4);
  for (const Measured& m : of(file, Subject::gpu_pair_latency)) CHECK(m.value == Approx(2e-6));
}

TEST_CASE("our own records: what failed, varied or has no constant is said", "[measurements]") {
  const MeasuredFile file = read(samples::own_records);
  CHECK(file.program == "clustersim-hostbench 0.1.0");
  CHECK(file.date == "2026-11-30");
  CHECK(of(file, Subject::decode_per_core).size() == 2);
  CHECK(of(file, Subject::host_memory)[0].value == Approx(20e9));
  CHECK(of(file, Subject::storage_read_latency)[0].value == Approx(1e-4));
  CHECK(of(file, Subject::storage_read)[0].confidence == Confidence::low);  // spread 30 %
  CHECK(of(file, Subject::gpu_memory)[0].value == Approx(8e8 / 4e-4));
  CHECK(of(file, Subject::matmul_bf16)[0].value == Approx(274877906944000.0));
  REQUIRE(file.collectives.size() == 1);
  CHECK(file.collectives[0].seconds == Approx(0.009));
  CHECK(warned(file, "failed or were skipped"));
  CHECK(warned(file, "1 of 10 records have no constant"));
}

TEST_CASE("documents are found in noise, and a cut one is named", "[measurements]") {
  int cut = 0;
  const auto found = json_documents("see {this}\n{\"a\": \"}{\"}\nx\n{\"b\": [nan, -inf, 1]}\n{\"c\": 1", &cut);
  REQUIRE(found.size() == 2);
  CHECK(found[0].line == 2);
  CHECK(text_at(found[0].value, "a") == "}{");
  CHECK(found[1].line == 4);
  CHECK(cut == 5);
  CHECK(number_of("1e308").has_value());
  CHECK_FALSE(number_of("1e999"));
  CHECK_FALSE(number_of("N/A"));
  CHECK_FALSE(number_of("nan"));
  CHECK_FALSE(integer_of("99999999999999999999"));
}

TEST_CASE("what a benchmark says has failed is left out, whatever it printed before", "[measurements]") {
  const auto read = [](const std::string& text) { return read_measurements("f", clean_text(text)); };
  const std::string end = R"("end": {"sum_received": {"bits_per_second": 1e10}, "cpu_utilization_percent": {}})";
  const std::string start = R"("start": {"version": "iperf 3.9", "test_start": {"protocol": "TCP", "num_streams": 1}})";
  CHECK(read("{" + start + ", " + end + "}").values.size() == 1);
  for (const char* error : {R"("control socket has closed unexpectedly")", "104", "{}"})
    CHECK(read("{" + start + ", " + end + ", \"error\": " + error + "}").values.empty());
  // A stream of events: the error comes before the end.
  const auto event = [](const std::string& name, const std::string& data) {
    return R"({"event": ")" + name + R"(", "data": )" + data + "}\n";
  };
  const std::string begun = event("start", "{" + start.substr(start.find('{') + 1));
  const std::string ended = event("end", end.substr(end.find('{')));
  CHECK(read(begun + ended).values.size() == 1);
  CHECK(read(begun + event("error", R"("interrupt")") + ended).values.empty());
  // As text.
  const std::string text = samples::iperf3_text;
  CHECK(read(text + "iperf3: error - control socket has closed unexpectedly\n").values.size() + 1 ==
        read(text).values.size());
}

TEST_CASE("dd without its command says neither reading nor writing", "[measurements]") {
  const std::string line = "1073741824 bytes (1.1 GB) copied, 0.5 s, 2.1 GB/s\n";
  const MeasuredFile bare = read_measurements("f", clean_text(line));
  CHECK(bare.format == "dd");
  CHECK(bare.values.empty());
  CHECK(bare.warnings.front().text.find("of=") != std::string::npos);
  CHECK(read_measurements("f", clean_text("$ dd if=/data/x of=/dev/null\n" + line)).values[0].subject ==
        Subject::storage_read);
}

TEST_CASE("rates of fio that no machine gives, or that its own bytes deny, are left out", "[measurements]") {
  const auto read = [](double rate, double iops, double bytes, double ms) {
    return read_measurements(
        "f", clean_text(R"({"fio version": "fio-3.1", "global options": {"direct": "1", "bs": "1m", "rw": "read"},
        "jobs": [{"jobname": "j", "error": 0, "read": {"bw_bytes": )" +
                        std::to_string(rate) + R"(, "iops": )" + std::to_string(iops) + R"(, "io_bytes": )" +
                        std::to_string(bytes) + R"(, "runtime": )" + std::to_string(ms) + "}}]}"));
  };
  const double gb = 1e9, blocks = 2 * gb / 1048576;
  CHECK(read(2 * gb, blocks, 20 * gb, 10e3).values.size() == 1);
  CHECK(read(2 * gb, blocks, 200 * gb, 10e3).values.empty());      // bytes over time are ten times the rate
  CHECK(read(2 * gb, 10 * blocks, 20 * gb, 10e3).values.empty());  // so are operations times block
  CHECK(read(2e13, 2e13 / 1048576, 2e14, 10e3).values.empty());    // 20 TB/s
  CHECK_FALSE(read(2e13, 2e13 / 1048576, 2e14, 10e3).warnings.empty());
}
