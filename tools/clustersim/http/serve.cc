#include <csignal>
#include <iostream>
#include <thread>

#include "clustersim/clustersim.h"
#include "tools/clustersim/http/http.h"
#include "tools/clustersim/http/page_server.h"

namespace clustersim {
namespace {

// Ctrl-C and a polite kill end the program: they are waited for, so threads started later leave them alone.
sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

}  // namespace

void serve_to_browser(const std::string& path, int wanted_port) {
  const sigset_t signals = ending_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  PageServer server(serve_scenario(path));
  const int port = server.bind(wanted_port);
  std::thread listening([&] { server.listen(); });
  std::cerr << "serving " + printable(path, false) + " at http://127.0.0.1:" + std::to_string(port) +
                   "/ (Ctrl-C ends)\n";
  int ended_by = 0;
  sigwait(&signals, &ended_by);
  server.stop();
  listening.join();
}

}  // namespace clustersim
