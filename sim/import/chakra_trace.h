// The nodes of a Chakra trace as one recorded step: by their times where they have them, else laid out as soon as what
// they depend on is done, each on its queue. What cannot be true of a node is unknown, and counted in a warning.
#pragma once

#include "sim/import/chakra_nodes.h"
#include "sim/import/load_trace.h"

namespace clustersim {

// Takes the file apart. Faults (InputError) name no file.
TraceImport chakra_trace(ChakraFile& file);

}  // namespace clustersim
