#include "sim/assembly.h"

#include <algorithm>

#include "clustersim/error.h"
#include "models/fabric/build_fabric.h"
#include "models/workload/rank_noise.h"
#include "sim/engine/max_min.h"
#include "sim/engine/topology.h"

namespace clustersim {
namespace {

constexpr int streams_per_gpu = 6;  // compute, and at most five input stages
// A deeper queue than there are stages only delays the steady state; the steady state is the same.
constexpr int deepest_prefetch = streams_per_gpu;

}  // namespace

Assembly::Assembly(const Cluster& cluster, const Job& job, Detail detail, const FittedConstants& fitted)
    : cluster_(cluster), job_(job), fabric_(build_fabric(cluster_)), routes_(std::make_unique<Topology>(fabric_)) {
  if (detail.messages) job_.algorithm = CollectiveAlgorithm::ring;
  choose_nodes(detail);
  planner_ = std::make_unique<CollectivePlanner>(cluster_, fabric_, *routes_, &*simulated_);
  if (detail.messages) messages_.emplace(cluster_, fabric_, *simulated_, *routes_);
  inputs_.resize(2);
  for (const NodePlan& plan : fabric_.nodes) {
    const NodeGroup& group = cluster_.groups[static_cast<std::size_t>(plan.group)];
    const NodeSpec& node = group.node;
    const Job own = job_.on(group);
    const int shards = job_.reduction == Reduction::rs_ar_ag ? node.gpus : job_.shards;
    models_.push_back(build_step(own, node.gpu, node.cpu, cluster_.gpus(), shards, fitted));
    samples_.push_back(own.samples_per_step_and_gpu());
    for (const bool first : {false, true}) inputs_[first ? 1 : 0].push_back(input_demand(cluster_, node, own, first));
  }
  add_gpus();
}

void Assembly::choose_nodes(Detail detail) {
  classes_ = node_classes(cluster_);
  std::vector<std::vector<int>> class_sizes;
  for (const NodePlan& plan : fabric_.nodes)
    class_sizes.push_back(classes_[static_cast<std::size_t>(plan.group)].sizes);
  const bool alike = class_sizes.size() == 1 && class_sizes.front().size() == 1;
  if (detail.messages && !(alike && MessagePlanner::can_fold(fabric_))) detail.unfold = true;
  simulated_ = detail.unfold ? SimulatedFabric::unfolded(fabric_) : SimulatedFabric::folded(fabric_, class_sizes);
}

int Assembly::model_of(std::size_t plan_node, double slowdown) {
  if (slowdown == 0) return static_cast<int>(plan_node);
  const std::size_t own = fabric_.nodes.size();
  const auto known = std::find(slowed_.begin(), slowed_.end(), std::pair(plan_node, slowdown));
  if (known != slowed_.end()) return static_cast<int>(own + static_cast<std::size_t>(known - slowed_.begin()));
  slowed_.emplace_back(plan_node, slowdown);
  models_.push_back(slowed(models_[plan_node], slowdown));
  return static_cast<int>(models_.size()) - 1;
}

void Assembly::add_gpus() {
  for (std::size_t n = 0; n < simulated_->nodes().size(); ++n) {
    const SimulatedNode& node = simulated_->nodes()[n];
    const NodePlan& plan = fabric_.nodes[static_cast<std::size_t>(node.plan_node)];
    const NodeClasses& classes = classes_[static_cast<std::size_t>(plan.group)];
    const auto copy = static_cast<std::size_t>(node.copy);
    const bool one_class = classes.sizes.size() == 1;
    const std::size_t own_class = one_class             ? 0
                                  : simulated_->folds() ? copy
                                                        : static_cast<std::size_t>(classes.class_of[copy]);
    for (std::size_t g = 0; g < plan.gpus.size(); ++g) {
      const std::string& name = fabric_.vertices[static_cast<std::size_t>(plan.gpus[g])].name;
      const double slowdown = classes.slowdown[own_class][g];
      gpus_.push_back({simulated_->name_in(static_cast<int>(n), name), static_cast<int>(n), static_cast<int>(g),
                       model_of(static_cast<std::size_t>(node.plan_node), slowdown), slowdown, node.stands_for});
    }
  }
}

double Assembly::micro_batch(std::size_t gpu) const {
  return job_.on(cluster_.groups[static_cast<std::size_t>(fabric_.nodes[plan_node(gpus_[gpu].node)].group)])
      .micro_batch();
}

const NodeSpec& Assembly::node_spec(std::size_t node) const {
  return cluster_.groups[static_cast<std::size_t>(fabric_.nodes[plan_node(static_cast<int>(node))].group)].node;
}

ResourceId Assembly::node_resource(std::size_t node, NodeResource which) const {
  const std::size_t before = simulated_->bytes_per_s().size() + fabric_.pools.size();
  return static_cast<ResourceId>(before) + static_cast<int>(node) * node_resource_count + which;
}

ResourceId Assembly::shared_storage_resource() const { return node_resource(simulated_->nodes().size(), loader_cores); }

std::string Assembly::resource_name(ResourceId resource) const {
  const auto r = static_cast<std::size_t>(resource);
  if (r < simulated_->bytes_per_s().size()) return simulated_->link_name(resource);
  const std::size_t pool = r - simulated_->bytes_per_s().size();
  if (pool < fabric_.pools.size()) return fabric_.pools[pool].name;
  const std::size_t extra = pool - fabric_.pools.size();
  const std::size_t node = extra / node_resource_count;
  if (node >= simulated_->nodes().size()) return "shared storage";
  const char* const names[] = {"loader", "storage", "cache"};
  return "node" + std::to_string(node) + "." + names[extra % node_resource_count];
}

MachineSpec Assembly::machine(bool first_epoch, const std::vector<double>& clocks) const {
  MachineSpec machine;
  machine.resource_capacity = simulated_->bytes_per_s();
  for (const Pool& pool : fabric_.pools) machine.resource_capacity.push_back(pool.units_per_s);
  // A tier that the job does not use still needs a capacity; no transfer names it.
  const auto at_least = [](Bandwidth b) { return std::max(b.base(), 1.0); };
  for (const SimulatedNode& node : simulated_->nodes()) {
    const InputDemand& demand = input(static_cast<std::size_t>(node.plan_node), first_epoch);
    machine.resource_capacity.push_back(std::max(demand.usable_cores, 1e-3));
    machine.resource_capacity.push_back(at_least(demand.local_rate));
    machine.resource_capacity.push_back(at_least(demand.cache_rate));
  }
  machine.resource_capacity.push_back(at_least(inputs_[first_epoch ? 1 : 0].front().shared_rate));
  machine.gpus = static_cast<int>(gpus_.size());
  machine.gpu_clock = clocks;
  for (int g = 0; g < machine.gpus; ++g) {
    machine.stream_gpu.push_back(g);
    machine.stream_gpu.insert(machine.stream_gpu.end(), streams_per_gpu - 1, -1);
  }
  machine.stream_gpu.push_back(-1);  // collectives
  return machine;
}

DataParallelSpec Assembly::step(bool first_epoch) const {
  DataParallelSpec spec;
  spec.job = job_;
  spec.models = models_;
  spec.world = cluster_.gpus() / job_.pipeline_parallel;
  spec.gpus_per_node = cluster_.groups.front().node.gpus;
  for (const NodeGroup& group : cluster_.groups) spec.gpus_per_node = std::min(spec.gpus_per_node, group.node.gpus);
  if (is_model_parallel(job_))
    spec.divided = model_parallel_times(job_, models_.front(), *planner_, cluster_.gpus(), spec.gpus_per_node);
  spec.collective_stream = static_cast<StreamId>(gpus_.size()) * streams_per_gpu;
  spec.prefetch = 1;
  for (std::size_t g = 0; g < gpus_.size(); ++g) {
    const InputDemand& demand = input(plan_node(gpus_[g].node), first_epoch);
    spec.prefetch = std::clamp(demand.prefetch_batches, spec.prefetch, deepest_prefetch);
    Rank rank;
    rank.gpu = static_cast<GpuId>(g);
    rank.model = gpus_[g].model;
    rank.compute_stream = static_cast<StreamId>(g) * streams_per_gpu;
    rank.stages = input_stages(g, demand);
    for (std::size_t s = 0; s < rank.stages.size(); ++s)
      rank.stage_streams.push_back(rank.compute_stream + 1 + static_cast<StreamId>(s));
    rank.gpu_decode_s = demand.gpu_decode_s * samples_of(g) * (1 + gpus_[g].slowdown);
    spec.ranks.push_back(std::move(rank));
  }
  // Ranks wait for the slowest: noise of the machines, and sequences of unequal length.
  spec.straggler_share = straggler_factor(cluster_.gpus(), job_.accumulation) * models_.front().length_imbalance - 1.0;
  return spec;
}

void Assembly::add_route(std::vector<Use>& uses, int from, int to, double weight, int node) const {
  for (const int link : routes_->route(from, to)) {
    const double sharers = simulated_->nodes_on(node, link);
    uses.push_back({simulated_->link(node, link), weight * sharers, sharers});
  }
}

InputStage Assembly::read_stage(std::size_t gpu, const InputDemand& demand) const {
  const auto n = static_cast<std::size_t>(gpus_[gpu].node);
  const NodePlan& plan = fabric_.nodes[plan_node(gpus_[gpu].node)];
  const int memory =
      plan.memories[static_cast<std::size_t>(plan.gpu_socket[static_cast<std::size_t>(gpus_[gpu].number)])];
  InputStage stage{"read", demand.stored_bytes * samples_of(gpu), 0, 0, {}};
  const double cold = std::max(0.0, 1.0 - demand.page_cache_share - demand.cache_share);
  if (demand.cache_share > 0) stage.uses.push_back({node_resource(n, cache_array), demand.cache_share, 1});
  if (cold <= 0) return stage;
  if (job_.data.from == DataSource::shared) {
    const double sharers = simulated_->nodes()[n].stands_for;
    stage.uses.push_back({shared_storage_resource(), cold * sharers, sharers});
    if (!fabric_.storage_servers.empty() && !plan.nics.empty()) {
      const int nic = plan.nics[static_cast<std::size_t>(gpus_[gpu].number) % plan.nics.size()];
      add_route(stage.uses, fabric_.storage_servers.front(), nic, cold, gpus_[gpu].node);
      add_route(stage.uses, nic, memory, cold, gpus_[gpu].node);
    }
    if (demand.shared_rate_per_node > Bandwidth()) {
      stage.rate_cap = demand.shared_rate_per_node.base() / node_spec(n).gpus / cold;
    }
  } else {
    stage.uses.push_back({node_resource(n, local_array), cold, 1});
    for (const int device : plan.storage)
      add_route(stage.uses, device, memory, cold / static_cast<double>(plan.storage.size()), gpus_[gpu].node);
  }
  return stage;
}

std::vector<InputStage> Assembly::input_stages(std::size_t gpu, const InputDemand& demand) const {
  const auto n = static_cast<std::size_t>(gpus_[gpu].node);
  const NodePlan& plan = fabric_.nodes[plan_node(gpus_[gpu].node)];
  const auto number = static_cast<std::size_t>(gpus_[gpu].number);
  const double samples = samples_of(gpu);
  std::vector<InputStage> stages;
  if (job_.data.from == DataSource::synthetic) return stages;
  if (demand.stored_bytes > 0) stages.push_back(read_stage(gpu, demand));
  if (demand.decode_core_s > 0) {
    InputStage decode{"decode", demand.decode_core_s * samples, 0, 0, {}};
    decode.rate_cap = demand.usable_cores / static_cast<double>(plan.gpus.size());
    decode.uses.push_back({node_resource(n, loader_cores), 1, 1});
    stages.push_back(decode);
  }
  if (demand.hardware_decode_rate > 0)
    stages.push_back({"decode in hardware", samples, demand.hardware_decode_rate, 0, {}});
  if (demand.collate_s > 0) stages.push_back({"collate", demand.collate_s * samples, 1, 0, {}});
  if (demand.copy_bytes > 0) {
    InputStage copy{"copy", demand.copy_bytes * samples, 0, 0, {}};
    const int memory = plan.memories[static_cast<std::size_t>(plan.gpu_socket[number])];
    add_route(copy.uses, memory, plan.gpus[number], 1, gpus_[gpu].node);
    stages.push_back(copy);
  }
  for (InputStage& stage : stages) merge_uses(stage.uses);  // once, not for each batch
  return stages;
}

}  // namespace clustersim
