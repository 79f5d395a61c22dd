#include "sim/engine/executor.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>

using namespace clustersim;

namespace {

Task delay(double seconds, std::vector<TaskId> after = {}, StreamId stream = -1) {
  Task t;
  t.latency_s = seconds;
  t.after = std::move(after);
  t.stream = stream;
  return t;
}

Task transfer(double amount, std::vector<Use> uses, double latency_s = 0, std::vector<TaskId> after = {}) {
  Task t;
  t.kind = TaskKind::transfer;
  t.amount = amount;
  t.uses = std::move(uses);
  t.latency_s = latency_s;
  t.after = std::move(after);
  return t;
}

Task compute(WorkId id, StreamId stream, std::vector<TaskId> after = {}) {
  Task t;
  t.kind = TaskKind::compute;
  t.work = id;
  t.stream = stream;
  t.after = std::move(after);
  return t;
}

MachineSpec links(int count, double bytes_per_s) {
  MachineSpec machine;
  machine.resource_capacity.assign(static_cast<std::size_t>(count), bytes_per_s);
  return machine;
}

const Span& span(const RunRecord& record, TaskId id) { return record.spans[static_cast<std::size_t>(id)]; }

double end_s(const RunRecord& record, TaskId id) { return sim_time_to_seconds(span(record, id).end); }

double window_s(const RunRecord& record) { return sim_time_to_seconds(record.end); }

// A ring all-reduce as point-to-point messages: in each of 2(n-1) steps rank i sends a chunk over link i, once it has
// received the chunk of the step before and has sent its own.
void add_ring_messages(TaskGraph& graph, int n, double bytes, double latency_s) {
  std::vector<TaskId> before;
  for (int step = 0; step < 2 * (n - 1); ++step) {
    std::vector<TaskId> now;
    for (int i = 0; i < n; ++i) {
      std::vector<TaskId> after;
      if (step > 0) after = {before[static_cast<std::size_t>(i)], before[static_cast<std::size_t>((i + n - 1) % n)]};
      now.push_back(graph.add(transfer(bytes / n, {{i}}, latency_s, after)));
    }
    before = now;
  }
}

// The same as one task: weight 2(n-1)/n and one stream on each link, and the latency of all steps.
TaskId add_ring_bundle(TaskGraph& graph, int n, double bytes, double latency_s) {
  std::vector<Use> uses;
  for (int i = 0; i < n; ++i) uses.push_back({i, 2.0 * (n - 1) / n, 1.0});
  return graph.add(transfer(bytes, uses, 2 * (n - 1) * latency_s));
}

// Three GPUs of two streams, ten links, and tasks of every kind that depend on earlier ones.
MachineSpec random_machine() {
  MachineSpec machine = links(10, 1e9);
  for (std::size_t i = 0; i < machine.resource_capacity.size(); ++i)
    machine.resource_capacity[i] *= 1 + static_cast<double>(i);
  machine.gpus = 3;
  machine.stream_gpu = {0, 0, 1, 1, 2, 2, -1};
  machine.gpu_clock = {1.0, 0.9, 0.8};
  machine.clock_changes = {{0.05, 0, 0.7}, {0.1, 1, 0.6}, {0.1, 0, 1.0}};
  return machine;
}

TaskGraph random_graph(std::uint64_t seed, int count) {
  std::mt19937_64 random(seed);
  TaskGraph graph;
  for (int i = 1; i <= 5; ++i) graph.add_work({{{1e-4 * i, 5e-4 / i, 1e-5}}, 0.5 + 0.1 * i});
  for (int i = 0; i < count; ++i) {
    Task t;
    switch (random() % 3) {
      case 0:
        t = delay(1e-5 * static_cast<double>(random() % 20));
        if (random() % 2) t.stream = static_cast<StreamId>(random() % 7);
        break;
      case 1:
        t = compute(static_cast<WorkId>(random() % 5), static_cast<StreamId>(random() % 7));
        break;
      default:
        t = transfer(1e3 * static_cast<double>(random() % 500), {}, 1e-6 * static_cast<double>(random() % 5));
        for (auto k = 1 + random() % 3; k > 0; --k)
          t.uses.push_back({static_cast<ResourceId>(random() % 10), 1.0 + static_cast<double>(random() % 3),
                            1.0 + static_cast<double>(random() % 2)});
        if (random() % 2) t.holds = {{static_cast<GpuId>(random() % 3), 0.15, 0.1}};
        if (random() % 4 == 0) t.stream = 6;
    }
    for (auto k = random() % 3; k > 0 && i > 0; --k)
      t.after.push_back(static_cast<TaskId>(i) - 1 -
                        static_cast<TaskId>(random() % std::min<std::uint64_t>(static_cast<std::uint64_t>(i), 30)));
    graph.add(t);
  }
  return graph;
}

}  // namespace

TEST_CASE("a ring all-reduce takes 2(n-1)(S/n/B + alpha), as messages and as a bundle") {
  // Each of the 2(n-1) messages in a row may end up to 2 ps late (latency and flow round up) and lasts over 10 ms:
  // 2e-10 relative.
  const double bytes_per_s = 10e9, latency_s = 5e-6;
  for (const int n : {2, 3, 4, 7, 8, 16, 32, 64}) {
    const double bytes = n * 1e8;
    const double closed_s = 2.0 * (n - 1) * (bytes / n / bytes_per_s + latency_s);
    TaskGraph messages, bundle;
    add_ring_messages(messages, n, bytes, latency_s);
    add_ring_bundle(bundle, n, bytes, latency_s);
    const RunRecord by_messages = run_tasks(links(n, bytes_per_s), messages);
    const RunRecord by_bundle = run_tasks(links(n, bytes_per_s), bundle);
    CHECK(window_s(by_messages) == Approx(closed_s).epsilon(1e-9));
    CHECK(window_s(by_bundle) == Approx(closed_s).epsilon(1e-9));
    for (int i = 0; i < n; ++i) {  // each link carries 2(n-1)/n of the buffer, one way or the other
      const auto link = static_cast<std::size_t>(i);
      CHECK(by_messages.resources[link].carried == Approx(2.0 * (n - 1) / n * bytes).epsilon(1e-12));
      CHECK(by_bundle.resources[link].carried == Approx(2.0 * (n - 1) / n * bytes).epsilon(1e-12));
    }
  }
}

TEST_CASE("a ring all-reduce beside a long transfer on one of its links") {
  // The link gives each half; the ring goes at the pace of that link: 2(n-1)(2 S/n/B + alpha), both ways. The messages
  // leave the link to the other transfer for alpha in every step, the bundle's share is its own after its latency.
  const double bytes_per_s = 10e9, latency_s = 5e-6;
  for (const int n : {4, 16}) {
    const double bytes = n * 1e8;
    const double closed_s = 2.0 * (n - 1) * (2 * bytes / n / bytes_per_s + latency_s);
    TaskGraph messages, bundle;
    add_ring_messages(messages, n, bytes, latency_s);
    const auto last = static_cast<TaskId>(messages.tasks.size()) - n;  // over link 0, in the last step
    messages.add(transfer(1e13, {{0}}));
    const TaskId whole = add_ring_bundle(bundle, n, bytes, latency_s);
    bundle.add(transfer(1e13, {{0}}));
    CHECK(end_s(run_tasks(links(n, bytes_per_s), messages), last) == Approx(closed_s).epsilon(1e-9));
    CHECK(end_s(run_tasks(links(n, bytes_per_s), bundle), whole) == Approx(closed_s).epsilon(1e-9));
  }
}

TEST_CASE("a chain is a sum, a fan is a maximum") {
  TaskGraph graph;
  const TaskId a = graph.add(delay(0.1));
  const TaskId b = graph.add(delay(0.2, {a}));
  const TaskId c = graph.add(delay(0.5));
  const TaskId d = graph.add(delay(0.0, {a, b, c}));
  const RunRecord record = run_tasks({}, graph);
  CHECK(end_s(record, b) == Approx(0.1 + 0.2).epsilon(1e-11));
  CHECK(end_s(record, d) == Approx(std::max(0.1 + 0.2, 0.5)).epsilon(1e-11));
  CHECK(span(record, a).last_predecessor == -1);
  CHECK(span(record, b).last_predecessor == a);
  CHECK(span(record, d).last_predecessor == c);
  CHECK(span(record, d).ready == span(record, c).end);
  CHECK(span(record, d).start == span(record, d).ready);
  CHECK(record.end == span(record, d).end);
}

TEST_CASE("of predecessors that end together, the last in event order released the task") {
  // Both delays end at 0.1; their events were scheduled in the order of ids.
  TaskGraph graph;
  const TaskId a = graph.add(delay(0.1)), b = graph.add(delay(0.1));
  const TaskId c = graph.add(delay(0.1, {b, a}));
  CHECK(span(run_tasks({}, graph), c).last_predecessor == b);
}

TEST_CASE("transfers on a stream go one after the other, in the order of ids") {
  // The second is ready at once but waits for the first, which waits for 1 s; each takes 100/50 s. Without the stream
  // they would overlap.
  TaskGraph graph;
  const TaskId wait = graph.add(delay(1.0));
  Task first = transfer(100, {{0}}, 0, {wait}), second = transfer(100, {{1}});
  first.stream = second.stream = 0;
  const TaskId a = graph.add(first), b = graph.add(second);
  MachineSpec machine = links(2, 50);
  machine.stream_gpu = {-1};
  const RunRecord record = run_tasks(machine, graph);
  CHECK(end_s(record, a) == Approx(1 + 100.0 / 50).epsilon(1e-11));
  CHECK(span(record, b).start == span(record, a).end);
  CHECK(span(record, b).last_predecessor == a);
  CHECK(end_s(record, b) == Approx(1 + 2 * 100.0 / 50).epsilon(1e-11));
}

TEST_CASE("the same graph twice gives the same bits, another graph other ones") {
  const TaskGraph graph = random_graph(7, 2000);
  const RunRecord once = run_tasks(random_machine(), graph), twice = run_tasks(random_machine(), graph);
  CHECK(once.fingerprint == twice.fingerprint);
  CHECK(once.events == twice.events);
  CHECK(once.end == twice.end);
  int differ = 0;
  for (std::size_t i = 0; i < once.spans.size(); ++i)
    differ += once.spans[i].start != twice.spans[i].start || once.spans[i].end != twice.spans[i].end;
  CHECK(differ == 0);
  for (std::size_t i = 0; i < once.resources.size(); ++i)
    CHECK(once.resources[i].saturated_s == twice.resources[i].saturated_s);
  CHECK(run_tasks(random_machine(), random_graph(8, 2000)).fingerprint != once.fingerprint);
}

TEST_CASE("an unrelated delay leaves every other span where it was") {
  const TaskGraph graph = random_graph(9, 2000);
  const RunRecord plain = run_tasks(random_machine(), graph);
  // Put in front, so that all ids move by one, and of a length that ends among the other events.
  for (const double seconds : {0.0, 1e-5, 0.0123456789}) {
    TaskGraph more = graph;
    more.tasks.insert(more.tasks.begin(), delay(seconds));
    for (Task& t : more.tasks)
      for (TaskId& before : t.after) ++before;
    const RunRecord record = run_tasks(random_machine(), more);
    int moved = 0;
    for (std::size_t i = 0; i < plain.spans.size(); ++i) {
      const Span &a = plain.spans[i], &b = record.spans[i + 1];
      const TaskId released_by = a.last_predecessor < 0 ? -1 : a.last_predecessor + 1;
      moved += a.ready != b.ready || a.start != b.start || a.end != b.end || b.last_predecessor != released_by;
    }
    CHECK(moved == 0);
  }
}

TEST_CASE("whatever the graph: predecessors first, streams in order, bytes conserved") {
  for (std::uint64_t seed = 10; seed < 20; ++seed) {
    const TaskGraph graph = random_graph(seed, 500);
    const MachineSpec machine = random_machine();
    const RunRecord record = run_tasks(machine, graph);
    std::vector<SimTime> stream_end(machine.stream_gpu.size(), 0);
    std::vector<double> carried(machine.resource_capacity.size(), 0.0);
    int early = 0;
    for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
      const Task& t = graph.tasks[i];
      const Span& s = record.spans[i];
      SimTime ready = 0;
      for (const TaskId before : t.after) ready = std::max(ready, span(record, before).end);
      if (t.stream >= 0) {
        ready = std::max(ready, stream_end[static_cast<std::size_t>(t.stream)]);
        stream_end[static_cast<std::size_t>(t.stream)] = s.end;
      }
      early += s.ready != ready || s.start < s.ready || s.end < s.start;
      for (const Use& use : t.uses) carried[static_cast<std::size_t>(use.resource)] += t.amount * use.weight;
    }
    CHECK(early == 0);
    for (std::size_t r = 0; r < carried.size(); ++r) {
      const ResourceUse& use = record.resources[r];
      CHECK(use.carried == Approx(carried[r]).epsilon(1e-12));
      // Never faster than the capacity allows, but for the rounding of 1e-13 a rate and 1 ps an end.
      CHECK(use.carried <= use.busy_s * machine.resource_capacity[r] * (1 + 1e-7));
      CHECK(use.saturated_s <= use.busy_s);
    }
  }
}

TEST_CASE("tasks that wait for each other are named") {
  TaskGraph graph;
  Task a = delay(0.1, {1});
  a.label = graph.label("egg");
  graph.add(a);
  graph.add(delay(0.1, {0}));
  try {
    run_tasks({}, graph);
    FAIL("a circle was run");
  } catch (const InternalError& error) {
    CHECK(std::string(error.what()).find("egg") != std::string::npos);
  }
}

TEST_CASE("a task that asks for what is not there is refused, by name") {
  const auto refused = [](Task task) {
    TaskGraph graph;
    task.label = graph.label("odd one");
    graph.add(std::move(task));
    try {
      MachineSpec machine = links(3, 1.0);
      machine.resource_capacity[2] = 0;
      run_tasks(machine, graph);
    } catch (const InternalError& error) {
      return std::string(error.what()).find("odd one") != std::string::npos;
    }
    return false;
  };
  CHECK_FALSE(refused(transfer(1, {{0}})));
  CHECK(refused(transfer(1, {{3}})));
  CHECK(refused(transfer(1, {{2}})));  // no capacity
  CHECK(refused(transfer(-1, {{0}})));
  CHECK(refused(transfer(1, {{0, 0.0, 1.0}})));
  CHECK(refused(compute(0, -1)));
  CHECK(refused(delay(0.1, {5})));
  CHECK(refused(delay(0.1, {}, 0)));
  CHECK(refused(delay(-0.1)));
  Task holds = transfer(1, {{0}});
  holds.holds = {{0, 0.1, 0.1}};
  CHECK(refused(holds));
}

TEST_CASE("an empty graph is over at once") {
  const RunRecord record = run_tasks(links(2, 1.0), {});
  CHECK(record.end == 0);
  CHECK(record.spans.empty());
  CHECK(record.resources.size() == 2);
}

// 10 and 20 bytes share 10 B/s: 5 each until 2 s; the second has 10 left and the link to itself until 3 s.
TEST_CASE("rates are recorded on request, and nothing else changes") {
  TaskGraph graph;
  graph.add(transfer(10, {{0, 2.0, 1.0}}));
  graph.add(transfer(20, {{0, 2.0, 1.0}}));
  const MachineSpec machine = links(1, 20.0);  // of which each byte takes two
  const RunRecord without = run_tasks(machine, graph), with = run_tasks(machine, graph, true);
  CHECK(without.rates.empty());
  CHECK(with.fingerprint == without.fingerprint);
  double rate = 0;
  std::map<double, double> after;  // time -> rate once the instant is over
  for (const RateChange& change : with.rates) {
    CHECK(change.resource == 0);
    after[sim_time_to_seconds(change.time)] = rate += change.change;
  }
  REQUIRE(after.size() == 3);
  CHECK(after.at(0) == Approx(20));
  CHECK(after.at(2) == Approx(20));
  CHECK(after.at(3) == Approx(0).margin(1e-12));
  double carried = 0, last = 0, held = 0;
  for (const auto& [time, value] : after) {
    carried += held * (time - last);
    last = time;
    held = value;
  }
  CHECK(carried == Approx(2 * (10 + 20)));
}
