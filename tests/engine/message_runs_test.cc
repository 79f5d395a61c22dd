#include "sim/engine/message_runs.h"

#include <catch2/catch.hpp>

#include "sim/engine/executor.h"

using namespace clustersim;

namespace {

// Lane i over resource i, after lane i-1 and the first after the last.
MessagePattern ring(int n, int steps, double amount, double latency_s) {
  MessagePattern pattern;
  pattern.steps = steps;
  for (int i = 0; i < n; ++i) {
    pattern.uses.push_back({i, 1.0, 1.0});
    pattern.lanes.push_back({i, 1, (i + n - 1) % n, amount, latency_s});
  }
  return pattern;
}

MachineSpec links(std::vector<double> bytes_per_s) {
  MachineSpec machine;
  machine.resource_capacity = std::move(bytes_per_s);
  return machine;
}

TaskId add_messages(TaskGraph& graph, const MessagePattern& pattern, double latency_s = 0,
                    std::vector<TaskId> after = {}) {
  Task task;
  task.kind = TaskKind::transfer;
  task.latency_s = latency_s;
  task.messages = graph.add_pattern(pattern);
  task.after = std::move(after);
  return graph.add(task);
}

// The same ring as a task for each message.
void add_as_tasks(TaskGraph& graph, const MessagePattern& pattern) {
  const auto n = static_cast<TaskId>(pattern.lanes.size());
  for (TaskId id = 0; id < n * pattern.steps; ++id) {
    const MessageLane& lane = pattern.lanes[static_cast<std::size_t>(id % n)];
    Task task;
    task.kind = TaskKind::transfer;
    task.amount = lane.amount;
    task.latency_s = lane.latency_s;
    task.uses = {pattern.uses[static_cast<std::size_t>(lane.first_use)]};
    if (id >= n) task.after = {id - n, id - n - id % n + lane.after};
    graph.add(task);
  }
}

}  // namespace

TEST_CASE("a ring of lanes ends when the same ring of tasks does, to the picosecond") {
  // Links of unequal rates, so that ranks wait for each other.
  const MachineSpec machine = links({3e9, 1e9, 2e9, 5e9, 7e9});
  const MessagePattern pattern = ring(5, 8, 1e6, 3e-6);
  TaskGraph lanes, tasks;
  add_messages(lanes, pattern);
  add_as_tasks(tasks, pattern);
  const RunRecord by_lane = run_tasks(machine, lanes), by_task = run_tasks(machine, tasks);
  CHECK(by_lane.end == by_task.end);
  CHECK(by_lane.events == by_task.events);
  for (std::size_t i = 0; i < 5; ++i) CHECK(by_lane.resources[i].carried == by_task.resources[i].carried);
}

TEST_CASE("equal lanes go in lockstep: steps x (latency + amount / rate)") {
  // Every message may end up to 2 ps late (latency and flow round up), and lasts 1 ms.
  TaskGraph graph;
  add_messages(graph, ring(8, 14, 1e6, 1e-6), 0.5);
  const double end = sim_time_to_seconds(run_tasks(links(std::vector<double>(8, 1e9)), graph).end);
  CHECK(end == Approx(0.5 + 14 * (1e-6 + 1e6 / 1e9)).epsilon(1e-8));
}

TEST_CASE("a task after messages starts with the last of them, and two may share a pattern's links") {
  TaskGraph graph;
  MessagePattern pair;
  pair.uses = {{0, 1.0, 1.0}};
  pair.lanes = {{0, 1, -1, 1e9, 0}};
  const TaskId first = add_messages(graph, pair), second = add_messages(graph, pair);
  const TaskId third = add_messages(graph, pair, 0, {first, second});
  const RunRecord record = run_tasks(links({1e9}), graph);  // two at half the rate, then one alone
  CHECK(sim_time_to_seconds(record.spans[static_cast<std::size_t>(first)].end) == Approx(2.0).epsilon(1e-9));
  CHECK(sim_time_to_seconds(record.spans[static_cast<std::size_t>(third)].start) == Approx(2.0).epsilon(1e-9));
  CHECK(sim_time_to_seconds(record.end) == Approx(3.0).epsilon(1e-9));
}

TEST_CASE("a pattern that cannot run is refused") {
  const auto refused = [](const MessagePattern& pattern) {
    TaskGraph graph;
    add_messages(graph, pattern);
    CHECK_THROWS_AS(run_tasks(links({1e9, 1e9}), graph), InternalError);
  };
  refused({});
  refused(ring(3, 1, 1, 0));  // no third resource
  refused(ring(2, 0, 1, 0));
  refused(ring(2, 1, -1, 0));
  MessagePattern fork = ring(2, 1, 1, 0);
  fork.lanes[0].after = fork.lanes[1].after = 0;
  refused(fork);
}
