#include "sim/import/import_node.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "clustersim/clustersim.h"
#include "clustersim/units_text.h"
#include "sim/import/import_topology.h"
#include "sim/import/join_facts.h"
#include "sim/import/measurement_formats.h"
#include "sim/import/node_document.h"
#include "sim/import/slurm_topology.h"
#include "sim/import/text_source.h"
#include "sim/read/catalog.h"

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

enum class FileKind { node, measurement, switches };

// A file that cannot be read is of the node; it is reported with the faults of the others.
FileKind kind_of(const std::string& path) {
  try {
    const std::string text = clean_text(read_source(path));
    const auto& formats = measurement_formats();
    if (std::any_of(formats.begin(), formats.end(), [&](const MeasurementFormat& f) { return f.recognises(text); }))
      return FileKind::measurement;
    return is_slurm_topology(text) ? FileKind::switches : FileKind::node;
  } catch (const InputError&) {
    return FileKind::node;
  }
}

// SLURM's switches, as the number of nodes and the shape of the network; rates it does not tell.
void add_switches(const std::string& path, Json& cluster, Imported& imported) {
  const SwitchTree tree = read_slurm_topology(clean_text(read_source(path)), path);
  imported.format += " and SLURM topology";
  cluster["nodes"] = tree.nodes;
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

}  // namespace

Imported import_node(const std::vector<std::string>& paths) {
  std::vector<std::string> node_files, measurements, switches;
  for (const std::string& path : paths) {
    const FileKind kind = kind_of(path);
    (kind == FileKind::node ? node_files : kind == FileKind::switches ? switches : measurements).push_back(path);
  }
  if (node_files.empty())
    throw InputError({{"import node", "", "a file that says how the node is made: a topology XML, nvidia-smi's output",
                       measurements.empty() ? "the network between nodes only" : "measurements only",
                       measurements.empty() ? "" : "clustersim calibrate takes them alone"}});
  if (switches.size() > 1)
    throw InputError({{switches[1], "", "one description of the switches", std::to_string(switches.size()), ""}});
  const Catalog catalog(data_directory());
  const NodeFacts facts = join_facts(read_all_facts(node_files));
  Imported imported = node_document(catalog, facts);
  if (limits_differ(facts))
    imported.warnings.push_back(
        "the GPUs' power limits differ, or some are not told: none is taken; gpu_power_limit "
        "sets one for all");
  Json scenario;
  scenario["clustersim"] = 1;
  scenario["name"] = "imported-node";
  scenario["cluster"]["nodes"] = 1;
  scenario["cluster"]["node"] = node_of(imported, facts, catalog, imported.known);
  if (!measurements.empty()) add_measurements(measurements, scenario["cluster"], imported);
  if (switches.empty()) {
    imported.unknown.insert(imported.unknown.end(), {kNodesNeeded, kSwitchesNeeded});
  } else {
    add_switches(switches.front(), scenario["cluster"], imported);
  }
  imported.unknown.emplace_back(kPriceNeeded);
  scenario["job"]["model"] = "resnet-50";
  imported.document = scenario.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  return imported;
}

}  // namespace clustersim
