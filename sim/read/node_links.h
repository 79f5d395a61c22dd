// The cables of a node: slots, GPU fabric, socket link.
#pragma once

#include "clustersim/scenario.h"
#include "sim/read/host_of.h"

namespace clustersim {

LinkSpec gpu_slot(ReadContext& context, const NodeKeys& keys, const Host& host, const NodeSpec& node);
// No NVLink and no xGMI: PCIe alone.
GpuFabricSpec without_gpu_link(int gpus);
GpuFabricSpec resolve_gpu_fabric(ReadContext& context, const NodeKeys& keys, const Host& host, const NodeSpec& node);

// On a board that holds them all, not in PCIe slots.
bool on_baseboard(const GpuSpec& gpu);
// How links of a generation usually join so many GPUs: bridged cards in pairs; Redstone boards of four as a mesh;
// the cube mesh of DGX-1; NVSwitch from Ampere on, and above eight.
std::string usual_gpu_shape(const GpuSpec& gpu, const LinkSpec& link, int gpus);
// Of the catalog, the link that its boards join such GPUs by, "" if there is none.
std::string own_gpu_link(const GpuSpec& gpu);
// The NVSwitch generation that goes with a link, "" if there is none.
std::string usual_gpu_switch(const LinkSpec& link);

LinkSpec socket_link(ReadContext& context, const NodeKeys& keys, const Host& host, const CpuSpec& cpu);

}  // namespace clustersim
