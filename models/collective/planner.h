// How long a collective takes and what it loads, on a cluster that is folded to one node a group.
//
//   time on an idle fabric = latency(S) + S x max over links (bytes on the link per byte of S / its capacity)
//
// S buffer of a rank as nccl-tests counts it (bytes); latency(S) in latency.h; bytes on the links by the algorithm
// (one file each); ways and efficiencies in paths.h. "automatic" takes the algorithm with the lowest such time among
// those that the hardware allows, as NCCL's tuner does with its own constants. An algorithm that is asked for but not
// possible here (nvls on A100, tree in one node, anything but a ring for all_gather) falls back to the ring, as NCCL
// does; CollectivePlan::algorithm names what was taken. One rank: no time and no traffic.
// The cost of a plan does not grow with the number of nodes, so 10,000 GPUs plan like one node's.
// A group of slower nodes binds all: every group's links carry the same bytes.
// While it runs, a collective holds thread blocks and DRAM of each GPU:
//   SMs    channels / SM count: NVLink 12 (Volta), 24 (Ampere and later), NVLS 16, PCIe 4
//   DRAM   2.5 x bus rate / DRAM bandwidth (a reduction reads twice and writes once; a copy reads and writes)
// Cluster::corrections, from measurements on such a cluster, scale the latency's terms and the rate of the links that
// bind; they hold for every algorithm alike, so that what is compared stays comparable.
// Range: 8 B to 16 GiB. Accuracy on 331 published rows of stated topology: from 1 MiB up median 3.5 %, nine of ten
// within 16 %; below 1 MiB median 11 %, nine of ten within 28 %. All rows were in view when constants were chosen.
// A log of 2 to 32 nodes of 8 H100 over EFA, found later: all-reduces and all-to-alls from 32 MiB up median 5.5 %, nine
// of ten within 24 %; all-gathers, which were in view, 11 and 22 %.
// Known misses: 2x 8 H20 is predicted 37 % too fast (469 for 343 GB/s), two nodes with ACS and two NICs 26 % too slow,
// EFA v4 at 1 MiB 70 % too fast; congestion of incast and lossy fabrics is not covered.
// Source: NCCL 2.x tuner and topology search; MODELS 3.5-3.7; measured rows scenarios/measurements/nccl.csv.
// Checked by: tests/models/collective_test.cc, tests/models/collective_measured_test.cc.
#pragma once

#include <optional>
#include <vector>

#include "models/collective/algorithms.h"
#include "models/collective/paths.h"
#include "models/collective/request.h"
#include "models/fabric/simulated_fabric.h"

namespace clustersim {

class CollectivePlanner {
 public:
  // The arguments must outlive the planner. With `simulated`, plan() names its links and GPUs: each copy of a link
  // carries what the plan's does, and each copy of a GPU is held as the plan's is.
  CollectivePlanner(const Cluster& cluster, const FabricPlan& fabric, const RouteFinder& routes,
                    const SimulatedFabric* simulated = nullptr);

  CollectivePlan plan(const CollectiveRequest& request) const;
  // Every algorithm that is possible here, in the order of the table.
  std::vector<CollectivePlan> candidates(const CollectiveRequest& request) const;
  // What NCCL would consider by itself on `nodes` equal nodes of the first group, `ranks` GPUs in all, uncorrected.
  // Empty where a node has too few GPUs or the ranks do not divide.
  std::vector<PlanTerms> terms(CollectiveOp op, double bytes, int nodes, int ranks) const;
  // Seconds of the fastest of them, with the cluster's corrections; 0 where there are none.
  double idle_seconds(CollectiveOp op, double bytes, int nodes, int ranks) const;

 private:
  struct Candidate {
    const char* name;
    bool automatic;
    Outline outline;
  };
  Situation situation(const CollectiveRequest& request) const;
  std::optional<Situation> situation_of(CollectiveOp op, double bytes, int nodes, int ranks) const;
  std::vector<Candidate> outlines(const Situation& situation) const;
  const CollectiveCorrection* correction(const Situation& situation) const;
  Outline corrected(const Situation& situation, const Outline& outline) const;
  CollectivePlan finished(const Situation& situation, const Outline& outline, const char* name) const;
  std::vector<Hold> holds(const Situation& situation, const Outline& outline) const;
  const CollectivePlan& choose(const std::vector<CollectivePlan>& plans, CollectiveAlgorithm algorithm) const;
  void spread(CollectivePlan& plan) const;

  const Cluster* cluster_;
  const FabricPlan* fabric_;
  const SimulatedFabric* simulated_;
  std::vector<NodePaths> paths_;
  std::vector<int> first_gpu_;  // GpuId of GPU 0 of each node
};

}  // namespace clustersim
