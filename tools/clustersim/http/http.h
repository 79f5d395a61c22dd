// A scenario served to a browser. Implemented twice: hand_over.cc is in the program, serve.cc in its sibling with HTTP.
#pragma once

#include <string>

namespace clustersim {

// Until Ctrl-C or SIGTERM, on a port of 127.0.0.1; 0: any that is free.
void serve_to_browser(const std::string& scenario, int port);

}  // namespace clustersim
