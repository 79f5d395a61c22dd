// One flow ends and another starts, and rates are set: in a ring, where none shares a link, and in random traffic.
#include "sim/engine/event_kinds.h"
#include "sim/engine/flow_network.h"
#include "tests/speed/fat_tree.h"
#include "tests/speed/report.h"

namespace {

using namespace clustersim;

// Flows of endless amount on a k-ary fat tree of speed/fat_tree.h.
void update(benchmark::State& state, bool neighbours) {
  const speed::FatTree tree(static_cast<int>(state.range(0)));
  const auto flows = static_cast<int>(neighbours ? tree.hosts() : state.range(1));
  std::uint64_t random = 88172645463325252ULL;
  const auto below = [&](int n) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    return static_cast<int>(random % static_cast<std::uint64_t>(n));
  };
  EventQueue queue;
  FlowNetwork network(tree.machine().resource_capacity, queue);
  std::vector<std::vector<Use>> uses(static_cast<std::size_t>(flows));
  const auto start = [&](int id) {
    std::vector<Use>& route = uses[static_cast<std::size_t>(id)];
    route.clear();
    const int from = neighbours ? id : below(tree.hosts());
    const int to = neighbours ? (id + 1) % tree.hosts() : (from + 1 + below(tree.hosts() - 1)) % tree.hosts();
    tree.append_route(route, from, to);
    network.flow(id, {1e12, 0.0, 0.0, route});
  };
  for (int id = 0; id < flows; ++id) start(id);
  network.solve();
  for (auto _ : state) {
    const int id = below(flows);
    network.end(id);
    start(id);
    network.solve();
  }
  speed::print_rate(state, "updates/s", 1);
}

}  // namespace

// Arguments: k of the fat tree, flows (a ring has one a host).
BENCHMARK_CAPTURE(update, ring, true)->Args({4, 0})->Args({8, 0})->Args({16, 0});
BENCHMARK_CAPTURE(update, random, false)
    ->Args({8, 128})
    ->Args({8, 1000})
    ->Args({8, 10000})
    ->Args({16, 1024})
    ->Args({16, 10000})
    ->Unit(benchmark::kMicrosecond);
