#include <chrono>

#include "tools/gpubench/sensors.h"

namespace clustersim::gpubench {

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::vector<Reading> within(const std::vector<Reading>& readings, double begin_s, double end_s) {
  constexpr double least_s = 0.3;
  std::vector<Reading> found;
  for (Reading reading : readings) {
    if (reading.time_s < begin_s) continue;
    if (end_s - begin_s < least_s) reading.power_w.reset();
    found.push_back(reading);
  }
  return found;
}

measurement::Numbers means(const std::vector<Reading>& readings) {
  using Member = std::optional<double> Reading::*;
  constexpr std::pair<const char*, Member> members[] = {{"sm_clock_mhz", &Reading::sm_clock_mhz},
                                                        {"memory_clock_mhz", &Reading::memory_clock_mhz},
                                                        {"power_w", &Reading::power_w},
                                                        {"temperature_c", &Reading::temperature_c}};
  measurement::Numbers numbers;
  for (const auto& [name, member] : members) {
    double sum = 0;
    int count = 0;
    for (const Reading& reading : readings) {
      if (!(reading.*member)) continue;
      sum += *(reading.*member);
      ++count;
    }
    if (count > 0) numbers.emplace_back(name, sum / count);
  }
  return numbers;
}

}  // namespace clustersim::gpubench
