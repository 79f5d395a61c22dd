// Which GPUs of a node are joined by NVLink or xGMI, and by how many links.
//
//   mesh       every pair, links_per_gpu / (GPUs of the server - 1) each (whole links, at least one)
//   pairs      GPU 2k with GPU 2k+1, all links (bridges)
//   cube-mesh  the hybrid cube mesh of DGX-1 (8 GPUs, 6 links each with NVLink2, 4 with NVLink1)
//   ring       neighbours in number, links_per_gpu / 2 each
// "switch", "pcie" and "none" have no direct cables; those of "cables" are listed in the node's GpuFabricSpec.
// Source: DGX-1 system architecture white paper (cube mesh); the table is in the catalog entry dgx-1.
// Checked by: tests/models/fabric_test.cc.
#pragma once

#include <string>
#include <vector>

#include "clustersim/hardware.h"

namespace clustersim {

using Cable = GpuCable;

struct CableShape {
  const char* name;
  const char* meaning;
  std::vector<Cable> (*cables)(int gpus_of_server, int links_per_gpu);
};

const std::vector<CableShape>& cable_shapes();

// Cables among the first `gpus` of a server of `gpus_of_server`; none for a shape that is not in the table.
std::vector<Cable> gpu_cables(const std::string& shape, int gpus, int gpus_of_server, int links_per_gpu);

}  // namespace clustersim
