// `clustersim collective`: what nccl-tests would print on this cluster.
//
// Each size is planned as a job's collective would be and then run by the engine on the idle cluster, so that the
// numbers are those of the machine that `run` uses. busbw follows nccl-tests: algbw times the factor of the operation.
#include <algorithm>
#include <string>

#include "clustersim/clustersim.h"
#include "sim/assembly.h"
#include "sim/engine/executor.h"

namespace clustersim {
namespace {

struct Operation {
  const char* name;
  CollectiveOp op;
  // busbw / algbw for n ranks [published: nccl-tests doc/PERFORMANCE.md].
  double (*bus_factor)(double n);
};

constexpr Operation operations[] = {
    {"all_reduce", CollectiveOp::all_reduce, [](double n) { return 2 * (n - 1) / n; }},
    {"all_gather", CollectiveOp::all_gather, [](double n) { return (n - 1) / n; }},
    {"reduce_scatter", CollectiveOp::reduce_scatter, [](double n) { return (n - 1) / n; }},
    {"reduce", CollectiveOp::reduce, [](double) { return 1.0; }},
    {"all_to_all", CollectiveOp::all_to_all, [](double n) { return (n - 1) / n; }},
    {"broadcast", CollectiveOp::broadcast, [](double) { return 1.0; }},
    {"send_recv", CollectiveOp::send_recv, [](double) { return 1.0; }},
};

struct Algorithm {
  const char* name;
  CollectiveAlgorithm algorithm;
};

constexpr Algorithm algorithms[] = {
    {"auto", CollectiveAlgorithm::automatic},
    {"ring", CollectiveAlgorithm::ring},
    {"tree", CollectiveAlgorithm::tree},
    {"hierarchical", CollectiveAlgorithm::hierarchical},
    {"naive_tree", CollectiveAlgorithm::naive_tree},
    {"nvls", CollectiveAlgorithm::nvls},
    {"in_network", CollectiveAlgorithm::in_network},
};

template <typename Table>
const auto& find_named(const Table& table, const std::string& name, const char* option, std::vector<Problem>& faults) {
  std::string known;
  for (const auto& entry : table) {
    if (name == entry.name) return entry;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  faults.push_back({"command line", option, "one of: " + known, "\"" + name + "\"", ""});
  return table[0];
}

void check_sizes(const std::vector<double>& sizes, std::vector<Problem>& faults) {
  constexpr double most = 1e15;
  for (const double size : sizes)
    if (!(size >= 1 && size <= most))
      faults.push_back({"command line", "--sizes", "from 1 B to 1 PB", std::to_string(size) + " B", ""});
}

}  // namespace

CollectiveTable collective(const Scenario& scenario, const std::string& operation, const std::vector<double>& sizes,
                           std::optional<int> ranks, const std::string& algorithm) {
  std::vector<Problem> faults;
  const Operation& op = find_named(operations, operation, "--op", faults);
  const CollectiveAlgorithm chosen = find_named(algorithms, algorithm, "--algorithm", faults).algorithm;
  check_sizes(sizes, faults);
  const int most = scenario.cluster.gpus();
  const int n = ranks.value_or(most);
  if (n < 2 || n > most)
    faults.push_back({"command line", "--ranks", "from 2 to the cluster's " + std::to_string(most) + " GPUs",
                      std::to_string(n),
                      most < 2 ? "a collective needs two GPUs: raise cluster.nodes or node.gpus" : ""});
  if (!faults.empty()) throw InputError(faults);

  const Assembly assembly(scenario.cluster, scenario.job);
  const MachineSpec machine = assembly.machine(false, std::vector<double>(assembly.gpus().size(), 1.0));
  CollectiveTable table{operation, n, {}};
  for (const double size : sizes) {
    const CollectivePlan plan = assembly.planner().plan({op.op, size, chosen, Scope::world, n == most ? 0 : n});
    TaskGraph graph;
    Task task;
    task.kind = TaskKind::transfer;
    task.part = Part::communication;
    task.label = graph.label(operation);
    task.amount = plan.amount_bytes;
    task.latency_s = plan.latency_s;
    task.uses = plan.uses;
    graph.add(task);
    const double seconds = sim_time_to_seconds(run_tasks(machine, graph).end);
    const double algbw = size / seconds / 1e9;
    table.rows.push_back({size, seconds * 1e6, algbw, algbw * op.bus_factor(n), plan.algorithm});
  }
  return table;
}

}  // namespace clustersim
