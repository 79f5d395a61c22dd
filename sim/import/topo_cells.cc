#include "sim/import/topo_cells.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "sim/import/node_facts.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

constexpr std::size_t kMostColumns = 256;

const std::set<std::string> kFar = {"SYS", "SOC"};

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word && words.size() <= kMostColumns;) words.push_back(word);
  return words;
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (char c : line) {
    if (c == '\t') {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  for (std::string& cell : cells) cell = trimmed(cell);
  return cells;
}

// "NV12", and what has its form in a number that no GPU has: "NV999", "NV-3", "NV0", or in none: "NVx".
bool is_nvlink(const std::string& word) {
  return word.starts_with("NV") && word.size() > 2 &&
         word.find_first_not_of("+-.0123456789xX?#", 2) == std::string::npos;
}

bool is_distance(const std::string& word) {
  return word == "X" || below_one_switch(word) || on_one_socket(word) || kFar.count(word) || is_nvlink(word);
}
bool is_relation(const std::string& word) { return is_distance(word) || is_peer_word(word); }

// The columns of a header row: "GPU0 GPU1 mlx5_0 CPU Affinity NUMA Affinity GPU NUMA ID".
std::optional<TopoMatrix> header_of(const std::string& line) {
  const std::vector<std::string> words = words_of(line);
  if (words.empty() || !gpu_number(words[0])) return std::nullopt;
  TopoMatrix matrix;
  std::size_t at = 0;
  for (const std::string& word : words) {
    if (word == "CPU" || word == "NUMA") break;
    if (is_relation(word) || word.find(':') != std::string::npos) return std::nullopt;  // a row, or another text
    if (word == "GPU") return std::nullopt;
    matrix.columns.push_back(word);
    at = line.find(word, at);
    matrix.starts.push_back(at);
    at += word.size();
  }
  matrix.tells_numa = line.find("NUMA Affinity") != std::string::npos;
  if (matrix.columns.size() > kMostColumns) return std::nullopt;
  return matrix;
}

// What stands right of the matrix: the processors near a GPU, and its NUMA nodes.
void take_affinity(const std::vector<std::string>& rest, const TopoMatrix& matrix, TopoRow& row) {
  if (!rest.empty()) row.cpus = rest[0];
  if (rest.size() > 1 && matrix.tells_numa) row.numa = rest[1];
}

void split_at_tabs(const std::string& line, const TopoMatrix& matrix, TopoRow& row) {
  const std::vector<std::string> cells = cells_of(line);
  for (std::size_t c = 0; c < matrix.columns.size() && c + 1 < cells.size(); ++c) {
    if (is_relation(cells[c + 1])) row.cells[c] = cells[c + 1];
    if (!is_relation(cells[c + 1]) && row.odd_cell.empty()) row.odd_cell = cells[c + 1];
  }
  std::vector<std::string> rest;
  for (std::size_t i = matrix.columns.size() + 1; i < cells.size(); ++i)
    if (!cells[i].empty()) rest.push_back(cells[i]);
  take_affinity(rest, matrix, row);
}

// In blank-separated text a missing cell shows only in the columns' places.
void split_at_blanks(const std::string& line, const TopoMatrix& matrix, TopoRow& row) {
  std::vector<std::string> words = words_of(line);
  words.erase(words.begin());
  std::size_t relations = 0;
  while (relations < words.size() && relations < matrix.columns.size() && is_relation(words[relations])) ++relations;
  const bool complete = relations == matrix.columns.size();
  std::size_t at = row.name.size();
  for (std::size_t i = 0; i < relations; ++i) {
    at = line.find(words[i], at);
    std::size_t column = i;
    if (!complete)
      for (std::size_t c = 0; c < matrix.starts.size(); ++c)
        if (matrix.starts[c] <= at + 2) column = std::max(i, c);  // names and cells are set flush left, " X " by one
    at += words[i].size();
    row.cells[column] = words[i];
  }
  take_affinity({words.begin() + static_cast<std::ptrdiff_t>(relations), words.end()}, matrix, row);
}

}  // namespace

bool below_one_switch(const std::string& word) { return word == "PIX" || word == "PXB" || word == "PSB"; }
bool on_one_socket(const std::string& word) { return word == "PHB" || word == "NODE"; }
bool is_peer_word(const std::string& word) {
  static const std::set<std::string> words = {"OK", "NS", "GNS", "CNS", "TNS", "DR", "U"};
  return words.count(word) > 0;
}

std::optional<int> nvlinks_of(const std::string& word) {
  if (!is_nvlink(word)) return std::nullopt;
  const auto links = whole_number(word.substr(2), kMostGpuLinks);
  return links.value_or(0) > 0 ? links : std::nullopt;
}
bool is_impossible(const std::string& word) { return is_nvlink(word) && !nvlinks_of(word); }

std::optional<int> gpu_number(const std::string& word) {
  return word.starts_with("GPU") ? whole_number(word.substr(3), 4096) : std::nullopt;
}

std::vector<TopoMatrix> topo_matrices(const std::vector<std::string>& lines) {
  std::vector<TopoMatrix> found;
  std::optional<TopoMatrix> open;
  const auto close = [&] {
    if (open && !open->rows.empty() && found.size() < 16) found.push_back(*open);
    open.reset();
  };
  for (const std::string& raw : lines) {
    std::string line = without_prefix(raw);
    std::replace(line.begin(), line.end(), '|', '\t');  // a table of Markdown
    const std::string bare = trimmed(line);
    if (auto header = header_of(bare)) {
      close();
      open = header_of(line);
      continue;
    }
    if (!open || bare.empty()) {
      if (open && !open->rows.empty()) close();
      continue;
    }
    const std::string name = words_of(bare)[0];
    if (std::find(open->columns.begin(), open->columns.end(), name) == open->columns.end()) {
      close();
      continue;
    }
    TopoRow row;
    row.name = name;
    const std::string from_name = line.find('\t') == std::string::npos ? line : bare;
    if (line.find('\t') == std::string::npos) {
      split_at_blanks(from_name, *open, row);
    } else {
      split_at_tabs(from_name, *open, row);
    }
    for (const auto& [column, word] : row.cells) open->peer = open->peer || is_peer_word(word);
    open->rows.push_back(row);
  }
  close();
  return found;
}

// "NIC0: mlx5_0" of the legend.
std::map<std::string, std::string> nic_legend(const std::vector<std::string>& lines) {
  std::map<std::string, std::string> names;
  for (const std::string& raw : lines) {
    const std::string line = trimmed(raw);
    const std::size_t colon = line.find(": ");
    if (!line.starts_with("NIC") || colon == std::string::npos || !whole_number(line.substr(3, colon - 3))) continue;
    names.emplace(line.substr(0, colon), trimmed(line.substr(colon + 2)));
  }
  return names;
}

}  // namespace clustersim
