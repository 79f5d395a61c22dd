#include "sim/heat_history.h"

#include <algorithm>

#include "sim/step_timeline.h"

namespace clustersim {
namespace {

constexpr double shortest_stretch_s = 1.0;  // the period of the thermal control

void add_point(HeatHistory& history, const NodeThermal::Gpu& gpu, Time at, Frequency boost) {
  history.time_s.push_back(at.base());
  history.clock_mhz.push_back(gpu.clock * boost.base() * 1e-6);
  history.temperature_c.push_back(gpu.die.in_celsius());
  history.power_w.push_back(gpu.power.base());
}

}  // namespace

std::vector<HeatHistory> heat_histories(const Assembly& assembly, const JobResult& result) {
  std::vector<HeatHistory> all;
  for (std::size_t n = 0; n < result.thermal.size(); ++n) {
    const NodeSpec& spec = assembly.node_spec(n);
    const NodeThermal node(spec);
    const std::size_t first = all.size(), count = result.thermal[n].gpus.size();
    const std::vector<GpuLoad> loads(result.steady.loads.begin() + static_cast<std::ptrdiff_t>(first),
                                     result.steady.loads.begin() + static_cast<std::ptrdiff_t>(first + count));
    for (std::size_t g = 0; g < count; ++g)
      all.push_back({process_of_node(assembly, static_cast<int>(n)),
                     "gpu" + std::to_string(g),
                     {},
                     {},
                     {},
                     {},
                     result.thermal[n].steady});
    const double length_s = result.thermal[n].elapsed.base();
    const Time stretch = seconds(std::max(shortest_stretch_s, length_s / (heat_points - 1)));
    NodeThermal::State state = node.start();
    while (true) {
      for (std::size_t g = 0; g < count; ++g)
        add_point(all[first + g], state.gpus[g], state.elapsed, spec.gpu.boost_clock);
      const Time left = seconds(length_s) - state.elapsed;
      if (left.base() <= 1e-6) break;
      state = node.advance(state, loads, std::min(stretch, left));
    }
  }
  return all;
}

}  // namespace clustersim
