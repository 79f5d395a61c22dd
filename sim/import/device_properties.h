// The GPUs of a node as PyTorch's profiler lists them at the head of a trace, where nothing better is there.
//
//   {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-80GB", "totalGlobalMem": 84974239744,
//    "computeMajor": 8, "computeMinor": 0, ...}], ...
// Checked by: tests/sim/import_dcgm_test.cc
#pragma once

#include <optional>
#include <string>

#include "sim/import/node_facts.h"

namespace clustersim {

// Empty where the beginning of the file has no such list with a GPU.
std::optional<NodeFacts> read_device_properties(const std::string& beginning);

}  // namespace clustersim
