// clustersim plan: what to buy or to rent.
#include "tools/clustersim/command.h"

namespace clustersim {
namespace {

std::string answer_question(const Arguments& arguments) {
  const std::string format = arguments.value("format", "table");
  if (format != "table" && format != "json") throw UsageError("--format takes table or json, not \"" + format + "\"");
  return write(plan(arguments.positional[0]), format);
}

}  // namespace

Command plan_command() {
  return {"plan",
          "QUESTION.json",
          "What to buy or to rent for a job, by a deadline and within a budget, and why.",
          {{"format", "FORMAT", "table (default) or json"}, {"report", "FILE", "", false, OptionState::not_built}},
          1,
          1,
          answer_question};
}

}  // namespace clustersim
