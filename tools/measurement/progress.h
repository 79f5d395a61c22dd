// One line on standard error that says what is being measured; on a terminal only.
#pragma once

#include <chrono>
#include <string>

namespace clustersim::measurement {

class Progress {
 public:
  Progress();
  ~Progress();  // clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const std::string& what);

 private:
  bool terminal_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace clustersim::measurement
