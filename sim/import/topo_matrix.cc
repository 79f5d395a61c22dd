#include "sim/import/topo_matrix.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "clustersim/error.h"
#include "sim/import/text_source.h"
#include "sim/import/topo_cells.h"

namespace clustersim {
namespace {

constexpr int kMostNuma = 4097;

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
  Builder(const TopoMatrix& matrix, const std::map<std::string, std::string>& legend)
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
      facts_.warnings.push_back(
          std::to_string(empty_cells_) + " cells of the matrix are empty" +
          (odd_cell_.empty() ? "" : ", or hold no relation as " + shown(odd_cell_, 20) + " does") +
          ": the mirrored ones count");
    if (silent_pairs_ > 0)
      facts_.warnings.push_back(std::to_string(silent_pairs_) +
                                " pairs of GPUs are told in neither row: taken to have no NVLink between them");
    if (impossible_ > 0)
      facts_.warnings.push_back(std::to_string(impossible_) +
                                " cells of the matrix name a number of NVLinks that no GPU "
                                "has, " +
                                shown(impossible_cell_, 20) + " for one: the mirrored ones count, else it is unknown");
    return std::move(facts_);
  }

 private:
  // The relation of two columns, from either row; an impossible one where there is no other.
  std::string relation(std::size_t a, std::size_t b) const {
    std::string impossible;
    for (const TopoRow& row : matrix_.rows) {
      const bool is_a = row.name == matrix_.columns[a], is_b = row.name == matrix_.columns[b];
      const auto found = row.cells.find(is_a ? b : a);
      if ((!is_a && !is_b) || found == row.cells.end() || found->second == "X") continue;
      if (!is_impossible(found->second)) return found->second;
      impossible = found->second;
    }
    return impossible;
  }

  void relate() {
    std::map<std::string, std::size_t> by_place;
    for (const TopoRow& row : matrix_.rows) {
      const std::size_t here = column_of(row.name);
      look_at_cells(row);
      const std::string place = !row.numa.empty() ? row.numa : row.cpus;
      const bool one_place =
          !place.empty() && place != "N/A" && (row.numa.empty() || row.numa.find_first_of("-,") == std::string::npos);
      if (one_place) sockets_.join(by_place.emplace(place, here).first->second, here);
    }
    for (std::size_t a = 0; a < count_; ++a)
      for (std::size_t b = a + 1; b < count_; ++b) {
        const std::string word = relation(a, b);
        if (below_one_switch(word)) switches_.join(a, b);
        if (below_one_switch(word) || on_one_socket(word)) sockets_.join(a, b);
        check_mirror(a, b);
      }
  }

  void look_at_cells(const TopoRow& row) {
    if (odd_cell_.empty()) odd_cell_ = row.odd_cell;
    for (std::size_t c = 0; c < count_; ++c) {
      const auto cell = row.cells.find(c);
      empty_cells_ += cell == row.cells.end();
      if (cell == row.cells.end() || !is_impossible(cell->second)) continue;
      if (++impossible_ == 1) impossible_cell_ = cell->second;
    }
  }

  void check_mirror(std::size_t a, std::size_t b) {
    std::string there, back;
    for (const TopoRow& row : matrix_.rows) {
      if (row.name == matrix_.columns[a] && row.cells.count(b)) there = row.cells.at(b);
      if (row.name == matrix_.columns[b] && row.cells.count(a)) back = row.cells.at(a);
    }
    if (there.empty() || back.empty() || there == back || !unequal_.empty()) return;
    if (is_impossible(there) || is_impossible(back)) return;
    unequal_ = matrix_.columns[a] + " " + matrix_.columns[b] + " is " + there + " and " + back;
  }

  std::size_t column_of(const std::string& name) const {
    return static_cast<std::size_t>(std::find(matrix_.columns.begin(), matrix_.columns.end(), name) -
                                    matrix_.columns.begin());
  }

  // The lowest NUMA node that a row of this socket names.
  std::optional<int> numa_of(std::size_t root) const {
    std::optional<int> numa;
    for (const TopoRow& row : matrix_.rows) {
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
        if (!gpu_number(matrix_.columns[a]) || !gpu_number(matrix_.columns[b])) continue;
        const std::string word = relation(a, b);
        silent_pairs_ += word.empty();
        const auto [first, second] = std::minmax(part_of_column_.at(a), part_of_column_.at(b));
        if (const auto links = nvlinks_of(word)) facts_.cables.push_back({first, second, *links});
        if (is_impossible(word)) facts_.unsure_cables.insert({first, second});
      }
  }

  const TopoMatrix& matrix_;
  const std::map<std::string, std::string>& legend_;
  std::size_t count_;
  Groups sockets_, switches_;
  NodeFacts facts_;
  std::map<std::size_t, int> socket_part_, part_of_column_;
  std::string unequal_, odd_cell_, impossible_cell_;
  int empty_cells_ = 0, impossible_ = 0, silent_pairs_ = 0;
};

// Whether the driver lets GPUs reach each other, from the matrix of topo -p2p.
void take_peers(const TopoMatrix& matrix, NodeFacts& facts) {
  int yes = 0, no = 0;
  std::string why;
  for (const TopoRow& row : matrix.rows)
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
  const std::vector<TopoMatrix> matrices = topo_matrices(lines);
  const auto distances = std::find_if(matrices.begin(), matrices.end(), [](const TopoMatrix& m) { return !m.peer; });
  if (distances == matrices.end()) return std::nullopt;
  const auto legend = nic_legend(lines);
  NodeFacts facts = Builder(*distances, legend).build();
  if (facts.count(PartKind::gpu) == 0) throw InputError({{path, "", "rows of GPUs in the matrix", "none", ""}});
  if (std::count_if(matrices.begin(), matrices.end(), [](const TopoMatrix& m) { return !m.peer; }) > 1)
    facts.warnings.push_back("several topo -m matrices: the first is read");
  for (const TopoMatrix& matrix : matrices)
    if (matrix.peer) take_peers(matrix, facts);
  return facts;
}

}  // namespace clustersim
