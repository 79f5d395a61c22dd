#include "models/workload/stragglers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "clustersim/random.h"

namespace clustersim {
namespace {

constexpr std::uint64_t uniform_steps = 32;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// By unit: 0.1 = 10 % longer.
std::vector<double> slowdown_of_units(const Stragglers& s, int units) {
  std::vector<double> slowdown(at(units), 0.0);
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t u = 0; u < slowdown.size(); ++u) order.emplace_back(random_bits("stragglers", s.seed, u), u);
  const auto slow = static_cast<std::ptrdiff_t>(std::llround(s.share * units));
  if (slow < units) std::nth_element(order.begin(), order.begin() + slow, order.end());
  for (auto one = order.begin(); one != order.begin() + slow; ++one) {
    const std::uint64_t step = random_bits("slowdown", s.seed, one->second) % (uniform_steps + 1);
    const double part = s.uniform ? static_cast<double>(step) / static_cast<double>(uniform_steps) : 1.0;
    slowdown[one->second] = s.slowdown * part;
  }
  return slowdown;
}

NodeClasses classes_of(const std::vector<std::vector<double>>& nodes) {
  std::map<std::vector<double>, int> sizes;  // ordered, so the classes are
  for (const std::vector<double>& node : nodes) ++sizes[node];
  NodeClasses classes;
  for (const auto& [slowdown, size] : sizes) {
    classes.sizes.push_back(size);
    classes.slowdown.push_back(slowdown);
  }
  if (sizes.size() == 1) return classes;
  for (const std::vector<double>& node : nodes)
    classes.class_of.push_back(static_cast<int>(std::distance(sizes.begin(), sizes.find(node))));
  return classes;
}

}  // namespace

std::vector<NodeClasses> node_classes(const Cluster& cluster) {
  std::vector<NodeClasses> classes;
  if (!cluster.stragglers) {
    for (const NodeGroup& group : cluster.groups)
      classes.push_back({{group.count}, {std::vector<double>(at(group.node.gpus), 0.0)}, {}});
    return classes;
  }
  const bool by_gpu = cluster.stragglers->gpus;
  const std::vector<double> units = slowdown_of_units(*cluster.stragglers, by_gpu ? cluster.gpus() : cluster.nodes());
  auto next = units.begin();
  for (const NodeGroup& group : cluster.groups) {
    std::vector<std::vector<double>> nodes;
    for (int n = 0; n < group.count; ++n) {
      const std::ptrdiff_t width = by_gpu ? group.node.gpus : 1;
      nodes.push_back(by_gpu ? std::vector<double>(next, next + width)
                             : std::vector<double>(at(group.node.gpus), *next));
      next += width;
    }
    classes.push_back(classes_of(nodes));
  }
  return classes;
}

}  // namespace clustersim
