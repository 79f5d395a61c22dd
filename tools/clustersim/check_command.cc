// clustersim check: everything but the run.
#include "tools/clustersim/command.h"

namespace clustersim {
namespace {

std::string line_of(const Assumption& assumption) {
  std::string line = "  " + assumption.pointer;
  if (!assumption.value.empty()) line += " = " + assumption.value;
  if (!assumption.why.empty()) line += ": " + assumption.why;
  return line + "\n";
}

std::string text_of(const Advice& advice) {
  std::string text = "  " + advice.rule + ": " + advice.finding + "\n    mend: " + advice.remedy + "\n";
  if (!advice.gain.empty()) text += "    gain: " + advice.gain + "\n";
  return text + "    source: " + advice.source + "\n";
}

std::string check_scenario(const Arguments& arguments) {
  const Scenario scenario = read_scenario(arguments.positional[0], overrides_of(arguments));
  std::string text = "ok: " + arguments.positional[0] + "\n";
  const std::vector<Advice> advice = advise(scenario);
  if (!advice.empty()) text += "advice\n";
  for (const Advice& each : advice) text += text_of(each);
  if (!scenario.assumptions.empty()) text += "it leans on\n";
  for (const Assumption& assumption : scenario.assumptions) text += line_of(assumption);
  return text;
}

}  // namespace

Command check_command() {
  return {"check",
          "SCENARIO.json",
          "Reads a scenario and says every fault at once, or ok, what a buyer should mend, and what it leans on.",
          {set_option()},
          1,
          1,
          check_scenario};
}

}  // namespace clustersim
