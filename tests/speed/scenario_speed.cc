// Whole runs in this process, from a scenario's text to its report: one that ships, and BERT-large on up to 100,000
// H100 in nodes of eight on a rail-optimised network.
#include "clustersim/clustersim.h"
#include "tests/speed/report.h"

namespace {

using namespace clustersim;

RunOptions without_advice() {
  RunOptions options;
  options.what_if = false;
  return options;
}

void run_file(benchmark::State& state) {
  const std::string path = CLUSTERSIM_SOURCE_DIR "/scenarios/4node-100g.json";
  for (auto _ : state) benchmark::DoNotOptimize(run(path, without_advice()));
  speed::print_rate(state, "runs/s", 1);
}

void run_h100(benchmark::State& state) {
  const std::string text = R"({"clustersim": 1, "cluster": {"nodes": )" + std::to_string(state.range(0) / 8) +
                           R"(, "node": {"server": "dgx-h100"}, "fabric": {"shape": "rail-optimized"}},
                               "job": {"model": "bert-large"}})";
  for (auto _ : state) benchmark::DoNotOptimize(run(read_scenario_text(text, "speed", {}), without_advice()));
  speed::print_rate(state, "runs/s", 1);
}

}  // namespace

BENCHMARK(run_file)->Unit(benchmark::kMillisecond)->UseRealTime();
// Argument: GPUs.
BENCHMARK(run_h100)->Arg(8)->Arg(1024)->Arg(16384)->Arg(100000)->Unit(benchmark::kMillisecond)->UseRealTime();
