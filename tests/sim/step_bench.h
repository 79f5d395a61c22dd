// A data-parallel step of hand-made kernels on a small cluster, run by the engine: every expected time can be worked
// out on paper. Two nodes of two PCIe GPUs without input are the default.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/workload/data_parallel.h"
#include "sim/engine/executor.h"
#include "sim/step_parts.h"
#include "tests/models/hand_clusters.h"

namespace clustersim::bench {

constexpr double forward_s = 10e-3, backward_s = 20e-3, optimizer_s = 1e-3;
constexpr int layers = 10;

// Ten equal layers bound by arithmetic, an optimizer bound by memory; `slowness` stretches the layers.
inline StepModel ten_layers(double gradient_elements, double slowness = 1) {
  StepModel model;
  model.forward = {{slowness * forward_s, 0, 0}};
  for (int i = 0; i < layers; ++i)
    model.backward.push_back({"layer", {{slowness * backward_s / layers, 0, 0}}, gradient_elements / layers, 1});
  model.optimizer = {{0, optimizer_s, 0}};
  model.parameters = gradient_elements;
  model.tensors = layers;
  return model;
}

// What ModelKind::emulated becomes: one block, no gradients.
inline StepModel block(double seconds) {
  StepModel model;
  model.forward = {{seconds, 0, 0}};
  return model;
}

// GPUs without SM count and DRAM rate: a collective holds nothing of them, so that times add up exactly.
inline Cluster cluster(int nodes, int gpus, double nic_gbit_s = 100) {
  const NodeSpec node = hand::on_root_ports(hand::node(hand::gpu("Ampere", 0, 0), gpus, 4, 1));
  return hand::cluster(nodes > 1 ? hand::with_nics(node, hand::rdma_nic(nic_gbit_s), 1) : node, nodes);
}

// DDP, buckets of 25 MiB, the ring.
inline Job job() {
  Job j;
  j.model = ModelKind::resnet;
  j.batch_per_gpu = 1;
  j.bucket = bytes(25 * 1048576.0);
  j.algorithm = CollectiveAlgorithm::ring;
  return j;
}

struct StepRun {
  TaskGraph graph;
  RunRecord record;
  std::vector<SimTime> ends;
  int steps = 0;

  // Of a step in the middle: warm, and with others still to come.
  double step_s() const {
    const auto last = static_cast<std::size_t>(steps) / 2;
    return sim_time_to_seconds(ends[last] - ends[last - 1]);
  }
  StepParts parts(StreamId stream) const {
    const auto last = static_cast<std::size_t>(steps) / 2;
    return take_apart(graph, record, {{stream, 1.0}}, ends[last - 1], ends[last]);
  }
  std::vector<const Task*> tasks(const std::string& label, int step) const {
    std::vector<const Task*> found;
    for (const Task& task : graph.tasks)
      if (task.step == step && graph.labels[static_cast<std::size_t>(task.label)] == label) found.push_back(&task);
    return found;
  }
  std::size_t transfers(int step) const {
    std::size_t count = 0;
    for (const Task& task : graph.tasks) count += task.step == step && task.kind == TaskKind::transfer;
    return count;
  }
};

struct Bench {
  hand::Built built;
  DataParallelSpec spec;
  std::vector<double> extra_capacity;  // of resources for input stages, after those of the fabric
  std::vector<double> clocks;

  Bench(const Cluster& c, const Job& j, const std::vector<StepModel>& models) : built(c) {
    spec.job = j;
    spec.models = models;
    spec.world = built.cluster.gpus();
    spec.gpus_per_node = built.cluster.groups.front().node.gpus;
    for (std::size_t n = 0; n < built.plan.nodes.size(); ++n)
      for (std::size_t g = 0; g < built.plan.nodes[n].gpus.size(); ++g) {
        Rank rank;
        rank.gpu = static_cast<GpuId>(spec.ranks.size());
        rank.model = models.size() > 1 ? static_cast<int>(n) : 0;
        rank.compute_stream = rank.gpu;
        spec.ranks.push_back(rank);
      }
    spec.collective_stream = static_cast<StreamId>(spec.ranks.size());
    clocks.assign(spec.ranks.size(), 1.0);
  }

  int gpus() const { return static_cast<int>(spec.ranks.size()); }
  ResourceId extra(int number) const {
    return built.plan.pool_resource(static_cast<int>(built.plan.pools.size())) + number;
  }
  // A stage that every rank has, at `rate` for each rank by itself.
  void add_stage(const std::string& label, double amount, double rate) {
    for (Rank& rank : spec.ranks) add_stage(rank, {label, amount, rate, 0, {}});
  }
  void add_stage(Rank& rank, const InputStage& stage) {
    rank.stages.push_back(stage);
    rank.stage_streams.push_back(static_cast<StreamId>(spec.collective_stream + 1 + next_stage_stream_++));
  }

  StepRun run(int steps = 12) const {
    DataParallel source(spec, &built.planner);
    return run(source, steps);
  }
  StepRun run(StepSource& source, int steps = 12) const {
    StepRun result;
    result.steps = steps;
    for (int i = 0; i < steps; ++i) source.append_step(result.graph, i);
    MachineSpec machine;
    for (const Link& link : built.plan.links) machine.resource_capacity.push_back(link.bytes_per_s);
    for (const Pool& pool : built.plan.pools) machine.resource_capacity.push_back(pool.units_per_s);
    for (const double capacity : extra_capacity) machine.resource_capacity.push_back(capacity);
    machine.gpus = gpus();
    machine.gpu_clock = clocks;
    for (int g = 0; g < gpus(); ++g) machine.stream_gpu.push_back(g);
    machine.stream_gpu.insert(machine.stream_gpu.end(), static_cast<std::size_t>(1 + next_stage_stream_), -1);
    result.record = run_tasks(machine, result.graph);
    result.ends = step_ends(result.graph, result.record);
    return result;
  }

  // A collective of the whole world alone on the fabric, as it follows another on its queue.
  double collective_s(CollectiveOp op, double size) const {
    const CollectivePlan plan = built.planner.plan({op, size, spec.job.algorithm, Scope::world, 0});
    return plan.idle_time_s - plan.launch_s;
  }
  double all_reduce_s(double size) const { return collective_s(CollectiveOp::all_reduce, size); }

 private:
  int next_stage_stream_ = 0;
};

}  // namespace clustersim::bench
