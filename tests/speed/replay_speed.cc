// A recorded step of 160,000 kernels in a row, eight ranks: rewriting it for a GPU and running it until it is steady,
// and reading it from a Chakra file. The same trace as in-memory step, file and run of a whole scenario.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "clustersim/clustersim.h"
#include "sim/import/chakra.h"
#include "sim/import/chakra_protobuf.h"
#include "sim/job.h"
#include "tests/speed/report.h"

namespace {

using namespace clustersim;

constexpr int nodes = 160000;

StepTrace chain(int count) {
  StepTrace trace;
  trace.source = "speed";
  trace.ranks = 8;
  trace.parameters = 1;
  trace.names = {"c"};
  trace.operators.resize(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    TraceOperator& op = trace.operators[static_cast<std::size_t>(i)];
    op.start = SimTime{10'000'000} * i;
    op.duration = 10'000'000;
    op.name = 0;
  }
  trace.step = SimTime{10'000'000} * count;
  return trace;
}

// A file that is there while its owner is.
class ChainFile {
 public:
  explicit ChainFile(int count) : path_(std::filesystem::temp_directory_path() / "clustersim_speed_chain.et") {
    std::ofstream(path_, std::ios::binary) << chakra_protobuf(chain(count));
  }
  ~ChainFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

Scenario scenario_of(const std::string& trace_path) {
  return read_scenario_text(R"({"clustersim": 1, "cluster": {"node": {"server": "dgx-h100"}},
                                "job": {"model": {"trace": ")" +
                                trace_path + R"("}}})",
                            "speed", {});
}

void replay_chain(benchmark::State& state) {
  const ChainFile file(nodes);
  const Scenario scenario = scenario_of(file.path());
  for (auto _ : state) {
    const Assembly assembly(scenario.cluster, scenario.job);
    benchmark::DoNotOptimize(run_job(assembly));
  }
  speed::print_rate(state, "nodes/s", nodes);
}

void read_chain(benchmark::State& state) {
  const ChainFile file(nodes);
  for (auto _ : state) benchmark::DoNotOptimize(read_chakra({file.path()}));
  speed::print_rate(state, "nodes/s", nodes);
}

// As eight ranks of 20,000 nodes each, which share one trace: 160,000 nodes.
void run_chain_of_eight_ranks(benchmark::State& state) {
  const ChainFile file(nodes / 8);
  RunOptions options;
  options.what_if = false;
  for (auto _ : state) benchmark::DoNotOptimize(run(scenario_of(file.path()), options));
  speed::print_rate(state, "nodes/s", nodes);
}

}  // namespace

BENCHMARK(run_chain_of_eight_ranks)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(replay_chain)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(read_chain)->Unit(benchmark::kMillisecond)->UseRealTime();
