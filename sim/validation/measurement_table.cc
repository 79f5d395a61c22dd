#include "sim/validation/measurement_table.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "clustersim/clustersim.h"

namespace clustersim {
namespace {

// Splits a line at commas outside quotes.
std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else if (c != '\r')
      fields.back() += c;
  }
  return fields;
}

}  // namespace

MeasurementRow::MeasurementRow(const std::map<std::string, std::string>& columns, std::string where)
    : where_(std::move(where)) {
  std::vector<std::string> names;
  for (const auto& [name, field] : columns) {
    names.push_back(name);
    fields_.push_back(field);
  }
  names_ = std::make_shared<const std::vector<std::string>>(std::move(names));
}

const std::string& MeasurementRow::text(const std::string& column) const {
  const auto found = std::find(names_->begin(), names_->end(), column);
  require(found != names_->end(), "a measurement table has the columns that are asked for");
  return fields_[static_cast<std::size_t>(found - names_->begin())];
}

double MeasurementRow::number(const std::string& column) const {
  const std::string& written = text(column);
  char* end = nullptr;
  const double value = std::strtod(written.c_str(), &end);
  if (written.empty() || *end != '\0')
    throw InputError({{where_, "/" + column, "a number", "\"" + written + "\"", ""}});
  return value;
}

std::vector<MeasurementRow> read_measurements(const std::string& csv_path) {
  std::ifstream file(csv_path);
  std::string line;
  if (!std::getline(file, line))
    throw InputError({{csv_path, "", "a table of measurements", "nothing readable", "set CLUSTERSIM_DATA"}});
  const auto names = std::make_shared<const std::vector<std::string>>(split(line));
  std::vector<MeasurementRow> rows;
  while (std::getline(file, line)) {
    std::vector<std::string> fields = split(line);
    const std::string where = "/" + std::to_string(rows.size());
    if (fields.size() != names->size())
      throw InputError({{csv_path, where, std::to_string(names->size()) + " columns",
                         std::to_string(fields.size()) + " columns", ""}});
    rows.emplace_back(names, std::move(fields), csv_path + where);
  }
  return rows;
}

std::string measurements_path(const std::string& file) { return data_directory() + "/measurements/" + file; }

}  // namespace clustersim
