#include "tools/clustersim/command.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <sstream>

namespace clustersim {
namespace {

namespace po = boost::program_options;

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

po::options_description description_of(const Command& command) {
  po::options_description description;
  for (const Option& option : command.options) {
    const std::string names = option.letter == '\0' ? option.name : option.name + "," + option.letter;
    if (option.state == OptionState::not_built)  // with or without a value: it is refused either way
      description.add_options()(names.c_str(), po::value<std::string>()->implicit_value(""));
    else if (option.argument.empty())
      description.add_options()(names.c_str(), option.meaning.c_str());
    else
      description.add_options()(names.c_str(), po::value<std::string>(), option.meaning.c_str());
  }
  return description;
}

std::string in_command(const Command& command) { return " (clustersim " + command.name + " --help)"; }

[[noreturn]] void refuse_unknown(const Command& command, const std::string& word) {
  std::vector<std::string> names = {"--help"};
  for (const Option& option : command.options)
    if (option.state == OptionState::offered) names.push_back("--" + option.name);
  throw UsageError("unknown option " + word + near_miss(word.substr(0, word.find('=')), names) + in_command(command));
}

void take(const Command& command, const po::option& given, Arguments& arguments) {
  const auto option = std::find_if(command.options.begin(), command.options.end(),
                                   [&](const Option& o) { return o.name == given.string_key; });
  require(option != command.options.end(), "the parser gives only options of the command");
  if (option->state == OptionState::not_built) throw UsageError("--" + option->name + " is not part of this version");
  if (arguments.has(option->name) && !option->repeats)
    throw UsageError("--" + option->name + " may be given once" + in_command(command));
  auto& values = arguments.options[option->name];
  values.insert(values.end(), given.value.begin(), given.value.end());
}

}  // namespace

Arguments parse_arguments(const Command& command, const std::vector<std::string>& words) {
  const auto description = description_of(command);
  const int style = po::command_line_style::allow_long | po::command_line_style::long_allow_adjacent |
                    po::command_line_style::long_allow_next | po::command_line_style::allow_short |
                    po::command_line_style::allow_dash_for_short | po::command_line_style::short_allow_next;
  const auto dashes = std::find(words.begin(), words.end(), "--");  // what follows is no option, whatever it looks like
  const std::vector<std::string> before(words.begin(), dashes);
  const auto parsed = po::command_line_parser(before).options(description).style(style).allow_unregistered().run();
  Arguments arguments;
  for (const po::option& given : parsed.options) {
    if (given.unregistered) refuse_unknown(command, given.original_tokens.front());
    if (!given.string_key.empty()) {
      take(command, given, arguments);
      continue;
    }
    for (const std::string& word : given.value) {
      if (word.size() > 1 && word[0] == '-') refuse_unknown(command, word);
      arguments.positional.push_back(word);
    }
  }
  if (dashes != words.end()) arguments.positional.insert(arguments.positional.end(), dashes + 1, words.end());
  const int count = static_cast<int>(arguments.positional.size());
  if (count < command.least_positional) throw UsageError("missing: " + command.usage + in_command(command));
  if (count > command.most_positional)
    throw UsageError("one too many: \"" + arguments.positional[command.most_positional] + "\"" + in_command(command));
  return arguments;
}

std::string help_text(const Command& command) {
  std::ostringstream text;
  text << "clustersim " << command.name << (command.usage.empty() ? "" : " ") << command.usage << "\n\n"
       << command.meaning << "\n\n";
  constexpr std::size_t column = 30;
  for (const Option& option : command.options) {
    if (option.state != OptionState::offered) continue;
    const std::string letter = option.letter == '\0' ? "" : std::string("-") + option.letter + ", ";
    std::string left = "  " + letter + "--" + option.name + (option.argument.empty() ? "" : " " + option.argument);
    left += left.size() < column ? std::string(column - left.size(), ' ') : " ";
    text << left << option.meaning << (option.repeats ? "; may be repeated" : "") << "\n";
  }
  text << "  --help" << std::string(column - 8, ' ') << "this text\n";
  if (!command.more.empty()) text << "\n" << command.more << "\n";
  return text.str();
}

Option set_option() {
  return {"set", "/POINTER=VALUE", "changes a key; JSON where the value parses as JSON, else a string", true};
}

std::vector<Override> overrides_of(const Arguments& arguments) {
  std::vector<Override> overrides;
  if (!arguments.has("set")) return overrides;
  for (const std::string& text : arguments.options.at("set")) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || text[0] != '/')
      throw UsageError("--set takes /json/pointer=value, not \"" + text + "\"");
    overrides.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return overrides;
}

Option output_option() {
  return {"output", "FILE", "where to write it; default: standard output", false, OptionState::offered, 'o', true};
}

Option format_option() { return {"format", "FORMAT", "table (default), json or csv"}; }

std::string format_of(const Arguments& arguments) {
  std::string format = arguments.value("format", "table");
  if (format != "table" && format != "json" && format != "csv")
    throw UsageError("--format takes table, json or csv, not \"" + format + "\"");
  return format;
}

Option report_option() {
  Option option{"report", "FILE.html", "also writes one HTML page with charts, which opens offline"};
  option.writes = true;
  return option;
}

std::string near_miss(const std::string& word, const std::vector<std::string>& candidates) {
  const std::string* best = nullptr;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;  // two letters or a third of them may differ
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < least) {
      least = distance;
      best = &candidate;
    }
  }
  return best ? "; did you mean \"" + *best + "\"?" : "";
}

}  // namespace clustersim
