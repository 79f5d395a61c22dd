// A recorded step from any file that holds one: ours, a PyTorch profiler's (Kineto) or Chakra's.
#pragma once

#include <string>
#include <vector>

#include "clustersim/import.h"
#include "clustersim/step_trace.h"

namespace clustersim {

struct TraceImport {
  StepTrace trace;
  std::string format;
  std::vector<std::string> known, unknown, warnings;
};

// The format is found by the content. InputError.
StepTrace load_trace(const std::string& path);

// What `clustersim import` shows and writes of a trace.
Imported imported_trace(TraceImport found);

}  // namespace clustersim
