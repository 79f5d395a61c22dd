#include "sim/import/smi_report.h"

#include <algorithm>
#include <map>
#include <pugixml.hpp>
#include <set>

#include "clustersim/error.h"
#include "sim/import/smi_query.h"
#include "sim/import/text_source.h"
#include "sim/import/xml_file.h"

namespace clustersim {
namespace {

constexpr std::size_t kMostGpus = 1024;
const std::string mig_text = "GPUs with MIG enabled: whole GPUs are simulated";

// "16x" as 16; the first whole number of "4" or "16x".
std::optional<int> leading_number(const std::string& text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  return whole_number(text.substr(0, end), 100000);
}

// What a report says of one GPU, by the path of its headings or elements.
struct Slot {
  std::optional<int> generation, device, host, width, width_now;
  bool mig = false;
  std::string error;  // that stood in the place of a value
};

void finish(const Slot& slot, NodePart& part, NodeFacts& facts) {
  for (const auto& told : {slot.generation, slot.device, slot.host})
    if (told.value_or(0) > 0) part.generation = std::min(part.generation.value_or(*told), *told);
  part.lanes = slot.width;
  // A second report of one GPU, idle and loaded: the widest link seen is what its slot gives.
  for (NodePart& known : facts.parts) {
    if (part.bus_id.empty() || known.bus_id != part.bus_id) continue;
    const int seen = slot.width_now.value_or(0);
    if (known.lanes && seen > *known.lanes) known.lanes = seen;
    return;
  }
  if (slot.width_now.value_or(0) > 0) {
    if (slot.width && *slot.width_now < *slot.width)
      facts.warnings.push_back("GPU " + std::to_string(facts.count(PartKind::gpu)) + " runs on " +
                               std::to_string(*slot.width_now) + " of " + std::to_string(*slot.width) +
                               " lanes: the slot's width is taken");
    part.lanes = slot.width_now;
  }
  facts.parts.push_back(part);
}

// The headings above a line of -q, by indentation.
class Headings {
 public:
  void enter(std::size_t indent, const std::string& name) {
    leave(indent);
    open_.emplace_back(indent, name);
  }
  void leave(std::size_t indent) {
    while (!open_.empty() && open_.back().first >= indent) open_.pop_back();
  }
  // "GPU Link Info/PCIe Generation/Max" ends the path of this key.
  std::string path(const std::string& key) const {
    std::string text;
    for (const auto& [indent, name] : open_) text += name + "/";
    return text + key;
  }

 private:
  std::vector<std::pair<std::size_t, std::string>> open_;
};

void take(const std::string& path, const std::string& value, NodePart& part, Slot& slot, std::set<std::string>& slow) {
  const auto ends = [&](const char* tail) { return path.ends_with(tail); };
  if (path.find("MIG Device") != std::string::npos) return;  // a slice of the GPU
  if (smi_error(value)) {
    slot.error = value;
    return;
  }
  if (ends("MIG Mode/Current")) slot.mig = value == "Enabled";
  if (ends("/Product Name") || path == "Product Name") part.name = value;
  if (ends("PCIe Generation/Max")) slot.generation = leading_number(value);
  if (ends("PCIe Generation/Device Max")) slot.device = leading_number(value);
  if (ends("PCIe Generation/Host Max")) slot.host = leading_number(value);
  if (ends("Link Width/Max")) slot.width = leading_number(value);
  if (ends("Link Width/Current")) slot.width_now = leading_number(value);
  if (ends("FB Memory Usage/Total")) part.memory_bytes = smi_quantity(value, "");
  if (ends("Max Clocks/SM")) part.clock_hz = smi_quantity(value, "");
  const bool power = path.find("Power Readings/") != std::string::npos && path.find("Module") == std::string::npos;
  if (power && (ends("/Power Limit") || ends("/Current Power Limit"))) part.power_limit_w = smi_quantity(value, "");
  if (value == "Active" && (ends("/HW Slowdown") || ends("/HW Thermal Slowdown") || ends("/HW Power Brake Slowdown")))
    slow.insert(path.substr(path.rfind('/') + 1));
}

const char* const kUuid = " (UUID: GPU-";

struct NamedGpus {
  std::vector<int> numbers;
  std::string name;
};

// "GPU 0: NVIDIA L4 (UUID: GPU-...)" of the driver; "GPU 0: NVIDIA L4" and "GPU 0,1: NVIDIA L4" of environment reports.
std::optional<NamedGpus> gpus_named_in(const std::string& line) {
  const std::size_t uuid = line.find(kUuid), colon = line.find(": ");
  if (!line.starts_with("GPU ") || colon == std::string::npos || colon > uuid) return std::nullopt;
  NamedGpus found;
  found.name = trimmed(line.substr(colon + 2, uuid == std::string::npos ? uuid : uuid - colon - 2));
  const bool brand = found.name.starts_with("NVIDIA ") || found.name.starts_with("Tesla ") ||
                     found.name.starts_with("GeForce ") || found.name.starts_with("Quadro ");
  if (uuid == std::string::npos && !brand) return std::nullopt;
  for (std::size_t from = 4; from < colon && found.numbers.size() < kMostGpus;) {
    const std::size_t end = std::min(line.find(',', from), colon);
    const auto number = whole_number(line.substr(from, end - from), 4096);
    if (!number) return std::nullopt;
    found.numbers.push_back(*number);
    from = end + 1;
  }
  if (found.numbers.empty()) return std::nullopt;
  return found;
}

// The links of one GPU that are up, of those that are listed.
void take_links(const std::map<int, std::string>& links, NodePart& part, std::map<std::string, int>& rates,
                NodeFacts& facts) {
  int up = 0;
  for (const auto& [link, rate] : links)
    if (!rate.empty() && ++up > 0) ++rates[rate];
  if (up > kMostGpuLinks) {
    facts.warnings.push_back("GPU " + std::to_string(*part.number) + ": " + std::to_string(up) +
                             " NVLinks are more than any GPU has: unknown");
    return;
  }
  part.nvlinks = up;
  if (up < static_cast<int>(links.size()) && up > 0)
    facts.warnings.push_back("GPU " + std::to_string(*part.number) + ": " +
                             std::to_string(static_cast<int>(links.size()) - up) + " of " +
                             std::to_string(links.size()) + " NVLinks are down");
}

}  // namespace

std::optional<NodeFacts> read_smi_report(const std::vector<std::string>& lines, const std::string&) {
  NodeFacts facts;
  facts.format = "nvidia-smi -q";
  std::optional<NodePart> part;
  Slot slot;
  Headings headings;
  std::set<std::string> slow;
  bool is_report = false;
  int mig = 0;
  std::vector<int> lost;
  std::string error;
  const auto close = [&] {
    if (part && !slot.error.empty()) {
      lost.push_back(*part->number);
      error = slot.error;
    }
    if (part) finish(slot, *part, facts);
    if (part) mig += slot.mig;
    part.reset();
    slot = {};
  };
  for (const std::string& raw : lines) {
    const std::string line = without_prefix(raw), bare = trimmed(line);
    if (bare.empty()) continue;
    const std::size_t indent = line.find_first_not_of(" \t");
    const std::size_t colon = bare.find(" : ");
    if (indent == 0 && bare.starts_with("GPU ") && !bus_id_of(bare.substr(4)).empty()) {
      close();
      if (facts.parts.size() >= kMostGpus) break;
      part.emplace();
      part->kind = PartKind::gpu;
      part->bus_id = bus_id_of(bare.substr(4));
      part->number = static_cast<int>(facts.parts.size());
      headings = {};
    } else if (part && colon == std::string::npos && smi_error(bare)) {
      slot.error = bare;  // in the place of the whole section
    } else if (part && colon == std::string::npos && bare.back() != ':') {
      headings.enter(indent, bare);
    } else if (part && colon != std::string::npos) {
      headings.leave(indent);
      const std::string key = trimmed(bare.substr(0, colon));
      is_report = is_report || key == "Product Name";
      take(headings.path(key), trimmed(bare.substr(colon + 3)), *part, slot, slow);
    }
  }
  close();
  if (!is_report) return std::nullopt;
  const std::vector<std::string> silent = smi_lost(lost, error);
  facts.warnings.insert(facts.warnings.end(), silent.begin(), silent.end());
  for (const std::string& reason : slow) facts.warnings.push_back("a GPU was slowed down while sampled: " + reason);
  if (mig > 0) facts.warnings.push_back(mig_text);
  return facts;
}

std::optional<NodeFacts> read_smi_links(const std::vector<std::string>& lines, const std::string&) {
  std::map<int, NodePart> gpus;
  std::map<int, std::map<int, std::string>> links;  // of a GPU by its number: rates, "" where a link is down
  bool has_links = false, by_driver = false;
  const NodePart* open = nullptr;
  for (const std::string& raw : lines) {
    const std::string line = trimmed(without_prefix(raw));
    const std::size_t colon = line.find(": ");
    if (const auto listed = gpus_named_in(line)) {
      by_driver = by_driver || line.find(kUuid) != std::string::npos;
      for (const int number : listed->numbers) {
        if (gpus.size() >= kMostGpus) break;
        NodePart& part = gpus[number];
        part.kind = PartKind::gpu;
        part.number = number;
        part.name = listed->name;
        open = &part;
      }
      continue;
    }
    if (open == nullptr || !line.starts_with("Link ") || colon == std::string::npos) continue;
    const auto link = whole_number(line.substr(5, colon - 5), 1000);
    const std::string state = trimmed(line.substr(colon + 2));
    const bool rate = state.ends_with("GB/s");
    if (!link || (!rate && state != "<inactive>" && state != "inactive")) continue;
    has_links = true;
    std::string& seen = links[*open->number][*link];
    if (rate) seen = state;
  }
  if (gpus.empty()) return std::nullopt;
  NodeFacts facts;
  facts.format = has_links ? "nvidia-smi nvlink -s" : by_driver ? "nvidia-smi -L" : "a list of GPUs";
  std::map<std::string, int> rates;
  for (auto& [number, part] : gpus) {
    if (const auto found = links.find(number); found != links.end()) take_links(found->second, part, rates, facts);
    facts.parts.push_back(part);
  }
  for (const auto& [rate, count] : rates)
    facts.remarks.push_back(std::to_string(count) + " NVLinks up, line rate " + shown(rate, 20) + " each way");
  return facts;
}

bool is_smi_xml(const std::string& text) { return xml_root(text) == "nvidia_smi_log"; }

NodeFacts read_smi_xml(const std::string& text, const std::string& path) {
  pugi::xml_document document;
  parse_xml(text, path, document);
  NodeFacts facts;
  facts.format = "nvidia-smi -q -x";
  bool mig = false;
  std::vector<int> lost;
  std::string error;
  for (const pugi::xml_node& gpu : document.child("nvidia_smi_log").children("gpu")) {
    if (facts.parts.size() >= kMostGpus) break;
    const auto text_at = [&](const char* place) { return trimmed(gpu.first_element_by_path(place).text().get()); };
    NodePart part;
    part.kind = PartKind::gpu;
    part.number = static_cast<int>(facts.parts.size());
    part.bus_id = bus_id_of(gpu.attribute("id").value());
    part.name = text_at("product_name");
    for (const char* place : {"product_name", "uuid", "fb_memory_usage/total", "pci/pci_bus_id"})
      if (smi_error(text_at(place)) && (lost.empty() || lost.back() != *part.number)) {
        lost.push_back(*part.number);
        error = text_at(place);
      }
    if (smi_error(part.name)) part.name.clear();
    part.memory_bytes = smi_quantity(text_at("fb_memory_usage/total"), "");
    part.clock_hz = smi_quantity(text_at("max_clocks/sm_clock"), "");
    for (const char* place : {"power_readings/power_limit", "gpu_power_readings/current_power_limit"})
      if (const auto watts = smi_quantity(text_at(place), "")) part.power_limit_w = watts;
    Slot slot;
    slot.generation = leading_number(text_at("pci/pci_gpu_link_info/pcie_gen/max_link_gen"));
    slot.device = leading_number(text_at("pci/pci_gpu_link_info/pcie_gen/max_device_link_gen"));
    slot.host = leading_number(text_at("pci/pci_gpu_link_info/pcie_gen/max_host_link_gen"));
    slot.width = leading_number(text_at("pci/pci_gpu_link_info/link_widths/max_link_width"));
    slot.width_now = leading_number(text_at("pci/pci_gpu_link_info/link_widths/current_link_width"));
    mig = mig || text_at("mig_mode/current_mig") == "Enabled";
    finish(slot, part, facts);
  }
  const std::vector<std::string> silent = smi_lost(lost, error);
  facts.warnings.insert(facts.warnings.end(), silent.begin(), silent.end());
  if (mig) facts.warnings.push_back(mig_text);
  if (facts.parts.empty()) throw InputError({{path, "", "GPUs in nvidia-smi's log", "none", ""}});
  return facts;
}

}  // namespace clustersim
