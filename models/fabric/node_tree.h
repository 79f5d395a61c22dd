// Which part of a node hangs where on PCIe.
//
// A server's own tree is used where the catalog has it, pruned to the GPUs, compute NICs and data devices that the
// node has, in the order of the tree; parts beyond what the tree holds are spread evenly over its switches (GPUs' own,
// if any) or sockets. Without a tree a plain one is assumed:
//   sockets      GPUs in contiguous blocks, NICs and storage devices spread evenly
//   switches     NVSwitch baseboards: two GPUs a switch (as DGX A100); otherwise, from eight GPUs up, four a switch;
//                smaller nodes: every GPU on a root port of its own
// Assumes every GPU and NIC slot is as wide as NodeSpec::pcie, a storage device four lanes of it.
// A child of a socket is its own root port; the socket stands for the root complex.
// Checked by: tests/models/fabric_test.cc. The default tree is a guess; not validated.
#pragma once

#include <string>
#include <vector>

#include "clustersim/scenario.h"

namespace clustersim {

// Parents come before children. Ids: "cpu0", "sw0", "gpu0", "nic0", "nvme0" (numbers without gaps).
std::vector<PcieVertex> node_tree(const NodeSpec& node);

// GPUs that the server has room for: at least NodeSpec::gpus.
int gpus_of_server(const NodeSpec& node);

}  // namespace clustersim
