// `clustersim import prices`: lists of prices, whatever their format, as one file that /cost/prices names.
#include <algorithm>
#include <istream>
#include <nlohmann/json.hpp>
#include <set>

#include "clustersim/clustersim.h"
#include "sim/import/price_names.h"
#include "sim/import/price_rows.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostCsvBytes = std::size_t{16} << 20;
constexpr std::size_t kBeginning = 64 << 10;

// To add a format: a file here that reads it, and a line. The beginning of the file tells.
struct PriceFormat {
  const char* meaning;
  bool (*is)(const std::string& beginning);
  PriceRows (*read)(const std::string& path);
};

PriceRows read_csv_file(const std::string& path) {
  return read_price_csv(clean_text(read_source(path, kMostCsvBytes)), path);
}

bool is_json(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && (text[first] == '{' || text[first] == '[');
}

const PriceFormat kFormats[] = {
    {"aws pricing get-products", [](const std::string& t) { return is_json(t) && is_aws_products(t); },
     read_aws_products},
    {"AWS offer file", [](const std::string& t) { return is_json(t) && is_aws_offer_file(t); }, read_aws_offer_file},
    {"AWS offer file, CSV", [](const std::string& t) { return is_aws_csv(t); }, read_aws_csv},
    {"Karpenter's table of AWS prices", [](const std::string& t) { return is_karpenter_prices(t); },
     read_karpenter_prices},
    {"CSV with the columns name,price,currency,unit,date,source",
     [](const std::string& t) { return !is_json(t) && is_price_csv(t); }, read_csv_file},
};

PriceRows read_prices(const std::string& path) {
  std::string text;
  try {
    text = beginning_of(path, kBeginning);
    for (const PriceFormat& format : kFormats)
      if (format.is(text)) return format.read(path);
  } catch (const std::ios::failure&) {  // of gzip too
    throw InputError({{path, "", "a whole file that can be read", "a damaged one, or one that is cut off", ""}});
  }
  std::string known;
  for (const PriceFormat& format : kFormats) known += (known.empty() ? "" : ", ") + std::string(format.meaning);
  throw InputError({{path, "", "a price list: " + known, shown(text), "docs/IMPORT.md shows one"}});
}

Json row_json(const PriceRow& row) {
  Json json = {{"name", row.name}, {"price", row.price}};
  const auto add = [&](const char* key, const std::string& text) {
    if (!text.empty()) json[key] = text;
  };
  add("term", row.term);
  add("region", row.region);
  add("date", row.date);
  add("source", row.source);
  return json;
}

void tell(const PriceRows& read, Imported& out) {
  std::set<std::string> names, regions;
  std::string first, last;
  for (const PriceRow& row : read.rows) {
    names.insert(row.name);
    if (!row.region.empty()) regions.insert(row.region);
    if (row.date.empty()) continue;
    if (first.empty() || row.date < first) first = row.date;
    last = std::max(last, row.date);
  }
  std::string line = std::to_string(read.rows.size()) + " prices of " + std::to_string(names.size()) +
                     (names.size() == 1 ? " thing" : " things");
  if (!regions.empty())
    line += ", in " + std::to_string(regions.size()) + (regions.size() == 1 ? " region" : " regions");
  if (!first.empty()) line += ", of " + first + (last == first ? "" : " to " + last);
  out.known.push_back(line);
  constexpr std::size_t most_told = 12;
  for (std::size_t i = 0; i < read.rows.size() && i < most_told; ++i) {
    const PriceRow& row = read.rows[i];
    out.known.push_back(shown(row.name) + (row.term.empty() ? "" : ", " + row.term) +
                        (row.region.empty() ? "" : ", " + row.region) + ": " + row.price);
  }
  if (read.rows.size() > most_told) out.known.push_back("...");
  if (regions.size() > 1) out.unknown.push_back("which region counts: /cost/prices_region");
}

}  // namespace

Imported import_prices(const std::vector<std::string>& paths) {
  Imported out;
  std::vector<Problem> problems;
  std::vector<PlacedRow> rows;
  for (const std::string& path : paths) {
    PriceRows read = read_prices(path);
    if (read.problems.empty() && read.rows.empty())
      read.problems.push_back(
          {path, "", "at least one price", "none", read.warnings.empty() ? "" : read.warnings.front()});
    problems.insert(problems.end(), read.problems.begin(), read.problems.end());
    out.format += (out.format.empty() ? "" : " and ") + read.format;
    tell(read, out);
    out.unknown.insert(out.unknown.end(), read.unknown.begin(), read.unknown.end());
    out.warnings.insert(out.warnings.end(), read.warnings.begin(), read.warnings.end());
    for (PriceRow& row : read.rows) rows.push_back({std::move(row), path});
  }
  if (!problems.empty()) throw InputError(problems);
  const PriceNames names{Catalog(data_directory())};
  tell_unknown_names(rows, names, out.warnings);
  rows = without_repeats(std::move(rows), names, out.warnings);
  Json document;
  document["clustersim_prices"] = 1;
  document["prices"] = Json::array();
  for (const PlacedRow& placed : rows) document["prices"].push_back(row_json(placed.row));
  out.document = document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  return out;
}

}  // namespace clustersim
