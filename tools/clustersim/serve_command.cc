// clustersim serve: the report of one scenario in a browser on this machine, with controls.
#include <charconv>

#include "tools/clustersim/command.h"
#include "tools/clustersim/http/http.h"

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

std::string serve(const Arguments& arguments) {
  const int port = port_of(arguments.value("port", "8642"));
  require_page_template();
  serve_to_browser(arguments.positional[0], port);
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
