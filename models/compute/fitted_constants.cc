#include "models/compute/fitted_constants.h"

#include "models/compute/constants.h"

namespace clustersim {

FittedConstants::FittedConstants()
    : sustained_cool(compute::sustained_cool),
      sustained_power(compute::sustained_power),
      winograd_gain(compute::winograd_gain),
      framework_stream(compute::framework_stream),
      ramp_cycles(compute::ramp_cycles),
      transpose_elements_per_sm_cycle(compute::transpose_elements_per_sm_cycle),
      host_jitter_s(compute::host_jitter_s) {}

}  // namespace clustersim
