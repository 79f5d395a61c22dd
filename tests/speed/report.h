// What every workload prints beside its wall time.
#pragma once

#include <benchmark/benchmark.h>
#include <sys/resource.h>

namespace clustersim::speed {

// Peak resident memory of this process so far, MiB: of this and all earlier benchmarks. Of one alone:
// --benchmark_filter.
inline double peak_mib() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return static_cast<double>(use.ru_maxrss) / 1024.0;
}

inline void print_rate(benchmark::State& state, const char* name, double count_an_iteration) {
  state.counters[name] = benchmark::Counter(count_an_iteration, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["peak_MiB"] = peak_mib();
}

}  // namespace clustersim::speed
