#include "sim/import/chakra.h"

#include <algorithm>
#include <filesystem>

#include "clustersim/error.h"
#include "sim/import/chakra_nodes.h"
#include "sim/import/chakra_protobuf.h"
#include "sim/import/chakra_trace.h"
#include "sim/import/step_trace_file.h"

namespace clustersim {
namespace {

// name.N.et: how many of them lie side by side, from 0 up.
int ranks_beside(const std::string& path) {
  namespace fs = std::filesystem;
  const fs::path file(path);
  if (file.extension() != ".et" || file.stem().extension().empty()) return 0;
  const std::string base = (file.parent_path() / file.stem().stem()).string();
  int ranks = 0;
  std::error_code ignored;
  while (ranks < 1 << 20 && fs::exists(base + "." + std::to_string(ranks) + ".et", ignored)) ++ranks;
  return ranks;
}

TraceImport read_one(const std::string& path) {
  try {
    ChakraFile file = read_chakra_file(path);
    return chakra_trace(file);
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& p : problems)
      if (p.file.empty()) p.file = path;
    throw InputError(problems);
  }
}

}  // namespace

TraceImport read_chakra(const std::vector<std::string>& paths) {
  TraceImport found = read_one(paths.front());
  found.format = "Chakra execution trace";
  StepTrace& trace = found.trace;
  for (std::size_t i = 1; i < paths.size(); ++i) {
    const StepTrace other = read_one(paths[i]).trace;
    if (other.collectives.size() != trace.collectives.size())
      found.warnings.push_back(paths[i] + ": " + std::to_string(other.collectives.size()) +
                               " collectives, the first file " + std::to_string(trace.collectives.size()) +
                               ": ranks may differ; the first is used for all");
  }
  if (trace.ranks == 0) trace.ranks = std::max(ranks_beside(paths.front()), static_cast<int>(paths.size()));
  const int dropped = sort_operators(trace);
  if (dropped > 0) found.warnings.push_back(std::to_string(dropped) + " dependencies on what starts later: dropped");
  if (trace.gpu.empty() && !trace.on_cpu) found.unknown.push_back("gpu: give it as recorded_on of the job's model");
  if (trace.batch <= 0) found.unknown.push_back("batch: samples of a step; give it as batch_per_gpu of the job");
  if (trace.collectives.empty() && trace.ranks > 1)
    found.warnings.push_back("no collective moves anything in this trace of " + std::to_string(trace.ranks) + " ranks");
  return found;
}

Imported import_chakra(const std::vector<std::string>& paths) {
  if (paths.size() > 1 || !is_step_trace(paths.front())) return imported_trace(read_chakra(paths));
  const StepTrace trace = read_step_trace(paths.front());
  Imported imported;
  imported.format = "a recorded step of ours, to Chakra's protobuf";
  imported.known = trace_summary(trace);
  imported.document = chakra_protobuf(trace);
  return imported;
}

}  // namespace clustersim
