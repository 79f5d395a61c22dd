// clustersim compare: scenarios side by side.
#include "tools/clustersim/command.h"

namespace clustersim {
namespace {

constexpr int most_scenarios = 1000;

std::string compare_scenarios(const Arguments& arguments) {
  const std::string format = format_of(arguments);
  return write(compare(arguments.positional, overrides_of(arguments)), format);
}

}  // namespace

Command compare_command() {
  return {"compare",
          "A.json B.json...",
          "Side by side: time, energy, cost, what limits each, why they differ, and which is on the front of both.",
          {set_option(), format_option(), {"report", "FILE", "", false, OptionState::not_built}},
          2,
          most_scenarios,
          compare_scenarios};
}

}  // namespace clustersim
