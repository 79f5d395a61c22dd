#include "sim/step_parts.h"

#include <catch2/catch.hpp>

using namespace clustersim;

namespace {

constexpr SimTime ms = 1'000'000'000;  // picoseconds

TaskId add(TaskGraph& graph, TaskKind kind, Part part, const char* label, StreamId stream, int step = 0) {
  Task task;
  task.kind = kind;
  task.part = part;
  task.label = graph.label(label);
  task.stream = stream;
  task.step = step;
  return graph.add(task);
}

}  // namespace

TEST_CASE("a gap is charged to what released it, piece by piece, and the parts cover the window") {
  // Stream 0: forward 0-10, waits, optimizer 25-30. Stream 1 (another rank): forward 0-16.
  // The all-reduce starts when the slower rank is done, at 16, and ends at 25: of the 15 ms that stream 0 waits,
  // 6 are the other rank's lateness and 9 are communication.
  TaskGraph graph;
  const TaskId f0 = add(graph, TaskKind::compute, Part::forward_backward, "forward", 0);
  const TaskId f1 = add(graph, TaskKind::compute, Part::forward_backward, "forward", 1);
  const TaskId reduce = add(graph, TaskKind::transfer, Part::communication, "all-reduce", 2);
  const TaskId update = add(graph, TaskKind::compute, Part::optimizer, "optimizer", 0);
  RunRecord record;
  record.spans = {{f0, 0, 0, 10 * ms, -1},
                  {f1, 0, 0, 16 * ms, -1},
                  {reduce, 16 * ms, 16 * ms, 25 * ms, f1},
                  {update, 25 * ms, 25 * ms, 30 * ms, reduce}};
  const StepParts parts = take_apart(graph, record, {{0, 1.0}}, 0, 30 * ms);
  CHECK(parts.forward_backward_s == Approx(0.010));
  CHECK(parts.straggler_s == Approx(0.006));
  CHECK(parts.communication_s == Approx(0.009));
  CHECK(parts.optimizer_s == Approx(0.005));
  CHECK(parts.sum() == Approx(0.030));
  CHECK(parts.busy_s == Approx(0.015));
  CHECK(parts.waited_s.at("all-reduce") == Approx(0.009));

  SECTION("the mean over ranks is weighted by the GPUs each stands for") {
    // Stream 1 computes 16 ms and then waits 14 ms until the window ends: others are at work.
    const StepParts mean = take_apart(graph, record, {{0, 1.0}, {1, 3.0}}, 0, 30 * ms);
    CHECK(mean.forward_backward_s == Approx((0.010 + 3 * 0.016) / 4));
    CHECK(mean.sum() == Approx(0.030));
  }
}

TEST_CASE("the end of a step is the end of its last task on any stream") {
  TaskGraph graph;
  const TaskId a = add(graph, TaskKind::compute, Part::forward_backward, "forward", 0, 0);
  const TaskId b = add(graph, TaskKind::compute, Part::forward_backward, "forward", 1, 0);
  const TaskId c = add(graph, TaskKind::compute, Part::forward_backward, "forward", 0, 1);
  RunRecord record;
  record.spans = {{a, 0, 0, 3 * ms, -1}, {b, 0, 0, 5 * ms, -1}, {c, 3 * ms, 3 * ms, 9 * ms, a}};
  const std::vector<SimTime> ends = step_ends(graph, record);
  REQUIRE(ends.size() == 2);
  CHECK(ends[0] == 5 * ms);
  CHECK(ends[1] == 9 * ms);
}
