#include "sim/validation/measurement_table.h"

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

const std::string& MeasurementRow::text(const std::string& column) const {
  const auto found = columns_.find(column);
  require(found != columns_.end(), "a measurement table has the columns that are asked for");
  return found->second;
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
  const std::vector<std::string> header = split(line);
  std::vector<MeasurementRow> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = split(line);
    const std::string where = "/" + std::to_string(rows.size());
    if (fields.size() != header.size())
      throw InputError({{csv_path, where, std::to_string(header.size()) + " columns",
                         std::to_string(fields.size()) + " columns", ""}});
    std::map<std::string, std::string> columns;
    for (std::size_t i = 0; i < header.size(); ++i) columns[header[i]] = fields[i];
    rows.emplace_back(std::move(columns), csv_path + where);
  }
  return rows;
}

std::string measurements_path(const std::string& file) { return data_directory() + "/measurements/" + file; }

}  // namespace clustersim
