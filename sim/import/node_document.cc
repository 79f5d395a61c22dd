#include "sim/import/node_document.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "clustersim/units_text.h"
#include "sim/import/node_choices.h"

namespace clustersim {
namespace {

using Json = nlohmann::ordered_json;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::string count_of(int n, const std::string& thing) { return std::to_string(n) + " " + thing + (n == 1 ? "" : "s"); }

std::string slot_id(const NodePart& part) {
  if (!part.generation || !part.lanes) return "";
  return "pcie" + std::to_string(*part.generation) + "-x" + std::to_string(*part.lanes);
}

class Writer {
 public:
  Writer(NodeFacts facts, NodeChoices choices) : facts_(std::move(facts)), choices_(std::move(choices)) {}

  Imported write() {
    say_parts();
    Imported imported;
    imported.format = facts_.format;
    imported.document = document().dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    imported.known = std::move(choices_.known);
    imported.unknown = std::move(choices_.unknown);
    imported.warnings = std::move(choices_.warnings);
    return imported;
  }

 private:
  void say_parts() {
    std::vector<std::string> lines;
    const int gpus = facts_.count(PartKind::gpu);
    lines.push_back(count_of(gpus, "GPU") + (choices_.gpu.id.empty() ? "" : ": " + choices_.gpu.id) +
                    (choices_.gpu_from.empty() ? "" : " (" + choices_.gpu_from + ")"));
    if (facts_.has_tree && !choices_.tree_assumed) {
      std::string text =
          count_of(choices_.sockets, "socket") + ", " + count_of(facts_.count(PartKind::pcie_switch), "PCIe switch");
      if (text.ends_with("switchs")) text.replace(text.size() - 1, 1, "es");
      lines.push_back(text);
    }
    if (const int nics = facts_.count(PartKind::nic); nics > 0) lines.push_back(count_of(nics, "network card"));
    choices_.known.insert(choices_.known.begin(), lines.begin(), lines.end());
    choices_.known.insert(choices_.known.end(), facts_.remarks.begin(), facts_.remarks.end());
    choices_.warnings.insert(choices_.warnings.begin(), facts_.warnings.begin(), facts_.warnings.end());
  }

  Json document() {
    Json json;
    json["clustersim_topology"] = 1;
    json["format"] = facts_.format;
    if (!choices_.gpu.id.empty()) json["gpu"] = choices_.gpu.id;
    json["gpus"] = facts_.count(PartKind::gpu);
    if (!choices_.cpu.empty()) json["cpu"] = choices_.cpu;
    if (choices_.sockets > 0) json["sockets"] = choices_.sockets;
    if (facts_.memory_bytes) json["memory"] = format_quantity(Bytes::from_base(*facts_.memory_bytes), "GiB");
    if (!choices_.socket_link.empty()) json["socket_link"] = choices_.socket_link;
    if (choices_.p2p) json["p2p"] = *choices_.p2p;
    if (!choices_.slot.empty()) json["slot"] = choices_.slot;
    if (!choices_.fabric.shape.empty()) json["gpu_fabric"] = fabric();
    for (const auto& [id, count] : choices_.nics) json["nics"].push_back({{"id", id}, {"count", count}});
    if (facts_.has_tree) json["pcie_tree"] = tree();
    for (const auto& [key, why] : choices_.assumed) json["assumed"][key] = why;
    return json;
  }

  Json fabric() const {
    const FabricChoice& choice = choices_.fabric;
    Json json;
    if (!choice.link.empty()) json["link"] = choice.link;
    json["shape"] = choice.shape;
    if (choice.links_per_gpu > 0) json["links_per_gpu"] = choice.links_per_gpu;
    if (!choice.gpu_switch.empty()) json["switch"] = choice.gpu_switch;
    if (choice.shape != "cables") return json;
    std::map<int, int> number;
    for (int gpu : facts_.of(PartKind::gpu)) number.emplace(gpu, static_cast<int>(number.size()));
    for (const NvlinkCable& cable : facts_.cables) {
      const auto [a, b] = std::minmax(number.at(cable.a), number.at(cable.b));
      json["cables"].push_back(
          {{"a", "gpu" + std::to_string(a)}, {"b", "gpu" + std::to_string(b)}, {"links", cable.links}});
    }
    return json;
  }

  // Sockets, then switches, then what hangs on them; GPUs by number.
  Json tree() const {
    Json json = Json::array();
    std::map<int, std::string> names;
    const std::vector<int> sockets = facts_.of(PartKind::socket);
    for (int s = 0; s < choices_.sockets; ++s) json.push_back({{"id", "cpu" + std::to_string(s)}, {"kind", "socket"}});
    for (std::size_t i = 0; i < sockets.size(); ++i)
      names[sockets[i]] = "cpu" + std::to_string(i * at(choices_.sockets) / sockets.size());
    add_vertices(json, names, PartKind::pcie_switch, "sw", "pcie_switch");
    add_vertices(json, names, PartKind::gpu, "gpu", "gpu");
    add_vertices(json, names, PartKind::nic, "nic", "nic");
    return json;
  }

  void add_vertices(Json& json, std::map<int, std::string>& names, PartKind kind, const std::string& prefix,
                    const char* word) const {
    int number = 0;
    for (int i : facts_.of(kind)) {
      const NodePart& part = facts_.parts[at(i)];
      const std::string id = prefix + std::to_string(number++);
      names[i] = id;
      Json vertex;
      vertex["id"] = id;
      vertex["kind"] = word;
      vertex["parent"] = part.parent ? names.at(*part.parent) : "cpu0";
      if (const std::string slot = slot_id(part); !slot.empty()) vertex["link"] = slot;
      if (kind == PartKind::nic) {
        const auto found = choices_.nic_ids.find(i);
        if (found != choices_.nic_ids.end()) vertex["ref"] = found->second;
        const auto role = choices_.nic_roles.find(i);
        vertex["role"] = role == choices_.nic_roles.end() ? "compute" : role->second;
      }
      if (!part.bus_id.empty()) vertex["bus_id"] = part.bus_id;
      json.push_back(vertex);
    }
  }

  NodeFacts facts_;
  NodeChoices choices_;
};

}  // namespace

Imported node_document(const Catalog& catalog, NodeFacts facts) {
  NodeChoices choices = choose(catalog, facts);
  return Writer(std::move(facts), std::move(choices)).write();
}

}  // namespace clustersim
