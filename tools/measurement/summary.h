// A measurement file as lines for a reader: benchmark, parameters, median, spread, what was derived.
//
// Checked by tests/tools/summary_test.cc.
#pragma once

#include <string>

#include "tools/measurement/record.h"

namespace clustersim::measurement {

std::string to_text(const Record& record);

// Every record, then how many were measured, failed and skipped.
std::string to_text(const MeasurementFile& file);

}  // namespace clustersim::measurement
