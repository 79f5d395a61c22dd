#include "sim/read/did_you_mean.h"

#include <algorithm>

namespace clustersim {

int edit_distance(const std::string& a, const std::string& b) {
  // Optimal string alignment: three rows of the usual table.
  const std::size_t n = b.size();
  std::vector<int> before(n + 1), last(n + 1), now(n + 1);
  for (std::size_t j = 0; j <= n; ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= n; ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[n];
}

std::string nearest_word(const std::string& word, const std::vector<std::string>& candidates) {
  if (word.size() > 100) return "";
  const int limit = std::max(2, static_cast<int>(word.size() / 3));
  std::string best;
  int best_distance = limit + 1;
  for (const auto& candidate : candidates) {
    const int d = edit_distance(word, candidate);
    // A word with nothing in common is no guess.
    if (d < best_distance && d < static_cast<int>(std::max(word.size(), candidate.size()))) {
      best = candidate;
      best_distance = d;
    }
  }
  return best;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates) {
  std::vector<std::string> found;
  for (const auto& candidate : candidates)
    if (word.size() >= 3 && candidate.starts_with(word) && candidate != word) found.push_back(candidate);
  if (found.empty() || found.size() > 3) found = {nearest_word(word, candidates)};
  std::string text;
  for (const auto& one : found)
    if (!one.empty()) text += (text.empty() ? "\"" : " or \"") + one + "\"";
  return text.empty() ? "" : "did you mean " + text + "?";
}

}  // namespace clustersim
