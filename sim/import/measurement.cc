#include "sim/import/measurement.h"

#include <cmath>
#include <cstdio>

namespace clustersim {
namespace {

constexpr std::size_t most_warnings = 40, most_values = 200000;

struct Named {
  const char *name, *unit;
};

Named named(Subject subject) {
  switch (subject) {
    case Subject::rdma_rate:
      return {"RDMA rate", "B/s"};
    case Subject::rdma_latency:
      return {"RDMA latency", "s"};
    case Subject::tcp_rate:
      return {"TCP rate", "B/s"};
    case Subject::udp_rate:
      return {"UDP rate", "B/s"};
    case Subject::storage_read:
      return {"sequential reading", "B/s"};
    case Subject::storage_write:
      return {"sequential writing", "B/s"};
    case Subject::storage_read_iops:
      return {"random reads", "1/s"};
    case Subject::storage_write_iops:
      return {"random writes", "1/s"};
    case Subject::storage_read_latency:
      return {"latency of a read", "s"};
    case Subject::storage_write_latency:
      return {"latency of a write", "s"};
    case Subject::file_open:
      return {"opening a file", "s"};
    case Subject::host_to_gpu:
      return {"host to GPU", "B/s"};
    case Subject::gpu_to_host:
      return {"GPU to host", "B/s"};
    case Subject::gpu_pair:
      return {"GPU to GPU", "B/s"};
    case Subject::gpu_pair_both:
      return {"GPU to GPU, both ways", "B/s"};
    case Subject::gpu_pair_no_access:
      return {"GPU to GPU without peer access", "B/s"};
    case Subject::gpu_pair_latency:
      return {"GPU to GPU latency", "s"};
    case Subject::gpu_memory:
      return {"GPU memory", "B/s"};
    case Subject::gpu_launch_gap:
      return {"gap between kernels", "s"};
    case Subject::gpu_graph_gap:
      return {"gap between graph nodes", "s"};
    case Subject::matmul_bf16:
      return {"matrix product, bf16", "FLOP/s"};
    case Subject::matmul_fp16:
      return {"matrix product, fp16", "FLOP/s"};
    case Subject::matmul_tf32:
      return {"matrix product, tf32", "FLOP/s"};
    case Subject::matmul_fp32:
      return {"matrix product, fp32", "FLOP/s"};
    case Subject::matmul_fp8:
      return {"matrix product, fp8", "FLOP/s"};
    case Subject::host_memory:
      return {"host memory", "B/s"};
    case Subject::host_copy:
      return {"host copy", "B/s"};
    case Subject::decode_per_core:
      return {"decoding on a core", "images/s"};
    case Subject::loopback_rate:
      return {"TCP loopback", "B/s"};
    case Subject::loopback_round_trip:
      return {"TCP loopback round trip", "s"};
  }
  return {"", ""};
}

// What a machine of today and tomorrow can give, by unit; beyond it a number is a fault of the file.
struct Range {
  const char* unit;
  double least, most;
};
constexpr Range ranges[] = {
    {"B/s", 1e3, 1e14}, {"s", 1e-9, 1e3}, {"1/s", 1e-2, 1e10}, {"FLOP/s", 1e6, 1e18}, {"images/s", 1e-3, 1e7}};

Range range_of(Subject subject) {
  switch (subject) {
    case Subject::rdma_rate:
    case Subject::tcp_rate:
    case Subject::udp_rate:
    case Subject::storage_read:
    case Subject::storage_write:
      return {"B/s", 1e3, 1e12};  // eight cards of 800 Gbit/s carry 0.8e12
    case Subject::storage_read_iops:
    case Subject::storage_write_iops:
      return {"1/s", 1e-2, 1e9};  // two dozen NVMe drives do 7e7
    default:
      for (const Range& range : ranges)
        if (std::string(range.unit) == subject_unit(subject)) return range;
      return {"", 0, 0};
  }
}

constexpr double least_collective_s = 1e-7, most_collective_s = 1e5;

std::string range_text(double value, double least, double most, const char* unit) {
  char text[120];
  std::snprintf(text, sizeof text, "%.4g %s is not from %.3g to %.3g %s: left out", value, unit, least, most, unit);
  return text;
}

}  // namespace

const char* subject_name(Subject subject) { return named(subject).name; }
const char* subject_unit(Subject subject) { return named(subject).unit; }

double KernelRecord::number(const std::string& name) const {
  for (const auto& [key, value] : numbers)
    if (key == name) return value;
  return 0;
}

std::string KernelRecord::word(const std::string& name) const {
  for (const auto& [key, value] : words)
    if (key == name) return value;
  return "";
}

const std::vector<double>* KernelRecord::column(const std::string& name) const {
  for (const auto& [key, values] : series)
    if (key == name) return &values;
  return nullptr;
}

void MeasuredFile::warn(int line, std::string text) {
  if (warnings.size() < most_warnings)
    warnings.push_back({line, std::move(text)});
  else if (warnings.size() == most_warnings)
    warnings.push_back({0, "more warnings of this kind are left out"});
}

void MeasuredFile::add(const Measured& measured) {
  if (measured.value == 0 || values.size() >= most_values) return;
  const Range range = range_of(measured.subject);
  if (measured.value >= range.least && measured.value <= range.most)
    values.push_back(measured);
  else
    warn(measured.line, std::string(subject_name(measured.subject)) + " of " +
                            range_text(measured.value, range.least, range.most, range.unit));
}

void MeasuredFile::add(const CollectiveTime& row) {
  if (collectives.size() >= most_values) return;
  if (row.seconds >= least_collective_s && row.seconds <= most_collective_s) {
    collectives.push_back(row);
    return;
  }
  warn(row.line, "a collective in " + range_text(row.seconds, least_collective_s, most_collective_s, "s"));
}

}  // namespace clustersim
