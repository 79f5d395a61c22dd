#include "sim/run_detail.h"

#include "sim/cluster_picture.h"
#include "sim/heat_history.h"
#include "sim/rate_history.h"
#include "sim/step_timeline.h"

namespace clustersim {

RunDetail record_detail(const Assembly& assembly, const JobResult& result) {
  StepRecording recording;
  const SteadyStep again = simulate_steady_step(assembly, result.within_first_epoch, result.clocks, &recording);
  require(again.fingerprint == result.steady.fingerprint, "the recorded step is the reported one");
  const std::vector<double> capacity = assembly.machine(result.within_first_epoch, result.clocks).resource_capacity;
  const std::vector<RateSteps> rates = rate_steps(recording.record, capacity, recording.from, recording.to);
  RunDetail detail;
  detail.timeline = step_timeline(assembly, recording, rates, again.step_s);
  detail.heat = heat_histories(assembly, result);
  detail.picture = cluster_picture(assembly, result, recording, rates);
  return detail;
}

}  // namespace clustersim
