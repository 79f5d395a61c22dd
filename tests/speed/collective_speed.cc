// Collectives on a fat tree, in this process: message by message, and the ring as one transfer. Every run is checked
// against the closed form of fat_tree.h.
#include <cmath>

#include "sim/engine/executor.h"
#include "tests/speed/fat_tree.h"
#include "tests/speed/report.h"

namespace {

using namespace clustersim;

void run(benchmark::State& state, const MachineSpec& machine, const TaskGraph& graph, double closed_s) {
  double simulated_s = 0;
  for (auto _ : state) simulated_s = sim_time_to_seconds(run_tasks(machine, graph).end);
  state.counters["simulated_ms"] = simulated_s * 1e3;
  if (std::abs(simulated_s / closed_s - 1) > 1e-3) state.SkipWithError("not the closed form's time");
}

void ring_messages(benchmark::State& state) {
  const speed::FatTree tree(static_cast<int>(state.range(0)));
  const TaskGraph graph = speed::graph_of(speed::ring(tree, 1e8));
  run(state, tree.machine(), graph, speed::ring_s(tree, 1e8));
  speed::print_rate(state, "transfers/s", speed::messages_of(graph));
}

void ring_bundle(benchmark::State& state) {
  const speed::FatTree tree(static_cast<int>(state.range(0)));
  run(state, tree.machine(), speed::ring_bundle(tree, 1e8), speed::ring_s(tree, 1e8));
  speed::print_rate(state, "bundles/s", 1);
}

void all_to_all_messages(benchmark::State& state) {
  const speed::FatTree tree(static_cast<int>(state.range(0)));
  const TaskGraph graph = speed::graph_of(speed::all_to_all(tree, 1e6));
  run(state, tree.machine(), graph, speed::all_to_all_s(tree, 1e6));
  speed::print_rate(state, "transfers/s", speed::messages_of(graph));
}

}  // namespace

// Argument: k of the fat tree; 8, 10, 12 and 16 make 128, 250, 432 and 1,024 hosts.
BENCHMARK(ring_messages)->Arg(8)->Arg(16)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(ring_bundle)->Arg(8)->Arg(16)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(all_to_all_messages)->Arg(8)->Arg(10)->Arg(12)->Unit(benchmark::kMillisecond)->UseRealTime();
