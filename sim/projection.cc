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

// Forward passes over the evaluation set, spread over all GPUs, the slowest of which is waited for.
Time evaluation_time(const Assembly& assembly, const JobResult& result) {
  const Job& job = assembly.job();
  if (job.evaluation.every_samples <= 0) return Time();
  double slowest_per_sample = 0;
  for (std::size_t g = 0; g < assembly.gpus().size(); ++g) {
    Conditions conditions;
    conditions.clock = result.clocks[g];
    const double forward = work_seconds({assembly.step_model(g).forward, 1.0}, conditions);
    slowest_per_sample = std::max(slowest_per_sample, forward / assembly.micro_batch(g));
  }
  return seconds(slowest_per_sample * job.evaluation.samples / assembly.cluster().gpus()) + job.evaluation.fixed;
}

Time one_checkpoint(const Assembly& assembly) {
  const Job& job = assembly.job();
  const NodeSpec& node = assembly.cluster().groups.front().node;
  if (job.checkpoint.every <= Time()) return Time();
  const MemoryNeed need = memory_needed(job, node.gpu, assembly.cluster().gpus());
  const double share = node.storage.sequential_efficiency * std::max(1, node.storage.count);
  return checkpoint_blocking(job.checkpoint.size.value_or(need.weights + need.optimizer), job.checkpoint.asynchronous,
                             node.pcie.achievable, node.cpu.memory_bandwidth, node.storage.tier.write * share);
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
  return {time.total, cluster.nodes(), cluster.gpus(), node_power, installed_node_power};
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
  p.one_checkpoint = one_checkpoint(assembly);
  run.checkpoint_blocking = p.one_checkpoint;
  p.time = time_to_train(run);
  p.saved_while_cool = saved_while_cool(assembly, result, p.target.steps);
  p.time.first_epoch = p.time.first_epoch - p.saved_while_cool;
  p.time.training = p.time.training - p.saved_while_cool;
  p.time.total = p.time.total - p.saved_while_cool;
  set_power(assembly, result, p);
  return p;
}

}  // namespace clustersim
