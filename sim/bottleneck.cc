#include "sim/bottleneck.h"

#include <algorithm>
#include <optional>
#include <string>

#include "models/compute/roofline.h"
#include "models/workload/replay.h"

namespace clustersim {
namespace {

constexpr double worth_naming = 0.05;        // loss of clock that is named
constexpr double pace_setting = 0.02;        // share of a step spent waiting for a pipeline that hardly rests
constexpr double never_rests = 0.99;         // share of its time: such a stage is the beat, however short the waits
constexpr double least_wait = 0.002;         // for it, share of a step
constexpr double least_collective = 1e6;     // bytes of one that names the slowest link
constexpr double worth_naming_first = 0.25;  // share of a step from which a part is named before the computation

std::string node_of(const Assembly& assembly) {
  return assembly.gpus().front().name.substr(0, assembly.gpus().front().name.find('.'));
}

// The stage that rests least sets the pace of the pipeline; "" where the GPU itself decodes.
std::string busiest_stage(const SteadyStep& step) {
  std::string busiest;
  double most = 0.5;
  for (const auto& [label, share] : step.stage_busy)
    if (share > most) {
      most = share;
      busiest = label;
    }
  return busiest;
}

Bottleneck input_bottleneck(const Assembly& assembly, const SteadyStep& step) {
  const Job& job = assembly.job();
  const std::string stage = busiest_stage(step);
  Bottleneck b;
  b.share = step.parts.input_s / step.step_s;
  if (stage == "read") {
    const bool shared = job.data.from == DataSource::shared;
    b.kind = "storage";
    b.resource = shared ? "shared storage" : node_of(assembly) + ".storage";
    b.advice =
        shared ? "more storage servers, a faster network to them, or a cache tier on each node"
               : "a faster tier or more devices (raid0), records instead of single files, or memory for the page cache";
  } else if (stage == "decode" || stage == "collate") {
    b.kind = "loader";
    b.resource = node_of(assembly) + ".loader";
    b.advice = "more CPU cores or workers for the loader, or decoding on the GPU (loader dali-gpu)";
  } else if (stage == "copy") {
    b.kind = "pcie";
    b.resource = assembly.gpus().front().name + ".pcie";
    b.advice = "a wider or newer PCIe slot, or smaller samples";
  } else {
    b.kind = "input";
    b.resource = assembly.gpus().front().name + (stage.empty() ? ".decoder" : ".jpeg-engine");
    b.advice = "decode more on the CPU, or use smaller images";
  }
  return b;
}

Bottleneck communication_bottleneck(const Assembly& assembly, const SteadyStep& step) {
  const Job& job = assembly.job();
  CollectiveRequest request{CollectiveOp::all_reduce, 0, job.algorithm, Scope::world, 0};
  if (const auto& replay = assembly.step_model(0).replay) {
    const DataParallelSpec spec = assembly.step(false);
    for (const TraceCollective& collective : replay->collectives)
      if (collective.bytes > request.bytes) request = replayed_request(collective, spec);
  } else {
    for (const Bucket& bucket : gradient_buckets(job, assembly.step_model(0), &assembly.planner()))
      request.bytes = std::max(request.bytes, bucket.bytes);
  }
  request.bytes = std::max(request.bytes, least_collective);  // of unknown size
  const CollectivePlan plan = assembly.planner().plan(request);
  Bottleneck b;
  b.kind = "fabric";
  b.share = step.parts.communication_s / step.step_s;
  b.resource = plan.limit.empty() ? "gpu fabric" : plan.limit;
  const bool between_nodes = assembly.cluster().nodes() > 1;
  b.advice = between_nodes
                 ? "faster or more NICs, RDMA where it is TCP, fp16 gradients, larger batches or accumulation"
                 : "NVLink where it is PCIe, peer-to-peer access, fp16 gradients, larger batches or accumulation";
  if (!job.overlap) b.advice += "; overlapping with the backward pass (overlap true)";
  return b;
}

// The GPU whose clock heat or a power limit holds down most, if that is worth naming.
std::optional<Bottleneck> slowest_gpu(const Assembly& assembly, const JobResult& result, double share) {
  const NodeThermal::Gpu* slowest = nullptr;
  std::string name;
  std::size_t g = 0;
  for (const NodeThermal::State& node : result.thermal)
    for (const NodeThermal::Gpu& gpu : node.gpus) {
      const std::string& own_name = assembly.gpus()[g++].name;
      if (gpu.clock > 1 - worth_naming || (slowest && gpu.clock >= slowest->clock)) continue;
      slowest = &gpu;
      name = own_name;
    }
  if (!slowest) return std::nullopt;
  switch (slowest->reason) {
    case ClockReason::thermal:
    case ClockReason::hardware_slowdown:
      return Bottleneck{name, "thermal", share,
                        "cooler inlet air, more airflow, cards further apart, or liquid cooling"};
    case ClockReason::power_cap:
      return Bottleneck{name, "power", share, "the power limit holds the clock down: raise gpu_power_limit"};
    case ClockReason::clock_limit:
      return Bottleneck{name, "power", share, "the clock limit holds the clock down: raise gpu_clock_limit"};
    case ClockReason::none:
      break;
  }
  return std::nullopt;
}

// The update is as long as its launches, or as its many short kernels are apart.
bool optimizer_is_launches(const StepModel& model) {
  double bytes_s = 0, fixed_s = 0;
  for (const Kernel& k : model.optimizer) {
    bytes_s += std::max(k.math_s, k.memory_s);
    fixed_s += k.fixed_s;
  }
  return model.optimizer_host > Time() || fixed_s > bytes_s;
}

Bottleneck compute_bottleneck(const Assembly& assembly, const SteadyStep& step) {
  double math = 0, memory = 0, fixed = 0;
  const StepModel& model = assembly.step_model(0);
  const auto add = [&](const std::vector<Kernel>& kernels) {
    for (const Kernel& k : kernels) {
      (k.math_s > k.memory_s ? math : memory) += std::max(k.math_s, k.memory_s);
      fixed += k.fixed_s;
    }
  };
  add(model.forward);
  for (const Segment& segment : model.backward) add(segment.kernels);
  if (!optimizer_is_launches(model)) add(model.optimizer);
  Bottleneck b;
  b.resource = assembly.gpus().front().name;
  b.share = step.parts.forward_backward_s / step.step_s;
  if (assembly.job().trace && assembly.job().trace->on_cpu)
    return {node_of(assembly) + ".host", "host", b.share, "the step was recorded on a CPU and follows no GPU"};
  if (fixed > std::max(math, memory)) {
    b.kind = "compute";
    b.advice = "the kernels are too short for this GPU: larger batch_per_gpu, fusion, or a CUDA graph";
  } else if (memory > math) {
    b.kind = "memory";
    b.advice = "more DRAM bandwidth counts most: operator fusion, a GPU with faster memory, or more GPUs";
  } else {
    b.kind = "compute";
    b.advice = "arithmetic counts most: lower precision where the GPU has it, a faster GPU, or more GPUs";
  }
  return b;
}

}  // namespace

Bottleneck find_bottleneck(const Assembly& assembly, const SteadyStep& step, const JobResult& result) {
  const StepParts& parts = step.parts;
  const double host = parts.host_s + (optimizer_is_launches(assembly.step_model(0)) ? parts.optimizer_s : 0);
  const double compute = parts.forward_backward_s;
  // A pipeline whose busiest stage never rests sets the pace, however short the waits that show.
  const std::string stage = busiest_stage(step);
  const bool beats = !stage.empty() && step.stage_busy.at(stage) > never_rests;
  if (!stage.empty() && parts.input_s > (beats ? least_wait : pace_setting) * step.step_s &&
      parts.input_s > parts.communication_s)
    return input_bottleneck(assembly, step);
  if (parts.communication_s > std::max(compute, host)) return communication_bottleneck(assembly, step);
  if (const auto slowed = slowest_gpu(assembly, result, compute / step.step_s)) return *slowed;
  if (parts.communication_s > worth_naming_first * step.step_s) return communication_bottleneck(assembly, step);
  if (parts.straggler_s > worth_naming_first * step.step_s)
    return {assembly.gpus().front().name, "straggler", parts.straggler_s / step.step_s,
            "GPUs wait for a slower one: equal GPUs, equal cooling, or a batch that follows each GPU's speed"};
  if (host > worth_naming_first * step.step_s)
    return {node_of(assembly) + ".host", "host", host / step.step_s,
            "a fused optimizer, a CUDA graph, larger batches, or a CPU with faster cores"};
  return compute_bottleneck(assembly, step);
}

}  // namespace clustersim
