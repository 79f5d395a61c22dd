// The way of a byte between two GPUs of a node, and between a GPU and the wire, as NCCL would send it.
//
//   GPU to GPU   NVLink (cable or switch) where there is some; else PCIe:
//                  below one switch, or within a socket of an AMD host: the slot's rate
//                  through an Intel root complex, or to another socket: its peer-to-peer rate
//                  no peer-to-peer over PCIe (a GPU whose stock driver refuses it: NVLink works all the same), or none
//                  at all (refused where the driver would allow it: NVLink neither): up into host memory and down again
//                  ACS: up to the root complex and down even below one switch, at the peer-to-peer rate
//                  (in and out share the switch's uplink, which halves GPUDirect: NCCL issue 700, 9.84 of 23 GB/s)
//   GPU to wire  GPUDirect: straight to the NIC;  otherwise and for TCP: through host memory
// Each leg has a weight: bytes charged on the link per byte sent, so 1/weight is an efficiency.
// A pass over host memory charges both directions of the socket's memory link (one DRAM, two links).
// Source: MODELS 3.5, 3.7, 7b; NCCL topology search (paths.cc, topo.h). Constants: paths.cc.
// Checked by: tests/models/collective_test.cc, tests/models/collective_measured_test.cc.
#pragma once

#include <vector>

#include "clustersim/scenario.h"
#include "models/fabric/fabric_plan.h"

namespace clustersim {

struct Leg {
  int link = -1;
  double weight = 1.0;
};
using Way = std::vector<Leg>;

// Share of a NIC's line rate that a collective reaches, 0..1: of the transport, and less by what flows lose that are
// hashed onto the uplinks of leaves (no adaptive routing), where they collide.
double wire_share(const NodeSpec& node, const Cluster& cluster, const FabricPlan& plan);

class NodePaths {
 public:
  NodePaths(const Cluster& cluster, const FabricPlan& plan, int node, const RouteFinder& routes);

  const NodeSpec& spec() const { return *spec_; }
  const NodePlan& node() const { return *node_; }
  bool switched() const { return !to_switch_.empty(); }  // GPUs meet in an NVSwitch
  bool joined(int a, int b) const;                       // NVLink or xGMI between these GPUs
  double cable_rate(int a, int b) const;                 // bytes/s of the direct cable, 0: none
  Way gpu_to_gpu(int a, int b) const;
  Way gpu_to_wire(int gpu, int nic) const;  // ends on the leaf
  Way wire_to_gpu(int nic, int gpu) const;
  int distance(int gpu, int nic) const { return distance_[index(gpu)][index(nic)]; }  // PCIe links between them
  int nearest_nic(int gpu) const;                                                     // lowest number among the nearest
  const std::vector<int>& near_nics() const { return near_; }  // NICs that are nearest to some GPU
  int leaf_of(int nic) const;                                  // vertex

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  bool nvlink_allowed() const;
  int link_between(int from, int to) const;  // -1: none
  int socket_above(int vertex) const;
  Way over_pcie(int a, int b) const;
  Way up_to_memory(int vertex, double weight) const;
  Way down_from_memory(int memory_of, int vertex, double weight) const;
  void append(Way& way, int from, int to, double weight) const;
  void append_memory_pass(Way& way, int socket) const;

  const Cluster* cluster_;
  const FabricPlan* plan_;
  const NodePlan* node_;
  const NodeSpec* spec_;
  const RouteFinder* routes_;
  std::vector<std::vector<int>> out_links_;  // by vertex
  std::vector<int> to_switch_, from_switch_;
  std::vector<std::vector<int>> distance_;  // GPU, NIC
  std::vector<int> near_;
};

}  // namespace clustersim
