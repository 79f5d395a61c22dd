// clustersim explain: what may be written in a scenario.
#include "tools/clustersim/command.h"

namespace clustersim {
namespace {

std::string explain_pointer(const Arguments& arguments) {
  return explain(arguments.positional.empty() ? "" : arguments.positional[0]);
}

}  // namespace

Command explain_command() {
  return {"explain", "[/json/pointer]", "Lists the keys of a scenario, with unit, range, default and meaning.", {}, 0,
          1,         explain_pointer};
}

}  // namespace clustersim
