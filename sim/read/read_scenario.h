// A scenario from a document in memory, for those who read many: with the catalog as it was read once.
#pragma once

#include <string>
#include <vector>

#include "clustersim/clustersim.h"
#include "sim/read/catalog.h"
#include "sim/read/json_value.h"

namespace clustersim {

// `name` stands for the file in faults. Overrides come on top of the document.
Scenario read_scenario(const JsonValue& document, const std::string& name, const std::vector<Override>& overrides,
                       const Catalog& catalog);

}  // namespace clustersim
