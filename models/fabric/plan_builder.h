// Appends vertices and links to a FabricPlan; gives links their names ("from>to").
#pragma once

#include <string>

#include "models/fabric/fabric_plan.h"

namespace clustersim {

class PlanBuilder {
 public:
  int vertex(VertexKind kind, const std::string& name, int node) {
    plan.vertices.push_back({kind, name, node});
    return static_cast<int>(plan.vertices.size()) - 1;
  }
  int link(int from, int to, double bytes_per_s, double latency_s, LinkKind kind) {
    plan.links.push_back({from, to, bytes_per_s, latency_s, kind, name_of(from) + ">" + name_of(to)});
    return static_cast<int>(plan.links.size()) - 1;
  }
  void both_ways(int a, int b, double bytes_per_s, double latency_s, LinkKind kind) {
    link(a, b, bytes_per_s, latency_s, kind);
    link(b, a, bytes_per_s, latency_s, kind);
  }
  FabricPlan plan;

 private:
  const std::string& name_of(int v) const { return plan.vertices[static_cast<std::size_t>(v)].name; }
};

}  // namespace clustersim
