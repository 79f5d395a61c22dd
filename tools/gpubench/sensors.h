// Clock, power and temperature of a GPU, by NVML; and its clock limit, where permitted.
//
// NVML comes with the driver and is opened at run time: without it nothing is known, and the records say nothing.
// A thread of its own reads every 100 ms. Power is the momentary one where the driver tells it (530 and later), itself
// a mean over 25 to 100 ms; else what older drivers give, which from Ampere on (but GA100) is a mean over one second.
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

// Of the time from `begin_s` to `end_s`; where that is under 0.3 s, without power, which lags behind. Checked by
// tests/tools/gpubench_test.cc.
std::vector<Reading> within(const std::vector<Reading>& readings, double begin_s, double end_s);

double now_s();

// Whether a limit of the clock that this program set is in force; may be asked in a signal handler.
bool clock_limit_in_force();

class Sensors {
 public:
  // Of a slice (MIG) nothing is read or set: clock and power are those of the whole GPU.
  Sensors(const std::string& pci_bus_id, bool slice);
  ~Sensors();
  Sensors(const Sensors&) = delete;
  Sensors& operator=(const Sensors&) = delete;

  std::string why_not() const;  // why nothing is known, or empty
  std::string driver_version() const;
  std::optional<double> power_limit_w() const;
  std::optional<double> max_sm_clock_mhz() const;
  std::optional<bool> ecc() const;            // whether the memory's error correction is on
  std::optional<double> utilisation() const;  // percent of the last sixth of a second or second; by anybody

  Reading read() const;
  // Of the time since `begin_s`; where there is none yet, one taken now.
  std::vector<Reading> readings_since(double begin_s) const;

  // Keeps the clock at `mhz` or, where power does not allow it, below. Empty if that is in force, else why not (no
  // permission, not this GPU). Taken back by release_clock, which the destructor calls; a limit that somebody set
  // before is then gone, too.
  std::string limit_clock(unsigned mhz);
  void release_clock();

 private:
  struct Library;
  void watch();

  std::unique_ptr<Library> library_;
  mutable std::mutex mutex_;
  std::condition_variable stop_asked_;
  bool stop_ = false;
  std::vector<Reading> readings_;
  std::thread thread_;
};

}  // namespace clustersim::gpubench
