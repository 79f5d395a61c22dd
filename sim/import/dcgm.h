// DCGM's metrics as Prometheus has them (dcgm-exporter): which GPUs there are, and what they did when they were asked.
//
//   DCGM_FI_DEV_SM_CLOCK{gpu="0",UUID="GPU-1",pci_bus_id="00000000:0D:00.0",modelName="NVIDIA L40S"} 210 [time]
// Taken: product, bus id, memory (used, free and reserved together), power limit and highest clock where they are
// scraped. Told: clock, power, use. The blanks of DCGM (9223372036854775792 and up, 2147483632 and up) are unknown.
// Slices of MIG are none of a GPU's values. Of several hosts the first is read.
// Source: dcgm_structs.h of DCGM for blanks; dcgm-exporter's README for labels.
// Checked by: tests/sim/import_dcgm_test.cc
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/import/node_facts.h"

namespace clustersim {

// Empty where the lines hold no such metrics.
std::optional<NodeFacts> read_dcgm(const std::vector<std::string>& lines, const std::string& path);

}  // namespace clustersim
