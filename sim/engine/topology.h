// The fabric as a graph, and the way from one vertex to another.
//
//   route = the way with the fewest links; among those, the one whose first differing link has the lowest id
//
// Fewest links, not least latency: in a PCIe tree it turns at the lowest common ancestor, and a way that crosses fewer
// bridges is the one that drivers take. GPUs, NICs and storage (devices and servers) pass nothing on for others: they
// are only ends of a route. A planner that sends through a NIC asks for the way to it and for the way from it.
//
// Distances are searched once per target and kept, so a later route costs (links of it) x (links out of a vertex).
// Not for use by several threads at once.
// Checked by: tests/engine/topology_test.cc
#pragma once

#include <memory>
#include <vector>

#include "models/fabric/fabric_plan.h"

namespace clustersim {

class Topology final : public RouteFinder {
 public:
  // Copies what it needs of the plan.
  explicit Topology(const FabricPlan& plan);
  ~Topology() override;
  Topology(Topology&&) noexcept;
  Topology& operator=(Topology&&) noexcept;

  // InternalError if there is no way.
  std::vector<int> route(int from_vertex, int to_vertex) const override;

 private:
  struct Graph;
  std::unique_ptr<Graph> graph_;
};

}  // namespace clustersim
