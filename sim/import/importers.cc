#include "sim/import/importers.h"

#include "clustersim/error.h"
#include "sim/import/chakra.h"
#include "sim/import/import_jobs.h"
#include "sim/import/import_node.h"
#include "sim/import/import_topology.h"
#include "sim/import/kineto.h"
#include "sim/import/mllog.h"
#include "sim/import/price_rows.h"
#include "sim/read/did_you_mean.h"

namespace clustersim {

const std::vector<Importer>& importers() {
  static const std::vector<Importer> table = {
      {"topology",
       "how a node is wired: NCCL topology XML, hwloc XML, nvidia-smi (alone, topo -m, --query-gpu, -q, nvlink -s), "
       "rocm-smi, DCGM's metrics; several files of one node",
       16, import_topology},
      {"node",
       "the same files, benchmarks of the node (nccl-tests, fio, ...), SLURM's topology.conf, iblinkinfo, and lists of "
       "a cluster's "
       "nodes (scontrol show node, sinfo, slurm.conf, gres.conf, openb's CSV, SimAI's topology), as a scenario",
       16, import_node},
      {"kineto", "a training step out of PyTorch profiler files, one a rank, for {\"trace\": FILE}", 64, import_kineto},
      {"chakra", "a step out of Chakra traces, one file a rank; a step of ours, to Chakra's protobuf", 64,
       import_chakra},
      {"mllog",
       "MLPerf training logs of one system, and its description, to a row of measurements (CSV); or MLPerf Storage's "
       "summary.json, or Markdown tables of step times, to rows",
       64, import_mllog},
      {"prices", "price lists: a CSV of your own, AWS's offer file or aws pricing get-products, for /cost/prices", 16,
       import_prices},
      {"jobs",
       "logs of jobs: sacct -P, Helios' cluster_log.csv, Philly's cluster_job_log, openb's pod list, to a summary: "
       "GPU-hours, GPUs of a job, GPUs busy",
       16, import_jobs},
  };
  return table;
}

std::vector<std::pair<std::string, std::string>> import_kinds() {
  std::vector<std::pair<std::string, std::string>> kinds;
  for (const Importer& importer : importers()) kinds.emplace_back(importer.kind, importer.meaning);
  return kinds;
}

Imported import_files(const std::string& kind, const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const Importer& importer : importers()) {
    names.emplace_back(importer.kind);
    if (kind != importer.kind) continue;
    const std::size_t most = static_cast<std::size_t>(importer.most_files);
    if (paths.empty() || paths.size() > most)
      throw InputError({{"import " + kind, "", most == 1 ? "one file" : "1 to " + std::to_string(most) + " files",
                         std::to_string(paths.size()), ""}});
    return importer.function(paths);
  }
  std::string known;
  for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
  throw InputError({{"import", "", "one of: " + known, "\"" + kind + "\"", did_you_mean(kind, names)}});
}

}  // namespace clustersim
