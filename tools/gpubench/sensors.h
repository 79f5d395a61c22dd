// Clock, power and temperature of a GPU, by NVML; and its clock limit, where permitted.
//
// NVML comes with the driver and is opened at run time: without it nothing is known, and the records say nothing.
// A thread of its own reads every 100 ms; power is itself a running mean of the driver over 25 to 100 ms.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tools/measurement/record.h"

namespace clustersim::gpubench {

struct Reading {
  double time_s = 0;  // by the steady clock
  std::optional<double> sm_clock_mhz, memory_clock_mhz, power_w, temperature_c;
};

// Means of what is known; empty without readings. Checked by tests/tools/gpubench_test.cc.
measurement::Numbers means(const std::vector<Reading>& readings);

double now_s();

class Sensors {
 public:
  explicit Sensors(const std::string& pci_bus_id);
  ~Sensors();
  Sensors(const Sensors&) = delete;
  Sensors& operator=(const Sensors&) = delete;

  std::string why_not() const;  // why nothing is known, or empty
  std::string driver_version() const;
  std::optional<double> power_limit_w() const;
  std::optional<double> max_sm_clock_mhz() const;

  Reading read() const;
  // Of the time since `begin_s`, one reading now included.
  std::vector<Reading> readings_since(double begin_s) const;

  // Empty if the limit is in force, else why not (no permission, not this GPU).
  std::string limit_clock(unsigned mhz);
  void release_clock();

 private:
  struct Library;
  void watch();

  std::unique_ptr<Library> library_;
  mutable std::mutex mutex_;
  std::condition_variable stop_asked_;
  bool stop_ = false;
  bool limited_ = false;
  std::vector<Reading> readings_;
  std::thread thread_;
};

}  // namespace clustersim::gpubench
