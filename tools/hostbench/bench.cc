#include "tools/hostbench/bench.h"

#include <sched.h>

#include <algorithm>
#include <barrier>
#include <csignal>
#include <ctime>
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

Together run_together(const std::vector<int>& cpus, const std::function<void(int index)>& work) {
  std::barrier start(static_cast<std::ptrdiff_t>(cpus.size()));
  std::exception_ptr fault;
  std::mutex fault_mutex;
  // By the threads' own clocks: the one that started them may wake long after they have ended.
  std::vector<double> begin_s(cpus.size()), end_s(cpus.size()), cpu_s(cpus.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    threads.emplace_back([&, i] {
      bind_to(cpus[i]);
      start.arrive_and_wait();
      begin_s[i] = now_s();
      const double cpu_begin_s = thread_cpu_s();
      try {
        work(static_cast<int>(i));
      } catch (...) {
        const std::lock_guard lock(fault_mutex);
        if (!fault) fault = std::current_exception();
      }
      cpu_s[i] = thread_cpu_s() - cpu_begin_s;
      end_s[i] = now_s();
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (fault) std::rethrow_exception(fault);
  Together together;
  double ran_s = 0;
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    together.cpu_s += cpu_s[i];
    ran_s += end_s[i] - begin_s[i];
  }
  together.cpu_share = ran_s > 0 ? together.cpu_s / ran_s : 1;
  together.elapsed_s =
      *std::max_element(end_s.begin(), end_s.end()) - *std::min_element(begin_s.begin(), begin_s.end());
  return together;
}

double thread_cpu_s() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void add_cpu_share(Record& record, double cpu_share) {
  record.conditions.emplace_back("cpu_share", cpu_share);
  if (cpu_share < 0.95) record.note = "other work had part of the cores: measure again on an idle machine";
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
