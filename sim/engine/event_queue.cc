#include "sim/engine/event_queue.h"

#include <algorithm>
#include <array>
#include <bit>

#include "clustersim/random.h"

namespace clustersim {

namespace {

constexpr std::size_t entries_per_rung = 16;
constexpr std::size_t most_rungs = 8192;
constexpr std::size_t look_ahead = 8;     // events whose slot is fetched from memory before their turn
constexpr std::size_t least_dead = 1024;  // fewer are not worth a sweep

std::uint64_t payload(std::int32_t kind, std::int32_t subject) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(kind)) << 32 | static_cast<std::uint32_t>(subject);
}

}  // namespace

EventId EventQueue::schedule(SimTime time, std::int32_t kind, std::int32_t subject) {
  require(time >= now_at_ && time < sim_time_never, "an event is not scheduled in the past, nor at no time at all");
  std::uint32_t index;
  if (free_slots_.empty()) {
    index = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    index = free_slots_.back();
    free_slots_.pop_back();
  }
  Slot& slot = slots_[index];
  slot.kind = kind;
  slot.subject = subject;
  const Entry entry{time, next_sequence_++, index, slot.generation};
  ++live_;
  if (time == now_at_) {
    present_.push_back(entry);
  } else if (time < near_end_ && (run_.empty() || time >= run_.back().time)) {
    run_.push_back(entry);
  } else if (time < near_end_) {
    heap_.push_back(entry);
    std::push_heap(heap_.begin(), heap_.end(), later);
  } else if (time < far_from_) {
    rungs_[static_cast<std::size_t>((time - rungs_from_) >> rung_shift_)].push_back(entry);
  } else {
    far_.push_back(entry);
  }
  return static_cast<EventId>(slot.generation) << 32 | index;
}

void EventQueue::free_slot(std::uint32_t index) {
  ++slots_[index].generation;
  free_slots_.push_back(index);
  --live_;
}

bool EventQueue::cancel(EventId id) {
  const auto index = static_cast<std::uint32_t>(id);
  const auto generation = static_cast<std::uint32_t>(id >> 32);
  if (generation == 0 || index >= slots_.size() || slots_[index].generation != generation) return false;
  free_slot(index);
  if (++dead_ > live_ + least_dead) sweep();
  return true;
}

void EventQueue::sweep(std::vector<Entry>& entries) {
  std::erase_if(entries, [&](const Entry& e) { return dead(e); });
}

void EventQueue::sweep() {
  present_.erase(present_.begin(), present_.begin() + static_cast<std::ptrdiff_t>(present_taken_));
  present_taken_ = 0;
  sweep(present_);
  sweep(sorted_);
  run_.erase(run_.begin(), run_.begin() + static_cast<std::ptrdiff_t>(run_taken_));
  run_taken_ = 0;
  sweep(run_);
  sweep(heap_);
  std::make_heap(heap_.begin(), heap_.end(), later);
  for (std::size_t r = rung_; r < rung_count_; ++r) sweep(rungs_[r]);
  sweep(far_);
  dead_ = 0;
}

const EventQueue::Entry& EventQueue::entry_at(Head head) const {
  switch (head) {
    case Head::now:
      return present_[present_taken_];
    case Head::sorted:
      return sorted_.back();
    case Head::run:
      return run_[run_taken_];
    default:
      return heap_.front();
  }
}

void EventQueue::take_from_run() {
  if (++run_taken_ == run_.size()) {
    run_.clear();
    run_taken_ = 0;
  } else if (run_taken_ >= least_dead && 2 * run_taken_ >= run_.size()) {
    run_.erase(run_.begin(), run_.begin() + static_cast<std::ptrdiff_t>(run_taken_));
    run_taken_ = 0;
  }
}

void EventQueue::take(Head head) {
  if (head == Head::now) {
    if (++present_taken_ < present_.size()) return;
    present_.clear();
    present_taken_ = 0;
  } else if (head == Head::sorted) {
    sorted_.pop_back();
  } else if (head == Head::run) {
    take_from_run();
  } else {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    heap_.pop_back();
  }
}

void EventQueue::drop_dead_heads() {
  const auto drop = [&](Head head) {
    take(head);
    --dead_;
  };
  while (present_taken_ < present_.size() && dead(present_[present_taken_])) drop(Head::now);
  while (!sorted_.empty() && dead(sorted_.back())) drop(Head::sorted);
  while (run_taken_ < run_.size() && dead(run_[run_taken_])) drop(Head::run);
  while (!heap_.empty() && dead(heap_.front())) drop(Head::heap);
}

// Where the first of the near events is. What was scheduled during the present instant comes after what was there.
EventQueue::Head EventQueue::head() {
  drop_dead_heads();
  Head near = sorted_.empty() ? Head::none : Head::sorted;
  if (run_taken_ < run_.size() && (near == Head::none || later(sorted_.back(), run_[run_taken_]))) near = Head::run;
  if (!heap_.empty() && (near == Head::none || later(entry_at(near), heap_.front()))) near = Head::heap;
  if (present_taken_ == present_.size()) return near;
  return near == Head::none || entry_at(near).time > now_at_ ? Head::now : near;
}

// Cuts the nearer half of far_ into rungs; the rest stays. REQUIRES: far_ is not empty.
void EventQueue::cut_far() {
  SimTime first = far_.front().time;
  for (const Entry& e : far_) first = std::min(first, e.time);
  std::array<SimTime, 15> sample;
  for (std::size_t i = 0; i < sample.size(); ++i) sample[i] = far_[i * (far_.size() - 1) / (sample.size() - 1)].time;
  std::nth_element(sample.begin(), sample.begin() + sample.size() / 2, sample.end());
  const auto span = static_cast<std::uint64_t>(sample[sample.size() / 2] - first);
  rung_count_ = std::clamp<std::size_t>(far_.size() / entries_per_rung, 1, most_rungs);
  rung_shift_ = std::min(static_cast<int>(std::bit_width(2 * span / rung_count_)), 62);
  rungs_from_ = first;
  if (rungs_.size() < rung_count_) rungs_.resize(rung_count_);
  rung_ = 0;
  const SimTime room = (sim_time_never - first) >> rung_shift_;  // the last rung may not end beyond all time
  rung_count_ = static_cast<std::size_t>(std::min(static_cast<SimTime>(rung_count_), std::max<SimTime>(room, 1)));
  far_from_ = room < 1 ? sim_time_never : first + (static_cast<SimTime>(rung_count_) << rung_shift_);
  std::size_t kept = 0;
  for (const Entry& e : far_) {
    if (e.time < far_from_) {
      rungs_[static_cast<std::size_t>((e.time - rungs_from_) >> rung_shift_)].push_back(e);
    } else {
      far_[kept++] = e;
    }
  }
  far_.resize(kept);
}

// Makes the next rung that holds something the sorted batch; false if none does.
bool EventQueue::next_rung() {
  while (rung_ < rung_count_) {
    std::vector<Entry>& entries = rungs_[rung_++];
    if (entries.empty()) continue;
    near_end_ = rung_ == rung_count_ ? far_from_ : rungs_from_ + (static_cast<SimTime>(rung_) << rung_shift_);
    sorted_.swap(entries);
    // In order of insertion, so events of one instant are sorted already, the wrong way round.
    const auto earlier = [](const Entry& a, const Entry& b) { return later(b, a); };
    if (std::is_sorted(sorted_.begin(), sorted_.end(), earlier)) {
      std::reverse(sorted_.begin(), sorted_.end());
    } else {
      std::sort(sorted_.begin(), sorted_.end(), later);
    }
    return true;
  }
  return false;
}

// Brings the first event near, if there is one.
void EventQueue::refill() {
  while (live_ > 0 && head() == Head::none) {
    if (!next_rung()) cut_far();
  }
}

SimTime EventQueue::next_time() {
  refill();
  return live_ == 0 ? sim_time_never : entry_at(head()).time;
}

bool EventQueue::more_now() {
  const Head first = head();
  return first != Head::none && entry_at(first).time == now_at_;
}

Event EventQueue::pop() {
  require(live_ > 0, "an event is popped from a queue that has one");
  Head first = head();
  if (first == Head::none) {
    refill();
    first = head();
  }
  const Entry entry = entry_at(first);
  take(first);
  if (sorted_.size() > look_ahead) __builtin_prefetch(&slots_[sorted_[sorted_.size() - 1 - look_ahead].slot]);
  const Slot& slot = slots_[entry.slot];
  const Event event{entry.time, slot.kind, slot.subject};
  free_slot(entry.slot);
  now_at_ = event.time;
  ++popped_;
  fingerprint_ = mix_bits(fingerprint_ ^ mix_bits(static_cast<std::uint64_t>(event.time)) ^
                          mix_bits(~payload(event.kind, event.subject)));
  return event;
}

}  // namespace clustersim
