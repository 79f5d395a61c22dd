// Where the tasks of a training step come from.
#pragma once

#include "clustersim/task_graph.h"

namespace clustersim {

class StepSource {
 public:
  virtual ~StepSource() = default;
  // Appends every task of training step `step` (0, 1, 2 ... in order) to the graph.
  virtual void append_step(TaskGraph& graph, int step) = 0;
};

}  // namespace clustersim
