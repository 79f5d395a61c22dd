// `nvidia-smi topo -m` (and the `topo -p2p` matrix that is often pasted below it): which GPUs and NICs are near.
//
//   PIX, PXB, PSB  below one PCIe switch     PHB, NODE  on one NUMA node     SYS, SOC  on different ones
//   NV4            four NVLinks in use; where a GPU hangs is then told by its NUMA node and its distance to NICs
//   P2P            OK, or why not (GNS: not supported by the GPU, CNS: by the chipset, ...)
// Columns are split at tabs where there are some, else at blanks; rows may end early and cells may be empty.
// Not told: names, PCIe generation, rates. Several pasted matrices of one kind: the first counts.
// Checked by: tests/sim/import_topo_matrix_test.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/import/node_facts.h"

namespace clustersim {

// Empty where the lines hold no such matrix.
std::optional<NodeFacts> read_topo_matrix(const std::vector<std::string>& lines, const std::string& path);

}  // namespace clustersim
