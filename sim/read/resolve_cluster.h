// The machines: nodes, the network between them, shared storage, region.
#pragma once

#include "clustersim/scenario.h"
#include "sim/read/read_context.h"
#include "sim/read/scenario_keys.h"

namespace clustersim {

Cluster resolve_cluster(ReadContext& context, const ClusterKeys& keys);

// The network that joins these groups, by default everywhere. `pointer` is that of the fabric's keys.
FabricSpec resolve_fabric(ReadContext& context, const std::string& pointer, const FabricKeys& keys,
                          const Cluster& cluster, const std::string& rented_transport);

}  // namespace clustersim
