#include "tools/hostbench/bench.h"

#include <sched.h>

#include <algorithm>
#include <barrier>
#include <csignal>
#include <exception>
#include <mutex>
#include <thread>

namespace clustersim::hostbench {
namespace {

volatile std::sig_atomic_t interrupt_noted = 0;

void note(int) { interrupt_noted = 1; }

void bind_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);  // refused in some containers: the scheduler then places the thread
}

}  // namespace

void note_interrupts() {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, note);
  std::signal(SIGPIPE, SIG_IGN);
}

bool interrupted() { return interrupt_noted != 0; }

void check_interrupt() {
  if (interrupted()) throw Interrupted();
}

std::vector<int> usable_cpus() {
  std::vector<int> cpus;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
    }
  }
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

double run_together(const std::vector<int>& cpus, const std::function<void(int index)>& work) {
  std::barrier start(static_cast<std::ptrdiff_t>(cpus.size()));
  std::exception_ptr fault;
  std::mutex fault_mutex;
  // By the threads' own clocks: the one that started them may wake long after they have ended.
  std::vector<double> begin_s(cpus.size()), end_s(cpus.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    threads.emplace_back([&, i] {
      bind_to(cpus[i]);
      start.arrive_and_wait();
      begin_s[i] = now_s();
      try {
        work(static_cast<int>(i));
      } catch (...) {
        const std::lock_guard lock(fault_mutex);
        if (!fault) fault = std::current_exception();
      }
      end_s[i] = now_s();
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (fault) std::rethrow_exception(fault);
  return *std::max_element(end_s.begin(), end_s.end()) - *std::min_element(begin_s.begin(), begin_s.end());
}

std::vector<int> first_cpus(const std::vector<int>& cpus, int count) {
  std::vector<int> chosen;
  for (int i = 0; i < count; ++i) chosen.push_back(cpus[static_cast<std::size_t>(i) % cpus.size()]);
  return chosen;
}

std::vector<double> sample_rounds(int samples, double round_s, const std::function<double(double)>& round) {
  std::vector<double> seconds;
  round(round_s / 2);
  for (int i = 0; i < samples; ++i) {
    check_interrupt();
    seconds.push_back(round(round_s));
  }
  check_interrupt();
  return seconds;
}

}  // namespace clustersim::hostbench
