// clustersim validate: predicted against published measurements.
#include "tools/clustersim/command.h"

namespace clustersim {
namespace {

std::string run_validate(const Arguments& arguments) {
  const std::string format = format_of(arguments);
  return write(validate(arguments.value("suite", "training")), format);
}

}  // namespace

Command validate_command() {
  return {"validate",
          "",
          "Predicted against the published measurements that ship with the project.",
          {{"suite", "NAME", "training (default): throughput of whole jobs"}, format_option()},
          0,
          0,
          run_validate};
}

}  // namespace clustersim
