// What is asked of the planner, and what it answers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clustersim/collective_op.h"
#include "clustersim/scenario.h"
#include "clustersim/task_graph.h"

namespace clustersim {

enum class Scope {
  world,   // all GPUs in one communicator
  node,    // every node by itself, all at once
  across,  // GPU i of every node with its peers, all i at once
};

struct CollectiveRequest {
  CollectiveOp op = CollectiveOp::all_reduce;
  // Buffer as nccl-tests counts it: all_gather the gathered total, reduce_scatter the total input, else a rank's
  // buffer.
  double bytes = 0;
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::automatic;
  Scope scope = Scope::world;
  int ranks = 0;  // world, across: the first so many GPUs of the cluster, 0 = all
};

// One transfer that stands for the whole collective: it waits latency_s, then moves amount_bytes over `uses`.
struct CollectivePlan {
  std::string algorithm, protocol;
  double latency_s = 0;     // launch, serial steps over the slowest hop, fill of the pipeline, phases not overlapped
  double launch_s = 0;      // of latency_s: launch and skew, hidden where collectives queue up behind each other
  double amount_bytes = 0;  // the request's bytes; weights count link bytes per byte of it
  std::vector<Use> uses;    // resource ids of the FabricPlan, ascending
  std::vector<Hold> holds;  // GpuId = running index over the GPUs of plan.nodes
  double idle_time_s = 0;   // latency_s + amount_bytes x max(weight / capacity)
  std::string limit;        // the slowest link
  double data_share = 1;    // of the bytes on a link
  int steps = 0;            // serial messages on the longest way
  enum class Measured : std::uint8_t { no, inside, beyond } measured = Measured::no;  // corrected; sizes measured?
};

// Of one algorithm, before any correction: the terms that measurements scale.
struct PlanTerms {
  std::string algorithm;
  double small_s = 0, fill_s = 0, knee_bytes = 1;
  double bound_s = 0;  // bytes x seconds a byte of the slowest link
  std::string limit;   // kind of that link: nvlink, pcie, socket, memory, nic, network
};

}  // namespace clustersim
