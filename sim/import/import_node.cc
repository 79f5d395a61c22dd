#include "sim/import/import_node.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "clustersim/clustersim.h"
#include "clustersim/units_text.h"
#include "sim/import/ib_links.h"
#include "sim/import/import_topology.h"
#include "sim/import/inventory.h"
#include "sim/import/join_facts.h"
#include "sim/import/measurement_formats.h"
#include "sim/import/node_document.h"
#include "sim/import/slurm_topology.h"
#include "sim/import/text_source.h"
#include "sim/read/catalog.h"
#include "sim/write/readable.h"

namespace clustersim {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kNodesNeeded = "how many nodes: /cluster/nodes, 1 is written";
constexpr const char* kSwitchesNeeded = "how switches join them: /cluster/fabric, one switch is the default";
constexpr const char* kPriceNeeded = "what it costs: /cost, none is written";

// The limit that all GPUs share, where it is below the board's own and one that the board takes.
std::optional<std::string> power_limit(const NodeFacts& facts, const GpuSpec& gpu) {
  std::optional<double> watts;
  for (int i : facts.of(PartKind::gpu)) {
    const auto limit = facts.parts[static_cast<std::size_t>(i)].power_limit_w;
    if (!limit || (watts && *limit != *watts)) return std::nullopt;
    watts = limit;
  }
  if (!watts || *watts >= gpu.tdp.base() || *watts < gpu.power_limit_min.base()) return std::nullopt;
  return format_quantity(Power::from_base(*watts), "W");
}

// Whether the files tell limits of the GPUs that are not all the same.
bool limits_differ(const NodeFacts& facts) {
  std::set<double> watts;
  for (int i : facts.of(PartKind::gpu))
    watts.insert(facts.parts[static_cast<std::size_t>(i)].power_limit_w.value_or(0));
  return watts.size() > 1;
}

Json node_of(const Imported& imported, const NodeFacts& facts, const Catalog& catalog,
             std::vector<std::string>& known) {
  const Json topology = Json::parse(imported.document);
  Json node;
  node["topology"] = topology;
  if (!topology.contains("gpu")) return node;
  std::vector<Problem> quiet;
  const GpuSpec gpu = catalog.gpu(topology["gpu"], {"", "", quiet});
  if (const auto limit = power_limit(facts, gpu)) {
    node["gpu_power_limit"] = *limit;
    known.push_back("power limit of the GPUs: " + *limit);
  }
  return node;
}

enum class FileKind { node, measurement, switches, inventory, links };

// A file that cannot be read is of the node; it is reported with the faults of the others.
FileKind kind_of(const std::string& path) {
  try {
    const std::string text = clean_text(read_source(path));
    const auto& formats = measurement_formats();
    if (std::any_of(formats.begin(), formats.end(), [&](const MeasurementFormat& f) { return f.recognises(text); }))
      return FileKind::measurement;
    if (is_slurm_topology(text)) return FileKind::switches;
    if (is_ib_links(text)) return FileKind::links;
    return is_inventory(text) && !find_node_facts(text, path) ? FileKind::inventory : FileKind::node;
  } catch (const InputError&) {
    return FileKind::node;
  }
}

// SLURM's switches, as the shape of the network and, where no list has counted them, the number of nodes; rates it does
// not tell.
void add_switches(const std::string& path, bool counted, Json& cluster, Imported& imported) {
  const SwitchTree tree = read_slurm_topology(clean_text(read_source(path)), path);
  imported.format += " and SLURM topology";
  if (!counted) cluster["nodes"] = tree.nodes;
  const int leaves = static_cast<int>(tree.leaves.size());
  const std::string what = tree.blocks ? "blocks" : "leaf switches";
  std::string sizes = std::to_string(tree.leaves.front());
  if (tree.leaves.back() != tree.leaves.front()) sizes = std::to_string(tree.leaves.back()) + " to " + sizes;
  imported.known.push_back(
      std::to_string(tree.nodes) + " nodes" +
      (leaves > 1 ? " on " + std::to_string(leaves) + " " + what + ", " + sizes + " on each" : ""));
  if (tree.nodes > 1) cluster["fabric"]["shape"] = leaves > 1 ? "fat-tree" : "single-switch";
  if (leaves > 1) {
    if (!tree.blocks) imported.known.push_back(std::to_string(tree.levels) + " levels of switches");
    imported.unknown.push_back(
        "rate between the switches: /cluster/fabric/oversubscription, 1 is the default; and their ports: "
        "/cluster/fabric/switch");
  }
  imported.warnings.insert(imported.warnings.end(), tree.warnings.begin(), tree.warnings.end());
}

// What iblinkinfo says of the network's links; one rate of them all is the fabric's.
void add_links(const std::string& path, Json& cluster, Imported& imported) {
  const IbLinks links = read_ib_links(clean_text(read_source(path)), path);
  imported.format += " and iblinkinfo";
  for (const IbLinks::Rate& rate : links.rates)
    imported.known.push_back("InfiniBand links: " + std::to_string(rate.links) + " of " + std::to_string(rate.lanes) +
                             "X " + rounded(rate.lane_gbit) + " Gbit/s (" + rate.name + "), " +
                             rounded(rate.data_gbit) + " Gbit/s each");
  if (links.rates.size() == 1)
    cluster["fabric"]["link"] = rounded(links.rates.front().data_gbit) + " Gbit/s";
  else
    imported.unknown.push_back("which of the rates the nodes' links have: /cluster/fabric/link");
}

// Benchmarks of the node, as the scenario's calibration.
void add_measurements(const std::vector<std::string>& paths, Json& cluster, Imported& imported) {
  const Calibrated calibrated = calibrate(paths, {});
  cluster["calibration"] = Json::parse(calibrated.document);
  for (const RecognisedFile& file : calibrated.files)
    for (const auto& [line, what] : file.warnings)
      imported.warnings.push_back(file.file + (line > 0 ? " line " + std::to_string(line) : "") + ": " + what);
  for (const FittedNumber& number : calibrated.numbers)
    imported.known.push_back(number.part + " " + number.key + ": " + number.value);
  for (const std::string& note : calibrated.notes) imported.warnings.push_back(note);
}

// A node of a list: its GPUs and memory; how it is wired is the default of such GPUs.
Json node_of(const NodeKind& kind, const std::string& pointer, const Catalog& catalog, Imported& imported) {
  Json node;
  const std::string id = gpu_id_of(catalog, kind), near = near_gpu(catalog, kind);
  if (!id.empty()) node["gpu"] = id;
  node["gpus"] = kind.gpus;
  if (kind.memory_bytes) node["memory"] = format_quantity(Bytes::from_base(*kind.memory_bytes), "GiB");
  if (id.empty())
    imported.unknown.push_back(
        pointer +
        "/gpu: " + (kind.gpu.empty() ? "the list does not name the GPU" : "which GPU " + shown(kind.gpu) + " is") +
        (near.empty() ? "" : "; " + near));
  return node;
}

// The cluster that a list of its nodes tells.
void describe(const Inventory& list, const Catalog& catalog, Json& cluster, Imported& imported) {
  if (list.kinds.size() == 1) {
    cluster["nodes"] = list.kinds.front().nodes;
    cluster["node"] = node_of(list.kinds.front(), "/cluster/node", catalog, imported);
  } else {
    for (std::size_t i = 0; i < list.kinds.size(); ++i) {
      const std::string pointer = "/cluster/groups/" + std::to_string(i) + "/node";
      cluster["groups"].push_back(
          {{"nodes", list.kinds[i].nodes}, {"node", node_of(list.kinds[i], pointer, catalog, imported)}});
    }
    imported.warnings.push_back(std::to_string(list.kinds.size()) +
                                " kinds of nodes: a job runs on all groups that the scenario keeps");
  }
  imported.unknown.push_back("how a node is wired, its processors, network cards and disks: the defaults of its GPUs");
}

// How many nodes of the list have as many GPUs as the node that other files describe.
void count_nodes(const Inventory& list, int gpus, Json& cluster, Imported& imported) {
  long long alike = 0;
  for (const NodeKind& kind : list.kinds) alike += kind.gpus == gpus ? kind.nodes : 0;
  if (list.nodes_told && alike > 0) cluster["nodes"] = alike;
  if (alike == list.nodes()) return;
  imported.warnings.push_back(std::to_string(list.nodes() - alike) + " nodes of the list have other than the " +
                              std::to_string(gpus) + " GPUs of the node described: left out");
}

// What must be told before the scenario runs.
void ask_for_gpus(const Json& cluster, Imported& imported) {
  const auto missing = [](const Json& node) {
    return !node.contains("gpu") && !(node.contains("topology") && node["topology"].contains("gpu"));
  };
  std::string keys;
  if (cluster.contains("node") && missing(cluster["node"])) keys = "/cluster/node/gpu";
  if (cluster.contains("groups"))
    for (std::size_t i = 0; i < cluster["groups"].size(); ++i)
      if (missing(cluster["groups"][i]["node"]))
        keys += (keys.empty() ? "" : ", ") + std::string("/cluster/groups/") + std::to_string(i) + "/node/gpu";
  if (keys.empty()) return;
  imported.unknown.insert(imported.unknown.begin(), "the scenario does not run before it names the GPU: " + keys +
                                                        ", an id of `clustersim catalog gpu`");
}

void add_all(std::vector<std::string>& out, const std::vector<std::string>& more) {
  out.insert(out.end(), more.begin(), more.end());
}

struct NodeFiles {
  std::vector<std::string> node, measurements, switches, inventories, links;
};

NodeFiles sorted(const std::vector<std::string>& paths) {
  NodeFiles files;
  for (const std::string& path : paths) {
    const FileKind kind = kind_of(path);
    (kind == FileKind::node          ? files.node
     : kind == FileKind::switches    ? files.switches
     : kind == FileKind::measurement ? files.measurements
     : kind == FileKind::links       ? files.links
                                     : files.inventories)
        .push_back(path);
  }
  if (files.node.empty() && files.inventories.empty())
    throw InputError({{"import node", "",
                       "a file that says how the node is made: a topology XML, nvidia-smi's output; or which nodes "
                       "there are: scontrol show node",
                       files.measurements.empty() ? "the network between nodes only" : "measurements only",
                       files.measurements.empty() ? "" : "clustersim calibrate takes them alone"}});
  if (files.switches.size() > 1)
    throw InputError(
        {{files.switches[1], "", "one description of the switches", std::to_string(files.switches.size()), ""}});
  if (files.inventories.size() > 1)
    throw InputError({{files.inventories[1], "", "one list of nodes", std::to_string(files.inventories.size()), ""}});
  return files;
}

}  // namespace

Imported import_node(const std::vector<std::string>& paths) {
  const NodeFiles files = sorted(paths);
  const Catalog catalog(data_directory());
  Imported imported;
  Json scenario;
  scenario["clustersim"] = 1;
  scenario["name"] = "imported-node";
  Json& cluster = scenario["cluster"];
  cluster["nodes"] = 1;
  std::optional<Inventory> list;
  if (!files.inventories.empty())
    list = read_inventory(clean_text(read_source(files.inventories.front())), files.inventories.front());
  if (!files.node.empty()) {
    const NodeFacts facts = join_facts(read_all_facts(files.node));
    imported = node_document(catalog, facts);
    if (limits_differ(facts))
      imported.warnings.push_back(
          "the GPUs' power limits differ, or some are not told: none is taken; gpu_power_limit "
          "sets one for all");
    cluster["node"] = node_of(imported, facts, catalog, imported.known);
    if (list) count_nodes(*list, facts.count(PartKind::gpu), cluster, imported);
  } else {
    cluster.erase("nodes");
    describe(*list, catalog, cluster, imported);
  }
  if (list) {
    imported.format += (imported.format.empty() ? "" : " and ") + list->format;
    add_all(imported.known, list->known);
    add_all(imported.unknown, list->unknown);
    add_all(imported.warnings, list->warnings);
  }
  if (!files.measurements.empty()) add_measurements(files.measurements, cluster, imported);
  if (!list && files.switches.empty()) imported.unknown.emplace_back(kNodesNeeded);
  if (files.switches.empty()) {
    imported.unknown.emplace_back(kSwitchesNeeded);
  } else {
    add_switches(files.switches.front(), list.has_value(), cluster, imported);
  }
  for (const std::string& path : files.links) add_links(path, cluster, imported);
  imported.unknown.emplace_back(kPriceNeeded);
  ask_for_gpus(cluster, imported);
  scenario["job"]["model"] = "resnet-50";
  imported.document = scenario.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  return imported;
}

}  // namespace clustersim
