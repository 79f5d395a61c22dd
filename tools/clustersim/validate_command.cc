// clustersim validate: predicted against published measurements.
#include "tools/clustersim/command.h"

namespace clustersim {
namespace {

std::string write_expected(const std::string& path) {
  write_file(path, expected_error_table());
  return "wrote " + path + "\n";
}

std::string run_validate(const Arguments& arguments) {
  const std::string format = format_of(arguments);
  const std::string suite = arguments.value("suite", "training");
  if (arguments.has("write-expected")) {
    if (suite != "training") throw UsageError("--write-expected is of the training suite");
    return write_expected(arguments.value("write-expected", ""));
  }
  if (arguments.has("report")) require_page_template();
  Validation validation = validate(suite, {arguments.has("cross")});
  validation.show_rows = arguments.has("rows");
  std::string text = write(validation, format);
  if (arguments.has("report")) write_file(arguments.value("report", ""), page(validation));
  return text;
}

// A new line of the help, under the text of an option.
constexpr const char* next_line = "\n                              ";

std::string suite_names() {
  std::string text = "training by default, or one of:";
  for (const auto& [name, meaning] : validation_suites()) text += next_line + ("  " + name) + ": " + meaning;
  return text;
}

}  // namespace

Command validate_command() {
  return {"validate",
          "",
          "Predicted against the published measurements that ship with the project.",
          {{"suite", "NAME", suite_names()},
           {"rows", "", "every row in the table, and why a row is not scored"},
           {"cross", "",
            std::string("errors of rows left out of a refit of the training suite:") + next_line +
                "  leaves out each GPU design, each source and each scale, fits the seven constants" + next_line +
                "  of the compute model that rows of the suite moved to the rest, and runs the" + next_line +
                "  left-out rows with them; a few seconds"},
           {"write-expected", "FILE", "the training suite's errors by family, for the reports of run", false,
            OptionState::offered, '\0', true},
           format_option(),
           report_option()},
          0,
          0,
          run_validate};
}

}  // namespace clustersim
