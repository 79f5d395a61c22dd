#include "sim/import/rocm_smi.h"

#include <algorithm>
#include <map>
#include <set>

#include "sim/import/measurement_text.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

constexpr std::size_t most_gpus = 256;

enum class Table { none, weight, type };

// "=== Weight between two GPUs ===", "LINK TYPE TABLE:"; of another title none.
std::optional<Table> title_of(const std::string& line) {
  const bool title = contains(line, "between two GPUs") || line.ends_with("TABLE:") || line.starts_with("====");
  if (!title) return std::nullopt;
  if (contains_any_case(line, "weight")) return Table::weight;
  return contains_any_case(line, "link type") ? Table::type : Table::none;
}

bool is_gpu(const std::string& word) {
  return !bus_id_of(word).empty() || (word.starts_with("GPU") && whole_number(word.substr(3), 4096));
}

// "GPU[3]		: (Topology) Numa Node: 1" -> 3 and "1"; nothing for a line without the key.
std::optional<std::pair<int, std::string>> value_of(const std::string& line, const std::string& key) {
  const std::size_t at = line.find(key), close = line.find(']');
  if (!line.starts_with("GPU[") || at == std::string::npos || close == std::string::npos) return std::nullopt;
  const auto number = whole_number(line.substr(4, close - 4), 4096);
  if (!number) return std::nullopt;
  return std::pair{*number, trimmed(line.substr(at + key.size()))};
}

struct Found {
  std::vector<std::string> gpus;  // as the first table names them
  std::map<std::pair<std::string, std::string>, std::string> types;
  std::map<std::pair<std::string, std::string>, int> weights;
  std::map<int, int> numa;
  std::map<int, std::string> names;
};

Found find(const std::vector<std::string>& lines) {
  Found found;
  Table open = Table::none;
  std::vector<std::string> columns;
  for (const std::string& raw : lines) {
    const std::string line = trimmed(without_prefix(raw));
    if (const auto title = title_of(line)) {
      open = *title;
      columns.clear();
      continue;
    }
    if (const auto numa = value_of(line, "Numa Node:"))
      if (const auto node = whole_number(numa->second, 4096)) found.numa[numa->first] = *node;
    for (const char* key : {"Card Series:", "Card series:"})
      if (const auto name = value_of(line, key)) found.names[name->first] = name->second;
    const auto words = words_of(line);
    if (open == Table::none || words.empty() || !is_gpu(words[0])) continue;
    if (columns.empty()) {
      if (words.size() <= most_gpus && std::all_of(words.begin(), words.end(), is_gpu)) columns = words;
      if (found.gpus.empty()) found.gpus = columns;
      continue;
    }
    for (std::size_t i = 1; i < words.size() && i <= columns.size(); ++i) {
      const std::pair pair{words[0], columns[i - 1]};
      if (open == Table::type) found.types[pair] = words[i];
      if (const auto weight = whole_number(words[i], 100000); weight && open == Table::weight)
        found.weights[pair] = *weight;
    }
  }
  return found;
}

}  // namespace

std::optional<NodeFacts> read_rocm_smi(const std::vector<std::string>& lines, const std::string&) {
  const Found found = find(lines);
  const bool by_xgmi = std::any_of(found.types.begin(), found.types.end(),
                                   [](const auto& t) { return t.second == "XGMI" || t.second == "PCIE"; });
  if (found.gpus.empty() || !by_xgmi) return std::nullopt;
  NodeFacts facts;
  facts.format = "rocm-smi --showtopo";
  facts.shows_nvlink = facts.xgmi = true;
  std::map<int, int> socket_of;  // by NUMA node
  facts.has_tree = found.numa.size() == found.gpus.size();
  if (facts.has_tree)
    for (const auto& [gpu, numa] : found.numa) socket_of.emplace(numa, 0);
  for (auto& [numa, part] : socket_of) {
    part = static_cast<int>(facts.parts.size());
    NodePart socket;
    socket.kind = PartKind::socket;
    socket.number = numa;
    facts.parts.push_back(socket);
  }
  std::vector<int> part_of;
  for (std::size_t g = 0; g < found.gpus.size(); ++g) {
    NodePart gpu;
    gpu.number = static_cast<int>(g);
    gpu.bus_id = bus_id_of(found.gpus[g]);
    if (const auto name = found.names.find(*gpu.number); name != found.names.end()) gpu.name = name->second;
    if (const auto numa = found.numa.find(*gpu.number); facts.has_tree && numa != found.numa.end())
      gpu.parent = socket_of.at(numa->second);
    part_of.push_back(static_cast<int>(facts.parts.size()));
    facts.parts.push_back(gpu);
  }
  const auto type = [&](std::size_t a, std::size_t b) {
    const auto at = found.types.find({found.gpus[a], found.gpus[b]});
    return at == found.types.end() ? std::string() : at->second;
  };
  const auto weight = [&](std::size_t a, std::size_t b) {
    const auto at = found.weights.find({found.gpus[a], found.gpus[b]});
    return at == found.weights.end() ? 0 : at->second;
  };
  int least = 0, far = 0;
  for (std::size_t a = 0; a < part_of.size(); ++a)
    for (std::size_t b = a + 1; b < part_of.size(); ++b)
      if (type(a, b) == "XGMI" && weight(a, b) > 0 && (least == 0 || weight(a, b) < least)) least = weight(a, b);
  for (std::size_t a = 0; a < part_of.size(); ++a)
    for (std::size_t b = a + 1; b < part_of.size(); ++b) {
      if (type(a, b) != "XGMI") continue;
      if (weight(a, b) == least)
        facts.cables.push_back({part_of[a], part_of[b], 1});
      else
        ++far;
    }
  if (far > 0) facts.remarks.push_back(std::to_string(far) + " pairs of GPUs reach each other over others' xGMI links");
  return facts;
}

}  // namespace clustersim
