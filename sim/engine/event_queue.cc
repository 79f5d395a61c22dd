#include "sim/engine/event_queue.h"

#include <algorithm>

namespace clustersim {

namespace {

constexpr std::size_t arity = 4;

// The finaliser of splitmix64 (Steele, Lea, Flood 2014): every input bit moves about half of the output bits.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

std::uint64_t payload(std::int32_t kind, std::int32_t subject) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(kind)) << 32 | static_cast<std::uint32_t>(subject);
}

}  // namespace

void EventQueue::put(std::size_t place, const Entry& entry) {
  heap_[place] = entry;
  slots_[entry.slot].place = static_cast<std::uint32_t>(place);
}

void EventQueue::sift_up(std::size_t place, const Entry& entry) {
  while (place > 0) {
    const std::size_t parent = (place - 1) / arity;
    if (!before(entry, heap_[parent])) break;
    put(place, heap_[parent]);
    place = parent;
  }
  put(place, entry);
}

void EventQueue::sift_down(std::size_t place, const Entry& entry) {
  for (;;) {
    const std::size_t first = place * arity + 1;
    if (first >= heap_.size()) break;
    const std::size_t last = std::min(first + arity, heap_.size());
    std::size_t least = first;
    for (std::size_t child = first + 1; child < last; ++child)
      if (before(heap_[child], heap_[least])) least = child;
    if (!before(heap_[least], entry)) break;
    put(place, heap_[least]);
    place = least;
  }
  put(place, entry);
}

EventId EventQueue::schedule(SimTime time, std::int32_t kind, std::int32_t subject) {
  require(time >= now_, "an event is not scheduled in the past");
  std::uint32_t index;
  if (free_slots_.empty()) {
    index = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    index = free_slots_.back();
    free_slots_.pop_back();
  }
  slots_[index].kind = kind;
  slots_[index].subject = subject;
  heap_.push_back({});
  sift_up(heap_.size() - 1, {time, next_sequence_++, index});
  return static_cast<EventId>(slots_[index].generation) << 32 | index;
}

void EventQueue::remove(std::size_t place) {
  const std::uint32_t index = heap_[place].slot;
  ++slots_[index].generation;
  free_slots_.push_back(index);
  const Entry last = heap_.back();
  heap_.pop_back();
  if (place == heap_.size()) return;
  if (place > 0 && before(last, heap_[(place - 1) / arity])) {
    sift_up(place, last);
  } else {
    sift_down(place, last);
  }
}

bool EventQueue::cancel(EventId id) {
  const auto index = static_cast<std::uint32_t>(id);
  const auto generation = static_cast<std::uint32_t>(id >> 32);
  if (generation == 0 || index >= slots_.size() || slots_[index].generation != generation) return false;
  remove(slots_[index].place);
  return true;
}

Event EventQueue::pop() {
  require(!heap_.empty(), "an event is popped from a queue that has one");
  const Entry first = heap_.front();
  const Slot& slot = slots_[first.slot];
  const Event event{first.time, slot.kind, slot.subject};
  remove(0);
  now_ = event.time;
  ++popped_;
  fingerprint_ =
      mix(fingerprint_ ^ mix(static_cast<std::uint64_t>(event.time)) ^ mix(~payload(event.kind, event.subject)));
  return event;
}

}  // namespace clustersim
