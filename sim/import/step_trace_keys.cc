// The keys of our file of a recorded step, for the manual. Its reader (step_trace_file.cc) streams lists of millions of
// operators and does not go through them. Checked by: tests/sim/refusals_test.cc
#include "clustersim/fields.h"
#include "models/workload/operator_kind.h"
#include "sim/import/step_trace_file.h"

namespace clustersim {
namespace {

constexpr Choice<int> kDevices[] = {{"gpu", 0, "kernels of GPUs"}, {"cpu", 1, "nothing ran on a GPU"}};
constexpr Choice<Launch> kLaunches[] = {{"host", Launch::host, "one after the other, by the host"},
                                        {"synchronized", Launch::synchronized, "after the host waited for the GPU"}};

void visit_collective(FieldVisitor& v) {
  std::string op;
  double number = 0;
  int whole = 0;
  v.key({.name = "op", .meaning = "operation: all_reduce, all_gather, reduce_scatter, ...", .required = true}, op);
  v.key({.name = "bytes", .meaning = "what nccl-tests counts", .default_text = "unknown", .min = 0}, number);
  v.key({.name = "group", .meaning = "ranks that take part", .default_text = "all", .min = 1}, whole);
  v.key({.name = "stride", .meaning = "from one of them to the next", .default_text = "1", .min = 1}, whole);
  v.key({.name = "wire_us", .meaning = "time on the wire, us, without waiting for others", .default_text = "unknown"},
        number);
}

void visit_operator(FieldVisitor& v) {
  std::string text;
  double number = 0;
  int whole = 0;
  Launch launch = Launch::unknown;
  std::optional<std::string> json;
  v.key({.name = "name", .meaning = "of the kernel", .default_text = "none"}, text);
  v.key({.name = "kind",
         .meaning = "matmul, convolution, attention, normalization, elementwise, optimizer, copy, host_copy, cpu, "
                    "unknown or collective",
         .default_text = "by its name"},
        text);
  v.key({.name = "stream", .meaning = "of the GPU, in order with others of it", .default_text = "0", .min = 0}, whole);
  v.key({.name = "start_us", .meaning = "start within the step, us", .default_text = "0"}, number);
  v.key({.name = "duration_us", .meaning = "how long it took, us", .default_text = "of a collective: as planned"},
        number);
  v.key({.name = "flop", .meaning = "arithmetic, for another GPU", .default_text = "unknown", .min = 0}, number);
  v.key({.name = "bytes", .meaning = "memory traffic, for another GPU", .default_text = "unknown", .min = 0}, number);
  v.choice({.name = "launch", .meaning = "who waits before it starts", .default_text = "unknown"}, kLaunches, launch);
  v.json({.name = "after", .meaning = "operators it waits for, as positions in the list", .default_text = "by times"},
         "list of whole numbers", json);
  v.object({.name = "collective", .meaning = "what it exchanges"}, visit_collective);
}

}  // namespace

void visit_step_trace(FieldVisitor& v) {
  int whole = 0, device = 0;
  std::string text;
  bool flag = false;
  Time time;
  v.key({.name = "clustersim_step_trace", .meaning = "version of the format", .required = true, .min = 1, .max = 1},
        whole);
  v.key({.name = "source", .meaning = "what recorded it", .default_text = "unknown"}, text);
  v.choice({.name = "device", .meaning = "where it ran", .default_text = "gpu"}, kDevices, device);
  v.key({.name = "gpu", .meaning = "name of the GPU it ran on", .default_text = "unknown"}, text);
  v.key({.name = "ranks", .meaning = "processes of the job", .default_text = "1", .min = 1, .max = 1e7}, whole);
  v.key({.name = "batch", .meaning = "samples of a rank", .default_text = "unknown", .min = 1, .max = 1e7}, whole);
  double parameters = 0;
  v.key({.name = "parameters", .meaning = "of the model", .default_text = "unknown", .min = 1, .max = 1e14},
        parameters);
  v.key({.name = "step_time", .meaning = "from this step to the next", .default_text = "to its last operator"}, time);
  v.words({.name = "steps", .meaning = "times of all steps of the recording", .default_text = "none"});
  v.key({.name = "dependencies", .meaning = "`after` says all that an operator waits for", .default_text = "false"},
        flag);
  v.texts({.name = "estimated", .meaning = "which keys are guesses, and why", .default_text = "none"});
  v.list({.name = "operators", .meaning = "in the order of their starts", .required = true}, visit_operator);
}

}  // namespace clustersim
