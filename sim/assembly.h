// A scenario turned into a machine and a step source: the bridge from what was asked to what is simulated.
//
// The cluster is folded: every group of equal nodes is represented by one node, simulated GPU by GPU.
// Resources shared by several nodes carry the traffic of all of them (the weights of the transfers say so).
// Detail says what is not: every node is simulated by itself, or every chunk of a collective's ring is a message of its
// own; messages fold only where all nodes are alike and leaves make no difference (messages.h).
// Checked by: tests/sim/assembly_test.cc, tests/sim/unfold_test.cc
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clustersim/scenario.h"
#include "models/collective/messages.h"
#include "models/collective/planner.h"
#include "models/compute/fitted_constants.h"
#include "models/fabric/simulated_fabric.h"
#include "models/input_pipeline/input_demand.h"
#include "models/workload/data_parallel.h"
#include "models/workload/stragglers.h"
#include "sim/engine/machine.h"

namespace clustersim {

// A simulated GPU.
struct SimulatedGpu {
  std::string name;       // "node0.gpu3"
  int node = 0;           // index into SimulatedFabric::nodes()
  int number = 0;         // inside its node
  int model = 0;          // which of the job's step models it runs
  double slowdown = 0;    // its kernels take 1 + slowdown times as long as they should
  double stands_for = 1;  // GPUs of the job
};

// How closely a run looks.
struct Detail {
  bool unfold = false;    // every node by itself
  bool messages = false;  // every chunk of a collective by itself; all collectives are rings
};

class Assembly {
 public:
  Assembly(const Cluster& cluster, const Job& job, Detail detail = {}, const FittedConstants& fitted = {});
  Assembly(const Assembly&) = delete;
  Assembly& operator=(const Assembly&) = delete;

  const Cluster& cluster() const { return cluster_; }
  const Job& job() const { return job_; }
  const FabricPlan& fabric() const { return fabric_; }
  const SimulatedFabric& simulated() const { return *simulated_; }
  const CollectivePlanner& planner() const { return *planner_; }
  const MessagePlanner* message_planner() const { return messages_ ? &*messages_ : nullptr; }  // nullptr: bundles
  const std::vector<SimulatedGpu>& gpus() const { return gpus_; }
  const StepModel& step_model(std::size_t gpu) const { return models_[static_cast<std::size_t>(gpus_[gpu].model)]; }
  // What a simulated node is of.
  const NodeSpec& node_spec(std::size_t node) const;
  // By node of the plan.
  double micro_batch(std::size_t gpu) const;
  const InputDemand& input(std::size_t plan_node, bool first_epoch) const {
    return inputs_[first_epoch ? 1 : 0][plan_node];
  }

  // The machine with every GPU at its relative clock.
  MachineSpec machine(bool first_epoch, const std::vector<double>& clocks) const;
  // What one step does.
  DataParallelSpec step(bool first_epoch) const;
  std::string resource_name(ResourceId resource) const;

 private:
  std::size_t plan_node(int node) const {
    return static_cast<std::size_t>(simulated_->nodes()[static_cast<std::size_t>(node)].plan_node);
  }
  double samples_of(std::size_t gpu) const { return samples_[plan_node(gpus_[gpu].node)]; }
  // Resources beyond the links of the simulated fabric and the plan's pools, in this order for each simulated node,
  // then the shared storage.
  enum NodeResource { loader_cores, local_array, cache_array, node_resource_count };
  ResourceId node_resource(std::size_t node, NodeResource which) const;
  ResourceId shared_storage_resource() const;
  void choose_nodes(Detail detail);
  void add_gpus();
  int model_of(std::size_t plan_node, double slowdown);
  std::vector<InputStage> input_stages(std::size_t gpu, const InputDemand& demand) const;
  InputStage read_stage(std::size_t gpu, const InputDemand& demand) const;
  // Over links and GPUs of the plan, for traffic of this simulated node.
  void add_route(std::vector<Use>& uses, int from, int to, double weight, int node) const;

  Cluster cluster_;
  Job job_;
  FabricPlan fabric_;
  std::unique_ptr<RouteFinder> routes_;
  std::vector<NodeClasses> classes_;  // by group, and so by node of the plan
  std::optional<SimulatedFabric> simulated_;
  std::unique_ptr<CollectivePlanner> planner_;
  std::optional<MessagePlanner> messages_;
  std::vector<SimulatedGpu> gpus_;
  // By node of the plan; behind them those of slower GPUs, with the node and how much slower.
  std::vector<StepModel> models_;
  std::vector<std::pair<std::size_t, double>> slowed_;
  std::vector<double> samples_;                   // by node of the plan: of one GPU in one optimizer step
  std::vector<std::vector<InputDemand>> inputs_;  // [steady, first epoch] by node
};

}  // namespace clustersim
