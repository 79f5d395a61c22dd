// What the page of a run shows: the run with its detail, published rows like it, and the sources of its parts.
#include "clustersim/page.h"

#include <algorithm>
#include <utility>

#include "clustersim/clustersim.h"
#include "sim/validation/expected_error.h"

namespace clustersim {
namespace {

// The ids of the catalog that a scenario is made of, each once, in the order of the file.
class Parts {
 public:
  explicit Parts(const Scenario& scenario) {
    add_cluster(scenario.cluster);
    add(scenario.job.model_id);
    add(scenario.job.data.dataset.id);
    if (scenario.cost && scenario.cost->cloud) add(scenario.cost->cloud->instance_id);
    if (scenario.cloud_cluster) add_cluster(*scenario.cloud_cluster);
  }

  const std::vector<std::string>& ids() const { return ids_; }

 private:
  void add(const std::string& id) {
    if (!id.empty() && std::find(ids_.begin(), ids_.end(), id) == ids_.end()) ids_.push_back(id);
  }

  void add_cluster(const Cluster& cluster) {
    for (const NodeGroup& group : cluster.groups) {
      const NodeSpec& node = group.node;
      for (const std::string& id :
           {node.server_id, node.gpu.id, node.gpu_fabric.link.id, node.cpu.id, node.socket_link.id, node.pcie.id,
            node.nic ? node.nic->id : "", node.storage.tier.id})
        add(id);
    }
    add(cluster.fabric.switch_spec.id);
    if (cluster.storage) add(cluster.storage->servers.tier.id);
  }

  std::vector<std::string> ids_;
};

// Parts given in place have no entry: the scenario itself is their source.
std::vector<PartSources> sources_of(const Scenario& scenario) {
  std::vector<PartSources> sources;
  const Parts parts(scenario);
  for (const std::string& id : parts.ids()) {
    try {
      std::string text = catalog(id);
      if (text.rfind(id + "  (", 0) == 0) sources.push_back({id, std::move(text)});  // not the list of a kind
    } catch (const InputError&) {
      continue;
    }
  }
  return sources;
}

}  // namespace

RunPage run_page(const Scenario& scenario, const RunOptions& options) {
  RunPage page;
  page.report = run(scenario, options, &page.detail);
  page.like = published_rows_like(scenario);
  page.sources = sources_of(scenario);
  return page;
}

RunPage run_page(const std::string& path, const RunOptions& options) {
  Scenario scenario = read_scenario(path, options.overrides);
  if (options.seed) scenario.seed = *options.seed;
  return run_page(scenario, options);
}

}  // namespace clustersim
