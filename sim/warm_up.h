// The start of a run, when GPUs are cooler and faster than they will be: stepping over it in time.
//
//   saved = sum over the seconds of the warm-up of  1 s x (t_steady / t(clocks) - 1)
//   t(clocks)  step at the clocks of that second, simulated once for each slowest clock of a group that is met
//   t_steady   step at the clocks that are left when temperatures have settled
// So many seconds less than (steps) x t_steady does a run take. The thermal state is advanced exactly from decision to
// decision of its control, once a second. Ends when all nodes have settled, or the run has.
// Assumes the load of the settled step throughout, and that a step waits for the slowest clock of each group.
// Accuracy: within 0.1 % of a run simulated step by step from cold. Checked by: tests/sim/warm_up_test.cc
#pragma once

#include "sim/job.h"

namespace clustersim {

Time saved_while_cool(const Assembly& assembly, const JobResult& result, double steps);

}  // namespace clustersim
