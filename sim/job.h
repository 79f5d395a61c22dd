// Step after step until nothing changes any more: the steady step, the step of a cold first epoch, and the clocks
// that temperature and power leave to each GPU.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/power_thermal/node_thermal.h"
#include "sim/assembly.h"
#include "sim/step_parts.h"

namespace clustersim {

struct SteadyStep {
  double step_s = 0;
  StepParts parts;  // mean over the job's GPUs; sums to step_s
  // Input stages by label: share of the time from their first to their last batch in which they worked, the highest of
  // all GPUs. The stage that sets the pace of the pipeline never rests.
  std::map<std::string, double> stage_busy;
  std::vector<GpuLoad> loads;  // by simulated GPU
  int steps_simulated = 0;
  bool settled = true;  // two steps in a row were equal within 0.01 %
  std::uint64_t events = 0;
  std::uint64_t fingerprint = 0;
};

// The window that a steady step was measured in, kept whole.
struct StepRecording {
  DataParallelSpec spec;
  TaskGraph graph;
  RunRecord record;  // with rates
  SimTime from = 0, to = 0;
};

// Simulates steps at fixed clocks until two in a row are equal. `recording`, where given, is filled; the answer is the
// same without.
SteadyStep simulate_steady_step(const Assembly& assembly, bool first_epoch, const std::vector<double>& clocks,
                                StepRecording* recording = nullptr);

struct JobResult {
  SteadyStep steady;
  std::optional<SteadyStep> first_epoch;    // where a cold first epoch reads differently
  std::vector<double> clocks;               // relative, by simulated GPU
  std::vector<NodeThermal::State> thermal;  // by simulated node
  bool within_first_epoch = false;          // the run ends before a warm epoch: `steady` is a step of the first
};

JobResult run_job(const Assembly& assembly);

}  // namespace clustersim
