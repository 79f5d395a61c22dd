// The program: finds the command, prints what it returns. The only catch and the only exit codes are here:
// 0 done, 2 the input is at fault (or a place to write to), 70 a fault of ours. Standard output stays empty unless all
// went well, and neither it nor standard error carries control characters of anybody's input.
#include <unistd.h>

#include <boost/program_options/errors.hpp>
#include <cstring>
#include <exception>
#include <optional>

#include "tools/clustersim/command.h"
#include "tools/clustersim/terminal.h"

namespace clustersim {
namespace {

constexpr int exit_input = 2;
constexpr int exit_internal = 70;

std::vector<Command> commands() {
  return {run_command(),        compare_command(),  check_command(),  explain_command(), catalog_command(),
          collective_command(), validate_command(), claims_command(), import_command(),  calibrate_command(),
          sweep_command(),      plan_command(),     serve_command()};
}

std::string program_help() {
  std::string text =
      "clustersim COMMAND ...\n\n"
      "How long does a training job take on a cluster, what limits it, and what does it cost?\n\n";
  for (const Command& command : commands()) {
    const std::string name = "  " + command.name;
    text += name + std::string(14 - name.size(), ' ') + command.meaning + "\n";
  }
  return text + "\nclustersim COMMAND --help says more; --version says which one this is.\n";
}

std::string answer(const std::vector<std::string>& words) {
  if (words.empty()) throw UsageError("a command is missing (clustersim --help)");
  const std::string& first = words[0];
  if (first == "--help" || first == "-h" || first == "help") return program_help();
  if (first == "--version") return "clustersim " CLUSTERSIM_VERSION "\n";
  std::vector<std::string> names = {"--help", "--version"};
  for (const Command& command : commands()) {
    names.push_back(command.name);
    if (command.name != first) continue;
    const std::vector<std::string> rest(words.begin() + 1, words.end());
    for (const std::string& word : rest)
      if (word == "--help" || word == "-h") return help_text(command);
    const Arguments arguments = parse_arguments(command, rest);
    keep_files_apart(command, arguments);
    std::optional<WaitingClock> clock;
    if (!command.own_progress) clock.emplace(command.name);
    const std::string text = printable(command.function(arguments));
    return command.headings && arguments.value("format", "table") == "table" && colour_wanted() ? coloured(text) : text;
  }
  throw UsageError((first[0] == '-' ? "unknown option " : "unknown command ") + first + near_miss(first, names) +
                   " (clustersim --help)");
}

// Standard output, or why it could not be written there.
int print(const std::string& text) {
  const int fault = write_all(STDOUT_FILENO, text);
  if (fault == 0) return 0;
  write_all(STDERR_FILENO, "clustersim: the result could not be written: " + std::string(std::strerror(fault)) + "\n");
  return exit_input;
}

int complain(int exit_code, const std::string& text) {
  write_all(STDERR_FILENO, printable(text));
  return exit_code;
}

}  // namespace
}  // namespace clustersim

int main(int argc, char** argv) {
  using namespace clustersim;
  try {
    return print(answer(std::vector<std::string>(argv + 1, argv + argc)));
  } catch (const InputError& error) {
    return complain(exit_input, problems_text(error.problems()));
  } catch (const UsageError& error) {
    return complain(exit_input, "clustersim: " + std::string(error.what()) + "\n");
  } catch (const boost::program_options::error& error) {
    return complain(exit_input, "clustersim: " + std::string(error.what()) + "\n");
  } catch (const std::exception& error) {
    return complain(exit_internal, "clustersim: " + std::string(error.what()) + "\n");
  }
}
