// Runs any task graph on a machine: a task starts when all its predecessors are done.
//
//   ready = start = the moment the last predecessor ends (0 without any)
//   end   = start + delay                                 delay
//         = start + latency + time of the flow            transfer (flow_network.h)
//         = start + latency + all its messages            transfer with a pattern (message_runs.h)
//         = start + work_seconds under the conditions     compute  (compute_stream.h)
// The previous task of a stream, in the order of task ids, is a predecessor of the next: a stream does one thing at a
// time, whatever its kind. A transfer holds its share of the GPUs from its start to its end, latency included.
// Tasks that become ready at one event start in the order of their ids. Of predecessors that end at the same instant,
// the last in the order of events counts as the one that released the task.
//
// The result depends on the machine and the graph alone: the same bits on every run, and a task that shares nothing
// with the others does not move them.
// Checked by: tests/engine/executor_test.cc
#pragma once

#include "clustersim/run_record.h"
#include "clustersim/task_graph.h"
#include "sim/engine/machine.h"

namespace clustersim {

// InternalError, with the label of a task, where a task names what the machine does not have, or waits for ever.
// `record_rates` fills RunRecord::rates; nothing else depends on it.
RunRecord run_tasks(const MachineSpec& machine, const TaskGraph& graph, bool record_rates = false);

}  // namespace clustersim
