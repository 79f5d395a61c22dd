#include "sim/import/import_node.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "clustersim/clustersim.h"
#include "clustersim/units_text.h"
#include "sim/import/import_topology.h"
#include "sim/import/join_facts.h"
#include "sim/import/node_document.h"
#include "sim/read/catalog.h"

namespace clustersim {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> kStillNeeded = {
    "how many nodes: /cluster/nodes, 1 is written",
    "how switches join them: /cluster/fabric, one switch is the default",
    "what it costs: /cost, none is written",
};

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

}  // namespace

Imported import_node(const std::vector<std::string>& paths) {
  const Catalog catalog(data_directory());
  const NodeFacts facts = join_facts(read_all_facts(paths));
  Imported imported = node_document(catalog, facts);
  Json scenario;
  scenario["clustersim"] = 1;
  scenario["name"] = "imported-node";
  scenario["cluster"]["nodes"] = 1;
  scenario["cluster"]["node"] = node_of(imported, facts, catalog, imported.known);
  scenario["job"]["model"] = "resnet-50";
  imported.document = scenario.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  imported.unknown.insert(imported.unknown.end(), kStillNeeded.begin(), kStillNeeded.end());
  return imported;
}

}  // namespace clustersim
