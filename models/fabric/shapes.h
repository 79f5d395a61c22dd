// The network between nodes, folded: what hangs between the NIC of a representative node and its peers.
//
//   single_switch   every NIC and storage server on one non-blocking switch
//   fat_tree        a leaf takes every NIC of its nodes; leaves are joined by a spine
//   rail_optimized  NIC i of every node on leaf i (a rail); rails are joined by a spine
// A representative leaf stands for all leaves of its group; its uplink carries the traffic of all nodes below it:
//   ports down = ports x o / (1 + o)                  o = oversubscription (leaf down over leaf up)
//   nodes per leaf = ports down / (NICs of a node on this leaf)
//   uplink = nodes on the leaf x NICs on this leaf x line rate / o
// A cluster of one node or none needs no more than the leaf. Storage servers are folded into one with their summed
// rates (the lower of ports and servers), on the spine where there is one.
// Assumes a non-blocking spine and 40-port leaves where no switch is named. Not validated: no published
// measurement states an oversubscribed fabric fully.
// Checked by: tests/models/fabric_test.cc.
#pragma once

#include <vector>

#include "models/fabric/plan_builder.h"

namespace clustersim {

struct ShapeEntry {
  FabricShape shape;
  const char* name;
  const char* meaning;
  void (*build)(const Cluster& cluster, PlanBuilder& builder);
};

const std::vector<ShapeEntry>& fabric_shapes();

// Line rate of a port: the lower of the NIC and the fabric's links, bytes/s.
double port_rate(const FabricSpec& fabric, const NicSpec& nic);

}  // namespace clustersim
