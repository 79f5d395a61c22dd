// One step out of the files of a PyTorch profiler, one file a rank.
//
// Steps are the ranges ProfilerStep#n; a first or last one with less than 90 % of the usual events is not complete.
// A kernel belongs to the step that launched it: runtime call and kernel share a correlation; what was launched before
// the recording began goes by its own time. The step kept is the one of median length of the first rank; its period is
// counted from its first kernel to the next step's, or from start to start where nothing ran on a GPU.
// Collectives: NCCL's kernels, or gloo's ranges; their bytes are elements x size of the type from their own arguments,
// or from the operator of the same External id. With several ranks the shortest of all is the time on the wire, since
// the others waited.
// What ran on the host alone: the outermost operators of each thread.
// Source: PyTorch's and Kineto's output; HolisticTraceAnalysis for the meaning of its keys.
// Checked by: tests/sim/import_kineto_test.cc
#pragma once

#include <string>
#include <vector>

#include "sim/import/load_trace.h"

namespace clustersim {

TraceImport read_kineto(const std::vector<std::string>& paths);
Imported import_kineto(const std::vector<std::string>& paths);

}  // namespace clustersim
