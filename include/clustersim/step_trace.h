// One training step as it was recorded: what ran when on one rank, and what it exchanged with the others.
//
// Times count from the start of the step; `step` is the time from one step's start to the next one's. Operators stand
// in the order of their starts. Unknown is NaN, -1 or "", never zero. An operator takes 48 bytes, a dependency 4:
// traces of a million operators are usual. Files: sim/import/step_trace_file.h (ours), kineto.h, chakra.h. Replayed by
// models/workload/replay.h.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "clustersim/collective_op.h"
#include "clustersim/sim_time.h"

namespace clustersim {

// What an operator does, and with it what bounds it.
enum class OperatorKind : std::uint8_t {
  matmul,         // arithmetic
  convolution,    // arithmetic
  attention,      // arithmetic
  normalization,  // memory
  elementwise,    // memory
  optimizer,      // memory
  copy,           // memory, inside the GPU
  host_copy,      // between host and GPU
  cpu,            // the host itself
  unknown,
  collective,
};

// What an operator had to wait for beside the GPU, where the recording tells.
enum class Launch : std::uint8_t {
  unknown,       // nothing is known, or it was queued behind the work before
  host,          // the GPU had run dry: the host, which waited for nothing, was the slower
  synchronized,  // the host had waited for the GPU before it launched this
};

inline constexpr double unknown_amount = std::numeric_limits<double>::quiet_NaN();

struct TraceOperator {
  SimTime start = 0;
  SimTime duration = 0;  // of a collective: waiting for the other ranks included; -1: not known
  float flop = static_cast<float>(unknown_amount), bytes = static_cast<float>(unknown_amount);  // DRAM traffic
  std::int32_t name = -1;                                                                       // index into names
  std::int32_t collective = -1;  // index into collectives
  std::int32_t first_after = 0;  // into StepTrace::after: operators that must be done before
  std::int32_t after_count = 0;
  std::int16_t stream = 0;  // queue of the recording: one thing at a time
  OperatorKind kind = OperatorKind::unknown;
  Launch launch = Launch::unknown;
};

struct TraceCollective {
  CollectiveOp op = CollectiveOp::all_reduce;
  double bytes = unknown_amount;  // as nccl-tests counts them: all_gather the total, else a rank's buffer
  std::int32_t group = 0;         // ranks that take part; 0: not known, taken as all
  std::int32_t stride = 0;        // between neighbours of the group; 0: not known
  SimTime wire = -1;              // without waiting: the shortest of all ranks; -1: not known
};

struct StepTrace {
  std::string source;          // what recorded it
  std::string gpu;             // as the recording names it; "": not known
  bool on_cpu = false;         // nothing ran on a GPU
  int ranks = 0;               // of the recorded job; 0: not known
  double batch = 0;            // samples of a rank's step; 0: not known
  std::string batch_guess;     // how the batch was guessed; "": it was stated
  double parameters = 0;       // 0: not known
  SimTime step = 0;            // period of the step that is kept
  std::vector<SimTime> steps;  // of every complete step of the recording
  bool dependencies = false;   // `after` says all that an operator waits for
  std::vector<std::string> names;
  std::vector<TraceOperator> operators;
  std::vector<std::int32_t> after;
  std::vector<TraceCollective> collectives;
};

}  // namespace clustersim
