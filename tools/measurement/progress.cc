#include "tools/measurement/progress.h"

#include <unistd.h>

#include <cstdio>

namespace clustersim::measurement {

Progress::Progress() : terminal_(isatty(STDERR_FILENO) == 1), start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (terminal_) std::fputs("\r\033[K", stderr);
}

void Progress::show(const std::string& what) {
  if (!terminal_) return;
  const double elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  std::fprintf(stderr, "\r\033[K%3.0f s  %s", elapsed_s, what.c_str());
  std::fflush(stderr);
}

}  // namespace clustersim::measurement
