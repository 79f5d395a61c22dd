#include "sim/projection.h"

#include <algorithm>
#include <cmath>

#include "models/compute/roofline.h"
#include "models/outcome/availability.h"
#include "models/power_thermal/node_power.h"
#include "models/workload/memory.h"
#include "sim/warm_up.h"

namespace clustersim {
namespace {

// Seconds a sample of the GPU's share waits for the loader: decoding, the JPEG engine or collation, whichever is
// slowest. The evaluation set is small, so it is read from the page cache.
double loader_seconds(const Assembly& assembly, const SimulatedGpu& gpu) {
  if (assembly.job().data.from == DataSource::synthetic) return 0;
  const auto n = static_cast<std::size_t>(gpu.node);
  const auto plan_node = static_cast<std::size_t>(assembly.simulated().nodes()[n].plan_node);
  const InputDemand& demand = assembly.input(plan_node, false);
  double slowest = demand.collate_s;
  if (demand.decode_core_s > 0)
    slowest =
        std::max(slowest, demand.decode_core_s * assembly.node_spec(n).gpus / std::max(demand.usable_cores, 1e-3));
  if (demand.hardware_decode_rate > 0) slowest = std::max(slowest, 1 / demand.hardware_decode_rate);
  return slowest;
}

// Forward passes over the evaluation set, spread over all GPUs, the slowest of which is waited for.
Time evaluation_time(const Assembly& assembly, const JobResult& result) {
  const Job& job = assembly.job();
  if (job.evaluation.every_samples <= 0) return Time();
  double slowest_per_sample = 0;
  for (std::size_t g = 0; g < assembly.gpus().size(); ++g) {
    Conditions conditions;
    conditions.clock = result.clocks[g];
    const double forward = work_seconds({assembly.step_model(g).forward, 1.0}, conditions);
    slowest_per_sample = std::max({slowest_per_sample, forward * job.gpus_per_model() / assembly.micro_batch(g),
                                   loader_seconds(assembly, assembly.gpus()[g])});
  }
  return seconds(slowest_per_sample * job.evaluation.samples / assembly.cluster().gpus()) + job.evaluation.fixed;
}

Bandwidth storage_write(const NodeSpec& node) {
  return node.storage.tier.write * (node.storage.sequential_efficiency * std::max(1, node.storage.count));
}

// Ranks that share the states out save a part each; else one GPU saves them all.
CheckpointSize checkpoint_size(const Assembly& assembly) {
  Job whole = assembly.job();
  const int parts = (whole.sharding == Sharding::none ? 1 : std::max(1, whole.shards)) * whole.gpus_per_model();
  whole.sharding = Sharding::none;
  whole.tensor_parallel = whole.pipeline_parallel = whole.interleave = 1;
  const NodeSpec& node = assembly.cluster().groups.front().node;
  const MemoryNeed need = memory_needed(whole, node.gpu, assembly.cluster().gpus());
  const Bytes part = whole.checkpoint.size.value_or(need.saved) / parts;
  return {part * std::min(node.gpus, parts), part};
}

Time one_checkpoint(const Assembly& assembly) {
  const Job& job = assembly.job();
  const NodeSpec& node = assembly.cluster().groups.front().node;
  const CheckpointSize size = checkpoint_size(assembly);
  const Time blocking = checkpoint_blocking(size, job.checkpoint.asynchronous, node.pcie.achievable,
                                            node.cpu.memory_bandwidth * node.sockets, storage_write(node));
  // The next one begins when this one is written.
  if (!job.checkpoint.asynchronous || job.checkpoint.every <= Time()) return blocking;
  return std::max(blocking, checkpoint_write_time(assembly) - job.checkpoint.every);
}

void set_power(const Assembly& assembly, const JobResult& result, Projection& p) {
  const Cluster& cluster = assembly.cluster();
  for (std::size_t n = 0; n < assembly.simulated().nodes().size(); ++n) {
    const SimulatedNode& simulated = assembly.simulated().nodes()[n];
    const NodeSpec& node = assembly.node_spec(n);
    const InputDemand& input = assembly.input(static_cast<std::size_t>(simulated.plan_node), false);
    std::vector<Power> powers;
    for (const NodeThermal::Gpu& gpu : result.thermal[n].gpus) {
      powers.push_back(gpu.power);
      p.gpu_power += gpu.power * (simulated.stands_for / cluster.gpus());
      p.hottest = powers.size() == 1 && n == 0 ? gpu.die : std::max(p.hottest, gpu.die);
      p.slowest_clock = std::min(p.slowest_clock, gpu.clock);
    }
    const double decoding = input.decode_core_s * p.throughput * node.gpus / cluster.gpus();
    const double cpu_load = std::min(1.0, decoding / std::max(1.0, node.cores));
    const double share = simulated.stands_for / cluster.nodes();
    p.node_power += node_power(node, powers, cpu_load).ac * share;
    p.installed_node_power += installed_power(node) * share;
  }
}

}  // namespace

RunUse Projection::use(const Cluster& cluster) const {
  return {time.total, cluster.nodes(), cluster.gpus(), node_power, installed_node_power, checkpoint_interval};
}

Time checkpoint_write_time(const Assembly& assembly) {
  const Bandwidth rate = storage_write(assembly.cluster().groups.front().node);
  return rate > Bandwidth() ? checkpoint_size(assembly).node / rate : Time();
}

std::optional<Time> checkpoint_time(const Assembly& assembly) {
  const Job& job = assembly.job();
  const NodeSpec& node = assembly.cluster().groups.front().node;
  const bool sized = job.model != ModelKind::emulated && job.model != ModelKind::trace;
  if (!sized && !job.checkpoint.size) return std::nullopt;
  const Bandwidth rate = job.checkpoint.asynchronous
                             ? std::min(node.pcie.achievable, node.cpu.memory_bandwidth * node.sockets)
                             : storage_write(node);
  if (rate <= Bandwidth()) return std::nullopt;
  return one_checkpoint(assembly);
}

Projection project(const Assembly& assembly, const JobResult& result) {
  const Job& job = assembly.job();
  Projection p;
  p.target = target_length(job, assembly.cluster());
  p.throughput = p.target.global_batch / result.steady.step_s;
  p.one_evaluation = evaluation_time(assembly, result);
  RunLength run;
  run.samples = p.target.samples;
  run.samples_per_epoch = job.data.dataset.samples;
  run.samples_per_s = p.throughput;
  const double first_throughput =
      result.first_epoch ? p.target.global_batch / result.first_epoch->step_s : p.throughput;
  run.first_epoch = seconds(run.samples_per_epoch / std::min(first_throughput, p.throughput));
  if (job.evaluation.every_samples > 0)
    run.evaluations = std::floor(p.target.samples / job.evaluation.every_samples + 1e-9);
  run.evaluation = p.one_evaluation;
  run.checkpoint_interval = job.checkpoint.every;
  if (job.checkpoint.every > Time()) p.one_checkpoint = one_checkpoint(assembly);
  run.checkpoint_blocking = p.one_checkpoint;
  p.checkpoint_interval = job.checkpoint.every;
  p.time = time_to_train(run);
  p.saved_while_cool = saved_while_cool(assembly, result, p.target.steps);
  p.time.first_epoch = p.time.first_epoch - p.saved_while_cool;
  p.time.training = p.time.training - p.saved_while_cool;
  p.time.total = p.time.total - p.saved_while_cool;
  set_power(assembly, result, p);
  return p;
}

}  // namespace clustersim
