// All faults of an input as a user reads them.
#include <algorithm>

#include "clustersim/clustersim.h"

namespace clustersim {

namespace {

constexpr std::size_t kHintColumn = 27;  // hints stand beside short texts, aligned

void add_problem(const Problem& raw, std::string& text) {
  const auto line_of = [](const std::string& words) { return printable(words, false); };
  const Problem problem{"", line_of(raw.pointer), line_of(raw.expected), line_of(raw.got), line_of(raw.hint)};
  text += "  " + (problem.pointer.empty() ? "the whole file" : problem.pointer) + "\n";
  text += "    expected  " + problem.expected + "\n";
  std::string line = "    got       " + problem.got;
  if (!problem.hint.empty()) {
    const std::size_t used = line.size();
    line += std::string(used + 2 < kHintColumn ? kHintColumn - used : 2, ' ') + problem.hint;
  }
  text += line + "\n";
}

}  // namespace

std::string problems_text(const std::vector<Problem>& problems) {
  std::vector<std::string> files;  // in the order of their first fault
  for (const Problem& problem : problems)
    if (std::find(files.begin(), files.end(), problem.file) == files.end()) files.push_back(problem.file);
  std::string text;
  for (const std::string& file : files) {
    const auto count =
        std::count_if(problems.begin(), problems.end(), [&](const Problem& p) { return p.file == file; });
    text += printable(file, false) + ": " + std::to_string(count) + (count == 1 ? " problem\n" : " problems\n");
    for (const Problem& problem : problems)
      if (problem.file == file) add_problem(problem, text);
  }
  return text;
}

}  // namespace clustersim
