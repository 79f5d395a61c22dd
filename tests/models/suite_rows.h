// Rows of scenarios/measurements/training_suite.csv as jobs on GPUs, for the tests of the compute and workload models.
// GPUs are written down here from the catalog's data-sheet columns, so that these tests need no JSON.
#pragma once

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "clustersim/error.h"
#include "clustersim/hardware.h"
#include "clustersim/scenario.h"
#include "models/workload/step_model.h"
#include "tests/models/csv_line.h"

namespace clustersim::suite {

struct Row {
  std::string id, gpu, fabric, data, software;
  int nodes = 1, gpus = 1;
  double fabric_gbps = 0;
  double throughput = 0;  // samples/s of the whole job
  Job job;
  int ranks() const { return nodes * gpus; }
  std::string family() const;
};

inline GpuSpec gpu_spec(const std::string& id) {
  struct Sheet {
    const char *id, *name, *architecture, *form, *memory;
    int sms;
    double boost_mhz, fp32, tf32, half, fp8, matmul, matmul_fp8, gb, gb_per_s, l2_mb, tdp;
  };
  // clang-format off
  static const Sheet sheets[] = {
    {"v100-sxm2-16gb", "Tesla V100", "Volta", "SXM2", "HBM2", 80, 1530, 15.7, 0, 125, 0, 0, 0, 16, 898, 6, 300},
    {"v100-sxm2-32gb", "Tesla V100", "Volta", "SXM2", "HBM2", 80, 1530, 15.7, 0, 125, 0, 0, 0, 32, 898, 6, 300},
    {"a100-sxm4-80gb", "A100 SXM4 80GB", "Ampere", "SXM4", "HBM2e", 108, 1410, 19.5, 156, 312, 0, 271.2, 0, 80, 2039, 40, 400},
    {"a100-sxm4-40gb", "A100 SXM4 40GB", "Ampere", "SXM4", "HBM2", 108, 1410, 19.5, 156, 312, 0, 271.2, 0, 40, 1555, 40, 400},
    {"a100-pcie-80gb", "A100 PCIe 80GB", "Ampere", "PCIe dual-slot, passive", "HBM2e", 108, 1410, 19.5, 156, 312, 0, 252.9, 0, 80, 1935, 40, 300},
    {"a100-pcie-40gb", "A100 PCIe 40GB", "Ampere", "PCIe dual-slot, passive", "HBM2", 108, 1410, 19.5, 156, 312, 0, 252.9, 0, 40, 1555, 40, 250},
    {"a30", "A30", "Ampere", "PCIe dual-slot, passive", "HBM2", 56, 1440, 10.3, 82.6, 165.2, 0, 0, 0, 24, 933.1, 24, 165},
    {"rtx-3090", "GeForce RTX 3090", "Ampere", "PCIe triple-slot", "GDDR6X", 82, 1695, 35.6, 35.6, 71.2, 0, 0, 0, 24, 936.2, 6, 350},
    {"l40s", "L40S", "Ada", "PCIe dual-slot, passive", "GDDR6 ECC", 142, 2520, 91.6, 183, 362, 733, 0, 0, 48, 864, 96, 350},
    {"t4", "T4", "Turing", "PCIe low-profile single-slot, passive", "GDDR6", 40, 1590, 8.1, 0, 65, 0, 0, 0, 16, 320, 4, 70},
    {"h100-sxm5-80gb", "H100 SXM5 80GB", "Hopper", "SXM5", "HBM3", 132, 1980, 66.9, 494.5, 989, 1979, 794.5, 1402.6, 80, 3350, 50, 700},
    {"h200-sxm-141gb", "H200 SXM 141GB", "Hopper", "SXM5", "HBM3e", 132, 1980, 66.9, 494.5, 989, 1979, 794.5, 1453.4, 141, 4800, 50, 700},
    {"b200-sxm-180gb", "B200 SXM 180GB", "Blackwell", "SXM6", "HBM3e", 148, 1965, 75, 1125, 2250, 4500, 1745, 3432.5, 180, 8000, 126, 1000},
  };
  // clang-format on
  for (const Sheet& s : sheets) {
    if (id != s.id) continue;
    GpuSpec gpu;
    gpu.id = s.id, gpu.name = s.name, gpu.vendor = "NVIDIA", gpu.architecture = s.architecture;
    gpu.form_factor = s.form, gpu.memory_type = s.memory, gpu.sm_count = s.sms;
    gpu.boost_clock = megahertz(s.boost_mhz);
    gpu.peak_fp32 = teraflops(s.fp32), gpu.peak_fp16 = teraflops(s.half);
    if (s.tf32 > 0) gpu.peak_tf32 = teraflops(s.tf32), gpu.peak_bf16 = teraflops(s.half);
    if (s.fp8 > 0) gpu.peak_fp8 = teraflops(s.fp8);
    if (s.matmul > 0) gpu.measured_matmul_bf16 = teraflops(s.matmul);
    if (s.matmul_fp8 > 0) gpu.measured_matmul_fp8 = teraflops(s.matmul_fp8);
    gpu.memory = gigabytes(s.gb), gpu.memory_bandwidth = gigabytes_per_second(s.gb_per_s);
    gpu.l2_cache = bytes(s.l2_mb * 1e6), gpu.tdp = watts(s.tdp);
    return gpu;
  }
  throw InternalError("no data sheet for " + id);
}

// Launch cost of the host that such GPUs came with: Xeon E5 v4, EPYC Rome, Xeon Sapphire Rapids.
inline CpuSpec host_of(const std::string& gpu) {
  CpuSpec cpu;
  cpu.launch_overhead = microseconds(gpu[0] == 'v' ? 10.5 : gpu[0] == 'a' ? 6.0 : 5.0);
  return cpu;
}

// What a stack implies where the row does not say.
inline void apply_stack(Job& job, const std::string& layout, const std::string& software) {
  const bool bert = job.model == ModelKind::bert, half = job.precision == Precision::amp;
  job.optimizer = bert ? Optimizer::lamb : Optimizer::sgd;
  job.fused_optimizer = true;
  job.gradient_precision = GradientPrecision::fp32;
  switch (job.stack) {
    case Stack::pytorch_ddp:
      job.fusion = bert ? Fusion::jit : Fusion::eager;
      job.fused_optimizer = bert;
      if (bert && half) job.gradient_precision = GradientPrecision::fp16;
      // channels_last came with PyTorch 1.5; NGC 20.03 carries a build from before it.
      // Its BERT has no fused kernels and predicts every position.
      if (software.find("20.03") != std::string::npos) job.fusion = Fusion::nchw;
      break;
    case Stack::tensorflow_horovod:
      job.fusion = bert ? Fusion::jit : Fusion::fused;
      break;
    case Stack::mxnet_horovod:
      job.fusion = Fusion::fused;
      if (half) job.gradient_precision = GradientPrecision::fp16;
      break;
    case Stack::mlperf:
      job.fusion = Fusion::fused;
      job.cuda_graph = true;
      job.optimizer = bert ? Optimizer::lamb : Optimizer::lars;
      job.gradient_precision = GradientPrecision::fp16;
      job.overlap = false;
      if (bert) job.reduction = Reduction::rs_ar_ag;
      break;
    default:
      break;
  }
  if (layout == "nchw") job.fusion = Fusion::nchw;
}

inline std::string Row::family() const {
  const char* stack = job.stack == Stack::mlperf               ? "mlperf"
                      : job.stack == Stack::pytorch_ddp        ? "pytorch-ddp"
                      : job.stack == Stack::tensorflow_horovod ? "tensorflow-horovod"
                                                               : "mxnet-horovod";
  return std::string(stack) + (job.model == ModelKind::bert ? " bert" : " cnn");
}

inline std::vector<Row> rows(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  std::map<std::string, std::size_t> column;
  const std::vector<std::string> names = split_csv(line);
  for (std::size_t i = 0; i < names.size(); ++i) column[names[i]] = i;
  std::vector<Row> result;
  while (std::getline(file, line)) {
    const std::vector<std::string> f = split_csv(line);
    if (f.size() < names.size()) continue;
    const auto text = [&](const char* name) { return f[column.at(name)]; };
    const auto number = [&](const char* name) { return std::atof(text(name).c_str()); };
    Row row;
    row.id = text("row"), row.gpu = text("gpu"), row.fabric = text("gpu_fabric"), row.data = text("data");
    row.software = text("software");
    row.nodes = static_cast<int>(number("nodes")), row.gpus = static_cast<int>(number("gpus_per_node"));
    row.fabric_gbps = number("fabric_gbps_per_node"), row.throughput = number("throughput");
    Job& job = row.job;
    job.model_id = text("model");
    job.model = job.model_id[0] == 'b' ? ModelKind::bert : job.model_id[0] == 'v' ? ModelKind::vgg : ModelKind::resnet;
    const std::string precision = text("precision"), stack = text("stack");
    job.precision = precision == "fp32"   ? Precision::fp32
                    : precision == "tf32" ? Precision::tf32
                    : precision == "fp8"  ? Precision::fp8
                                          : Precision::amp;
    job.stack = stack == "mlperf"               ? Stack::mlperf
                : stack == "pytorch-ddp"        ? Stack::pytorch_ddp
                : stack == "tensorflow-horovod" ? Stack::tensorflow_horovod
                                                : Stack::mxnet_horovod;
    job.batch_per_gpu = static_cast<int>(number("batch_per_gpu"));
    job.accumulation = static_cast<int>(number("accumulation"));
    if (!text("sequence_length").empty()) {
      job.sequence_length = static_cast<int>(number("sequence_length"));
      const TokenStatistics tokens = reference_tokens(job.stack, job.sequence_length);
      job.tokens_per_sequence = tokens.tokens;
      job.length_square_ratio = tokens.length_square_ratio;
    }
    apply_stack(job, text("layout"), row.software);
    result.push_back(row);
  }
  return result;
}

}  // namespace clustersim::suite
