// One GPU, its stream, and the records that are being collected.
//
// Time of work on the GPU: t = (time between two events around n repetitions) / n, with n such that the repetitions
// last some milliseconds; one batch to warm up, then the median of several. Repetitions of a few microseconds are
// launched as a CUDA graph, since the host could not launch them as fast as they run. A fault becomes a failed record
// and the rest goes on. Each group has a share of the time; what does not fit is recorded as skipped.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tools/gpubench/memory.h"
#include "tools/gpubench/sensors.h"
#include "tools/measurement/progress.h"
#include "tools/measurement/record.h"

namespace clustersim::gpubench {

using measurement::Numbers;
using measurement::Parameters;
using measurement::Record;

struct Work {
  std::function<void()> enqueue;        // one repetition, on the session's stream
  Numbers amounts;                      // derived as amount / median: {"bytes_per_s", bytes}
  Numbers facts;                        // derived as they are
  std::function<std::string()> verify;  // compares with a reference: empty, or what is wrong
  bool capture = true;                  // whether short repetitions may be launched as a graph
};

// Asked for by the user. No std::exception: it is no fault of a benchmark, and passes by those who record faults.
struct Interrupted {};

// From here on SIGINT, SIGTERM, SIGHUP and SIGQUIT are noted; the benchmark at hand ends soon, and what it changed (a
// clock's limit) is undone on the way out. A second one ends the program at once, except while a limit is in force.
void note_interrupts();
void check_interrupt();  // throws Interrupted

class Session {
 public:
  Session(int device, bool quick);

  bool quick() const { return quick_; }
  int device() const { return device_; }
  const cudaDeviceProp& properties() const { return properties_; }
  cudaStream_t stream() const { return stream_.get(); }
  Sensors& sensors() { return sensors_; }
  std::size_t free_bytes() const;

  // The group has `limit_s` from now on.
  void begin_group(const std::string& name, double limit_s);
  double remaining_s() const { return group_end_s_ - now_s(); }
  bool out_of_time() const { return remaining_s() < 0; }

  // `prepare` allocates and returns the work; it, verification and timing are one attempt.
  void measure(const std::string& benchmark, const Parameters& parameters, const std::function<Work()>& prepare);

  // A benchmark that times itself.
  void attempt(const std::string& benchmark, const Parameters& parameters, const std::function<Record()>& run);
  void skip(const std::string& benchmark, const Parameters& parameters, const std::string& reason);

  // Samples of the seconds of one repetition; at least 4 ms of repetitions a sample (quick: 2 ms).
  std::vector<double> time(const std::function<void()>& enqueue, bool capture = true);

  // Repeats for `seconds`; the samples are batches in order.
  std::vector<double> time_for(const std::function<void()>& enqueue, double seconds);

  Numbers conditions_since(double begin_s) const { return means(sensors_.readings_since(begin_s)); }

  // A kernel of ours, which throws where this program has no code for the GPU; then products and a convolution, until
  // the libraries are loaded and the clock is up.
  void warm_up();

  void add(Record record) { records_.push_back(std::move(record)); }

  // What has been collected since the last call.
  std::vector<Record> take_records() { return std::exchange(records_, {}); }

 private:
  double batch_time_s(const std::function<void()>& enqueue, int repetitions);

  bool quick_;
  int device_;
  cudaDeviceProp properties_ = {};
  Stream stream_{Order::with_default};
  Event start_, stop_;
  Sensors sensors_;
  double group_end_s_ = 0;
  std::string group_;
  std::string lost_;  // why the GPU can no longer be used, or empty
  std::vector<Record> records_;
  measurement::Progress progress_;
};

}  // namespace clustersim::gpubench
