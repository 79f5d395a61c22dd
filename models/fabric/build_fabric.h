// The cluster as vertices and links (fabric_plan.h), from what the scenario says of its nodes and network.
//
// One representative node a group: a PCIe tree (node_tree.h), its GPU fabric (gpu_cables.h, or an NVSwitch), sockets
// joined by their link, a memory at each socket, a pool of CPU cores; then the network (shapes.h).
// Capacities are raw, bytes/s a direction:
//   PCIe                achievable rate of the slot
//   NVLink to a switch  links of a GPU x what NCCL moves over one; direct cable: its links x the same
//   socket link         achievable rate of GPU traffic        memory   bandwidth of the socket, each direction
//   NIC                 line rate of the port                 storage  the lower of device rate and its PCIe lanes
// A memory is one resource in truth: who moves bytes through it charges both directions (paths.h does).
// Efficiencies are weights of the transfers, never of links.
// Source: MODELS 3.5, 3.7; the catalog. Checked by: tests/models/fabric_test.cc.
#pragma once

#include "models/fabric/fabric_plan.h"

namespace clustersim {

FabricPlan build_fabric(const Cluster& cluster);

// How many nodes of group `node` send their traffic over link `link` when all do the same: 1 for a link inside the
// node and its NICs, the nodes on a leaf for an uplink, all of them for the storage servers.
// A route from a storage server is made of two: to a NIC of the node, and from there on (NICs pass nothing on).
int nodes_sharing(const FabricPlan& plan, int node, int link);

// What a collective moves over one link of a GPU fabric: as measured, or 0.8 of theoretical where unknown
// [published: NCCL takes 20 of 25 GB/s]. bytes/s.
double collective_rate_per_link(const LinkSpec& link);

}  // namespace clustersim
