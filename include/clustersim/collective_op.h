// The collectives that are known, by what they do.
#pragma once

#include <cstdint>

namespace clustersim {

enum class CollectiveOp : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  reduce,
  all_to_all,
  broadcast,
  send_recv
};

}  // namespace clustersim
