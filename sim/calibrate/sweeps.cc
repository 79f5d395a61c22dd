#include "sim/calibrate/sweeps.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "clustersim/units_text.h"
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

constexpr double two_ways = 1.5;  // slowest over fastest time of a size: more than noise

}  // namespace

void warn_of_repeats(MeasuredFile& file) {
  struct Times {
    int rows = 0, line = 0;  // line: of the slowest
    double least = 0, most = 0;
  };
  std::map<std::tuple<CollectiveOp, int, int, double>, Times> sizes;
  for (const CollectiveTime& row : file.collectives) {
    Times& times = sizes[{row.op, row.nodes, row.ranks, row.bytes}];
    if (times.rows == 0 || row.seconds < times.least) times.least = row.seconds;
    if (row.seconds > times.most) times.most = row.seconds, times.line = row.line;
    ++times.rows;
  }
  int repeated = 0, apart = 0;
  const Times* worst = nullptr;
  double worst_bytes = 0;
  for (const auto& [key, times] : sizes) {
    repeated += times.rows > 1;
    if (times.most <= two_ways * times.least) continue;
    ++apart;
    if (worst == nullptr || times.most / times.least > worst->most / worst->least)
      worst = &times, worst_bytes = std::get<3>(key);
  }
  if (repeated > 0)
    file.warn(0, std::to_string(repeated) + (repeated == 1 ? " size was" : " sizes were") +
                     " measured more than once; the median of its times counts");
  if (worst != nullptr)
    file.warn(worst->line, "times of " + std::to_string(apart) + (apart == 1 ? " size" : " sizes") +
                               " differ by more than 1.5 times, at " + format_quantity(worst_bytes, Dimension::bytes) +
                               " from " + format_quantity(worst->least, Dimension::time, "us") + " to " +
                               format_quantity(worst->most, Dimension::time, "us") +
                               ": two ways of going, or noise; their median is neither. Keep the rows of one");
}

std::string advice_on_sizes(const SourcedSweep& sweep) {
  constexpr std::size_t few = 6;
  constexpr double small = 1048576, large = 64 * 1048576.0;
  const std::vector<TimedSize>& points = sweep.sweep.points;
  if (points.size() >= few) return "";
  const bool no_small = points.front().bytes > small, no_large = points.back().bytes < large;
  if (!no_small && !no_large) return "";
  return sweep.name + ": " + std::to_string(points.size()) + " sizes, " +
         (no_small && no_large ? "none up to 1 MiB and none from 64 MiB on"
          : no_small           ? "none up to 1 MiB, which would show the latency"
                               : "none from 64 MiB on, which would show the rate") +
         "; two that do best are one of 8 KiB to 1 MiB and one from 64 MiB on, a sweep (-b 8 -e 4G -f 2) does better";
}

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
