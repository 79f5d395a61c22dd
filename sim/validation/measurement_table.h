// Tables of published measurements: CSV files under scenarios/measurements, one row a measurement.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace clustersim {

// A row by the names of its columns.
class MeasurementRow {
 public:
  // As many fields as names; rows of one table share the names.
  MeasurementRow(std::shared_ptr<const std::vector<std::string>> names, std::vector<std::string> fields,
                 std::string where)
      : names_(std::move(names)), fields_(std::move(fields)), where_(std::move(where)) {}
  MeasurementRow(const std::map<std::string, std::string>& columns, std::string where);
  // InternalError where the table has no such column.
  const std::string& text(const std::string& column) const;
  bool has(const std::string& column) const { return !text(column).empty(); }
  // InputError where the cell is no number.
  double number(const std::string& column) const;
  double number(const std::string& column, double otherwise) const { return has(column) ? number(column) : otherwise; }

 private:
  std::shared_ptr<const std::vector<std::string>> names_;
  std::vector<std::string> fields_;
  std::string where_;
};

// In the file's order. Throws InputError where the file cannot be read or a line has too few or too many columns.
std::vector<MeasurementRow> read_measurements(const std::string& csv_path);

// The path of a table that ships with the project.
std::string measurements_path(const std::string& file);

}  // namespace clustersim
