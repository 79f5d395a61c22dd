// The HTTP side of `clustersim serve`: two addresses on the loopback interface, and nothing else.
//
//   GET  /        the page
//   POST /answer  a request of include/clustersim/serve.h -> its answer; 200, or 422 with the faults
//
// Only requests that name this server as their host are answered (a stranger's page that has its name resolved to
// 127.0.0.1 names its own), bodies are JSON of at most 16 KiB, and each connection carries one request. A hundred
// requests at once and thirty a second are answered, the others told to wait (429); as many scenarios run at a time as
// there are cores.
// Checked by: tests/serve/
#pragma once

#include <memory>

#include "clustersim/serve.h"

namespace clustersim {

class PageServer {
 public:
  // InputError where the program was built without the page.
  explicit PageServer(const ServedScenario& scenario);
  ~PageServer();

  // Takes the port, 0 for any; which one it is. InputError where it is not to be had.
  int bind(int port);
  // Answers until stop().
  void listen();
  void stop();

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace clustersim
