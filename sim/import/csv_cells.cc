#include "sim/import/csv_cells.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sim/import/text_source.h"

namespace clustersim {

std::optional<std::vector<std::string>> csv_cells(const std::string& line, char separator) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == separator && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  if (quoted) return std::nullopt;
  for (std::string& cell : cells) cell = trimmed(cell);
  return cells;
}

std::string number_cell(double value) {
  char text[40];
  std::snprintf(text, sizeof text, value == std::floor(value) && std::abs(value) < 1e15 ? "%.0f" : "%.6g", value);
  return text;
}

CsvHeader::CsvHeader(const std::vector<std::string>& names) {
  for (const std::string& name : names) names_.push_back(lower_case(trimmed(name)));
}

std::size_t CsvHeader::place(std::initializer_list<const char*> names) const {
  for (const char* name : names) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
  }
  return names_.size();
}

std::string CsvHeader::cell(const std::vector<std::string>& cells, std::initializer_list<const char*> names) const {
  const std::size_t at = place(names);
  return at < names_.size() && at < cells.size() ? cells[at] : "";
}

}  // namespace clustersim
