#include "sim/import/topo_matrix.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

#include "clustersim/error.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

constexpr std::size_t kMostColumns = 256;
constexpr int kMostNuma = 4097;

const std::set<std::string> kSwitch = {"PIX", "PXB", "PSB"};
const std::set<std::string> kSocket = {"PHB", "NODE"};
const std::set<std::string> kFar = {"SYS", "SOC"};
const std::set<std::string> kPeer = {"OK", "NS", "GNS", "CNS", "TNS", "DR", "U"};

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

// Links of "NV12"; empty for other words.
std::optional<int> nvlinks_of(const std::string& word) {
  if (!word.starts_with("NV") || word.size() < 3) return std::nullopt;
  return whole_number(word.substr(2), 1000);
}

bool is_distance(const std::string& word) {
  return word == "X" || kSwitch.count(word) || kSocket.count(word) || kFar.count(word) || nvlinks_of(word);
}
bool is_relation(const std::string& word) { return is_distance(word) || kPeer.count(word); }

std::optional<int> gpu_number(const std::string& word) {
  return word.starts_with("GPU") ? whole_number(word.substr(3), 4096) : std::nullopt;
}

struct Row {
  std::string name;
  std::map<std::size_t, std::string> cells;  // by column
  std::string cpus, numa;                    // as written, "" where not told
};

struct Matrix {
  std::vector<std::string> columns;
  bool tells_numa = false;
  std::vector<std::size_t> starts;  // where each column's name stands in the header
  std::vector<Row> rows;
  bool peer = false;  // of topo -p2p
};

// The columns of a header row: "GPU0 GPU1 mlx5_0 CPU Affinity NUMA Affinity GPU NUMA ID".
std::optional<Matrix> header_of(const std::string& line) {
  const std::vector<std::string> words = words_of(line);
  if (words.empty() || !gpu_number(words[0])) return std::nullopt;
  Matrix matrix;
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
void take_affinity(const std::vector<std::string>& rest, const Matrix& matrix, Row& row) {
  if (!rest.empty()) row.cpus = rest[0];
  if (rest.size() > 1 && matrix.tells_numa) row.numa = rest[1];
}

void split_at_tabs(const std::string& line, const Matrix& matrix, Row& row) {
  const std::vector<std::string> cells = cells_of(line);
  for (std::size_t c = 0; c < matrix.columns.size() && c + 1 < cells.size(); ++c)
    if (is_relation(cells[c + 1])) row.cells[c] = cells[c + 1];
  std::vector<std::string> rest;
  for (std::size_t i = matrix.columns.size() + 1; i < cells.size(); ++i)
    if (!cells[i].empty()) rest.push_back(cells[i]);
  take_affinity(rest, matrix, row);
}

// In blank-separated text a missing cell shows only in the columns' places.
void split_at_blanks(const std::string& line, const Matrix& matrix, Row& row) {
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

std::vector<Matrix> matrices_of(const std::vector<std::string>& lines) {
  std::vector<Matrix> found;
  std::optional<Matrix> open;
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
    Row row;
    row.name = name;
    const std::string from_name = line.find('\t') == std::string::npos ? line : bare;
    if (line.find('\t') == std::string::npos) {
      split_at_blanks(from_name, *open, row);
    } else {
      split_at_tabs(from_name, *open, row);
    }
    for (const auto& [column, word] : row.cells) open->peer = open->peer || kPeer.count(word) > 0;
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

class Groups {
 public:
  explicit Groups(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }
  std::size_t find(std::size_t i) const {
    while (parent_[i] != i) i = parent_[i];
    return i;
  }
  void join(std::size_t a, std::size_t b) {
    a = find(a), b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> parent_;
};

class Builder {
 public:
  Builder(const Matrix& matrix, const std::map<std::string, std::string>& legend)
      : matrix_(matrix), legend_(legend), count_(matrix.columns.size()), sockets_(count_), switches_(count_) {}

  NodeFacts build() {
    facts_.format = "nvidia-smi topo -m";
    facts_.has_tree = true;
    facts_.shows_nvlink = true;
    relate();
    add_sockets();
    add_devices();
    add_cables();
    if (!unequal_.empty()) facts_.warnings.push_back("the matrix is not symmetric: " + unequal_);
    if (empty_cells_ > 0)
      facts_.warnings.push_back(std::to_string(empty_cells_) +
                                " cells of the matrix are empty: the mirrored ones count");
    return std::move(facts_);
  }

 private:
  // The relation of two columns, from either row.
  std::string relation(std::size_t a, std::size_t b) const {
    for (const Row& row : matrix_.rows) {
      const bool is_a = row.name == matrix_.columns[a], is_b = row.name == matrix_.columns[b];
      const auto found = row.cells.find(is_a ? b : a);
      if ((is_a || is_b) && found != row.cells.end() && found->second != "X") return found->second;
    }
    return "";
  }

  void relate() {
    std::map<std::string, std::size_t> by_place;
    for (const Row& row : matrix_.rows) {
      const std::size_t here = column_of(row.name);
      for (std::size_t c = 0; c < count_; ++c) empty_cells_ += row.cells.count(c) == 0;
      const std::string place = !row.numa.empty() ? row.numa : row.cpus;
      const bool one_place =
          !place.empty() && place != "N/A" && (row.numa.empty() || row.numa.find_first_of("-,") == std::string::npos);
      if (one_place) sockets_.join(by_place.emplace(place, here).first->second, here);
    }
    for (std::size_t a = 0; a < count_; ++a)
      for (std::size_t b = a + 1; b < count_; ++b) {
        const std::string word = relation(a, b);
        if (kSwitch.count(word)) switches_.join(a, b);
        if (kSwitch.count(word) || kSocket.count(word)) sockets_.join(a, b);
        check_mirror(a, b);
      }
  }

  void check_mirror(std::size_t a, std::size_t b) {
    std::string there, back;
    for (const Row& row : matrix_.rows) {
      if (row.name == matrix_.columns[a] && row.cells.count(b)) there = row.cells.at(b);
      if (row.name == matrix_.columns[b] && row.cells.count(a)) back = row.cells.at(a);
    }
    if (there.empty() || back.empty() || there == back || !unequal_.empty()) return;
    unequal_ = matrix_.columns[a] + " " + matrix_.columns[b] + " is " + there + " and " + back;
  }

  std::size_t column_of(const std::string& name) const {
    return static_cast<std::size_t>(std::find(matrix_.columns.begin(), matrix_.columns.end(), name) -
                                    matrix_.columns.begin());
  }

  // The lowest NUMA node that a row of this socket names.
  std::optional<int> numa_of(std::size_t root) const {
    std::optional<int> numa;
    for (const Row& row : matrix_.rows) {
      const auto told = whole_number(row.numa, 4096);
      if (sockets_.find(column_of(row.name)) == root && told) numa = std::min(numa.value_or(*told), *told);
    }
    return numa;
  }

  bool holds_gpu(std::size_t root) const {
    for (std::size_t c = 0; c < count_; ++c)
      if (sockets_.find(c) == root && gpu_number(matrix_.columns[c])) return true;
    return false;
  }

  // Cards that are far from every GPU and name no NUMA node may hang anywhere: they make no socket of their own.
  void add_sockets() {
    std::set<std::size_t> roots, homeless;
    for (std::size_t c = 0; c < count_; ++c) {
      const std::size_t root = sockets_.find(c);
      (holds_gpu(root) || numa_of(root) ? roots : homeless).insert(root);
    }
    if (roots.empty()) roots.swap(homeless);
    std::vector<std::pair<int, std::size_t>> order;  // sockets without a NUMA node behind the others
    for (std::size_t root : roots) order.emplace_back(numa_of(root).value_or(kMostNuma), root);
    std::sort(order.begin(), order.end());
    for (const auto& [numa, root] : order) {
      NodePart socket;
      socket.kind = PartKind::socket;
      if (numa < kMostNuma) socket.number = numa;
      socket_part_[root] = add(socket);
    }
    for (std::size_t root : homeless) socket_part_[root] = socket_part_.at(order.front().second);
    if (!homeless.empty())
      facts_.warnings.push_back(std::to_string(homeless.size()) +
                                " network cards are far from every GPU: they are taken to hang on the first socket");
  }

  int add(const NodePart& part) {
    facts_.parts.push_back(part);
    return static_cast<int>(facts_.parts.size()) - 1;
  }

  void add_devices() {
    std::map<std::size_t, int> size, part_of_switch;
    for (std::size_t c = 0; c < count_; ++c) ++size[switches_.find(c)];
    for (std::size_t c = 0; c < count_; ++c) {
      const std::size_t group = switches_.find(c);
      if (size[group] < 2 || part_of_switch.count(group)) continue;
      NodePart bridge;
      bridge.kind = PartKind::pcie_switch;
      bridge.parent = socket_part_.at(sockets_.find(c));
      part_of_switch[group] = add(bridge);
    }
    for (std::size_t c = 0; c < count_; ++c) {
      NodePart part;
      const auto found = part_of_switch.find(switches_.find(c));
      part.parent = found == part_of_switch.end() ? socket_part_.at(sockets_.find(c)) : found->second;
      part.number = gpu_number(matrix_.columns[c]);
      part.kind = part.number ? PartKind::gpu : PartKind::nic;
      if (!part.number) {
        const auto legend = legend_.find(matrix_.columns[c]);
        part.name = legend == legend_.end() ? matrix_.columns[c] : legend->second;
      }
      part_of_column_[c] = add(part);
    }
  }

  void add_cables() {
    for (std::size_t a = 0; a < count_; ++a)
      for (std::size_t b = a + 1; b < count_; ++b) {
        const bool gpus = gpu_number(matrix_.columns[a]) && gpu_number(matrix_.columns[b]);
        const auto links = gpus ? nvlinks_of(relation(a, b)) : std::nullopt;
        if (links.value_or(0) > 0) facts_.cables.push_back({part_of_column_.at(a), part_of_column_.at(b), *links});
      }
  }

  const Matrix& matrix_;
  const std::map<std::string, std::string>& legend_;
  std::size_t count_;
  Groups sockets_, switches_;
  NodeFacts facts_;
  std::map<std::size_t, int> socket_part_, part_of_column_;
  std::string unequal_;
  int empty_cells_ = 0;
};

// Whether the driver lets GPUs reach each other, from the matrix of topo -p2p.
void take_peers(const Matrix& matrix, NodeFacts& facts) {
  int yes = 0, no = 0;
  std::string why;
  for (const Row& row : matrix.rows)
    for (const auto& [column, word] : row.cells) {
      if (word == "X") continue;
      ++(word == "OK" ? yes : no);
      if (word != "OK") why = word;
    }
  if (yes + no == 0) return;
  facts.peer_access = yes > 0;
  if (yes == 0) facts.remarks.push_back("the driver does not let GPUs reach each other (" + why + ")");
  if (yes > 0 && no > 0)
    facts.warnings.push_back("some pairs of GPUs cannot reach each other (" + why + "): all are taken to");
}

}  // namespace

std::optional<NodeFacts> read_topo_matrix(const std::vector<std::string>& lines, const std::string& path) {
  const std::vector<Matrix> matrices = matrices_of(lines);
  const auto distances = std::find_if(matrices.begin(), matrices.end(), [](const Matrix& m) { return !m.peer; });
  if (distances == matrices.end()) return std::nullopt;
  const auto legend = nic_legend(lines);
  NodeFacts facts = Builder(*distances, legend).build();
  if (facts.count(PartKind::gpu) == 0) throw InputError({{path, "", "rows of GPUs in the matrix", "none", ""}});
  if (std::count_if(matrices.begin(), matrices.end(), [](const Matrix& m) { return !m.peer; }) > 1)
    facts.warnings.push_back("several topo -m matrices: the first is read");
  for (const Matrix& matrix : matrices)
    if (matrix.peer) take_peers(matrix, facts);
  return facts;
}

}  // namespace clustersim
