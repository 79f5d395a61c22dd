// How long a fuzz goes: a moment in every test run; CLUSTERSIM_FUZZ=1000 makes each a thousand times as long by hand.
#pragma once

#include <cstdlib>

namespace clustersim {

inline int fuzz_rounds(int usual) {
  const char* factor = std::getenv("CLUSTERSIM_FUZZ");
  const int times = factor == nullptr ? 1 : std::atoi(factor);
  return usual * (times > 1 ? times : 1);
}

}  // namespace clustersim
