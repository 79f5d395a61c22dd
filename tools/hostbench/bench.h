// What the host's benchmarks share: clock, interruption, threads that start together.
#pragma once

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tools/measurement/record.h"

namespace clustersim::hostbench {

using measurement::Parameters;
using measurement::Record;

struct Settings {
  bool quick = false;
  std::string directory = ".";  // where files are read
};

// A time by the steady clock.
inline double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// From here on SIGINT, SIGTERM and SIGHUP are noted instead of ending the program.
void note_interrupts();

struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

bool interrupted();

// Throws Interrupted if one was noted: asked between samples, so that every file is removed on the way out.
void check_interrupt();

// The processors this process may use, by number.
std::vector<int> usable_cpus();

struct Together {
  double elapsed_s = 0;  // from the common start to the end of the last thread
  double cpu_s = 0;      // processor time of all threads
  double cpu_share = 0;  // processor time over the time the threads ran: under 1, where they waited or others ran
};

// Runs `work(index)` on as many threads as `cpus`, each bound to its own, all at once. The first exception is thrown
// again here.
Together run_together(const std::vector<int>& cpus, const std::function<void(int index)>& work);

// Processor time of the calling thread.
double thread_cpu_s();

// Of work that never waits: what share of the cores it had, and a note where others had more than a twentieth.
void add_cpu_share(Record& record, double cpu_share);

// The first `count` of the processors, from the start again where there are fewer.
std::vector<int> first_cpus(const std::vector<int>& cpus, int count);

// Samples of a rate that needs time to show: `round` is called with the seconds it should last and returns the seconds
// a unit of its work took. One round is for warming up.
std::vector<double> sample_rounds(int samples, double round_s, const std::function<double(double seconds)>& round);

// The groups, each a list of records. A group reports what it cannot do as failed or skipped.
std::vector<Record> run_decode(const Settings& settings);
std::vector<Record> run_memory(const Settings& settings);
std::vector<Record> run_disk(const Settings& settings);
std::vector<Record> run_files(const Settings& settings);
std::vector<Record> run_loopback(const Settings& settings);

}  // namespace clustersim::hostbench
