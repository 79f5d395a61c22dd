// Tables of step times in a diary of training runs in Markdown, with a check of each line.
//
//   | Nodes | Size | DP | TP | PP | MBS |  GBS | Mem  | Sec/it | TFLOPs | Notes |
//   |    48 | 200B | 12 |  8 |  4 |   1 | 2040 | 47GB | 189.06 |  91.67 | 02-20 |
// Seconds x TFLOP/s of a GPU x GPUs / batch is the arithmetic of a sample: the same in all lines of a model's size.
// A line that is off by more than 2 % from the median of its size is marked; so are two lines whose seconds and TFLOP/s
// are exchanged, which the product alone cannot see. Cells such as "xxxx" or "OOM" are no numbers: unknown, never 0.
// Source: bigscience-workshop/bigscience, chronicles of its 176B model. Checked by: tests/sim/import_rows_test.cc
#include <algorithm>
#include <cmath>
#include <map>

#include "clustersim/error.h"
#include "sim/import/csv_cells.h"
#include "sim/import/measured_rows.h"
#include "sim/import/measurement_text.h"
#include "sim/import/text_source.h"
#include "sim/write/readable.h"

namespace clustersim {
namespace {

constexpr std::size_t kMostLines = 100000, kMostColumns = 64;
constexpr double kTolerance = 0.02;

struct Line {
  int number = 0;
  std::map<std::string, std::string> cells;  // by the names below
  std::optional<double> seconds, tflops, product;
  std::string check;
};

// What a column is, "" for others.
std::string column_of(const std::string& header) {
  const std::string name = lower_case(header);
  if (contains(name, "tflop")) return "tflops";
  if (contains(name, "sec") || contains(name, "s/it")) return "seconds";
  for (const char* known : {"nodes", "gpus", "size", "layers", "dp", "tp", "pp", "mbs", "gbs"})
    if (name == known) return known;
  return "";
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells = csv_cells(line, '|').value_or(std::vector<std::string>());
  if (!cells.empty() && cells.front().empty()) cells.erase(cells.begin());
  if (!cells.empty() && cells.back().empty()) cells.pop_back();
  return cells;
}

bool is_ruler(const std::vector<std::string>& cells) {
  return !cells.empty() && std::all_of(cells.begin(), cells.end(), [](const std::string& cell) {
    return !cell.empty() && cell.find_first_not_of("-: ") == std::string::npos;
  });
}

// The columns of a header, where it has the seconds or the TFLOP/s of a step.
std::vector<std::string> header_of(const std::vector<std::string>& cells) {
  std::vector<std::string> columns;
  bool tells = false;
  for (const std::string& cell : cells) {
    columns.push_back(column_of(cell));
    tells = tells || columns.back() == "seconds" || columns.back() == "tflops";
  }
  if (!tells || cells.size() < 2 || cells.size() > kMostColumns) columns.clear();
  return columns;
}

std::optional<double> positive(const std::map<std::string, std::string>& cells, const char* name) {
  const auto found = cells.find(name);
  const auto number = found == cells.end() ? std::nullopt : number_of(found->second);
  return number && *number > 0 && *number < 1e12 ? number : std::nullopt;
}

std::vector<Line> lines_in(const std::string& text) {
  std::vector<Line> found;
  std::vector<std::string> columns, before;
  int number = 0;
  for (const std::string& raw : lines_of(text)) {
    ++number;
    const std::string line = trimmed(raw);
    const std::vector<std::string> cells = line.starts_with("|") ? cells_of(line) : std::vector<std::string>();
    if (is_ruler(cells)) {
      columns = header_of(before);
    } else if (cells.empty()) {
      columns.clear();
    } else if (!columns.empty() && found.size() < kMostLines) {
      Line row;
      row.number = number;
      for (std::size_t c = 0; c < columns.size() && c < cells.size(); ++c)
        if (!columns[c].empty() && !cells[c].empty()) row.cells[columns[c]] = cells[c].substr(0, 60);
      row.seconds = positive(row.cells, "seconds");
      row.tflops = positive(row.cells, "tflops");
      if (!row.cells.empty()) found.push_back(std::move(row));
    }
    before = cells;
  }
  return found;
}

std::string group_of(const Line& line) {
  const auto cell = [&](const char* name) {
    const auto found = line.cells.find(name);
    return found == line.cells.end() ? "" : found->second;
  };
  return std::string(cell("size")) + "/" + cell("layers");
}

// The arithmetic of a sample, in TFLOP a GPU; without GPUs or a batch in the table the same for all its lines.
void multiply(Line& line) {
  if (!line.seconds || !line.tflops) return;
  const double gpus = positive(line.cells, "gpus").value_or(positive(line.cells, "nodes").value_or(1));
  line.product = *line.seconds * *line.tflops * gpus / positive(line.cells, "gbs").value_or(1);
}

void compare(std::vector<Line*>& group) {
  std::vector<double> products;
  for (const Line* line : group) products.push_back(*line->product);
  std::nth_element(products.begin(), products.begin() + static_cast<std::ptrdiff_t>(products.size() / 2),
                   products.end());
  const double median = products[products.size() / 2];
  std::map<std::pair<double, double>, int> seen;  // seconds and TFLOP/s -> line
  for (Line* line : group) {
    const double off = *line->product / median - 1;
    line->check = group.size() < 2              ? "alone"
                  : std::abs(off) <= kTolerance ? "agrees"
                                                : "product off by " + percent(std::abs(off));
    seen.try_emplace({*line->seconds, *line->tflops}, line->number);
  }
  for (Line* line : group) {
    const auto other = seen.find({*line->tflops, *line->seconds});
    if (other != seen.end() && *line->seconds != *line->tflops)
      line->check = "seconds and TFLOP/s exchanged here or in line " + std::to_string(other->second);
  }
}

void check(std::vector<Line>& lines) {
  std::map<std::string, std::vector<Line*>> groups;
  for (Line& line : lines) {
    multiply(line);
    if (line.product) groups[group_of(line)].push_back(&line);
  }
  for (auto& [name, group] : groups) compare(group);
}

}  // namespace

bool is_step_table(const std::string& text) {
  std::vector<std::string> before;
  for (const std::string& raw : lines_of(text)) {
    const std::string line = trimmed(raw);
    const std::vector<std::string> cells = line.starts_with("|") ? cells_of(line) : std::vector<std::string>();
    if (is_ruler(cells) && !header_of(before).empty()) return true;
    before = cells;
  }
  return false;
}

Imported import_step_tables(const std::vector<std::string>& paths) {
  static constexpr const char* kColumns[] = {"nodes", "gpus", "size", "layers", "dp", "tp", "pp", "mbs", "gbs"};
  Imported out;
  out.format = "tables of step times (Markdown)";
  for (const char* column : kColumns) out.document += std::string(column) + ",";
  out.document += "seconds,tflops,check,line\n";
  std::size_t rows = 0, agree = 0, without = 0;
  for (const std::string& path : paths) {
    std::vector<Line> lines = lines_in(clean_text(read_source(path, kMaxFileBytes)));
    check(lines);
    for (const Line& line : lines) {
      if (!line.seconds && !line.tflops) {
        ++without;
        continue;
      }
      ++rows;
      agree += line.check == "agrees";
      for (const char* column : kColumns) {
        const auto found = line.cells.find(column);
        out.document += (found == line.cells.end() ? "" : csv_cell(found->second)) + ",";
      }
      const auto number = [](const std::optional<double>& value) { return value ? number_cell(*value) : ""; };
      out.document += number(line.seconds) + "," + number(line.tflops) + "," + line.check + "," +
                      std::to_string(line.number) + "\n";
      constexpr std::size_t most_told = 20;
      if (!line.check.empty() && line.check != "agrees" && line.check != "alone" && out.warnings.size() < most_told)
        out.warnings.push_back("line " + std::to_string(line.number) + ": " + line.check);
    }
  }
  if (rows == 0)
    throw InputError({{paths.front(), "", "a table with seconds or TFLOP/s of steps", "none with a number", ""}});
  out.known.push_back(std::to_string(rows) + " rows");
  out.known.push_back(std::to_string(agree) +
                      " of them agree with others of their size: seconds x TFLOP/s x GPUs / batch within " +
                      percent(kTolerance));
  if (without > 0)
    out.unknown.push_back(std::to_string(without) + " lines without a number (out of memory, not run): left out");
  return out;
}

}  // namespace clustersim
