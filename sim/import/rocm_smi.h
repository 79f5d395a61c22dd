// `rocm-smi --showtopo` and `amd-smi topology`: tables of GPUs by GPUs, and the NUMA node of each GPU.
//
//   Weight      15 a hop of xGMI, 20 a segment of PCIe: only the smallest of xGMI is a cable between two
//   Link Type   XGMI or PCIE
//   Hops        1 for any two on xGMI, whatever lies between: not read
// `--showproductname` in the same text names the product.
// Source: AMD's description of the tables (ROCm/rocm_smi_lib issue 108, ROCm/rocm-systems issue 5763).
// Checked by: tests/sim/import_rocm_test.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/import/node_facts.h"

namespace clustersim {

// Empty where the lines hold no such table.
std::optional<NodeFacts> read_rocm_smi(const std::vector<std::string>& lines, const std::string& path);

}  // namespace clustersim
