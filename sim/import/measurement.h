// What a benchmark's output says, whatever the program: values in base units with the line they stand on.
//
// A reader takes clean text (text_source.h) and fills a MeasuredFile. It never throws: what cannot be used becomes a
// warning, and a file without one usable number has neither values nor collectives. To add a format: a file here, a
// line in measurement_formats.cc. Checked by: tests/sim/measurement_*_test.cc, the fuzz among them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clustersim/scenario.h"

namespace clustersim {

// What was measured. Rates in bytes/s (of one direction), latencies in s, others as said.
enum class Subject : std::uint8_t {
  rdma_rate,
  rdma_latency,
  tcp_rate,
  udp_rate,
  storage_read,
  storage_write,
  storage_read_iops,  // 1/s
  storage_write_iops,
  storage_read_latency,
  storage_write_latency,
  file_open,  // s of one
  host_to_gpu,
  gpu_to_host,
  gpu_pair,            // one GPU to another, peer access
  gpu_pair_both,       // sum of both directions
  gpu_pair_no_access,  // the same without peer access
  gpu_pair_latency,    // s
  gpu_memory,          // read and write traffic of a copy or triad in device memory
  gpu_launch_gap,      // s between kernels in a stream
  gpu_graph_gap,       // s between nodes of a CUDA graph
  matmul_bf16,         // FLOP/s, dense
  matmul_fp16,
  matmul_tf32,
  matmul_fp32,
  matmul_fp8,
  host_memory,  // B/s of all threads of a socket or machine
  host_copy,
  decode_per_core,  // images/s
  loopback_rate,
  loopback_round_trip,  // s
};
const char* subject_name(Subject subject);
// "s", "B/s", "1/s", "FLOP/s", "images/s"
const char* subject_unit(Subject subject);

enum class Confidence : std::uint8_t { high, low };  // low: cached, too short, or a guess of what it is

struct Measured {
  Subject subject = Subject::rdma_rate;
  double value = 0;
  double bytes = 0;    // message, block or buffer; 0: not said
  double streams = 1;  // flows, queue pairs, jobs x depth, threads
  int line = 0;        // of the file, from 1
  Confidence confidence = Confidence::high;
  std::string how;  // in the program's words: "direct, depth 64"
};

struct CollectiveTime {
  CollectiveOp op = CollectiveOp::all_reduce;
  int ranks = 0, nodes = 1;
  double bytes = 0, seconds = 0;  // bytes as nccl-tests counts them
  int line = 0;
};

// A record of clustersim-gpubench whose constant depends on more than a rate: parameters, derived numbers and
// conditions by name.
struct KernelRecord {
  std::string benchmark;
  int line = 0;
  double seconds = 0;  // median (thermal_step: W)
  std::vector<std::pair<std::string, double>> numbers;
  std::vector<std::pair<std::string, std::string>> words;
  std::vector<std::pair<std::string, std::vector<double>>> series;

  double number(const std::string& name) const;  // 0 where it is not there
  std::string word(const std::string& name) const;
  const std::vector<double>* column(const std::string& name) const;
};

struct Warning {
  int line = 0;  // 0: of the file
  std::string text;
};

class MeasuredFile {
 public:
  std::string file, format;  // format: "nccl-tests text"
  std::string program;       // "all_reduce_perf 2.13", what a source says
  std::string date;          // "" where the file has none
  std::string gpu;           // model name, "" where the file has none
  std::vector<Measured> values;
  std::vector<CollectiveTime> collectives;
  std::vector<KernelRecord> kernels;
  double power_limit_w = 0;  // of the GPU; 0: not said
  std::vector<Warning> warnings;

  void warn(int line, std::string text);
  // A zero is no value. What no machine gives (NaN, negative, 1e300 B/s) is left out with a warning that names the
  // range.
  void add(const Measured& measured);
  void add(const CollectiveTime& row);
  bool empty() const { return values.empty() && collectives.empty() && kernels.empty(); }
};

}  // namespace clustersim
