// The cluster as data: vertices and directed links of one representative node per group, and of the network
// between nodes. Equal nodes are folded: a representative stands for `count` of them; its own links carry its own
// traffic, links shared by several nodes (leaf uplinks, storage servers) carry the traffic of all that share them.
//
// Resource ids of the machine: link i is resource i; pool j is resource links.size() + j.
#pragma once

#include <string>
#include <vector>

#include "clustersim/scenario.h"

namespace clustersim {

enum class VertexKind {
  gpu,
  socket,
  memory,
  pcie_switch,
  nvswitch,
  nic,
  leaf_switch,
  spine_switch,
  storage_device,
  storage_server
};

enum class LinkKind { pcie, nvlink, socket, memory, nic, network, storage };
const char* to_string(LinkKind kind);  // "pcie", "nvlink", ...
// Those that a collective may be bound by.
inline constexpr LinkKind collective_links[] = {LinkKind::nvlink, LinkKind::pcie, LinkKind::socket,
                                                LinkKind::memory, LinkKind::nic,  LinkKind::network};

struct Vertex {
  VertexKind kind = VertexKind::gpu;
  std::string name;  // "node0.gpu3"; unique
  int node = -1;     // index into FabricPlan::nodes, -1: outside nodes
};

struct Link {
  int from = -1, to = -1;  // vertices
  double bytes_per_s = 0;  // raw capacity of this direction; efficiencies are weights of the transfers
  double latency_s = 0;
  LinkKind kind = LinkKind::pcie;
  std::string name;  // "node0.gpu3>node0.sw1"; unique
};

// Something served at a rate that is no link: CPU cores (core-seconds a second), JPEG engines.
struct Pool {
  std::string name;  // "node0.cores"
  double units_per_s = 0;
  int node = -1;
};

struct NodePlan {
  int group = 0;                       // index into Cluster::groups
  int count = 1;                       // nodes it stands for
  std::vector<int> gpus;               // vertices, by GPU number
  std::vector<int> gpu_socket;         // socket number of each GPU
  std::vector<int> nics;               // vertices of the compute NICs
  std::vector<int> sockets, memories;  // vertices, by socket number
  std::vector<int> storage;            // vertices of the data devices (the array of NodeSpec::storage)
  int core_pool = -1;                  // index into pools
};

struct FabricPlan {
  std::vector<Vertex> vertices;
  std::vector<Link> links;
  std::vector<Pool> pools;
  std::vector<NodePlan> nodes;       // one per group of the cluster
  std::vector<int> storage_servers;  // vertices; folded: one stands for all servers, with their summed capacity
  int nodes_per_leaf = 0;            // 0: one switch holds all
  double oversubscription = 1.0;     // leaf down over leaf up
  double hop_latency_s = 0;          // of one switch

  int pool_resource(int pool) const { return static_cast<int>(links.size()) + pool; }
};

// Shortest routes inside the plan, ties broken by link ids. Implemented by the engine's topology.
class RouteFinder {
 public:
  virtual ~RouteFinder() = default;
  // Link ids from one vertex to another, in order; empty when they are the same. Throws if there is no way.
  virtual std::vector<int> route(int from_vertex, int to_vertex) const = 0;
};

}  // namespace clustersim
