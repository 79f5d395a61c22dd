// The only clock: events leave in the order of (time, sequence) and nothing else.
//
// The sequence is the insertion number, so events of one instant leave in the order in which they were scheduled.
// Work that must wait for the end of an instant is scheduled at that instant again, behind all that is there.
// An event is two plain integers that only its owner understands; the queue knows no model.
//
// A ladder queue: events are sorted only when their turn comes near.
//   present_   of the present instant, scheduled during it: first in, first out
//   sorted_    the batch whose turn it is, sorted once      }
//   run_       what was scheduled into that batch since,    } all before near_end_
//              in the order of its time: first in, first out }
//   heap_      the same, out of that order                  }
//   rungs_     equal slices of time up to far_from_, unsorted
//   far_       the rest, unsorted; cut into rungs when those are used up
// The slices span about the nearer half of far_, so that a few events in the far future do not make them too wide.
// At worst all pending events lie in one slice and the heap does the work. A cancelled event stays behind as a dead
// entry until it is met, or until dead entries outnumber the others and are swept out.
// Cost: amortised constant, O(log n) at worst; no allocation once the queue has had its largest size.
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

  bool empty() const { return live_ == 0; }
  std::size_t size() const { return live_; }
  SimTime now() const { return now_at_; }
  // Of the first event; sim_time_never without any.
  SimTime next_time();
  // Is there another event at now()? Cheaper than next_time().
  bool more_now();

  // Events popped so far, and a 64-bit hash of their (time, kind, subject) in order.
  std::uint64_t popped() const { return popped_; }
  std::uint64_t fingerprint() const { return fingerprint_; }

 private:
  struct Entry {
    SimTime time;
    std::uint64_t sequence;
    std::uint32_t slot;
    std::uint32_t generation;
  };
  struct Slot {
    std::uint32_t generation = 1;
    std::int32_t kind = 0;
    std::int32_t subject = 0;
  };
  enum class Head { none, now, sorted, run, heap };

  struct Later {  // the heap's order: the first event on top
    bool operator()(const Entry& a, const Entry& b) const {
      return a.time != b.time ? a.time > b.time : a.sequence > b.sequence;
    }
  };
  static constexpr Later later{};
  bool dead(const Entry& e) const { return slots_[e.slot].generation != e.generation; }
  void free_slot(std::uint32_t index);
  void drop_dead_heads();
  void take_from_run();
  Head head();
  const Entry& entry_at(Head head) const;
  void take(Head head);
  void refill();
  bool next_rung();
  void cut_far();
  void sweep();
  void sweep(std::vector<Entry>& entries);

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<Entry> present_;  // first in, first out
  std::size_t present_taken_ = 0;
  std::vector<Entry> sorted_;  // the last leaves first
  std::vector<Entry> run_;
  std::size_t run_taken_ = 0;
  std::vector<Entry> heap_;
  SimTime near_end_ = 0;
  std::vector<std::vector<Entry>> rungs_;
  std::size_t rung_ = 0;  // the first that still holds its entries
  std::size_t rung_count_ = 0;
  SimTime rungs_from_ = 0, far_from_ = 0;
  int rung_shift_ = 0;  // a rung spans 2^shift ps
  std::vector<Entry> far_;
  std::size_t live_ = 0, dead_ = 0;
  SimTime now_at_ = 0;
  std::uint64_t next_sequence_ = 0;
  std::uint64_t popped_ = 0;
  std::uint64_t fingerprint_ = 0;
};

}  // namespace clustersim
