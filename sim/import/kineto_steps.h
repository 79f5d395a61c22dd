// The steps of one rank's profile, and each as operators.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "clustersim/step_trace.h"
#include "sim/import/kineto_events.h"

namespace clustersim {

struct KinetoStep {
  int number = 0;                         // n of ProfilerStep#n
  std::int64_t start_ns = 0, end_ns = 0;  // on the host
  std::vector<std::size_t> events;        // kernels, or outermost operators of the host; in the order of their starts
  bool complete = true;
};

struct KinetoSteps {
  std::vector<KinetoStep> steps;  // in the order of time
  bool on_gpu = false;
  bool marked = false;            // by ProfilerStep; else all is one step
  std::int16_t main_stream = -1;  // that which computes longest
  std::size_t orphans = 0;        // kernels without a launch in the recording
  std::size_t outside = 0;        // kernels of no step: between two, before the first or behind the last
  std::vector<std::string> warnings;
};

KinetoSteps find_steps(const KinetoFile& file);

// Time from this step's start to the next one's; on a GPU a step starts with its first kernel on the main stream.
std::int64_t period_ns(const KinetoFile& file, const KinetoSteps& steps, std::size_t step);

// The step as a trace, with times from its start; numbers of ranks and batch are left to others. Where steps overlap (a
// stream that copies the next batch), what lies before the start or behind the period belongs to the step before or
// after in the very same place of it, and is moved by a period.
StepTrace trace_of_step(const KinetoFile& file, const KinetoSteps& steps, std::size_t step);

}  // namespace clustersim
