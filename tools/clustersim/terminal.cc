#include "tools/clustersim/terminal.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace clustersim {
namespace {

constexpr const char* bold = "\x1b[1m";
constexpr const char* blue = "\x1b[34m";
constexpr const char* plain = "\x1b[0m";
constexpr const char* wipe_line = "\r\x1b[K";

bool set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool understands_escapes(int descriptor) {
  const char* terminal = std::getenv("TERM");
  return isatty(descriptor) == 1 && terminal != nullptr && std::strcmp(terminal, "dumb") != 0;
}

}  // namespace

bool colour_wanted() { return understands_escapes(STDOUT_FILENO) && !set("NO_COLOR"); }

std::string coloured(const std::string& table) {
  std::istringstream lines(table);
  std::string out, line;
  bool after_gap = true;  // the title counts as one
  while (std::getline(lines, line)) {
    const std::size_t bar = line.find("  #");
    if (after_gap && !line.empty() && line[0] != ' ')
      out += bold + line + plain;
    else if (bar != std::string::npos && line.find_first_not_of('#', bar + 2) == std::string::npos)
      out += line.substr(0, bar + 2) + blue + line.substr(bar + 2) + plain;
    else
      out += line;
    out += "\n";
    after_gap = line.empty();
  }
  return out;
}

WaitingClock::WaitingClock(std::string command) : command_(std::move(command)) {
  if (understands_escapes(STDERR_FILENO)) thread_ = std::thread([this] { run(); });
}

WaitingClock::~WaitingClock() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    end_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void WaitingClock::run() {
  std::unique_lock<std::mutex> lock(mutex_);
  int seconds = 0;
  while (!ended_.wait_for(lock, std::chrono::seconds(1), [&] { return end_; }))
    write_all(STDERR_FILENO, wipe_line + ("clustersim " + command_) + ": " + std::to_string(++seconds) + " s");
  if (seconds > 0) write_all(STDERR_FILENO, wipe_line);
}

int write_all(int descriptor, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = write(descriptor, text.data() + done, text.size() - done);
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  return 0;
}

}  // namespace clustersim
