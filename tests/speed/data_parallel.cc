// data_parallel RANKS messages|bundle unfolded|folded [JITTER]: DP50 of data_parallel_step.h in a process of its own.
// Exits with 1 unless the simulated time is the closed form's within 0.1 %.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "sim/engine/executor.h"
#include "tests/speed/data_parallel_step.h"

using namespace clustersim;

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  speed::StepOptions options;
  options.ranks = std::atoi(argv[1]);
  options.messages = std::string(argv[2]) == "messages";
  options.folded = std::string(argv[3]) == "folded";
  if (argc > 4) options.jitter = std::atof(argv[4]);
  if (options.ranks < 2) return 2;
  const speed::StepWorkload step(options);
  const RunRecord record = run_tasks(step.machine, step.graph);
  const double simulated_s = sim_time_to_seconds(record.end);
  std::printf("ranks %d messages %.0f events %llu simulated %.9f closed %.9f\n", options.ranks,
              options.messages ? step.messages() : 0.0, static_cast<unsigned long long>(record.events), simulated_s,
              step.closed_s());
  return std::abs(simulated_s / step.closed_s() - 1) < 1e-3 ? 0 : 1;
}
