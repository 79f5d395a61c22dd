// What makes a terminal pleasant, and nothing that is needed: colour, and a clock while something takes long.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace clustersim {

// Standard output is a terminal that shows colours, and NO_COLOR (no-color.org) is not set.
bool colour_wanted();

// A table with bold headings and coloured bars. The text is the same.
std::string coloured(const std::string& table);

// From its second second on, says on a terminal's standard error how long the command has taken; wipes it in the end.
class WaitingClock {
 public:
  explicit WaitingClock(std::string command);
  ~WaitingClock();
  WaitingClock(const WaitingClock&) = delete;
  WaitingClock& operator=(const WaitingClock&) = delete;

 private:
  void run();

  std::string command_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;  // last: it uses the others
};

// Writes all of the text. 0, or the errno of the write that failed.
int write_all(int descriptor, const std::string& text);

}  // namespace clustersim
