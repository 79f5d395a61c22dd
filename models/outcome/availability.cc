#include "models/outcome/availability.h"

#include <algorithm>
#include <cmath>

#include "clustersim/error.h"

namespace clustersim {

Time mean_time_between_failures(Frequency failures_per_node, int nodes) {
  require(failures_per_node.base() > 0 && nodes > 0, "a failure rate and a node count are positive");
  return seconds(1 / (failures_per_node.base() * nodes));
}

Time young_interval(Time blocking, Time mtbf) {
  require(blocking.base() >= 0 && mtbf.base() > 0, "times of a checkpoint plan are positive");
  return seconds(std::sqrt(2 * blocking.base() * mtbf.base()));
}

Time daly_interval(Time blocking, Time mtbf) {
  const double ratio = blocking / (mtbf * 2);
  if (ratio >= 1) return mtbf;
  return young_interval(blocking, mtbf) * (1 + std::sqrt(ratio) / 3 + ratio / 9) - blocking;
}

double goodput(Time blocking, Time interval, Time recovery, Time mtbf) {
  require(interval.base() > 0 && mtbf.base() > 0, "times of a checkpoint plan are positive");
  return std::clamp(1 - blocking / interval - (interval / 2 + recovery) / mtbf, 0.0, 1.0);
}

Time checkpoint_blocking(const CheckpointSize& size, bool asynchronous, Bandwidth device_to_host, Bandwidth host_memory,
                         Bandwidth storage_write) {
  require(std::min(device_to_host, host_memory).base() > 0 && (asynchronous || storage_write.base() > 0),
          "a checkpoint goes somewhere at a positive rate");
  const Time copied = std::max(size.gpu / device_to_host, size.node / host_memory);
  return asynchronous ? copied : std::max(copied, size.node / storage_write);
}

}  // namespace clustersim
