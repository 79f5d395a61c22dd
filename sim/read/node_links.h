// The cables of a node: slots, GPU fabric, socket link.
#pragma once

#include "clustersim/scenario.h"
#include "sim/read/host_of.h"

namespace clustersim {

LinkSpec gpu_slot(ReadContext& context, const NodeKeys& keys, const Host& host, const NodeSpec& node);
GpuFabricSpec resolve_gpu_fabric(ReadContext& context, const NodeKeys& keys, const Host& host, const NodeSpec& node);
LinkSpec socket_link(ReadContext& context, const NodeKeys& keys, const Host& host, const CpuSpec& cpu);

}  // namespace clustersim
