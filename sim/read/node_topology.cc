#include "sim/read/node_topology.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "sim/import/import_topology.h"
#include "sim/read/did_you_mean.h"
#include "sim/read/hardware_part.h"
#include "sim/read/json_reader.h"

namespace clustersim {

namespace {

constexpr int kMostGpus = 128;
const std::vector<std::string> kShapes = {"switch", "mesh", "pairs", "cube-mesh", "ring", "cables", "pcie", "none"};

struct CableKeys {
  std::string a, b;
  int links = 1;
};

struct TopologyKeys {
  NodeTopology topology;
  std::vector<CableKeys> cables;
};

void visit_keys(FieldVisitor& v, TopologyKeys& keys) {
  NodeTopology& node = keys.topology;
  int version = 1;
  v.key({.name = "clustersim_topology", .meaning = "version of this form", .required = true, .min = 1, .max = 1},
        version);
  v.skip("format");
  v.key({.name = "gpu", .meaning = "id of its GPUs"}, node.gpu_id);
  v.key({.name = "gpus", .meaning = "how many", .required = true, .min = 1, .max = kMostGpus}, node.gpus);
  v.key({.name = "cpu", .meaning = "id of its processors"}, node.cpu_id);
  v.key({.name = "sockets", .meaning = "how many", .min = 1, .max = 16}, node.sockets);
  v.key({.name = "memory", .meaning = "of the whole node", .min = 1e9, .max = 1e15}, node.memory);
  v.key({.name = "socket_link", .meaning = "id of the link between sockets"}, node.socket_link);
  v.key({.name = "slot", .meaning = "id of the GPUs' PCIe link where the tree does not tell it"}, node.slot);
  v.key({.name = "p2p", .meaning = "GPUs reach each other's memory; false: not at all, over NVLink neither"}, node.p2p);
  v.object({.name = "gpu_fabric", .meaning = "how the GPUs reach each other"}, [&](FieldVisitor& in) {
    in.key({.name = "link", .meaning = "id of a link"}, node.fabric_link);
    in.key({.name = "shape",
            .meaning = "switch, mesh, pairs, cube-mesh, ring, cables (as listed), pcie or none",
            .required = true},
           node.fabric_shape);
    in.key({.name = "links_per_gpu", .meaning = "links of one GPU that are wired", .min = 0, .max = 1000},
           node.links_per_gpu);
    in.key({.name = "switch", .meaning = "id of the NVSwitch"}, node.fabric_switch);
    in.list({.name = "cables", .meaning = "of shape cables: GPU to GPU"}, [&](FieldVisitor& cable) {
      CableKeys& ends = keys.cables.emplace_back();
      cable.key({.name = "a", .meaning = "id of a GPU of the tree, or \"gpu\" and its number", .required = true},
                ends.a);
      cable.key({.name = "b", .meaning = "the other", .required = true}, ends.b);
      cable.key({.name = "links", .meaning = "links in parallel", .default_text = "1", .min = 1, .max = 1000},
                ends.links);
    });
  });
  visit_nics(v, node.nics);
  visit_pcie_tree(v, node.tree);
  node.assumed = v.texts({.name = "assumed", .meaning = "what the import took from tables, by key, and why"});
}

class Checker {
 public:
  Checker(const Lookup& lookup, std::string file, std::string pointer)
      : lookup_(lookup), file_(std::move(file)), pointer_(std::move(pointer)) {}

  NodeTopology check(TopologyKeys keys) {
    NodeTopology& node = keys.topology;
    check_pcie_tree(node.tree, file_, pointer_ + "/pcie_tree", lookup_.problems);
    const auto in_tree = std::count_if(node.tree.begin(), node.tree.end(),
                                       [](const PcieVertex& vertex) { return vertex.kind == "gpu"; });
    if (!node.tree.empty() && in_tree != node.gpus)
      fault("/gpus", "as many as the tree has: " + std::to_string(in_tree), std::to_string(node.gpus));
    check_id("/gpu", "gpu", node.gpu_id);
    check_id("/cpu", "cpu", node.cpu_id);
    check_id("/socket_link", "link", node.socket_link);
    check_id("/gpu_fabric/link", "link", node.fabric_link);
    check_id("/gpu_fabric/switch", "link", node.fabric_switch);
    for (std::size_t i = 0; i < node.nics.size(); ++i)
      check_id("/nics/" + std::to_string(i) + "/id", "nic", node.nics[i].id);
    if (!node.slot.empty()) lookup_.catalog.link(node.slot, {file_, pointer_ + "/slot", lookup_.problems});
    check_fabric(keys);
    rate_tree(node.tree);
    return node;
  }

 private:
  void fault(const std::string& where, const std::string& expected, const std::string& got,
             const std::string& hint = "") {
    lookup_.problems.push_back({file_, pointer_ + where, expected, got, hint});
  }

  void check_id(const std::string& where, const std::string& kind, const std::string& id) {
    if (id.empty() || lookup_.catalog.has(kind, id)) return;
    fault(where, "an id of " + kind, "\"" + id + "\"", did_you_mean(id, lookup_.catalog.ids(kind)));
  }

  void check_fabric(TopologyKeys& keys) {
    NodeTopology& node = keys.topology;
    if (!node.fabric_shape.empty() && std::find(kShapes.begin(), kShapes.end(), node.fabric_shape) == kShapes.end())
      fault("/gpu_fabric/shape", "switch, mesh, pairs, cube-mesh, ring, cables, pcie or none",
            "\"" + node.fabric_shape + "\"", did_you_mean(node.fabric_shape, kShapes));
    if ((node.fabric_shape == "cables") == keys.cables.empty())
      fault("/gpu_fabric/cables", "cables with the shape \"cables\", and only with it",
            std::to_string(keys.cables.size()) + " with \"" + node.fabric_shape + "\"");
    std::map<std::string, int> number;
    for (const PcieVertex& vertex : node.tree)
      if (vertex.kind == "gpu") number.emplace(vertex.id, static_cast<int>(number.size()));
    if (node.tree.empty())
      for (int g = 0; g < node.gpus; ++g) number.emplace("gpu" + std::to_string(g), g);
    for (std::size_t i = 0; i < keys.cables.size(); ++i) {
      const CableKeys& cable = keys.cables[i];
      const auto a = number.find(cable.a), b = number.find(cable.b);
      if (a == number.end() || b == number.end() || a == b) {
        fault("/gpu_fabric/cables/" + std::to_string(i), "two different GPUs of this node",
              "\"" + cable.a + "\" and \"" + cable.b + "\"");
        continue;
      }
      node.cables.push_back({std::min(a->second, b->second), std::max(a->second, b->second), cable.links});
    }
  }

  // Links that are not told get the slot's rate when the node is resolved.
  void rate_tree(std::vector<PcieVertex>& tree) {
    std::map<std::string, LinkSpec> links;
    for (PcieVertex& vertex : tree) {
      if (vertex.link_id.empty()) continue;
      auto known = links.find(vertex.link_id);
      if (known == links.end())
        known = links
                    .emplace(vertex.link_id,
                             lookup_.catalog.link(vertex.link_id, {file_, pointer_ + "/pcie_tree", lookup_.problems}))
                    .first;
      vertex.link = known->second.achievable;
      vertex.link_latency = known->second.latency;
    }
  }

  const Lookup& lookup_;
  std::string file_, pointer_;
};

// Beside the scenario, else from where the program runs.
std::string path_beside(const std::string& scenario, const std::string& path) {
  const std::filesystem::path beside = std::filesystem::path(scenario).parent_path() / path;
  std::error_code ignored;
  return std::filesystem::exists(beside, ignored) ? beside.string() : path;
}

bool is_ours(const JsonValue& document) { return document.find("clustersim_topology") != nullptr; }

std::optional<NodeTopology> read_document(const JsonValue& document, const std::string& path, const Lookup& lookup) {
  const std::size_t before = lookup.problems.size();
  TopologyKeys keys;
  JsonReader(document, path, lookup.problems).read([&](FieldVisitor& v) { visit_keys(v, keys); });
  if (lookup.problems.size() > before) return std::nullopt;
  NodeTopology topology = Checker(lookup, path, "").check(std::move(keys));
  topology.name = std::filesystem::path(path).filename().string();
  if (lookup.problems.size() > before) return std::nullopt;
  return topology;
}

std::optional<NodeTopology> read_file(const std::string& path, const Lookup& lookup) {
  std::vector<Problem> not_json;
  const JsonValue document = load_json(path, not_json);
  if (not_json.empty() && is_ours(document)) return read_document(document, path, lookup);
  try {
    const Imported imported = import_topology({path});
    std::vector<Problem> none;
    auto topology = read_document(parse_json(imported.document, path, none), path, lookup);
    if (topology)
      for (const std::string& warning : imported.warnings) topology->assumed.emplace_back("", warning);
    return topology;
  } catch (const InputError& error) {
    lookup.problems.insert(lookup.problems.end(), error.problems().begin(), error.problems().end());
    return std::nullopt;
  }
}

}  // namespace

void visit_topology(FieldVisitor& v, std::optional<NodeTopology>& slot, const Lookup& lookup) {
  v.file_or_object(
      {.name = "topology",
       .meaning = "a node as `clustersim import` wrote it, or a file that it reads (an NCCL topology XML, ...), "
                  "instead of server and gpu_fabric",
       .default_text = "none"},
      [&](const std::string& name) {
        const std::string path = path_beside(lookup.file, name);
        std::error_code ignored;
        if (std::filesystem::exists(path, ignored)) {
          slot = read_file(path, lookup);
        } else {
          lookup.problems.push_back({lookup.file, v.pointer() + "/topology",
                                     "a file that exists, beside the scenario or from where the program runs",
                                     "\"" + name + "\"", ""});
        }
      },
      [&](FieldVisitor& in) {
        const std::size_t before = lookup.problems.size();
        TopologyKeys keys;
        visit_keys(in, keys);
        if (lookup.problems.size() > before) return;
        slot = Checker(lookup, lookup.file, in.pointer()).check(std::move(keys));
        slot->name = "topology";
        if (lookup.problems.size() > before) slot.reset();
      });
}

}  // namespace clustersim
