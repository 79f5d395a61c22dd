// A recorded step, rewritten for a GPU: a few pieces in a row on the GPU, with what starts beside them.
//
// Kernels of all queues become one row, in the order of their starts: of what ran beside another kernel only the part
// that lasts longer counts, since the times recorded already hold what each lost to the other.
// A kernel of d seconds (c: the GPU of the recording, t: the target; f: fixed part, cycles of the chip):
//   f = min(d, ramp_c)                                       f_t = f * ramp_t / ramp_c
//   bound by arithmetic: math_t   = (d - f) * rate_c / rate_t        rate: of the kernel's number format
//   bound by memory:     memory_t = (d - f) * bandwidth_c / bandwidth_t
// With FLOP and bytes known both parts stand, in the ratio FLOP/rate_c : bytes/bandwidth_c, the larger one being d - f;
// else the kind decides. What the host does keeps its time. On the GPU of the recording every kernel keeps its time.
// Kernels bound by one thing add up exactly, so a row of thousands is one piece of one or two kernels.
//
// A pause before a kernel: up to `folded_pause` it is a launch gap and stays with the kernel, whose piece keeps its
// length and counts that share of it as idle (Work::activity). Else, where the host was
// the slower (Launch::host), the kernel starts when the host, counted from the last moment it waited for the GPU, gets
// there: on a faster GPU the pause grows. All other pauses keep their length after what the kernel follows.
// A collective starts after the kernel that the recording says it waits for, else after the last one that had ended
// before it, as much later as recorded, or as soon as its queue lets it where it stood there. A kernel waits for a
// collective where the recording says so, where the pause before it ended with one or was mostly that, or where the
// optimizer begins.
//
// Gradients of a one-GPU recording: all-reduces of parameters x 2 or 4 bytes, in buckets as DDP cuts them, spread
// evenly over the last two thirds of the time before the optimizer [assumed: backward is twice forward].
//
// Assumes the recorded kernels would run on the target: same shapes, same number formats; tile quantisation, cache
// sizes and other kernel choices are not covered. Source: roofline (compute/roofline.h), device_model.h.
// Checked by: tests/sim/replay_test.cc, tests/models/operator_kind_test.cc; not validated on a second GPU.
#pragma once

#include <cstdint>
#include <vector>

#include "clustersim/scenario.h"
#include "clustersim/step_trace.h"
#include "clustersim/task_graph.h"

namespace clustersim {

inline constexpr SimTime folded_pause = 10'000'000;  // 10 us [assumed: launch gaps are 1 to 5 us]

enum class PieceKind : std::uint8_t {
  compute,     // kernels, in a row on the GPU
  pause,       // nothing, in the same row
  host,        // a delay beside the row
  collective,  // beside the row
};

struct ReplayPiece {
  PieceKind kind = PieceKind::compute;
  Part part = Part::forward_backward;
  std::vector<Kernel> kernels;  // compute
  double idle_s = 0;            // compute: of the kernels' fixed time, pauses in which nothing runs
  double seconds = 0;           // pause, host: its length; collective: as recorded, NaN: not known
  int collective = -1;          // index into ReplayStep::collectives
  // Pieces that must be done before, beside the one before in the row; -1: the end of the step before.
  std::vector<int> after;
};

struct ReplayStep {
  std::vector<ReplayPiece> pieces;  // the last one ends the step
  std::vector<TraceCollective> collectives;
  Kernel arithmetic, memory, fixed;  // sums over all kernels, each in its own member
  double pause_s = 0;                // pauses above folded_pause
  double host_bound_s = 0;           // of these, where the host was the slower
  double unclassified_s = 0;         // kernels of unknown kind: taken as bound by memory
  double guessed_kind_s = 0;         // kernels whose kind is all that is known
  double kernel_s = 0;               // all kernels, as recorded
  double beside_s = 0;               // of all queues, hidden beside another kernel
  bool gradients_added = false;
  bool one_queue = true;  // all collectives, one after the other
};

// `ranks`: of the job that is simulated; with one, nothing is exchanged. job.trace must be set.
ReplayStep replay_step(const Job& job, const GpuSpec& target, int ranks);

}  // namespace clustersim
