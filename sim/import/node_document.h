// A node topology of ours from what files say (NodeFacts), with the catalog's product table where they say nothing or
// cannot be true; each such choice is told.
//
//   {"clustersim_topology": 1, "gpu": ID, "gpus": N, "sockets": N, "socket_link": ID,
//    "gpu_fabric": {"link": ID, "shape": "switch" | "cables" | ..., "links_per_gpu": N, "cables": [...]},
//    "nics": [{"id": ID, "count": N}], "pcie_tree": [{"id", "kind", "parent", "link", ...}], "assumed": {KEY: WHY}}
// The keys are those of a server of the catalog; sim/read/node_topology.h reads it.
// Where a file lies, the product's table counts:
//   a PCIe generation above the product's, or 1 and 2 on a part of 3 and more (a sleeping link)
//   an invented bridge (bus id "ffff:...") slower than what hangs below it
//   no NVLink at all on a board whose GPUs have no other way (a virtual machine hides it)
// Checked by: tests/sim/import_nccl_xml_test.cc.
#pragma once

#include <string>

#include "clustersim/import.h"
#include "sim/import/node_facts.h"
#include "sim/read/catalog.h"

namespace clustersim {

Imported node_document(const Catalog& catalog, NodeFacts facts);

}  // namespace clustersim
