// The calibration file as JSON text, every number with its source, residuals and range beside it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/calibrate/constants.h"
#include "sim/calibrate/sweeps.h"

namespace clustersim {

struct SweepEntry {
  SourcedSweep sweep;
  std::optional<CollectiveCurve> curve;        // on its own
  std::optional<FittedCorrection> correction;  // on a scenario's cluster
};

// `bases`: part -> catalog id, where it is known.
std::string calibration_document(const std::vector<Constant>& constants,
                                 const std::map<std::string, std::string>& bases,
                                 const std::vector<SweepEntry>& sweeps);

// A constant as the file has it: "24.3 GB/s", "0.93".
std::string constant_text(const Constant& constant);
std::string swept_text(const std::string& swept, double value);  // "8 MiB", "4 streams"

}  // namespace clustersim
