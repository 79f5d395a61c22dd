// clustersim serve: the report of one scenario in a browser on this machine, with controls.
#include <charconv>
#include <csignal>
#include <iostream>
#include <thread>

#include "clustersim/serve.h"
#include "tools/clustersim/command.h"
#include "tools/clustersim/page_server.h"

namespace clustersim {
namespace {

int port_of(const std::string& text) {
  int port = -1;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, port);
  if (read.ec != std::errc() || read.ptr != end || port < 0 || port > 65535)
    throw UsageError("--port takes a number from 0 (any that is free) to 65535, not \"" + text + "\"");
  return port;
}

// Ctrl-C and a polite kill end the program: they are waited for, so threads started later leave them alone.
sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

std::string serve(const Arguments& arguments) {
  const int wanted = port_of(arguments.value("port", "8642"));
  const ServedScenario scenario = serve_scenario(arguments.positional[0]);
  const sigset_t signals = ending_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  PageServer server(scenario);
  const int port = server.bind(wanted);
  std::thread listening([&] { server.listen(); });
  std::cerr << "serving " + scenario.file + " at http://127.0.0.1:" + std::to_string(port) + "/ (Ctrl-C ends)\n";
  int ended_by = 0;
  sigwait(&signals, &ended_by);
  server.stop();
  listening.join();
  return "";
}

}  // namespace

Command serve_command() {
  return {"serve",
          "SCENARIO.json",
          "The report in a browser on this machine, with controls that change the scenario.",
          {{"port", "N", "of 127.0.0.1; 8642 unless said, 0 for any that is free"}},
          1,
          1,
          serve,
          "",
          false,
          true};
}

}  // namespace clustersim
