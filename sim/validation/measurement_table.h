// Tables of published measurements: CSV files under scenarios/measurements, one row a measurement.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace clustersim {

// A row by the names of its columns.
class MeasurementRow {
 public:
  MeasurementRow(std::map<std::string, std::string> columns, std::string where)
      : columns_(std::move(columns)), where_(std::move(where)) {}
  // InternalError where the table has no such column.
  const std::string& text(const std::string& column) const;
  bool has(const std::string& column) const { return !text(column).empty(); }
  // InputError where the cell is no number.
  double number(const std::string& column) const;
  double number(const std::string& column, double otherwise) const { return has(column) ? number(column) : otherwise; }

 private:
  std::map<std::string, std::string> columns_;
  std::string where_;
};

// In the file's order. Throws InputError where the file cannot be read or a line has too few or too many columns.
std::vector<MeasurementRow> read_measurements(const std::string& csv_path);

// The path of a table that ships with the project.
std::string measurements_path(const std::string& file);

}  // namespace clustersim
