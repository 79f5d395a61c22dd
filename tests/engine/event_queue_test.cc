#include "sim/engine/event_queue.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>

using namespace clustersim;

TEST_CASE("events leave by time, and those of one instant in the order in which they were scheduled") {
  // 20,000 events over only 500 instants, so that ties are the rule. A stable sort by time is the definition.
  std::mt19937_64 random(1);
  EventQueue queue;
  std::vector<Event> expected;
  for (int i = 0; i < 20000; ++i) {
    const Event event{static_cast<SimTime>(random() % 500), static_cast<std::int32_t>(random() % 3), i};
    queue.schedule(event.time, event.kind, event.subject);
    expected.push_back(event);
  }
  std::stable_sort(expected.begin(), expected.end(), [](const Event& a, const Event& b) { return a.time < b.time; });
  int differ = 0;
  for (const Event& event : expected) {
    REQUIRE(queue.next_time() == event.time);
    const Event got = queue.pop();
    differ += got.time != event.time || got.kind != event.kind || got.subject != event.subject;
    REQUIRE(queue.now() == event.time);
  }
  CHECK(differ == 0);
  CHECK(queue.empty());
  CHECK(queue.popped() == 20000);
  CHECK(queue.next_time() == sim_time_never);
}

TEST_CASE("a cancelled event never leaves, and the others leave in their order") {
  // Cancelling while popping: the model is a list in order of insertion, popped by a linear search for the minimum.
  struct Pending {
    SimTime time;
    int subject;
    EventId id;
  };
  std::mt19937_64 random(2);
  EventQueue queue;
  std::vector<Pending> model;
  int differ = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto what = random() % 10;
    if (what < 5 || model.empty()) {
      const SimTime time = queue.now() + static_cast<SimTime>(random() % 20);
      model.push_back({time, i, queue.schedule(time, 0, i)});
    } else if (what < 7) {
      const auto victim = model.begin() + static_cast<std::ptrdiff_t>(random() % model.size());
      REQUIRE(queue.cancel(victim->id));
      REQUIRE_FALSE(queue.cancel(victim->id));
      model.erase(victim);
    } else {
      const auto first = std::min_element(model.begin(), model.end(),
                                          [](const Pending& a, const Pending& b) { return a.time < b.time; });
      differ += queue.pop().subject != first->subject;
      REQUIRE_FALSE(queue.cancel(first->id));
      model.erase(first);
    }
    REQUIRE(queue.size() == model.size());
  }
  CHECK(differ == 0);
}

TEST_CASE("times of every scale at once: order, cancelling and size are those of a sorted set") {
  // Increments over nine decades, so that events lie in every part of the ladder, some nearly at the end of time, and
  // half of them are cancelled, so that dead entries are swept. The model is std::set by (time, insertion).
  std::mt19937_64 random(3);
  EventQueue queue;
  std::set<std::pair<SimTime, int>> model;
  std::vector<std::pair<EventId, std::pair<SimTime, int>>> scheduled;
  for (int i = 0; i < 60000; ++i) {
    const auto what = random() % 8;
    if (what < 4 || model.empty()) {
      SimTime increment = static_cast<SimTime>(random() % 10);
      for (auto decades = random() % 10; decades > 0; --decades) increment *= 10;
      const SimTime time = random() % 1000 == 0 ? sim_time_never - 1 - increment : queue.now() + increment;
      scheduled.push_back({queue.schedule(time, 0, i), {time, i}});
      model.insert(scheduled.back().second);
    } else if (what < 7) {
      const auto& [id, entry] = scheduled[scheduled.size() - 1 - random() % std::min<std::size_t>(scheduled.size(), 9)];
      REQUIRE(queue.cancel(id) == (model.erase(entry) == 1));
    } else if (model.begin()->first < sim_time_never / 2) {
      REQUIRE(queue.next_time() == model.begin()->first);
      const bool more =
          std::next(model.begin()) != model.end() && std::next(model.begin())->first == model.begin()->first;
      REQUIRE(queue.pop().subject == model.begin()->second);
      model.erase(model.begin());
      REQUIRE(queue.more_now() == more);
    }
    REQUIRE(queue.size() == model.size());
  }
  while (!queue.empty()) {
    REQUIRE(queue.pop().subject == model.begin()->second);
    model.erase(model.begin());
  }
}

TEST_CASE("the name of an event that has left never names a later one") {
  EventQueue queue;
  const EventId old = queue.schedule(1, 0, 1);
  queue.pop();
  queue.schedule(2, 0, 2);  // takes the same memory
  CHECK_FALSE(queue.cancel(old));
  CHECK_FALSE(queue.cancel(no_event));
  CHECK(queue.size() == 1);
}

TEST_CASE("nothing is scheduled in the past, nor taken from an empty queue") {
  EventQueue queue;
  CHECK_THROWS_AS(queue.pop(), InternalError);
  queue.schedule(10, 0, 0);
  queue.pop();
  CHECK_THROWS_AS(queue.schedule(9, 0, 0), InternalError);
  CHECK_NOTHROW(queue.schedule(10, 0, 0));
}

namespace {

std::uint64_t fingerprint_of(const std::vector<Event>& events) {
  EventQueue queue;
  for (const Event& e : events) queue.schedule(e.time, e.kind, e.subject);
  while (!queue.empty()) queue.pop();
  return queue.fingerprint();
}

}  // namespace

TEST_CASE("the fingerprint tells what left and in which order, and nothing else") {
  const std::vector<Event> events = {{5, 0, 1}, {5, 0, 2}, {7, 1, 3}};
  const std::uint64_t print = fingerprint_of(events);
  CHECK(fingerprint_of(events) == print);
  CHECK(fingerprint_of({{7, 1, 3}, {5, 0, 1}, {5, 0, 2}}) == print);  // scheduled otherwise, left the same
  CHECK(fingerprint_of({{5, 0, 2}, {5, 0, 1}, {7, 1, 3}}) != print);  // order of a tie
  CHECK(fingerprint_of({{5, 0, 1}, {5, 0, 2}, {8, 1, 3}}) != print);  // time
  CHECK(fingerprint_of({{5, 0, 1}, {5, 0, 2}, {7, 0, 3}}) != print);  // kind
  CHECK(fingerprint_of({{5, 0, 1}, {5, 0, 2}, {7, 1, 4}}) != print);  // subject

  EventQueue queue;
  const EventId gone = queue.schedule(6, 0, 9);
  for (const Event& e : events) queue.schedule(e.time, e.kind, e.subject);
  queue.cancel(gone);
  while (!queue.empty()) queue.pop();
  CHECK(queue.fingerprint() == print);  // a cancelled event leaves no trace
}
