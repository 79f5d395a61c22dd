// A server's price from what it is made of, where the scenario asks for that (/cost/self_hosted/parts).
//
//   gpus x gpu + sockets x cpu + memory x its price + drives + nics x nic + rest
// A part that neither the scenario nor the price list nor the catalog prices leaves the server unpriced.
#pragma once

#include <optional>

#include "sim/read/cost_reading.h"

namespace clustersim {

std::optional<RangeOf<Money>> price_from_parts(CostReading& reading, const PartsKeys& keys, const NodeSpec& node,
                                               std::vector<std::string>& unpriced);

}  // namespace clustersim
