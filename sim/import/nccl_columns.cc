#include "sim/import/nccl_columns.h"

#include <algorithm>

#include "sim/import/measurement_text.h"

namespace clustersim {
namespace {

constexpr std::size_t most_columns = 40;

// A name without its unit: "time(us)" is "time".
std::string bare(const std::string& word) { return word.substr(0, word.find('(')); }

bool is_name(const std::string& name) {
  static const char* const names[] = {"size",  "count",  "type",  "redop",  "root",  "time",  "algbw", "busbw",
                                      "error", "#wrong", "wrong", "#iters", "i_min", "i_max", "i_p99", "i_cv%"};
  return std::any_of(std::begin(names), std::end(names), [&](const char* known) { return name == known; });
}

bool begins_as_usual(const std::vector<std::string>& names) {
  if (names.size() < 6 || names[0] != "size" || names[1] != "count" || names[2] != "type") return false;
  std::size_t next = 3;
  if (names[next] == "redop") ++next;
  if (next < names.size() && names[next] == "root") ++next;
  return next + 3 < names.size() && names[next] == "time" && names[next + 1] == "algbw" && names[next + 2] == "busbw" &&
         (names[next + 3] == "error" || names[next + 3] == "#wrong");
}

}  // namespace

std::optional<NcclColumns> nccl_columns(const std::vector<std::string>& words) {
  if (words.size() < 2 || words.size() > most_columns) return std::nullopt;
  NcclColumns columns;
  for (const std::string& word : words) {
    if (word == "#" && columns.names.empty()) continue;
    columns.names.push_back(bare(word));
    if (columns.names.back() == "#size") columns.names.back() = "size";
    if (!is_name(columns.names.back())) return std::nullopt;
  }
  const auto has = [&](const char* name) {
    return std::find(columns.names.begin(), columns.names.end(), name) != columns.names.end();
  };
  if (!has("size") || !has("time") || !(has("algbw") || has("busbw"))) return std::nullopt;
  columns.usual = begins_as_usual(columns.names);
  return columns;
}

std::optional<NcclColumns::Row> NcclColumns::row(const std::vector<std::string>& words) const {
  if (words.size() != names.size()) return std::nullopt;
  Row row;
  std::vector<Side> sides;
  Side ahead;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names[i];
    const auto number = number_of(words[i]);
    if (name == "size") {
      const auto bytes = integer_of(words[i]);
      if (!bytes || *bytes < 0) return std::nullopt;
      row.bytes = *bytes;
    } else if (name == "time") {
      if (!number) return std::nullopt;
      sides.push_back(ahead);
      sides.back().time = *number;
      ahead = {};
    } else if (name == "count") {
      row.count = number.value_or(0);
    } else if (name == "type") {
      row.type = words[i];
    } else if (name == "redop") {
      row.operator_word = words[i];
    } else if (name == "root") {
      if (const auto root = integer_of(words[i]); root && *root >= -1 && *root < 1e5)
        row.root = static_cast<int>(*root);
    } else {
      // Behind its time, or, where that side has such a column already, in front of the next.
      const auto of = [&](auto&& has) -> Side& { return sides.empty() || has(sides.back()) ? ahead : sides.back(); };
      if (name == "algbw") of([](const Side& s) { return s.algbw.has_value(); }).algbw = number;
      if (name == "busbw") of([](const Side& s) { return s.busbw.has_value(); }).busbw = number;
      if (name == "#wrong" || name == "wrong" || name == "error")
        (sides.empty() ? ahead : sides.back()).wrong = number && *number > 1e-3;
    }
  }
  row.sides = std::move(sides);
  return row;
}

}  // namespace clustersim
