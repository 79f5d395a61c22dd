// The kinds of event that the parts of one run schedule in their common queue; the subject is the number beside each.
#pragma once

#include <cstdint>

namespace clustersim {

enum EventKind : std::int32_t {
  task_ends,       // task, or message (message_runs.h)
  transfer_flows,  // task or message: its latency is over
  clock_changes,   // position in MachineSpec::clock_changes
  instant_settles  // -1: everything else of this instant has happened, rates may be set
};

}  // namespace clustersim
