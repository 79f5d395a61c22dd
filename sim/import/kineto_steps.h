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
  bool marked = false;      // by ProfilerStep; else all is one step
  std::size_t orphans = 0;  // kernels without a launch in the recording
  std::vector<std::string> warnings;
};

KinetoSteps find_steps(const KinetoFile& file);

// Time from this step's start to the next one's.
std::int64_t period_ns(const KinetoFile& file, const KinetoSteps& steps, std::size_t step);

// The step as a trace, with times from its start; numbers of ranks and batch are left to others.
StepTrace trace_of_step(const KinetoFile& file, const KinetoSteps& steps, std::size_t step);

}  // namespace clustersim
