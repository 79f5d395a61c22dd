#include "sim/engine/flow_network.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>

#include "sim/engine/event_kinds.h"

using namespace clustersim;

namespace {

Task transfer(double amount, std::vector<Use> uses, double latency_s = 0, double rate_cap = 0) {
  Task t;
  t.kind = TaskKind::transfer;
  t.amount = amount;
  t.uses = std::move(uses);
  t.latency_s = latency_s;
  t.rate_cap = rate_cap;
  return t;
}

// Starts tasks at given moments and plays the part of the executor.
class Player {
 public:
  explicit Player(std::vector<double> capacity) : network(std::move(capacity), queue) {}

  TaskId at(double seconds, Task task) {
    tasks.push_back(std::move(task));
    const auto id = static_cast<TaskId>(tasks.size()) - 1;
    queue.schedule(sim_time_from_seconds(seconds), starts, id);
    return id;
  }

  // Plays one event, and solves where the instant is over.
  void play() {
    const Event event = queue.pop();
    const Task& task = tasks[static_cast<std::size_t>(event.subject)];
    if (event.kind == starts) network.start(event.subject, demand_of(task));
    if (event.kind == transfer_flows) network.flow(event.subject, demand_of(task));
    if (event.kind == task_ends) {
      network.end(event.subject);
      end_s[event.subject] = sim_time_to_seconds(queue.now());
    }
    if (queue.next_time() != queue.now()) network.solve();
  }
  void play_all() {
    while (!queue.empty()) play();
  }

  static constexpr std::int32_t starts = 100;
  EventQueue queue;
  FlowNetwork network;
  std::vector<Task> tasks;
  std::map<TaskId, double> end_s;
};

}  // namespace

TEST_CASE("one transfer: latency, then amount x weight over capacity") {
  // 0.5 + 1000 * 2 / 500 s.
  Player player({500});
  const TaskId id = player.at(0, transfer(1000, {{0, 2.0, 1.0}}, 0.5));
  player.play_all();
  CHECK(player.end_s[id] == Approx(0.5 + 1000 * 2.0 / 500).epsilon(1e-12));
  const ResourceUse use = player.network.resource_uses()[0];
  CHECK(use.carried == 1000 * 2.0);
  CHECK(use.busy_s == Approx(1000 * 2.0 / 500).epsilon(1e-12));  // not during the latency
  CHECK(use.saturated_s == Approx(use.busy_s).epsilon(1e-12));
}

TEST_CASE("a second transfer slows the first while both flow") {
  // Link of 100/s. A: 1000 units from 0. B: 200 units from 4. Until 4 A moves 400; then 50/s each; B ends at 4 + 200/50
  // = 8, A has 1000 - 400 - 200 left and ends at 8 + 400/100.
  Player player({100});
  const TaskId a = player.at(0, transfer(1000, {{0}}));
  const TaskId b = player.at(4, transfer(200, {{0}}));
  player.play_all();
  CHECK(player.end_s[b] == Approx(4 + 200.0 / 50).epsilon(1e-12));
  CHECK(player.end_s[a] == Approx(8 + (1000.0 - 400 - 200) / 100).epsilon(1e-12));
  CHECK(player.network.resource_uses()[0].carried == 1000.0 + 200);
  CHECK(player.network.resource_uses()[0].busy_s == Approx((1000.0 + 200) / 100).epsilon(1e-12));
}

TEST_CASE("a capped transfer keeps its resource busy but not saturated") {
  // 100 units at most 20/s on a link of 100/s: 5 s.
  Player player({100});
  const TaskId id = player.at(0, transfer(100, {{0}}, 0, 20));
  player.play_all();
  CHECK(player.end_s[id] == Approx(100.0 / 20).epsilon(1e-12));
  CHECK(player.network.resource_uses()[0].busy_s == Approx(100.0 / 20).epsilon(1e-12));
  CHECK(player.network.resource_uses()[0].saturated_s == 0);
}

TEST_CASE("transfers that share nothing: no amount, no resource") {
  Player player({100});
  const TaskId nothing = player.at(1, transfer(0, {{0}}, 0.25));    // its latency only
  const TaskId capped = player.at(1, transfer(100, {}, 0.25, 50));  // 100 / 50 after it
  const TaskId free = player.at(1, transfer(100, {}));              // no time at all
  player.play_all();
  CHECK(player.end_s[nothing] == Approx(1 + 0.25).epsilon(1e-12));
  CHECK(player.end_s[capped] == Approx(1 + 0.25 + 100.0 / 50).epsilon(1e-12));
  CHECK(player.end_s[free] == 1);
  CHECK(player.network.resource_uses()[0].busy_s == 0);
}

TEST_CASE("a resource named twice is crossed twice") {
  // Weights 1 + 1: 100 * 2 / 50 s.
  Player player({50});
  const TaskId id = player.at(0, transfer(100, {{0}, {0}}));
  player.play_all();
  CHECK(player.end_s[id] == Approx(100 * 2.0 / 50).epsilon(1e-12));
}

TEST_CASE("equal transfers that start together end together") {
  // 1000 on one link, each at a thousandth of it; 1000 starts and 1000 ends.
  Player player({1e6});
  for (int i = 0; i < 1000; ++i) player.at(0, transfer(1e6, {{0}}));
  player.play_all();
  CHECK(player.queue.popped() == 2000);
  CHECK(sim_time_to_seconds(player.queue.now()) == Approx(1000 * 1e6 / 1e6).epsilon(1e-12));
}

TEST_CASE("a transfer whose rate does not change keeps its end to the picosecond") {
  // Held by its cap of 1/30 of the link, whoever comes and goes beside it: 1 / (10/3) s, rounded up.
  Player player({100});
  const TaskId id = player.at(0, transfer(1, {{0}}, 0, 10.0 / 3));
  for (int i = 1; i < 30; ++i) player.at(0.0071 * i, transfer(0.37, {{0}}));
  player.play_all();
  CHECK(player.end_s[id] == sim_time_to_seconds(sim_time_from_seconds(1 / (10.0 / 3))));
}

TEST_CASE("solving only what was touched gives the rates of solving everything") {
  // Random starts and, by themselves, ends; after every instant the rates of all live transfers are compared with one
  // solve of the whole. The tolerance is that of the levels (max_min.h): 1e-13 each, times some.
  std::mt19937_64 random(5);
  for (int round = 0; round < 20; ++round) {
    std::vector<double> capacity(30);
    for (double& c : capacity) c = static_cast<double>(100 + random() % 900);
    Player player(capacity);
    for (int i = 0; i < 150; ++i) {
      std::vector<Use> uses;
      for (auto k = 1 + random() % 3; k > 0; --k)
        uses.push_back({static_cast<ResourceId>(random() % capacity.size()), 0.5 + static_cast<double>(random() % 4),
                        static_cast<double>(1 + random() % 2)});
      player.at(static_cast<double>(random() % 40),
                transfer(static_cast<double>(100 + random() % 5000), uses, static_cast<double>(random() % 3),
                         random() % 3 == 0 ? 50.0 : 0.0));
    }
    MaxMinSolver whole(capacity);
    int compared = 0;
    while (!player.queue.empty()) {
      player.play();
      if (player.queue.next_time() == player.queue.now()) continue;
      std::vector<std::vector<Use>> uses;
      std::vector<TaskId> live;
      for (std::size_t id = 0; id < player.tasks.size(); ++id)
        if (player.network.rate(static_cast<TaskId>(id)) > 0) live.push_back(static_cast<TaskId>(id));
      for (const TaskId id : live) {
        uses.push_back(player.tasks[static_cast<std::size_t>(id)].uses);
        merge_uses(uses.back());
      }
      std::vector<MaxMinFlow> flows;
      for (std::size_t i = 0; i < live.size(); ++i)
        flows.push_back({live[i], player.tasks[static_cast<std::size_t>(live[i])].rate_cap, uses[i]});
      std::vector<double> rates;
      whole.solve(flows, rates);
      for (std::size_t i = 0; i < live.size(); ++i) {
        REQUIRE(std::abs(player.network.rate(live[i]) / rates[i] - 1) < 1e-10);
        ++compared;
      }
    }
    CHECK(compared > 150);
    CHECK(player.end_s.size() == player.tasks.size());
    double carried = 0, asked = 0;  // what went in came out
    for (const ResourceUse& use : player.network.resource_uses()) carried += use.carried;
    for (const Task& task : player.tasks)
      for (const Use& use : task.uses) asked += task.amount * use.weight;
    CHECK(carried == Approx(asked).epsilon(1e-12));
  }
}
