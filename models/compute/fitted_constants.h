// Those constants of the compute model that rows of the training suite moved, as a run takes them: the values of
// constants.h, where each has its meaning, unit and origin. `validate --cross` refits them on some of the rows.
// Checked by: tests/suites/suites_test.cc
#pragma once

namespace clustersim {

struct FittedConstants {
  FittedConstants();

  double sustained_cool, sustained_power, winograd_gain, framework_stream, ramp_cycles;
  double transpose_elements_per_sm_cycle, host_jitter_s;
};

}  // namespace clustersim
