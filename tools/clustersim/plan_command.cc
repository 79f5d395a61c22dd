// clustersim plan: what to buy or to rent.
#include "tools/clustersim/command.h"

namespace clustersim {
namespace {

std::string answer_question(const Arguments& arguments) {
  const std::string format = arguments.value("format", "table");
  if (format != "table" && format != "json") throw UsageError("--format takes table or json, not \"" + format + "\"");
  const bool on_page = arguments.has("report");
  if (on_page) require_page_template();
  const Plan answer = plan(arguments.positional[0]);
  std::string text = write(answer, format);
  if (on_page) write_file(arguments.value("report", ""), page(answer));
  return text;
}

}  // namespace

Command plan_command() {
  return {"plan",
          "QUESTION.json",
          "What to buy or to rent for a job, by a deadline and within a budget, and why.",
          {{"format", "FORMAT", "table (default) or json"}, report_option()},
          1,
          1,
          answer_question};
}

}  // namespace clustersim
