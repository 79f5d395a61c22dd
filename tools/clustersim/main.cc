// The program: finds the command, prints what it returns. The only catch and the only exit codes are here:
// 0 done, 2 the input is at fault, 70 a fault of ours. Standard output stays empty unless all went well.
#include <algorithm>
#include <boost/program_options/errors.hpp>
#include <exception>
#include <iostream>

#include "tools/clustersim/command.h"

namespace clustersim {
namespace {

constexpr int exit_input = 2;
constexpr int exit_internal = 70;

std::vector<Command> commands() {
  return {run_command(),     compare_command(),    check_command(),    explain_command(),
          catalog_command(), collective_command(), validate_command(), claims_command(),
          import_command(),  calibrate_command(),  sweep_command(),    plan_command()};
}

// Verbs of the project that are not built yet.
const std::vector<std::string> later_commands = {"serve"};

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
    return command.function(parse_arguments(command, rest));
  }
  if (std::count(later_commands.begin(), later_commands.end(), first))
    throw UsageError(first + " is not part of this version");
  throw UsageError((first[0] == '-' ? "unknown option " : "unknown command ") + first + near_miss(first, names) +
                   " (clustersim --help)");
}

}  // namespace
}  // namespace clustersim

int main(int argc, char** argv) {
  using namespace clustersim;
  try {
    std::cout << answer(std::vector<std::string>(argv + 1, argv + argc)) << std::flush;
    if (std::cout) return 0;
    std::cerr << "clustersim: the result could not be written\n";
    return exit_internal;
  } catch (const InputError& error) {
    std::cerr << problems_text(error.problems());
    return exit_input;
  } catch (const UsageError& error) {
    std::cerr << "clustersim: " << error.what() << "\n";
    return exit_input;
  } catch (const boost::program_options::error& error) {
    std::cerr << "clustersim: " << error.what() << "\n";
    return exit_input;
  } catch (const std::exception& error) {
    std::cerr << "clustersim: " << error.what() << "\n";
    return exit_internal;
  }
}
