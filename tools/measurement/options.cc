#include "tools/measurement/options.h"

#include <algorithm>
#include <charconv>

namespace clustersim::measurement {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

int device_number(const std::string& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) {
    throw OptionError("--device takes the number of a GPU, counted from 0; got '" + text + "'");
  }
  return number;
}

}  // namespace

Options read_options(const std::vector<std::string>& arguments, const Accepted& accepted) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    const auto value = [&]() -> const std::string& {
      if (i + 1 >= arguments.size() || arguments[i + 1].empty()) throw OptionError(name + " needs a value after it");
      return arguments[++i];
    };
    if (name == "-h" || name == "--help") {
      options.help = true;
    } else if (name == "-o") {
      options.output = value();
    } else if (name == "--quick") {
      options.quick = true;
    } else if (name == "--directory" && accepted.directory) {
      options.directory = value();
    } else if (name == "--device" && accepted.device) {
      options.device = device_number(value());
    } else if (name == "--only" && !accepted.groups.empty()) {
      const std::string& group = value();
      if (std::find(accepted.groups.begin(), accepted.groups.end(), group) == accepted.groups.end()) {
        throw OptionError("--only takes one of " + joined(accepted.groups) + "; got '" + group + "'");
      }
      options.only.push_back(group);
    } else {
      throw OptionError("unknown argument '" + name + "'; see --help");
    }
  }
  if (!options.help && options.output.empty()) throw OptionError("where shall the measurements go? Give -o FILE");
  return options;
}

bool wanted(const Options& options, const std::string& group) {
  return options.only.empty() || std::find(options.only.begin(), options.only.end(), group) != options.only.end();
}

}  // namespace clustersim::measurement
