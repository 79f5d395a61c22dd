// Sums up what a collective puts on each link, per byte of its buffer.
//
// A node is crossed by channels, one for each NIC that is near some GPU: a channel enters at the GPU nearest to its
// NIC, visits the GPUs in order of number and leaves by the NIC nearest to the last one; each carries an equal part.
// Where GPUs are joined by cables in a mesh, the parts follow the cables' rates instead of one ring's order.
// Assumes equal NICs in a node. Checked by: tests/models/collective_test.cc.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "clustersim/task_graph.h"
#include "models/collective/paths.h"

namespace clustersim {

// Nodes of one group that take part, each with its first `gpus` GPUs.
struct Party {
  const NodePaths* paths = nullptr;
  int gpus = 1;
  int count = 1;  // nodes
};

// The ring's way through a node: in by nic_in to GPU `first`, on in order of number, out by nic_out from the last.
struct RingChannel {
  int nic_in = 0, nic_out = 0;
  int first = 0;
};

// One channel for each NIC near the GPUs that take part; entrances and exits are shared out evenly.
std::vector<RingChannel> ring_channels(const Party& party);

// The NICs that a GPU of the party sends and receives by when others do not help: of k that are nearest to g GPUs
// ceil(k / g), dealt in turn.
std::vector<int> own_nics(const Party& party, int gpu);

// Cables of a mesh: every GPU reaches at least two others (or the only other one) of those that take part.
bool meshed(const Party& party);

class Traffic {
 public:
  explicit Traffic(const FabricPlan& plan) : plan_(&plan) {}

  // Every GPU of the node sends `bytes` to its successor in a closed ring.
  void around_node(const Party& party, double bytes);
  // `bytes` pass from NIC to NIC through all GPUs of the node (no network); `both_ways`: and the same back.
  void along_node(const Party& party, double bytes, bool both_ways);
  // `bytes` arrive and `bytes` leave by the node's NICs. turning: at the GPU of each NIC (a tree's root of the node),
  // else the channel leaves at its last GPU.
  void over_wires(const Party& party, double bytes, bool turning);
  // Every GPU of the node sends `bytes` to its successor by the way of that pair; the last one to the first of the next
  // node, each by its own NICs, or in one node back to the first.
  void to_next(const Party& party, double bytes, bool through_network);
  // Each GPU sends and receives `bytes` over the network by its nearest NICs, as `flows` streams.
  void from_every_gpu(const Party& party, double bytes, double flows = 1);
  // Every GPU sends `bytes` to every other GPU of its node, as one stream each.
  void all_pairs(const Party& party, double bytes);
  // `bytes` leave and `bytes` enter each leaf of the group by its uplink, spread over its leaves, as `flows` streams.
  void over_uplinks(const Party& party, double bytes, double flows = 0);
  // Every GPU sends `up` into the NVSwitch and receives `down` from it, at `share` of the ring's rate.
  void through_switch(const Party& party, double up, double down, double share);
  void add(const Traffic& other, double factor);
  // All links, or those of a kind, carry `factor` times as much for the same bytes.
  void scale(double factor);
  void scale(LinkKind kind, double factor);

  // One stream on a link for a whole ring or tree; where every GPU has flows of its own (from_every_gpu), as many.
  std::vector<Use> uses() const;
  // max(weight / capacity), s/B, and the link where it is reached (-1: no traffic).
  double seconds_per_byte() const { return slowest().first; }
  int slowest_link() const { return slowest().second; }

 private:
  struct Load {
    double bytes = 0, flows = 0;
  };
  void add(const Way& way, double bytes, double flows = 0);
  std::pair<double, int> slowest() const;

  const FabricPlan* plan_;
  std::map<int, Load> loads_;  // by link
};

// All neighbours of the node's ring are joined by NVLink or xGMI.
bool ring_on_nvlink(const Party& party);

// Whole leaves of a group below the spine: the group or its peers do not fit on one leaf.
bool crosses_leaves(const FabricPlan& plan, const std::vector<Party>& parties);

}  // namespace clustersim
