// The table of collective algorithms. To add one: a file with its function, a line here and in algorithms.cc.
//
// An algorithm says what it puts on the links (Traffic) and how long it takes beside that (Curve), or nothing where
// the hardware, the operation or the scope rules it out.
// Checked by: tests/models/collective_test.cc, which runs the identities over every entry.
#pragma once

#include <optional>
#include <vector>

#include "models/collective/latency.h"
#include "models/collective/request.h"
#include "models/collective/traffic.h"

namespace clustersim {

// Who takes part in what.
struct Situation {
  const Cluster* cluster = nullptr;
  const FabricPlan* plan = nullptr;
  CollectiveOp op = CollectiveOp::all_reduce;
  Scope scope = Scope::world;
  double bytes = 0;
  std::vector<Party> parties;
  int nodes = 1;  // that one communicator spans
  int ranks = 1;  // of one communicator (of the largest, where they differ)

  bool between_nodes() const { return nodes > 1; }
  int most_gpus() const;  // of a node
};

struct Outline {
  Traffic traffic;
  Curve curve;
  double serial_s_per_byte = 0;  // phases that do not overlap with the slowest link's
  int steps = 0;
  double sms = 0;         // thread blocks on a GPU; 0: the usual number of the GPU's fabric
  double data_share = 1;  // of the bytes in `traffic`
};

struct AlgorithmEntry {
  CollectiveAlgorithm algorithm;
  const char* name;
  const char* meaning;
  bool automatic;  // NCCL would consider it by itself
  std::optional<Outline> (*outline)(const Situation&);
};

const std::vector<AlgorithmEntry>& collective_algorithms();

std::optional<Outline> ring(const Situation& situation);
std::optional<Outline> tree(const Situation& situation);
std::optional<Outline> hierarchical(const Situation& situation);
std::optional<Outline> nvls(const Situation& situation);
std::optional<Outline> in_network(const Situation& situation);
std::optional<Outline> naive_tree(const Situation& situation);
// all_to_all: every rank with every other directly; no choice of algorithm.
Outline pairwise(const Situation& situation);

// send_recv: every rank to the next.
Outline neighbours(const Situation& situation);

// How many times the buffer crosses a NIC-bound tree of this cluster, each way.
double tree_crossings(const Situation& situation);

Hop slower(Hop a, Hop b);  // of each protocol
// The slowest of the parties' hops, and the longest launch.
Hop slowest_inside_hop(const Situation& situation, bool tree);
Hop slowest_network_hop(const Situation& situation, bool tree);
double longest_launch_s(const Situation& situation);
double least_low_latency_share(const Situation& situation);

}  // namespace clustersim
