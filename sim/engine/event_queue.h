// The only clock: events leave in the order of (time, sequence) and nothing else.
//
// The sequence is the insertion number, so events of one instant leave in the order in which they were scheduled.
// Work that must wait for the end of an instant is scheduled at that instant again, behind all that is there.
// An event is two plain integers that only its owner understands; the queue knows no model.
// Cost: schedule, cancel and pop are O(log n) in the pending events (a 4-ary heap that knows each event's place, so
// that a cancelled event leaves at once instead of lingering); no allocation once the queue has had its largest size.
// Checked by: tests/engine/event_queue_test.cc
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clustersim/sim_time.h"

namespace clustersim {

struct Event {
  SimTime time = 0;
  std::int32_t kind = 0;
  std::int32_t subject = 0;
};

// Names a scheduled event until it leaves; `no_event` names none. An id is never used twice.
using EventId = std::uint64_t;
inline constexpr EventId no_event = 0;

class EventQueue {
 public:
  // REQUIRES: time >= now().
  EventId schedule(SimTime time, std::int32_t kind, std::int32_t subject);

  // Takes the event out; false if it has left already (popped or cancelled) or is no_event.
  bool cancel(EventId id);

  // Removes the first event and moves now() to its time. REQUIRES: !empty().
  Event pop();

  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  SimTime now() const { return now_; }
  SimTime next_time() const { return heap_.empty() ? sim_time_never : heap_.front().time; }

  // Events popped so far, and a 64-bit hash of their (time, kind, subject) in order.
  std::uint64_t popped() const { return popped_; }
  std::uint64_t fingerprint() const { return fingerprint_; }

 private:
  struct Entry {
    SimTime time;
    std::uint64_t sequence;
    std::uint32_t slot;
  };
  struct Slot {
    std::uint32_t generation = 1;
    std::uint32_t place = 0;  // in heap_
    std::int32_t kind = 0;
    std::int32_t subject = 0;
  };

  static bool before(const Entry& a, const Entry& b) {
    return a.time != b.time ? a.time < b.time : a.sequence < b.sequence;
  }
  void put(std::size_t place, const Entry& entry);
  void sift_up(std::size_t place, const Entry& entry);
  void sift_down(std::size_t place, const Entry& entry);
  void remove(std::size_t place);

  std::vector<Entry> heap_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  SimTime now_ = 0;
  std::uint64_t next_sequence_ = 0;
  std::uint64_t popped_ = 0;
  std::uint64_t fingerprint_ = 0;
};

}  // namespace clustersim
