#include "sim/warm_up.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace clustersim {
namespace {

constexpr double longest_s = 1800;  // clocks that have not settled by then go up and down about their mean

// The nodes of a run from cold on; those under equal loads are advanced once.
class ColdNodes {
 public:
  ColdNodes(const Assembly& assembly, const JobResult& result) : assembly_(assembly) {
    for (const NodePlan& plan : assembly.fabric().nodes)
      models_.emplace_back(assembly.cluster().groups[static_cast<std::size_t>(plan.group)].node);
    auto first = result.steady.loads.begin();
    for (const SimulatedNode& node : assembly.simulated().nodes()) {
      const auto model = static_cast<std::size_t>(node.plan_node);
      const auto last = first + static_cast<std::ptrdiff_t>(assembly.fabric().nodes[model].gpus.size());
      const std::vector<GpuLoad> loads(first, last);
      first = last;
      const auto same = std::find_if(kinds_.begin(), kinds_.end(),
                                     [&](const Kind& k) { return k.model == model && k.loads == loads; });
      kind_of_.push_back(static_cast<std::size_t>(same - kinds_.begin()));
      if (same == kinds_.end()) kinds_.push_back({model, loads, {models_[model], models_[model].start(), loads}});
    }
  }

  void advance(Time span) {
    for (Kind& kind : kinds_) kind.course.advance(span);
  }

  std::vector<double> clocks() const {
    std::vector<double> clocks;
    for (const std::size_t kind : kind_of_)
      for (std::size_t gpu = 0; gpu < kinds_[kind].loads.size(); ++gpu)
        clocks.push_back(kinds_[kind].course.clock(gpu));
    return clocks;
  }

 private:
  struct Kind {
    std::size_t model;
    std::vector<GpuLoad> loads;
    NodeThermal::Course course;
  };
  const Assembly& assembly_;
  std::vector<NodeThermal> models_;
  std::vector<Kind> kinds_;
  std::vector<std::size_t> kind_of_;  // by simulated node
};

// By node of the plan.
std::vector<double> slowest_clocks(const Assembly& assembly, const std::vector<double>& clocks) {
  std::vector<double> slowest(assembly.fabric().nodes.size(), 1e9);
  for (std::size_t g = 0; g < clocks.size(); ++g) {
    const auto node = static_cast<std::size_t>(assembly.gpus()[g].node);
    double& own = slowest[static_cast<std::size_t>(assembly.simulated().nodes()[node].plan_node)];
    own = std::min(own, clocks[g]);
  }
  return slowest;
}

}  // namespace

Time saved_while_cool(const Assembly& assembly, const JobResult& result, double steps) {
  const bool cold_storage = result.first_epoch.has_value();
  const double steady_s = cold_storage ? result.first_epoch->step_s : result.steady.step_s;
  std::vector<double> settled;
  double length_s = 0;
  for (const NodeThermal::State& node : result.thermal) {
    length_s = std::max(length_s, std::min(longest_s, node.elapsed.base()));
    for (const NodeThermal::Gpu& gpu : node.gpus) settled.push_back(gpu.clock);
  }
  std::map<std::vector<double>, double> step_s = {{slowest_clocks(assembly, settled), steady_s}};
  ColdNodes nodes(assembly, result);
  double elapsed_s = 0, done = 0, now_s = 0;
  std::vector<double> clocks;  // under which a step takes now_s
  while (elapsed_s < length_s && done < steps) {
    if (std::vector<double> next = nodes.clocks(); next != clocks) {
      clocks = std::move(next);
      const auto [known, is_new] = step_s.try_emplace(slowest_clocks(assembly, clocks), 0.0);
      if (is_new) known->second = simulate_steady_step(assembly, cold_storage, clocks).step_s;
      now_s = known->second;
    }
    const double span_s = std::min({1.0, length_s - elapsed_s, (steps - done) * now_s});
    nodes.advance(seconds(span_s));
    elapsed_s += span_s;
    done += span_s / now_s;
  }
  return seconds(done * steady_s - elapsed_s);
}

}  // namespace clustersim
