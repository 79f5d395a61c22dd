// A collective message by message: the second face of the ring and of all-to-all, every chunk a transfer of its own.
//
//   ring         n ranks, buffer S: (n-1) steps of reduce_scatter and all_gather, 2(n-1) of all_reduce, 1 chunk a step
//                  chunk = S / n / rings          rings: one for each channel of a node (traffic.h)
//                a rank sends its next chunk once its last one was delivered and its predecessor's has arrived
//                within nodes (Scope::node) a ring a node, across nodes (Scope::across) a ring for each GPU number
//   all_to_all   every rank sends S / n to every other at once
//   latency      before the first message: the bundle's launch (ring), or all of its latency (all_to_all)
//                of each message of a ring: (latency - launch) / steps, what a step of the bundle waits on average
// Every simulated node and leaf has links of its own (simulated_fabric.h); the ways and their efficiencies are the
// bundle's (paths.h). As there, a chunk that changes rails inside a pod does so within a node, at no charge; cables of
// a mesh are taken all at once, in the proportion of their rates.
// One node that stands for many alike sends to itself what it would send to the next: exact where all nodes are alike
// and hang on one leaf, or on leaves whose uplinks never bind, so that it does not matter whether the next node is on
// another leaf (can_fold): nobody else uses them, and they carry what all NICs of a node send together.
// Assumes that nodes have equally many channels (else channels of the poorer node serve several rings).
// Against the bundle: within 1 % on an idle fabric where a chunk takes at least ten latencies, within 5 % beside other
// traffic. Cost: one lane for each rank and ring, or for each pair of ranks.
// Source: Patarasu and Yuan 2009; NCCL. Checked by: tests/engine/collective_messages_test.cc.
#pragma once

#include <optional>
#include <vector>

#include "clustersim/task_graph.h"
#include "models/collective/paths.h"
#include "models/collective/request.h"
#include "models/fabric/simulated_fabric.h"

namespace clustersim {

struct MessagePlan {
  MessagePattern pattern;  // resource ids of the SimulatedFabric's links
  double latency_s = 0;    // before the first message
};

class MessagePlanner {
 public:
  // The arguments must outlive the planner; `fabric` is of the plan `folded`, unfolded or as can_fold() allows.
  MessagePlanner(const Cluster& cluster, const FabricPlan& folded, const SimulatedFabric& fabric,
                 const RouteFinder& routes);

  // Is the ring through all nodes the same to each of them? Where the plan has shared storage its traffic is on the
  // uplinks too.
  static bool can_fold(const FabricPlan& plan);

  // The ring of an all_reduce, reduce_scatter or all_gather, or an all_to_all among all ranks (Scope::world, unfolded).
  // `bundle`: the same request as one transfer. Nothing for what has no such face, and for fewer than two ranks.
  std::optional<MessagePlan> plan(const CollectiveRequest& request, const CollectivePlan& bundle) const;

 private:
  struct Member {  // a node that takes part
    int node = 0;  // of the simulated fabric
    int gpus = 0;
  };
  struct Ring {  // what all rings of a plan have in common
    double chunk = 0;
    bool through_network = false;
  };

  const NodePaths& paths(int node) const;
  std::vector<Member> members(int ranks) const;
  int nodes_of(const std::vector<Member>& members) const;
  // Streams of a message on a link at most: a folded one leaves and arrives at the same node.
  double ends_here() const { return fabric_->folds() ? 2.0 : 1.0; }
  void add_world_rings(MessagePattern& pattern, const std::vector<Member>& members, int ranks, double bytes) const;
  void add_ring(MessagePattern& pattern, const std::vector<Member>& members, std::size_t ring,
                const Ring& common) const;
  void add_rings_across(MessagePattern& pattern, const std::vector<Member>& members, double chunk) const;
  void add_pairs(MessagePattern& pattern, const std::vector<Member>& members, double bytes) const;
  void add_way(std::vector<Use>& uses, int node, const Way& way, double share) const;
  void add_inside(std::vector<Use>& uses, const Member& member, int from, int to) const;
  void add_uplink(std::vector<Use>& uses, int node, int nic, bool up, double share) const;
  void add_between(std::vector<Use>& uses, int from_node, int from, int to_node, int to) const;

  const FabricPlan* folded_;
  const SimulatedFabric* fabric_;
  std::vector<NodePaths> paths_;  // by node of the folded plan
};

}  // namespace clustersim
