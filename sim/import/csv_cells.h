// Cells of a line of CSV, as RFC 4180 has them but without line feeds inside quotes.
// Checked by: tests/sim/import_prices_test.cc, tests/sim/import_jobs_test.cc
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace clustersim {

// Trimmed; empty where a quote stays open.
std::optional<std::vector<std::string>> csv_cells(const std::string& line, char separator);

// Whole numbers as such, others with six digits.
std::string number_cell(double value);

// Where columns stand, by any of their names in small letters.
class CsvHeader {
 public:
  explicit CsvHeader(const std::vector<std::string>& names);
  std::size_t size() const { return names_.size(); }
  bool has(std::initializer_list<const char*> names) const { return place(names) < names_.size(); }
  // The cell under the first of the names that the header has; "" where it has none.
  std::string cell(const std::vector<std::string>& cells, std::initializer_list<const char*> names) const;

 private:
  std::size_t place(std::initializer_list<const char*> names) const;
  std::vector<std::string> names_;
};

}  // namespace clustersim
