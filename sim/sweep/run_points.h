// Points on the cores of this machine.
#pragma once

#include "clustersim/sweep.h"

namespace clustersim {

// With `jobs` threads, 0 for one a core. Batches come at most a quarter of a second apart.
PointRunner threads_runner(int jobs);

}  // namespace clustersim
