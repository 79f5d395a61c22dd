// Clusters for the tests of fabric and collectives, written by hand with the catalog's values, and a breadth-first
// RouteFinder (fewest links, lower link ids first; GPUs, NICs and storage pass nothing on).
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/collective/planner.h"
#include "models/fabric/build_fabric.h"

namespace clustersim::hand {

class BreadthFirst final : public RouteFinder {
 public:
  explicit BreadthFirst(const FabricPlan& plan) : plan_(&plan), out_(plan.vertices.size()) {
    for (std::size_t l = 0; l < plan.links.size(); ++l) out_[at(plan.links[l].from)].push_back(static_cast<int>(l));
  }
  std::vector<int> route(int from, int to) const override {
    if (from == to) return {};
    std::vector<int> came(plan_->vertices.size(), -1);
    std::deque<int> open = {from};
    while (!open.empty()) {
      const int v = open.front();
      open.pop_front();
      if (v != from && is_end(v)) continue;
      for (int link : out_[at(v)]) {
        const int next = plan_->links[at(link)].to;
        if (next == from || came[at(next)] >= 0) continue;
        came[at(next)] = link;
        if (next != to) {
          open.push_back(next);
          continue;
        }
        std::vector<int> way;
        for (int w = to; w != from; w = plan_->links[at(came[at(w)])].from) way.push_back(came[at(w)]);
        std::reverse(way.begin(), way.end());
        return way;
      }
    }
    throw std::runtime_error("no way");
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  bool is_end(int v) const {
    const VertexKind kind = plan_->vertices[at(v)].kind;
    return kind == VertexKind::gpu || kind == VertexKind::nic || kind == VertexKind::storage_device ||
           kind == VertexKind::storage_server;
  }
  const FabricPlan* plan_;
  std::vector<std::vector<int>> out_;
};

// A cluster with its plan, routes and planner; not movable, since they point into each other.
struct Built {
  explicit Built(Cluster c)
      : cluster(std::move(c)), plan(build_fabric(cluster)), routes(plan), planner(cluster, plan, routes) {}
  Built(const Built&) = delete;
  Cluster cluster;
  FabricPlan plan;
  BreadthFirst routes;
  CollectivePlanner planner;
};

inline GpuSpec gpu(const std::string& architecture, int sms, double dram_gb_s, bool p2p = true) {
  GpuSpec g;
  g.architecture = architecture;
  g.sm_count = sms;
  g.memory_bandwidth = gigabytes_per_second(dram_gb_s);
  g.p2p = p2p;
  return g;
}

inline LinkSpec pcie(int generation) {
  LinkSpec l;
  l.id = "pcie" + std::to_string(generation) + "-x16";
  l.kind = "pcie";
  l.generation = generation;
  l.achievable = gigabytes_per_second(generation == 3 ? 12.3 : generation == 4 ? 25.0 : 55.2);
  l.achievable_p2p = gigabytes_per_second(generation == 3 ? 10.5 : generation == 4 ? 20.0 : 45.0);
  l.latency = microseconds(1.0);
  return l;
}

inline LinkSpec nvlink(int generation) {
  LinkSpec l;
  l.id = "nvlink" + std::to_string(generation);
  l.kind = "nvlink";
  l.generation = generation;
  l.theoretical = gigabytes_per_second(generation == 5 ? 50.0 : 25.0);
  l.collective_per_link = gigabytes_per_second(generation == 5 ? 40.1 : generation == 4 ? 20.6 : 20.0);
  l.links_per_gpu = generation == 2 ? 6 : generation == 3 ? 12 : 18;
  l.latency = microseconds(0.7);
  return l;
}

inline LinkSpec socket_link(double gb_s) {
  LinkSpec l;
  l.id = "socket-link";
  l.kind = "cpu_socket_link";
  l.achievable = gigabytes_per_second(gb_s);
  l.latency = microseconds(0.14);
  return l;
}

inline NicSpec rdma_nic(double gbit_s) {
  NicSpec n;
  n.line_rate = gigabits_per_second(gbit_s);
  n.rdma = true;
  n.rdma_efficiency = 0.97;
  n.rdma_latency = microseconds(1.0);
  n.tcp_latency = microseconds(12);
  return n;
}

inline NicSpec tcp_nic(double gbit_s, double collective_gbit_s, double latency_us) {
  NicSpec n = rdma_nic(gbit_s);
  n.tcp_collective = gigabits_per_second(collective_gbit_s);
  n.tcp_latency = microseconds(latency_us);
  return n;
}

inline NodeSpec node(const GpuSpec& g, int gpus, int pcie_generation, int sockets = 2, double socket_gb_s = 32.0) {
  NodeSpec n;
  n.gpu = g;
  n.p2p = g.p2p;  // as the stock driver has it
  n.gpus = gpus;
  n.sockets = sockets;
  n.cores = 64.0 * sockets;
  n.cpu.vendor = "AMD";
  n.cpu.memory_bandwidth = gigabytes_per_second(204.8);
  n.pcie = pcie(pcie_generation);
  n.socket_link = socket_link(socket_gb_s);
  return n;
}

inline PcieVertex slot(const std::string& id, const std::string& kind, const std::string& parent,
                       const LinkSpec& link) {
  PcieVertex v;
  v.id = id;
  v.kind = kind;
  v.parent = parent;
  v.link = link.achievable;
  v.link_latency = link.latency;
  return v;
}

// Every GPU on a root port of its own, spread over the sockets.
inline NodeSpec on_root_ports(NodeSpec n) {
  for (int s = 0; s < n.sockets; ++s) n.pcie_tree.push_back(slot("cpu" + std::to_string(s), "socket", "", n.pcie));
  for (int g = 0; g < n.gpus; ++g)
    n.pcie_tree.push_back(
        slot("gpu" + std::to_string(g), "gpu", "cpu" + std::to_string(g * n.sockets / n.gpus), n.pcie));
  return n;
}

inline NodeSpec with_nvlink(NodeSpec n, int generation, const std::string& shape, int links = 0) {
  n.gpu_fabric.shape = shape;
  n.gpu_fabric.link = nvlink(generation);
  n.gpu_fabric.links_per_gpu = links > 0 ? links : n.gpu_fabric.link.links_per_gpu;
  n.gpu_fabric.in_network_reduction = shape == "switch" && generation >= 4;
  return n;
}

inline NodeSpec with_nics(NodeSpec n, const NicSpec& nic, int nics) {
  n.nic = nic;
  n.nics = nics;
  return n;
}

inline Cluster cluster(const NodeSpec& n, int nodes = 1, Transport transport = Transport::rdma) {
  Cluster c;
  c.groups = {{nodes, n}};
  c.fabric.transport = transport;
  if (n.nic) c.fabric.link = n.nic->line_rate;
  return c;
}

inline NodeSpec a100_sxm() { return with_nvlink(node(gpu("Ampere", 108, 1555), 8, 4), 3, "switch"); }
inline NodeSpec h100_sxm() { return with_nvlink(node(gpu("Hopper", 132, 3350), 8, 5, 2, 40), 4, "switch"); }
inline NodeSpec h200_sxm() { return with_nvlink(node(gpu("Hopper", 132, 4800), 8, 5, 2, 40), 4, "switch"); }
inline NodeSpec b200_sxm() { return with_nvlink(node(gpu("Blackwell", 148, 8000), 8, 5, 2, 40), 5, "switch"); }

inline NodeSpec dgx1() {
  NodeSpec n = with_nvlink(node(gpu("Volta", 80, 900), 8, 3, 2, 12), 2, "cube-mesh");
  n.cpu.vendor = "Intel";
  n.cpu.memory_bandwidth = gigabytes_per_second(76.8);
  return n;
}

inline double bus_bandwidth(const Built& b, CollectiveOp op, double bytes,
                            CollectiveAlgorithm algorithm = CollectiveAlgorithm::automatic, int ranks = 0) {
  const double n = ranks > 0 ? ranks : b.cluster.gpus();
  const double factor = op == CollectiveOp::all_reduce ? 2 * (n - 1) / n
                        : op == CollectiveOp::reduce || op == CollectiveOp::broadcast || op == CollectiveOp::send_recv
                            ? 1.0
                            : (n - 1) / n;
  return factor * bytes / b.planner.plan({op, bytes, algorithm, Scope::world, ranks}).idle_time_s;
}

}  // namespace clustersim::hand
