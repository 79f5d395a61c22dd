// A line of a measurement table, for tests of a floor that reads no files of its own.
#pragma once

#include <string>
#include <vector>

namespace clustersim {

// Splits a line at commas outside quotes.
inline std::vector<std::string> split_csv(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else if (c != '\r')
      fields.back() += c;
  }
  return fields;
}

}  // namespace clustersim
