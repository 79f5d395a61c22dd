// A scenario turned into a machine and a step source: the bridge from what was asked to what is simulated.
//
// The cluster is folded: every group of equal nodes is represented by one node, simulated GPU by GPU.
// Resources shared by several nodes carry the traffic of all of them (the weights of the transfers say so).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "clustersim/scenario.h"
#include "models/collective/planner.h"
#include "models/fabric/fabric_plan.h"
#include "models/input_pipeline/input_demand.h"
#include "models/workload/data_parallel.h"
#include "sim/engine/machine.h"

namespace clustersim {

// A simulated GPU.
struct SimulatedGpu {
  std::string name;       // "node0.gpu3"
  int node = 0;           // index into FabricPlan::nodes
  int number = 0;         // inside its node
  double stands_for = 1;  // GPUs of the job
};

class Assembly {
 public:
  Assembly(const Cluster& cluster, const Job& job);
  Assembly(const Assembly&) = delete;
  Assembly& operator=(const Assembly&) = delete;

  const Cluster& cluster() const { return cluster_; }
  const Job& job() const { return job_; }
  const FabricPlan& fabric() const { return fabric_; }
  const CollectivePlanner& planner() const { return *planner_; }
  const std::vector<SimulatedGpu>& gpus() const { return gpus_; }
  const StepModel& step_model(std::size_t gpu) const { return models_[static_cast<std::size_t>(gpus_[gpu].node)]; }
  const InputDemand& input(std::size_t node, bool first_epoch) const { return inputs_[first_epoch ? 1 : 0][node]; }

  // The machine with every GPU at its relative clock.
  MachineSpec machine(bool first_epoch, const std::vector<double>& clocks) const;
  // What one step does.
  DataParallelSpec step(bool first_epoch) const;
  std::string resource_name(ResourceId resource) const;

 private:
  // Resources beyond the fabric's links and pools, in this order for each node, then the shared storage.
  enum NodeResource { loader_cores, local_array, cache_array, node_resource_count };
  ResourceId node_resource(std::size_t node, NodeResource which) const;
  ResourceId shared_storage_resource() const;
  std::vector<InputStage> input_stages(std::size_t gpu, const InputDemand& demand) const;
  InputStage read_stage(std::size_t gpu, const InputDemand& demand) const;
  void add_route(std::vector<Use>& uses, int from, int to, double weight, int node) const;

  Cluster cluster_;
  Job job_;
  FabricPlan fabric_;
  std::unique_ptr<RouteFinder> routes_;
  std::unique_ptr<CollectivePlanner> planner_;
  std::vector<SimulatedGpu> gpus_;
  std::vector<StepModel> models_;                 // by node of the plan
  std::vector<std::vector<InputDemand>> inputs_;  // [steady, first epoch] by node
};

}  // namespace clustersim
