// DP50-256 (data_parallel_step.h) with every all-reduce as one transfer, in this process; checked against the closed
// form.
#include "sim/engine/executor.h"
#include "tests/speed/data_parallel_step.h"
#include "tests/speed/report.h"

namespace {

using namespace clustersim;

void bundle(benchmark::State& state, bool folded, double jitter) {
  for (auto _ : state) {
    const speed::StepWorkload step({256, false, folded, jitter});
    const double simulated_s = sim_time_to_seconds(run_tasks(step.machine, step.graph).end);
    if (std::abs(simulated_s / step.closed_s() - 1) > 1e-3) state.SkipWithError("not the closed form's time");
  }
  speed::print_rate(state, "steps/s", 1);
}

}  // namespace

BENCHMARK_CAPTURE(bundle, DP50_256, false, 0.0)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bundle, DP50_256_folded, true, 0.0)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bundle, DP50J_256, false, 0.1)->Unit(benchmark::kMillisecond);
