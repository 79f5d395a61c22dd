#include "sim/calibrate/sweeps.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "models/workload/operator_kind.h"
#include "sim/import/nccl_rows.h"

namespace clustersim {
namespace {

constexpr std::size_t most_sizes = 400;

std::vector<TimedSize> points_of(const std::map<double, std::vector<double>>& times) {
  std::vector<TimedSize> all, kept;
  for (const auto& [size, values] : times) all.push_back({size, median_of(values)});
  if (all.size() <= most_sizes) return all;
  for (std::size_t i = 0; i < most_sizes; ++i) kept.push_back(all[i * (all.size() - 1) / (most_sizes - 1)]);
  return kept;
}

}  // namespace

std::vector<SourcedSweep> sweeps_of(const std::vector<MeasuredFile>& files) {
  using Key = std::tuple<CollectiveOp, int, int>;
  struct Group {
    std::map<double, std::vector<double>> times;
    int rows = 0;
    std::vector<const MeasuredFile*> files;
  };
  std::map<Key, Group> groups;
  for (const MeasuredFile& file : files)
    for (const CollectiveTime& row : file.collectives) {
      Group& group = groups[{row.op, row.nodes, row.ranks}];
      group.times[row.bytes].push_back(row.seconds);
      ++group.rows;
      if (std::find(group.files.begin(), group.files.end(), &file) == group.files.end()) group.files.push_back(&file);
    }
  std::vector<SourcedSweep> sweeps;
  for (const auto& [key, group] : groups) {
    const auto& [op, nodes, ranks] = key;
    SourcedSweep sweep;
    sweep.sweep = {op, nodes, ranks, points_of(group.times)};
    sweep.rows = group.rows;
    sweep.files = group.files;
    sweep.name = std::string(to_string(op)) + " of " + std::to_string(ranks) + " ranks";
    if (nodes > 1) sweep.name += " on " + std::to_string(nodes) + " nodes";
    sweeps.push_back(std::move(sweep));
  }
  return sweeps;
}

}  // namespace clustersim
