#include "tools/gpubench/session.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <memory>

#include "tools/gpubench/convolution.h"
#include "tools/gpubench/gemm.h"
#include "tools/gpubench/graph.h"
#include "tools/gpubench/kernels.h"

namespace clustersim::gpubench {
namespace {

volatile std::sig_atomic_t interrupt_noted = 0;

void note(int signal) {
  if (interrupt_noted != 0 && !clock_limit_in_force()) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  interrupt_noted = 1;
}

int selected(int device) {
  check(cudaSetDevice(device), "use GPU " + std::to_string(device));
  return device;
}

bool is_slice(const cudaDeviceProp& properties) {
  return std::string(properties.name).find(" MIG ") != std::string::npos;
}

std::string bus_id(int device) {
  char text[32] = {};
  check(cudaDeviceGetPCIBusId(text, sizeof text, device), "read the GPU's PCI address");
  return text;
}

cudaDeviceProp properties_of(int device) {
  cudaDeviceProp properties = {};
  check(cudaGetDeviceProperties(&properties, device), "read the GPU's properties");
  return properties;
}

}  // namespace

void note_interrupts() {
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(signal, note);
}

void check_interrupt() {
  if (interrupt_noted != 0) throw Interrupted();
}

Session::Session(int device, bool quick)
    : quick_(quick),
      device_(selected(device)),
      properties_(properties_of(device)),
      sensors_(bus_id(device), is_slice(properties_)) {}

std::size_t Session::free_bytes() const {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "ask for the GPU's free memory");
  return free;
}

void Session::begin_group(const std::string& name, double limit_s) {
  group_ = name;
  group_end_s_ = now_s() + limit_s;
  progress_.show(name);
}

void Session::attempt(const std::string& benchmark, const Parameters& parameters, const std::function<Record()>& run) {
  check_interrupt();
  if (!lost_.empty()) {
    records_.push_back(measurement::skipped(benchmark, parameters, lost_));
    return;
  }
  if (out_of_time()) {
    records_.push_back(measurement::skipped(benchmark, parameters, "the time for this group was used up"));
    return;
  }
  progress_.show(group_ + ": " + benchmark + ", " + std::to_string(records_.size()) + " records");
  const double begin_s = now_s();
  try {
    Record record = run();
    if (record.outcome == measurement::Outcome::measured && record.conditions.empty()) {
      record.conditions = conditions_since(begin_s);
    }
    records_.push_back(std::move(record));
  } catch (const Unavailable& reason) {
    records_.push_back(measurement::skipped(benchmark, parameters, reason.what()));
  } catch (const std::exception& fault) {
    records_.push_back(measurement::failed(benchmark, parameters, fault.what()));
  }
  cudaGetLastError();
  if (const cudaError_t status = cudaStreamSynchronize(stream()); is_final(status)) {
    lost_ = std::string("the GPU was lost by the benchmark before: ") + cudaGetErrorString(status);
  }
}

void Session::measure(const std::string& benchmark, const Parameters& parameters,
                      const std::function<Work()>& prepare) {
  attempt(benchmark, parameters, [&] {
    const Work work = prepare();
    if (work.verify) {
      if (const std::string fault = work.verify(); !fault.empty()) throw Fault("wrong result: " + fault);
    }
    const double begin_s = now_s();
    Record record = measurement::measured(benchmark, parameters, time(work.enqueue, work.capture));
    record.conditions = conditions_since(begin_s);
    record.derived = work.facts;
    for (const auto& [name, amount] : work.amounts) record.derived.emplace_back(name, amount / record.median);
    return record;
  });
}

void Session::skip(const std::string& benchmark, const Parameters& parameters, const std::string& reason) {
  records_.push_back(measurement::skipped(benchmark, parameters, reason));
}

double Session::batch_time_s(const std::function<void()>& enqueue, int repetitions) {
  check_interrupt();
  start_.record(stream());
  for (int i = 0; i < repetitions; ++i) enqueue();
  stop_.record(stream());
  stop_.wait();
  check(cudaGetLastError(), "run the kernels");
  return stop_.since_s(start_);
}

std::vector<double> Session::time(const std::function<void()>& enqueue, bool capture) {
  constexpr double batch_s = 4e-3, short_s = 30e-6;
  constexpr int most_nodes = 500;
  batch_time_s(enqueue, 1);  // loads the code
  const double once_s = std::max(batch_time_s(enqueue, 1), 1e-7);
  const double wanted = std::ceil((quick_ ? batch_s / 2 : batch_s) / once_s);
  const int one_by_one = static_cast<int>(std::clamp(wanted, 1.0, 2000.0));
  int repetitions = one_by_one, per_launch = 1;
  const double plain_s = batch_time_s(enqueue, repetitions) / repetitions;
  std::function<void()> launch = enqueue;
  std::unique_ptr<Graph> graph;
  if (capture && plain_s < short_s) {
    per_launch = std::min(repetitions, most_nodes);
    try {
      graph = std::make_unique<Graph>(stream(), [&] {
        for (int i = 0; i < per_launch; ++i) enqueue();
      });
      launch = [&] { graph->launch(stream()); };
      repetitions = std::max(1, repetitions / per_launch);
      batch_time_s(launch, repetitions);
    } catch (const Fault&) {  // what cannot be captured is launched one by one
      cudaGetLastError();
      launch = enqueue;
      repetitions = one_by_one;
      per_launch = 1;
    }
  }
  std::vector<double> samples;
  const int count = once_s > 0.1 ? 3 : quick_ ? 5 : 9;
  for (int i = 0; i < count && (i < 3 || !out_of_time()); ++i) {
    samples.push_back(batch_time_s(launch, repetitions) / (repetitions * per_launch));
  }
  return samples;
}

std::vector<double> Session::time_for(const std::function<void()>& enqueue, double seconds) {
  batch_time_s(enqueue, 1);
  const double once_s = std::max(batch_time_s(enqueue, 1), 1e-7);
  const int repetitions = static_cast<int>(std::clamp(std::ceil(0.05 / once_s), 1.0, 50000.0));
  std::vector<double> samples;
  for (const double end_s = now_s() + seconds; samples.empty() || now_s() < end_s;) {
    samples.push_back(batch_time_s(enqueue, repetitions) / repetitions);
  }
  return samples;
}

void Session::warm_up() {
  const double end_s = now_s() + (quick_ ? 0.3 : 1);
  const Buffer numbers(4096);
  fill_normal(numbers.as(), 1024, Element::fp32, 1, 1, stream());
  check(cudaGetLastError(), "run a kernel");
  check(cudaStreamSynchronize(stream()), "run a kernel");
  try {
    const Gemm gemm(GemmRequest{2048, 2048, 2048}, stream());
    while (now_s() < end_s) batch_time_s([&] { gemm.enqueue(stream()); }, 20);
    const Cudnn library(stream());
    const Convolution convolution({{64, 64, 56, 3, 1, 1}, 16}, library, stream());
    batch_time_s([&] { convolution.enqueue(); }, 1);
  } catch (const Fault&) {  // the groups that need them will say it
    cudaGetLastError();
  }
}

}  // namespace clustersim::gpubench
