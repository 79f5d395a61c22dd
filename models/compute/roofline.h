// How long a kernel takes under the conditions of a moment: clock, SMs and DRAM bandwidth left to it.
//
//   t = t_fixed + max( t_math / (c * s), t_mem / (d * min(1, c / knee)) )
// t_fixed, t_math, t_mem: seconds of the kernel alone on the GPU at the reference clock (Kernel);
// c: clock over reference clock; s: share of SMs free; d: share of DRAM bandwidth free; knee: memory_knee.
// DRAM has a clock of its own, so its throughput is flat in the core clock until the cores and the L2 can no longer
// ask fast enough; below the knee it falls in proportion.
//
// Assumes arithmetic and memory traffic of one kernel overlap wholly (a ridge without a rounded corner), and that
// the fixed part (launch gap, ramp, drain) does not move with the clock. Kernels of a work run one after another.
// Source: roofline of Williams, Waterman and Patterson (2009).
// Checked by: tests/models/roofline_test.cc
#pragma once

#include "clustersim/task_graph.h"

namespace clustersim {

// [published: power-limit traces of Zeus, NSDI'23: 0.78 on V100, 0.79 on RTX 6000] clock below which DRAM throughput
// falls with the core clock, relative to the clock held under load.
constexpr double memory_knee = 0.78;

// Seconds. Conditions must be positive; free shares at most 1.
double kernel_seconds(const Kernel& kernel, const Conditions& conditions);

// Seconds of all kernels of a work in order.
double work_seconds(const Work& work, const Conditions& conditions);

}  // namespace clustersim
