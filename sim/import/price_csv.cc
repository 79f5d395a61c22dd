// A list of one's own as CSV: name, price, currency, unit, date, source; region and term where there are several.
//
//   name,price,currency,unit,date,source
//   xe8545,95000,USD,each,2026-10,offer of a dealer
//   p4d.24xlarge,21.957642,USD,h,2026-07-20,aws.amazon.com
//   electricity,0.11..0.14,EUR,kWh,2026-11,the bill
// Separated by commas, semicolons or tabs, whichever the header has; quotes as RFC 4180 has them, without line feeds
// inside; # begins a remark. A price may be a range. Other columns are not read, and said.
// Checked by: tests/sim/import_prices_test.cc
#include <algorithm>
#include <optional>

#include "clustersim/units_text.h"
#include "sim/import/csv_cells.h"
#include "sim/import/price_rows.h"
#include "sim/import/text_source.h"
#include "sim/read/price_book.h"

namespace clustersim {
namespace {

constexpr std::size_t kMostCells = 64;

char separator_of(const std::string& header) {
  char best = ',';
  for (const char c : {';', '\t'})
    if (std::count(header.begin(), header.end(), c) > std::count(header.begin(), header.end(), best)) best = c;
  return best;
}

// The names a column goes by.
struct Column {
  const char* name;
  std::vector<std::string> others;
  bool required;
};
const std::vector<Column>& columns() {
  static const std::vector<Column> table = {{"name", {"instance", "part", "item"}, true},
                                            {"price", {"usd_per_hour"}, true},
                                            {"currency", {}, false},
                                            {"unit", {"per"}, false},
                                            {"date", {"as of"}, false},
                                            {"source", {"where", "url"}, false},
                                            {"region", {"location"}, false},
                                            {"term", {"pricing"}, false}};
  return table;
}

// "h", "USD/h" or "per hour" -> "/h"; "each" -> ""; empty where it is no unit of a price.
std::optional<std::string> unit_of(std::string unit, const std::string& currency) {
  unit = trimmed(unit);
  if (unit.starts_with(currency + "/")) unit = unit.substr(currency.size() + 1);
  for (const char* begin : {"per ", "/"})
    if (lower_case(unit).starts_with(begin)) unit = trimmed(unit.substr(std::string(begin).size()));
  const std::string plain = lower_case(unit);
  for (const char* word : {"", "each", "piece", "pcs", "unit", "server", "once"})
    if (plain == word) return "";
  for (const char* word : {"hour", "hr", "hrs", "hours"})
    if (plain == word) return "/h";
  return "/" + unit;
}

// What the text is a price of, or why it is none.
std::string why_no_price(const std::string& text) {
  std::string hint;
  for (const Dimension dimension : {Dimension::money, Dimension::time_price, Dimension::energy_price,
                                    Dimension::power_time_price, Dimension::byte_time_price, Dimension::byte_price}) {
    const ParsedRange parsed = parse_range(text, dimension);
    if (parsed.base && parsed.base->low >= 0) return "";
    if (parsed.base) return "a price is not negative";
    if (hint.empty() && !parsed.hint.starts_with("known units")) hint = parsed.hint;
  }
  return hint.empty() ? "another unit" : hint;
}

class CsvReader {
 public:
  CsvReader(const std::string& text, const std::string& path) : lines_(lines_of(text)), path_(path) {
    out_.format = "a price list (CSV)";
  }

  PriceRows read() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      line_ = static_cast<int>(i) + 1;
      const std::string line = trimmed(lines_[i]);
      if (line.empty() || line[0] == '#') continue;
      if (place_.empty()) {
        if (!read_header(lines_[i])) break;
      } else {
        read_line(lines_[i]);
      }
    }
    return std::move(out_);
  }

 private:
  void fault(const std::string& expected, const std::string& got, const std::string& hint = "") {
    constexpr std::size_t most_told = 100;
    if (out_.problems.size() < most_told)
      out_.problems.push_back({path_, "line " + std::to_string(line_), expected, shown(got), hint});
  }

  bool read_header(const std::string& line) {
    separator_ = separator_of(line);
    const auto names = csv_cells(line, separator_);
    if (!names || names->size() > kMostCells) {
      fault("a header: name,price,currency,unit,date,source", line);
      return false;
    }
    std::string ignored;
    place_.assign(columns().size(), names->size());
    for (std::size_t c = 0; c < names->size(); ++c) {
      const std::string name = lower_case((*names)[c]);
      bool known = false;
      for (std::size_t k = 0; k < columns().size() && !known; ++k) {
        const auto& others = columns()[k].others;
        known = name == columns()[k].name || std::find(others.begin(), others.end(), name) != others.end();
        if (known && place_[k] < names->size()) fault("one column \"" + std::string(columns()[k].name) + "\"", line);
        if (known) place_[k] = c;
        if (name == "usd_per_hour") dollars_an_hour_ = true;
      }
      if (!known) ignored += (ignored.empty() ? "" : ", ") + name;
    }
    if (!ignored.empty()) out_.warnings.push_back("columns that are not read: " + shown(ignored, 200));
    width_ = names->size();
    for (std::size_t k = 0; k < columns().size(); ++k)
      if (columns()[k].required && place_[k] >= width_)
        fault("a column \"" + std::string(columns()[k].name) + "\"", line);
    return out_.problems.empty();
  }

  // Of the column named, "" where the list has none.
  std::string cell(const std::vector<std::string>& cells, const std::string& name) const {
    for (std::size_t k = 0; k < columns().size(); ++k)
      if (name == columns()[k].name) return place_[k] < cells.size() ? cells[place_[k]] : "";
    return "";
  }

  void read_line(const std::string& line) {
    const auto cells = csv_cells(line, separator_);
    if (!cells || cells->size() != width_) {
      fault(std::to_string(width_) + " cells, as the header has", line,
            cells ? "a cell with the separator in it stands in quotes" : "a quote is not closed");
      return;
    }
    if (out_.rows.size() >= kMostPriceRows) {
      if (!full_) fault("at most " + std::to_string(kMostPriceRows) + " prices", "more");
      full_ = true;
      return;
    }
    PriceRow row{cell(*cells, "name"),   "",   cell(*cells, "term"), cell(*cells, "region"), cell(*cells, "date"),
                 cell(*cells, "source"), line_};
    if (row.name.empty()) return fault("a name", line);
    const std::string said = cell(*cells, "price");
    const std::string plain = lower_case(said);
    if (plain.empty() || plain == "n/a" || plain == "na" || plain == "-" || plain == "?" || plain == "unknown") {
      out_.unknown.push_back("line " + std::to_string(line_) + ": the price of " + shown(row.name) +
                             ", which is left out");
      return;
    }
    const bool priced = add_price(row, said, *cells), of_term = check_term(row), dated = check_date(row);
    if (priced && of_term && dated) out_.rows.push_back(std::move(row));
  }

  bool add_price(PriceRow& row, const std::string& said, const std::vector<std::string>& cells) {
    std::string currency = cell(cells, "currency");
    if (dollars_an_hour_) currency = "USD";
    // "21.96 USD/h" may stand in the one cell.
    if (currency.empty() && why_no_price(said).empty()) {
      row.price = said;
      return true;
    }
    if (currency.size() != 3 ||
        !std::all_of(currency.begin(), currency.end(), [](char c) { return c >= 'A' && c <= 'Z'; })) {
      fault("a currency of three capital letters, such as USD", currency.empty() ? "none" : currency);
      return false;
    }
    if (said.find(',') != std::string::npos) {
      fault("a price such as 95000 or 0.12", said, "with a point before the decimals and nothing between thousands");
      return false;
    }
    const auto unit = unit_of(dollars_an_hour_ ? "h" : cell(cells, "unit"), currency);
    row.price = said + " " + currency + *unit;
    const std::string why = why_no_price(row.price);
    if (why.empty()) {
      if (said.find_first_not_of("0.") == std::string::npos)
        out_.warnings.push_back("line " + std::to_string(line_) + ": " + shown(row.name) +
                                " costs 0: kept, as free; leave the cell empty where the price is not known");
      return true;
    }
    fault("a price with a unit: each, h, year, kWh, kW-month, GB-month, GB", row.price, why);
    return false;
  }

  bool check_term(PriceRow& row) {
    row.term = lower_case(row.term);
    for (const char* word : {"", "on-demand", "reserved-1y", "reserved-3y", "spot"})
      if (row.term == word) return true;
    fault("a term: on-demand, reserved-1y, reserved-3y or spot", row.term);
    return false;
  }

  bool check_date(const PriceRow& row) {
    if (row.date.empty()) {
      out_.unknown.push_back("line " + std::to_string(line_) + ": of when the price of " + shown(row.name) + " is");
      return true;
    }
    if (months_of(row.date)) return true;
    fault("a date such as 2026-11-30, 2026-11, 2026-Q4 or 2026", row.date);
    return false;
  }

  const std::vector<std::string> lines_;
  const std::string& path_;
  PriceRows out_;
  std::vector<std::size_t> place_;  // of each known column; `width_` where the list has none
  std::size_t width_ = 0;
  char separator_ = ',';
  bool dollars_an_hour_ = false, full_ = false;
  int line_ = 0;
};

}  // namespace

bool is_price_csv(const std::string& text) {
  for (const std::string& raw : lines_of(text.substr(0, 64 << 10))) {
    const std::string line = trimmed(raw);
    if (line.empty() || line[0] == '#') continue;
    return lower_case(line).find("price") != std::string::npos ||
           lower_case(line).find("usd_per_hour") != std::string::npos;
  }
  return false;
}

PriceRows read_price_csv(const std::string& text, const std::string& path) { return CsvReader(text, path).read(); }

}  // namespace clustersim
