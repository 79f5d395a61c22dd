// Compute tasks under changing conditions, run through the executor. Kernels bound by arithmetic take
// math_s / (clock * free_sms), so that each expectation can be done by hand.
#include "sim/engine/compute_stream.h"

#include <catch2/catch.hpp>

#include "models/compute/roofline.h"
#include "sim/engine/executor.h"

using namespace clustersim;

namespace {

MachineSpec one_gpu(int streams = 1) {
  MachineSpec machine;
  machine.gpus = 1;
  machine.stream_gpu.assign(static_cast<std::size_t>(streams), 0);
  return machine;
}

Work work(double math_s, double memory_s = 0, double fixed_s = 0, double activity = 1.0) {
  return {{{math_s, memory_s, fixed_s}}, activity};
}

Task compute(WorkId id, StreamId stream = 0, std::vector<TaskId> after = {}) {
  Task t;
  t.kind = TaskKind::compute;
  t.work = id;
  t.stream = stream;
  t.after = std::move(after);
  return t;
}

Task delay(double seconds, StreamId stream = -1, std::vector<TaskId> after = {}) {
  Task t;
  t.latency_s = seconds;
  t.stream = stream;
  t.after = std::move(after);
  return t;
}

// Holds part of the GPU for a while without needing any link.
Task holding(double seconds, double sms, double dram, std::vector<TaskId> after = {}) {
  Task t;
  t.kind = TaskKind::transfer;
  t.latency_s = seconds;
  t.holds = {{0, sms, dram}};
  t.after = std::move(after);
  return t;
}

double end_s(const RunRecord& record, TaskId id) {
  return sim_time_to_seconds(record.spans[static_cast<std::size_t>(id)].end);
}

// Each change of rate may round an end up by 1 ps; tasks here last a second.
constexpr double tolerance = 1e-11;

}  // namespace

TEST_CASE("an undisturbed task takes its roofline time") {
  TaskGraph graph;
  const Work both{{{0.1, 0.3, 0.01}, {0.2, 0.1, 0.02}}, 1.0};
  graph.add(compute(graph.add_work(both)));
  for (const double clock : {1.0, 0.5}) {
    MachineSpec machine = one_gpu();
    machine.gpu_clock = {clock};
    CHECK(end_s(run_tasks(machine, graph), 0) == Approx(work_seconds(both, {clock, 1, 1})).epsilon(tolerance));
  }
}

TEST_CASE("a clock change in mid-flight keeps what is done and stretches the rest") {
  // 1 s of arithmetic; the clock halves at 0.25: 0.25 + 0.75 / 0.5. Back up at 1.25: by then 0.25 + 0.5 is done.
  TaskGraph graph;
  graph.add(compute(graph.add_work(work(1.0))));
  MachineSpec machine = one_gpu();
  machine.clock_changes = {{0.25, 0, 0.5}};
  CHECK(end_s(run_tasks(machine, graph), 0) == Approx(0.25 + 0.75 / 0.5).epsilon(tolerance));
  machine.clock_changes.push_back({1.25, 0, 1.0});
  CHECK(end_s(run_tasks(machine, graph), 0) == Approx(1.25 + (1 - 0.25 - 1.0 * 0.5)).epsilon(tolerance));
  // A change of another GPU, and one after the end, leave it alone.
  machine = one_gpu();
  machine.gpus = 2;
  machine.clock_changes = {{0.25, 1, 0.5}, {5.0, 0, 0.5}};
  const RunRecord record = run_tasks(machine, graph);
  CHECK(end_s(record, 0) == Approx(1.0).epsilon(tolerance));
  CHECK(sim_time_to_seconds(record.end) == Approx(1.0).epsilon(tolerance));
}

TEST_CASE("of two clock changes at one instant the last listed holds, from that instant on") {
  TaskGraph graph;
  graph.add(compute(graph.add_work(work(1.0))));
  MachineSpec machine = one_gpu();
  machine.clock_changes = {{0, 0, 0.1}, {0, 0, 0.5}};
  CHECK(end_s(run_tasks(machine, graph), 0) == Approx(1.0 / 0.5).epsilon(tolerance));
}

TEST_CASE("a transfer that holds SMs slows the kernels while it lasts") {
  // 1 s of arithmetic; from 0.2 to 0.7 a quarter of the SMs is held: 0.2 + 0.5 * 0.75 is done at 0.7.
  TaskGraph graph;
  const TaskId wait = graph.add(delay(0.2));
  graph.add(holding(0.5, 0.25, 0, {wait}));
  const TaskId task = graph.add(compute(graph.add_work(work(1.0))));
  const RunRecord record = run_tasks(one_gpu(), graph);
  CHECK(end_s(record, task) == Approx(0.7 + (1 - 0.2 - 0.5 * 0.75)).epsilon(tolerance));
}

TEST_CASE("holds work on what they hold: DRAM, latency and flow, added up to nine tenths") {
  TaskGraph graph;
  const WorkId math = graph.add_work(work(1.0)), memory = graph.add_work(work(0, 1.0));
  SECTION("DRAM does not slow arithmetic") {
    graph.add(holding(10, 0, 0.5));
    const TaskId task = graph.add(compute(math));
    CHECK(end_s(run_tasks(one_gpu(), graph), task) == Approx(1.0).epsilon(tolerance));
  }
  SECTION("DRAM slows memory traffic") {
    graph.add(holding(10, 0, 0.5));
    const TaskId task = graph.add(compute(memory));
    CHECK(end_s(run_tasks(one_gpu(), graph), task) == Approx(1.0 / (1 - 0.5)).epsilon(tolerance));
  }
  SECTION("held during the latency and while bytes flow") {
    // Latency 0.2 s, then 100 units over 100/0.3 a second: half of the SMs for 0.5 s.
    Task t = holding(0.2, 0.5, 0);
    t.amount = 100;
    t.uses = {{0}};
    graph.add(t);
    const TaskId task = graph.add(compute(math));
    MachineSpec machine = one_gpu();
    machine.resource_capacity = {100 / 0.3};
    CHECK(end_s(run_tasks(machine, graph), task) == Approx(0.5 + (1 - 0.5 * 0.5)).epsilon(tolerance));
  }
  SECTION("several add up, and leave nothing behind") {
    for (const double share : {0.1, 0.2, 0.3}) graph.add(holding(0.5, share, 0));  // 0.6 together until 0.5
    const TaskId task = graph.add(compute(math));
    const TaskId next = graph.add(compute(math));
    const RunRecord record = run_tasks(one_gpu(), graph);
    CHECK(end_s(record, task) == Approx(0.5 + (1 - 0.5 * (1 - 0.6))).epsilon(tolerance));
    // 0.1 + 0.2 + 0.3 taken back is 0, not 5e-17: the next task takes its time to the picosecond.
    const Span& after = record.spans[static_cast<std::size_t>(next)];
    CHECK(after.end - after.start == sim_time_from_seconds(1.0));
  }
  SECTION("no more than nine tenths") {
    for (int i = 0; i < 3; ++i) graph.add(holding(20, 0.7, 0));
    const TaskId task = graph.add(compute(math));
    CHECK(end_s(run_tasks(one_gpu(), graph), task) == Approx(1.0 / (1 - largest_hold)).epsilon(tolerance));
  }
}

TEST_CASE("two streams share their GPU in equal parts") {
  // Both need 1 s alone. B starts at 0.5: A has 0.5 left and gets half: done at 0.5 + 1. By then B has done 0.5 and has
  // the GPU to itself: done at 1.5 + 0.5, when the GPU has given exactly the 2 s that were asked.
  TaskGraph graph;
  const WorkId second = graph.add_work(work(1.0));
  const TaskId wait = graph.add(delay(0.5));
  const TaskId a = graph.add(compute(second, 0)), b = graph.add(compute(second, 1, {wait}));
  const RunRecord record = run_tasks(one_gpu(2), graph);
  CHECK(end_s(record, a) == Approx(1.5).epsilon(tolerance));
  CHECK(end_s(record, b) == Approx(2.0).epsilon(tolerance));
}

TEST_CASE("a stream runs one task at a time, in the order of ids; two GPUs do not disturb each other") {
  TaskGraph graph;
  const WorkId second = graph.add_work(work(1.0));
  const TaskId wait = graph.add(delay(0.5));
  const TaskId first = graph.add(compute(second, 0, {wait}));
  const TaskId next = graph.add(compute(second, 0));  // could start at 0, but its turn comes second
  const TaskId pause = graph.add(delay(0.25, 0));     // a delay on the stream holds it up
  const TaskId last = graph.add(compute(second, 0));
  const TaskId other = graph.add(compute(second, 1));
  MachineSpec machine = one_gpu();
  machine.gpus = 2;
  machine.stream_gpu = {0, 1};
  const RunRecord record = run_tasks(machine, graph);
  CHECK(end_s(record, first) == Approx(0.5 + 1).epsilon(tolerance));
  CHECK(end_s(record, next) == Approx(0.5 + 2).epsilon(tolerance));
  CHECK(end_s(record, pause) == Approx(0.5 + 2 + 0.25).epsilon(tolerance));
  CHECK(end_s(record, last) == Approx(0.5 + 3 + 0.25).epsilon(tolerance));
  CHECK(end_s(record, other) == Approx(1.0).epsilon(tolerance));
  CHECK(record.spans[static_cast<std::size_t>(next)].last_predecessor == first);
}

TEST_CASE("a stream without GPU runs at the reference conditions, and work of no time is done at once") {
  TaskGraph graph;
  const TaskId host = graph.add(compute(graph.add_work(work(1.0)), 0));
  const TaskId none = graph.add(compute(graph.add_work(Work{}), 1));
  MachineSpec machine = one_gpu();
  machine.stream_gpu = {-1, 0};
  machine.gpu_clock = {0.5};
  const RunRecord record = run_tasks(machine, graph);
  CHECK(end_s(record, host) == Approx(1.0).epsilon(tolerance));
  CHECK(end_s(record, none) == 0);
}

TEST_CASE("use of a GPU: compute, activity, and communication alone") {
  // 0 .. 1 compute at activity 0.8; 0.5 .. 3 held by a transfer that takes no SMs: alone from 1 to 3; 3 .. 4 nothing.
  TaskGraph graph;
  const TaskId wait = graph.add(delay(0.5));
  graph.add(holding(2.5, 0, 0, {wait}));
  graph.add(compute(graph.add_work(work(1.0, 0, 0, 0.8))));
  graph.add(delay(4.0));
  const GpuUse use = run_tasks(one_gpu(), graph).gpus[0];
  CHECK(use.compute_s == Approx(1.0).epsilon(tolerance));
  CHECK(use.activity_s == Approx(0.8).epsilon(tolerance));
  CHECK(use.communication_only_s == Approx(3.0 - 1.0).epsilon(tolerance));

  // Two streams at activities 0.2 and 0.6 share the GPU for 2 s: their mean for that time.
  TaskGraph shared;
  shared.add(compute(shared.add_work(work(1.0, 0, 0, 0.2)), 0));
  shared.add(compute(shared.add_work(work(1.0, 0, 0, 0.6)), 1));
  const GpuUse two = run_tasks(one_gpu(2), shared).gpus[0];
  CHECK(two.compute_s == Approx(2.0).epsilon(tolerance));
  CHECK(two.activity_s == Approx(2.0 * (0.2 + 0.6) / 2).epsilon(tolerance));
}
