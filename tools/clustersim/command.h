// A verb of the command line: its options, its help and what it prints. Nothing here writes or exits; main does.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "clustersim/clustersim.h"

namespace clustersim {

// The command line itself is wrong; one line says how to mend it.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class OptionState { offered, unlisted, not_built };  // unlisted: understood, but not worth a line of help

struct Option {
  std::string name;      // without the dashes
  std::string argument;  // what follows it, "" for a switch
  std::string meaning;
  bool repeats = false;
  OptionState state = OptionState::offered;
  char letter = '\0';   // "-o" for "--output"
  bool writes = false;  // its argument is a file that the command writes
};

struct Arguments {
  std::vector<std::string> positional;
  std::map<std::string, std::vector<std::string>> options;  // a switch that is on has no values
  bool has(const std::string& name) const { return options.count(name) > 0; }
  // The value given, or `otherwise`.
  std::string value(const std::string& name, const std::string& otherwise) const {
    const auto found = options.find(name);
    return found == options.end() ? otherwise : found->second.back();
  }
};

struct Command {
  std::string name;
  std::string usage;    // what follows the name
  std::string meaning;  // one line
  std::vector<Option> options;
  int least_positional = 0, most_positional = 0;
  std::string (*function)(const Arguments&);  // -> what goes to standard output
  std::string more = {};                      // below the options in its help
  bool headings = false;                      // its table has headings and bars to colour
  bool own_progress = false;                  // says itself, on standard error, how far it is
};

Command run_command();
Command check_command();
Command explain_command();
Command catalog_command();
Command collective_command();
Command validate_command();
Command compare_command();
Command claims_command();
Command sweep_command();
Command plan_command();
Command import_command();
Command calibrate_command();
Command serve_command();

// Splits the words after the command's name; UsageError where they do not fit.
Arguments parse_arguments(const Command& command, const std::vector<std::string>& words);

// UsageError where a file would be written over another of the same command line: one that is read, one that a file
// which is read names in its turn, or one that is written too.
void keep_files_apart(const Command& command, const Arguments& arguments);

std::string help_text(const Command& command);

// The --set of several commands.
Option set_option();
std::vector<Override> overrides_of(const Arguments& arguments);

// The -o FILE of several commands. write_file puts a text there, whole or not at all: beside the file, then renamed;
// what is no plain file (/dev/null, a pipe) is written directly. InputError where it cannot be written.
Option output_option();
void write_file(const std::string& path, const std::string& text);

// The --format of several commands, known to be one of its words.
Option format_option();
std::string format_of(const Arguments& arguments);

// The --report of several commands.
Option report_option();

// "; did you mean "run"?" where a candidate is near, else "".
std::string near_miss(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace clustersim
