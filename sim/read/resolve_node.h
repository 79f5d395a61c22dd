// One kind of node of the cluster: what the file says, over what its server brings, over the defaults.
#pragma once

#include <string>

#include "clustersim/scenario.h"
#include "sim/read/read_context.h"
#include "sim/read/scenario_keys.h"

namespace clustersim {

// `alone`: the cluster has no other node, so no network card is put in by default.
NodeSpec resolve_node(ReadContext& context, const NodeKeys& keys, bool alone);

// Devices in place or by default; the RAID level's efficiency from the catalog.
StorageArray resolve_array(ReadContext& context, const ArrayKeys& keys);

}  // namespace clustersim
