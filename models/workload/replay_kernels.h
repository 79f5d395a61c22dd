// Recorded kernels as kernels of another GPU; the equations stand in replay_step.h. Part of it.
#pragma once

#include <cstdint>
#include <vector>

#include "clustersim/scenario.h"
#include "clustersim/step_trace.h"
#include "clustersim/task_graph.h"
#include "models/compute/device_model.h"

namespace clustersim {

class KernelScaler {
 public:
  // job.trace must be set.
  KernelScaler(const Job& job, const GpuSpec& target);

  // Where the time of an operator counts.
  Part part(const TraceOperator& op) const;
  // What took `seconds` when it was recorded.
  Kernel kernel(const TraceOperator& op, double seconds) const;

 private:
  DeviceModel source_, target_;
  MathFormat usual_format_ = MathFormat::half;
  std::vector<MathFormat> formats_;  // by name
  std::vector<bool> to_gpu_;
};

// A row of kernels that are not yet cut into pieces, added up as far as that is exact.
void add_kernel(std::vector<Kernel>& kernels, const Kernel& kernel);

}  // namespace clustersim
