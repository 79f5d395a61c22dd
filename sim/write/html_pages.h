// The data that the page of a run is drawn from.
#pragma once

#include <string>

#include "clustersim/page.h"

namespace clustersim {

// JSON for the template's script.
std::string run_page_data(const RunPage& run);

}  // namespace clustersim
