#include "models/workload/replay_kernels.h"

#include <algorithm>
#include <string>

#include "models/workload/operator_kind.h"

namespace clustersim {

KernelScaler::KernelScaler(const Job& job, const GpuSpec& target) : target_(device_model(target, job.cuda_graph)) {
  const GpuSpec& source = job.trace_gpu ? *job.trace_gpu : target;
  source_ = device_model(source, job.cuda_graph);
  usual_format_ = math_format(job.precision, source);
  for (const std::string& name : job.trace->names) {
    formats_.push_back(math_format_of_name(name).value_or(usual_format_));
    to_gpu_.push_back(name.find("HtoD") != std::string::npos);
  }
}

Part KernelScaler::part(const TraceOperator& op) const {
  if (op.kind == OperatorKind::optimizer) return Part::optimizer;
  if (op.kind != OperatorKind::host_copy) return Part::forward_backward;
  return op.name >= 0 && to_gpu_[static_cast<std::size_t>(op.name)] ? Part::input : Part::host_overhead;
}

Kernel KernelScaler::kernel(const TraceOperator& op, double seconds) const {
  if (bound_by_host(op.kind)) return {0, 0, seconds};
  const MathFormat format = op.name >= 0 ? formats_[static_cast<std::size_t>(op.name)] : usual_format_;
  const double fixed_s = std::min(seconds, source_.ramp_s), rest_s = seconds - fixed_s;
  double math = bound_by_arithmetic(op.kind) ? 1 : 0, memory = 1 - math;
  if (op.flop > 0 && op.bytes > 0) {
    math = static_cast<double>(op.flop) / source_.rate(format);
    memory = static_cast<double>(op.bytes) / source_.dram_bytes_per_s;
    const double larger = std::max(math, memory);
    math /= larger, memory /= larger;
  }
  return {rest_s * math * source_.rate(format) / target_.rate(format),
          rest_s * memory * source_.dram_bytes_per_s / target_.dram_bytes_per_s,
          fixed_s * target_.ramp_s / source_.ramp_s};
}

void add_kernel(std::vector<Kernel>& kernels, const Kernel& kernel) {
  const auto alike = [](const Kernel& a, const Kernel& b) {
    return (a.math_s == 0 && b.math_s == 0) || (a.memory_s == 0 && b.memory_s == 0);
  };
  // Few stand here: pure ones merge, and those bound by both are rare.
  for (std::size_t i = 0; i < std::min<std::size_t>(kernels.size(), 2); ++i)
    if (alike(kernels[i], kernel)) {
      kernels[i].math_s += kernel.math_s;
      kernels[i].memory_s += kernel.memory_s;
      kernels[i].fixed_s += kernel.fixed_s;
      return;
    }
  kernels.push_back(kernel);
}

}  // namespace clustersim
