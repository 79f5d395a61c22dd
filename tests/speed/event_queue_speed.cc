// Hold model: with so many events pending, pop the first and schedule another.
//
//   exponential  increments of an exponential distribution, mean 1 us
//   ties         four fixed increments from a common start, as collectives make them: many events at one instant
#include <cmath>

#include "sim/engine/event_queue.h"
#include "tests/speed/report.h"

namespace {

using namespace clustersim;

class Xorshift {
 public:
  std::uint64_t next() {
    s_ ^= s_ << 13;
    s_ ^= s_ >> 7;
    return s_ ^= s_ << 17;
  }

 private:
  std::uint64_t s_ = 88172645463325252ULL;
};

SimTime exponential(Xorshift& random) {
  const double u = static_cast<double>(random.next() >> 11) * 0x1p-53;
  return 1 + static_cast<SimTime>(-1e6 * std::log1p(-u));
}

SimTime tied(Xorshift& random) { return static_cast<SimTime>(1 + random.next() % 4) * 1000000; }

void hold(benchmark::State& state, SimTime (*increment)(Xorshift&)) {
  // The increments are drawn beforehand, so that the queue alone is timed.
  Xorshift random;
  std::vector<SimTime> increments(1 << 16);
  for (SimTime& i : increments) i = increment(random);
  EventQueue queue;
  for (std::int64_t i = 0; i < state.range(0); ++i) queue.schedule(increment(random), 0, static_cast<std::int32_t>(i));
  std::size_t next = 0;
  const auto one = [&] {
    const Event event = queue.pop();
    queue.schedule(event.time + increments[next++ % increments.size()], 0, event.subject);
  };
  for (std::int64_t i = 0; i < 2 * state.range(0); ++i) one();  // past the start
  for (auto _ : state) one();
  speed::print_rate(state, "holds/s", 1);
}

}  // namespace

BENCHMARK_CAPTURE(hold, exponential, exponential)->Arg(1000)->Arg(100000)->Arg(1000000);
BENCHMARK_CAPTURE(hold, ties, tied)->Arg(1000)->Arg(100000)->Arg(1000000);
