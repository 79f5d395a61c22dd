#include "sim/import/measurement.h"

#include <cmath>

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

}  // namespace

const char* subject_name(Subject subject) { return named(subject).name; }
const char* subject_unit(Subject subject) { return named(subject).unit; }

void MeasuredFile::warn(int line, std::string text) {
  if (warnings.size() < most_warnings)
    warnings.push_back({line, std::move(text)});
  else if (warnings.size() == most_warnings)
    warnings.push_back({0, "more warnings of this kind are left out"});
}

void MeasuredFile::add(const Measured& measured) {
  if (!(measured.value > 0) || !std::isfinite(measured.value) || values.size() >= most_values) return;
  values.push_back(measured);
}

}  // namespace clustersim
