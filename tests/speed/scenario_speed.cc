// Whole runs in this process, from a scenario's text to its report: one that ships, BERT-large on up to 100,000 H100 in
// nodes of eight on a rail-optimised network, and a thousand variants of an MLPerf run on all cores.
#include <atomic>
#include <thread>
#include <vector>

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

// A whole run to the target with evaluations, first epoch and heat, for a thousand global batches; the threads share
// nothing but the number of the next.
void thousand_variants(benchmark::State& state) {
  const std::string path = CLUSTERSIM_SOURCE_DIR "/tests/speed/mlperf-resnet.json";
  for (auto _ : state) {
    std::atomic<int> next = 0, longer = 0;
    const auto work = [&] {
      for (int i = next++; i < 1000; i = next++) {
        RunOptions options = without_advice();
        options.overrides = {{"/cluster/node/cooling/inlet", std::to_string(20 + 0.01 * i) + " degC"},
                             {"/job/batch_per_gpu", std::to_string(256 + i % 100)}};
        const Report report = run(path, options);
        for (const Metric& m : report.metrics)
          if (m.name == "time_to_train" && m.value > 600) ++longer;
      }
    };
    std::vector<std::thread> pool;
    for (unsigned t = 1; t < std::thread::hardware_concurrency(); ++t) pool.emplace_back(work);
    work();
    for (std::thread& thread : pool) thread.join();
    if (longer != 1000) state.SkipWithError("a run of less than ten minutes on 8 A100");
  }
  speed::print_rate(state, "runs/s", 1000);
}

}  // namespace

BENCHMARK(run_file)->Unit(benchmark::kMillisecond)->UseRealTime();
// Argument: GPUs.
BENCHMARK(run_h100)->Arg(8)->Arg(1024)->Arg(16384)->Arg(100000)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(thousand_variants)->Unit(benchmark::kSecond)->UseRealTime()->MeasureProcessCPUTime();
