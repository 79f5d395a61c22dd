// Our own file of a recorded step: reading, writing, checking.
//
//   {"clustersim_step_trace": 1,
//    "source": "PyTorch profiler", "gpu": "NVIDIA A100-SXM4-40GB", "ranks": 2, "batch": 64, "parameters": 25557032,
//    "step_time": "219.7 ms", "steps": ["222.4 ms", "219.7 ms"], "dependencies": false,
//    "estimated": {"batch": "first dimension of the first convolution's input"},
//    "operators": [
//      {"name": "sm80_xmma_gemm_f16f16", "kind": "matmul", "stream": 7, "start_us": 12.5, "duration_us": 80,
//       "flop": 2.1e9, "bytes": 1.2e7, "launch": "host"},
//      {"name": "ncclDevKernel_AllReduce", "kind": "collective", "stream": 20, "start_us": 90, "duration_us": 400,
//       "collective": {"op": "all_reduce", "bytes": 8196000, "group": 2, "stride": 1, "wire_us": 310}, "after": [0]}]}
// What is not known is left out. "device": "cpu" instead of "gpu" where nothing ran on a GPU. Numbers of `after` are
// positions in the list. Keys are those of step_trace.h; times of operators carry their unit in the key.
// Checked by: tests/sim/step_trace_file_test.cc
#pragma once

#include <string>
#include <vector>

#include "clustersim/error.h"
#include "clustersim/step_trace.h"

namespace clustersim {

class FieldVisitor;

// InputError with every fault.
StepTrace read_step_trace(const std::string& path);
std::string step_trace_text(const StepTrace& trace);

// Its keys, for the manual.
void visit_step_trace(FieldVisitor& v);

// The first key of the file says what it is: a file of ours?
bool is_step_trace(const std::string& path);

// "host", "synchronized", "" of an unknown one.
const char* launch_word(Launch launch);

// Puts operators in the order of their starts, and what refers to them along. Dependencies that point forward after
// that, or to themselves, are dropped; how many is returned.
int sort_operators(StepTrace& trace);

// "5 all_reduce of 102.2 MB" for each operation, in the order of the enumeration.
std::vector<std::string> collective_summary(const StepTrace& trace);
// Lines about the whole: step, operators, streams, kinds.
std::vector<std::string> trace_summary(const StepTrace& trace);

}  // namespace clustersim
