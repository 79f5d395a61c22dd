// The table that nvidia-smi prints without options: product, address, memory and power limit of each GPU.
//
//   |   0  NVIDIA H100 80GB HBM3          On  |   00000000:00:09.0 Off |                    0 |
//   | N/A   41C    P0             69W /  700W |       0MiB /  81559MiB |      0%      Default |
// Drivers cut long names off ("NVIDIA A100-SXM..."); product_names.h finds the product by what is left and the memory.
// Tables of a loop, or of an idle and a loaded time, are of the same GPUs.
// Checked by: tests/sim/import_smi_test.cc.
#include <algorithm>
#include <map>
#include <set>

#include "sim/import/smi_query.h"
#include "sim/import/smi_report.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

constexpr std::size_t most_gpus = 1024, most_cells = 16;

// What stands between the bars of "| a | b | c |"; nothing for another line.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  if (line.size() < 2 || line.front() != '|' || line.back() != '|') return cells;
  for (std::size_t from = 1; from < line.size() && cells.size() < most_cells;) {
    const std::size_t bar = std::min(line.find('|', from), line.size());
    cells.push_back(trimmed(line.substr(from, bar - from)));
    from = bar + 1;
  }
  return cells;
}

std::string word(const std::string& text, bool last) {
  const std::size_t blank = last ? text.find_last_of(" \t") : text.find_first_of(" \t");
  if (blank == std::string::npos) return text;
  return last ? text.substr(blank + 1) : text.substr(0, blank);
}

// "0  NVIDIA H100 80GB HBM3  On" and "00000000:00:09.0 Off".
std::optional<NodePart> gpu_of(const std::vector<std::string>& cells) {
  if (cells.size() != 3) return std::nullopt;
  NodePart part;
  part.kind = PartKind::gpu;
  const std::string number = word(cells[0], false);
  part.number = whole_number(number, 4096);
  part.bus_id = bus_id_of(word(cells[1], false));
  if (!part.number || part.bus_id.empty()) return std::nullopt;
  const std::string rest = trimmed(cells[0].substr(number.size()));
  const std::string mode = word(rest, true);  // persistence, or the driver's model on Windows
  const bool error =
      smi_error(mode) || smi_error(rest) || rest.starts_with("ERR!") || rest.starts_with("Unknown Error");
  if (!error && mode != "On" && mode != "Off" && mode != "N/A" && mode != "WDDM" && mode != "TCC" && mode != "MCDM")
    return std::nullopt;
  if (!rest.starts_with("ERR!") && !rest.starts_with("Unknown Error"))
    part.name = trimmed(rest.substr(0, rest.size() - mode.size()));
  return part;
}

bool holds_error(const std::vector<std::string>& cells) {
  return std::any_of(cells.begin(), cells.end(), [](const std::string& cell) {
    return cell.find("ERR!") != std::string::npos || cell.find("Unknown Error") != std::string::npos;
  });
}

// What follows the last " / ": "700W" of "N/A 41C P0 69W / 700W".
std::optional<double> total_in(const std::string& cell) {
  const std::size_t slash = cell.rfind("/ ");
  return slash == std::string::npos ? std::nullopt : smi_quantity(trimmed(cell.substr(slash + 2)), "none");
}

}  // namespace

std::optional<NodeFacts> read_smi_table(const std::vector<std::string>& lines, const std::string&) {
  std::map<std::string, NodePart> gpus;
  NodePart* open = nullptr;
  bool mig = false;
  std::set<int> lost;
  for (const std::string& raw : lines) {
    const std::vector<std::string> cells = cells_of(trimmed(without_prefix(raw)));
    if (const auto gpu = gpu_of(cells)) {
      if (holds_error(cells)) lost.insert(*gpu->number);
      if (gpus.size() >= most_gpus && gpus.count(gpu->bus_id) == 0) continue;
      open = &gpus.try_emplace(gpu->bus_id, *gpu).first->second;
      continue;
    }
    if (cells.size() != 3) {
      open = nullptr;
      continue;
    }
    if (open == nullptr) continue;
    if (holds_error(cells)) lost.insert(*open->number);
    if (const auto watts = total_in(cells[0])) open->power_limit_w = watts;
    if (const auto bytes = total_in(cells[1])) open->memory_bytes = bytes;
    mig = mig || cells[2] == "Enabled";
  }
  if (gpus.empty()) return std::nullopt;
  NodeFacts facts;
  facts.format = "nvidia-smi";
  for (const auto& [bus, part] : gpus) facts.parts.push_back(part);
  facts.warnings = smi_lost({lost.begin(), lost.end()}, "ERR!");
  if (mig) facts.warnings.push_back("GPUs with MIG enabled: whole GPUs are simulated");
  return facts;
}

}  // namespace clustersim
