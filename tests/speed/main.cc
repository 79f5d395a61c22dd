// Prints the usual table of Google Benchmark; every workload adds what it counted and the process's peak memory.
#include <benchmark/benchmark.h>

BENCHMARK_MAIN();
