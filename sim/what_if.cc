#include "sim/what_if.h"

#include <optional>

#include "sim/job.h"

namespace clustersim {
namespace {

struct Change {
  const char* name;
  bool (*matters)(const Cluster&, const Job&);
  void (*apply)(Cluster&, Job&);
};

bool reads_images(const Job& job) { return job.data.from != DataSource::synthetic && job.data.dataset.images; }
bool has_kernels(const Cluster&, const Job& job) {
  return job.model != ModelKind::emulated && !(job.trace && job.trace->on_cpu);
}

void double_it(Bandwidth& rate) { rate *= 2.0; }
void double_it(FlopRate& rate) { rate *= 2.0; }
template <class Value>
void double_it(std::optional<Value>& value) {
  if (value) value = *value * 2.0;
}

void double_nic(NicSpec& nic) {
  double_it(nic.line_rate);
  double_it(nic.tcp_single_stream);
  double_it(nic.tcp_collective);
}

void double_network(Cluster& cluster, Job&) {
  double_it(cluster.fabric.link);
  for (NodeGroup& group : cluster.groups) {
    if (group.node.nic) double_nic(*group.node.nic);
    double_it(group.node.single_flow_cap);
  }
}

void double_gpu_links(Cluster& cluster, Job&) {
  for (NodeGroup& group : cluster.groups) {
    double_it(group.node.gpu_fabric.link.achievable);
    double_it(group.node.gpu_fabric.link.collective_per_link);
    double_it(group.node.pcie.achievable);
    double_it(group.node.pcie.achievable_p2p);
    double_it(group.node.socket_link.achievable);
    double_it(group.node.cpu.memory_bandwidth);  // without peer-to-peer the way leads through host memory
    for (PcieVertex& vertex : group.node.pcie_tree) double_it(vertex.link);
  }
}

void double_cores(Cluster& cluster, Job& job) {
  job.data.workers_per_gpu *= 2;
  for (NodeGroup& group : cluster.groups) {
    group.node.cores *= 2;
    group.node.cpu.cores *= 2;
    group.node.cpu.threads *= 2;
  }
}

void double_storage(StorageArray& array) {
  double_it(array.tier.read);
  double_it(array.tier.read_iops);
}

void double_storage(Cluster& cluster, Job&) {
  for (NodeGroup& group : cluster.groups) double_storage(group.node.storage);
  if (!cluster.storage) return;
  double_storage(cluster.storage->servers);
  double_nic(cluster.storage->nic);
}

void double_memory(Cluster& cluster, Job&) {
  for (NodeGroup& group : cluster.groups) {
    GpuSpec& gpu = group.node.gpu;
    double_it(gpu.memory_bandwidth);
    for (auto* rate : {&gpu.measured_stream, &gpu.measured.reduce_stream, &gpu.measured.update_stream,
                       &gpu.measured.l2_stream})  // the L2's is over that of memory
      double_it(*rate);
  }
}

void double_arithmetic(Cluster& cluster, Job&) {
  for (NodeGroup& group : cluster.groups) {
    GpuSpec& gpu = group.node.gpu;
    double_it(gpu.peak_fp32);
    for (auto* peak : {&gpu.peak_tf32, &gpu.peak_fp16, &gpu.peak_bf16, &gpu.peak_fp8, &gpu.measured_matmul_bf16,
                       &gpu.measured_matmul_fp8, &gpu.measured_matmul_tf32, &gpu.measured_matmul_fp32})
      double_it(*peak);
  }
}

constexpr Change changes[] = {
    {"2x network", [](const Cluster& c, const Job& job) { return c.nodes() > 1 && !job.recorded_collectives; },
     double_network},
    {"2x links between GPUs",
     [](const Cluster& c, const Job& job) { return c.gpus() > c.nodes() && !job.recorded_collectives; },
     double_gpu_links},
    {"2x cores and loader workers", [](const Cluster&, const Job& job) { return reads_images(job); }, double_cores},
    {"2x storage",
     [](const Cluster&, const Job& job) {
       return job.data.from == DataSource::node || job.data.from == DataSource::shared;
     },
     double_storage},
    {"2x GPU memory bandwidth", has_kernels, double_memory},
    {"2x GPU arithmetic", has_kernels, double_arithmetic},
};

}  // namespace

std::vector<WhatIf> what_if(const Scenario& scenario) {
  std::vector<WhatIf> results;
  for (const Change& change : changes) {
    if (!change.matters(scenario.cluster, scenario.job)) continue;
    Cluster cluster = scenario.cluster;
    Job job = scenario.job;
    change.apply(cluster, job);
    const Assembly assembly(cluster, job);
    results.push_back({change.name, run_job(assembly).steady.step_s, 0});
  }
  return results;
}

}  // namespace clustersim
