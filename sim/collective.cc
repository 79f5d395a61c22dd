// `clustersim collective`: what nccl-tests would print on this cluster.
//
// Each size is planned as a job's collective would be and then run by the engine on the idle cluster, so that the
// numbers are those of the machine that `run` uses; or, message by message, on the cluster with every node by itself.
// Where all nodes take part, are alike and leaves make no difference, one node does what each of them does.
// busbw follows nccl-tests: algbw times the factor of the operation.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "clustersim/clustersim.h"
#include "clustersim/units_text.h"
#include "models/collective/messages.h"
#include "models/workload/operator_kind.h"
#include "sim/assembly.h"
#include "sim/engine/executor.h"
#include "sim/engine/topology.h"

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
  const char* needs;
};

constexpr Algorithm algorithms[] = {
    {"auto", CollectiveAlgorithm::automatic, ""},
    {"ring", CollectiveAlgorithm::ring, "a ring is for every operation but all_to_all"},
    {"tree", CollectiveAlgorithm::tree, "a tree needs an all_reduce over several nodes"},
    {"hierarchical", CollectiveAlgorithm::hierarchical,
     "hierarchical needs an all_reduce over several nodes of two GPUs or more"},
    {"naive_tree", CollectiveAlgorithm::naive_tree, "naive_tree needs an all_reduce, a reduce or a broadcast"},
    {"nvls", CollectiveAlgorithm::nvls,
     "nvls needs an all_reduce of five GPUs or more in each node, on an NVSwitch that adds up (NVLink 4 and later)"},
    {"in_network", CollectiveAlgorithm::in_network,
     "in_network needs an all_reduce over several nodes, \"transport\": \"rdma\" and \"in_network_reduction\": true "
     "in cluster.fabric"},
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
      faults.push_back({"command line", "--sizes", "from 1 B to 1 PB", format_quantity(size, Dimension::bytes), ""});
}

constexpr double most_lanes = 4e6;     // of messages: about a gigabyte
constexpr double most_messages = 2e9;  // about a quarter of an hour

// What the message by message face does not have.
void check_messages(CollectiveOp op, CollectiveAlgorithm algorithm, const std::string& operation,
                    const std::string& algorithm_name, int ranks, std::vector<Problem>& faults) {
  const bool pairs = op == CollectiveOp::all_to_all;
  if (!pairs && op != CollectiveOp::all_reduce && op != CollectiveOp::all_gather && op != CollectiveOp::reduce_scatter)
    faults.push_back({"command line", "--op",
                      "with --fidelity messages one of: all_reduce, all_gather, reduce_scatter, all_to_all",
                      "\"" + operation + "\"", ""});
  if (algorithm != CollectiveAlgorithm::automatic && (pairs || algorithm != CollectiveAlgorithm::ring))
    faults.push_back({"command line", "--algorithm",
                      pairs ? "auto, for an all_to_all" : "with --fidelity messages auto or ring",
                      "\"" + algorithm_name + "\"", ""});
  const double n = ranks, lanes = pairs ? n * (n - 1) : n, messages = pairs ? lanes : 2 * n * (n - 1);
  if (lanes > most_lanes || messages > most_messages)
    faults.push_back({"command line", "--fidelity", "messages with fewer ranks", std::to_string(ranks) + " ranks",
                      "--fidelity bundle takes any number; --ranks lowers it"});
}

// What is asked for by name must be possible: the planner itself would take the ring.
void check_possible(const CollectivePlanner& planner, const CollectiveRequest& request, const std::string& operation,
                    const Algorithm& asked) {
  if (asked.algorithm == CollectiveAlgorithm::automatic) return;
  std::string possible = "auto";
  for (const CollectivePlan& plan : planner.candidates(request)) {
    if (plan.algorithm == asked.name) return;
    if (request.op != CollectiveOp::all_to_all) possible += ", " + plan.algorithm;
  }
  throw InputError({{"command line", "--algorithm", "for " + operation + " on these nodes one of: " + possible,
                     "\"" + std::string(asked.name) + "\"", asked.needs}});
}

// Of what the scenario was taken for: what the links and the measurements of collectives are.
std::vector<Assumption> link_assumptions(const Scenario& scenario) {
  constexpr const char* starts[] = {"/cluster/fabric", "/cluster/collectives", "/cluster/calibration", "link/", "nic/"};
  constexpr const char* ends[] = {"/gpu_fabric", "/gpu_fabric/shape", "/nic",     "/nics",     "/p2p",
                                  "/acs",        "/gpudirect",        "/sockets", "/topology", "/cpu"};
  std::vector<Assumption> found;
  for (const Assumption& a : scenario.assumptions) {
    const bool begins = std::any_of(std::begin(starts), std::end(starts),
                                    [&](const char* start) { return a.pointer.starts_with(start); });
    const bool of_node =
        a.pointer.starts_with("/cluster/") &&
        std::any_of(std::begin(ends), std::end(ends), [&](const char* end) { return a.pointer.ends_with(end); });
    if (begins || of_node) found.push_back(a);
  }
  return found;
}

// That measured collectives are there, but none of this one.
void note_unmeasured(const Cluster& cluster, CollectiveOp op, int ranks, std::vector<Assumption>& assumptions) {
  if (cluster.corrections.empty()) return;
  const bool between = ranks > cluster.groups.front().node.gpus;
  std::string measured;
  for (const CollectiveCorrection& c : cluster.corrections) {
    if (c.op == op && c.between_nodes == between) return;
    measured += (measured.empty() ? "" : ", ") + std::string(to_string(c.op)) +
                (c.between_nodes ? " between nodes" : " inside a node");
  }
  assumptions.push_back({Assumption::Kind::model, "/cluster/collectives",
                         std::string(to_string(op)) + (between ? " between nodes" : " inside a node"),
                         "not measured, so the model stays uncorrected; measured: " + measured});
}

Task transfer_of(TaskGraph& graph, const std::string& operation, double latency_s) {
  Task task;
  task.kind = TaskKind::transfer;
  task.part = Part::communication;
  task.label = graph.label(operation);
  task.latency_s = latency_s;
  return task;
}

// Seconds of the requests on the idle cluster, each by itself.
class Bench {
 public:
  // `folds`: one node stands for all.
  Bench(const Assembly& assembly, const std::string& operation, bool messages, bool folds) : operation_(operation) {
    if (!messages) {
      machine_ = assembly.machine(false, std::vector<double>(assembly.gpus().size(), 1.0));
      return;
    }
    routes_.emplace(assembly.fabric());
    nodes_ = folds ? SimulatedFabric::folded(assembly.fabric(), {{assembly.fabric().nodes.front().count}})
                   : SimulatedFabric::unfolded(assembly.fabric());
    planner_.emplace(assembly.cluster(), assembly.fabric(), *nodes_, *routes_);
    machine_.resource_capacity = nodes_->bytes_per_s();
  }

  double seconds(const CollectiveRequest& request, const CollectivePlan& bundle) const {
    TaskGraph graph;
    if (planner_) {
      MessagePlan plan = planner_->plan(request, bundle).value();
      Task task = transfer_of(graph, operation_, plan.latency_s);
      task.messages = graph.add_pattern(std::move(plan.pattern));
      graph.add(task);
    } else {
      Task task = transfer_of(graph, operation_, bundle.latency_s);
      task.amount = bundle.amount_bytes;
      task.uses = bundle.uses;
      graph.add(task);
    }
    return sim_time_to_seconds(run_tasks(machine_, graph).end);
  }

 private:
  std::string operation_;
  MachineSpec machine_;
  std::optional<Topology> routes_;
  std::optional<SimulatedFabric> nodes_;
  std::optional<MessagePlanner> planner_;
};

}  // namespace

CollectiveTable collective(const Scenario& scenario, const std::string& operation, const std::vector<double>& sizes,
                           std::optional<int> ranks, const std::string& algorithm, const std::string& fidelity) {
  std::vector<Problem> faults;
  const Operation& op = find_named(operations, operation, "--op", faults);
  const Algorithm& asked = find_named(algorithms, algorithm, "--algorithm", faults);
  CollectiveAlgorithm chosen = asked.algorithm;
  const bool messages = fidelity == "messages";
  if (!messages && fidelity != "bundle")
    faults.push_back({"command line", "--fidelity", "bundle or messages", "\"" + fidelity + "\"", ""});
  check_sizes(sizes, faults);
  const int most = scenario.cluster.gpus();
  const int n = ranks.value_or(most);
  if (n < 2 || n > most)
    faults.push_back({"command line", "--ranks", "from 2 to the cluster's " + std::to_string(most) + " GPUs",
                      std::to_string(n),
                      most < 2 ? "a collective needs two GPUs: raise cluster.nodes or node.gpus" : ""});
  if (messages && faults.empty()) check_messages(op.op, chosen, operation, algorithm, n, faults);
  if (messages && !scenario.cluster.corrections.empty())
    faults.push_back({scenario.file, "/cluster", "with --fidelity messages no measured collectives", "some",
                      "they correct the bundle: leave --fidelity, or collectives and calibration, out"});
  if (!faults.empty()) throw InputError(faults);

  if (messages) chosen = CollectiveAlgorithm::ring;
  const Assembly assembly(scenario.cluster, scenario.job);
  check_possible(assembly.planner(), {op.op, 1.0, chosen, Scope::world, n}, operation, asked);
  const bool folds = n == most && op.op != CollectiveOp::all_to_all && MessagePlanner::can_fold(assembly.fabric());
  const Bench bench(assembly, operation, messages, folds);
  CollectiveTable table{operation, n, {}, link_assumptions(scenario)};
  note_unmeasured(scenario.cluster, op.op, n, table.assumptions);
  for (const double size : sizes) {
    const CollectiveRequest request{op.op, size, chosen, Scope::world, n == most ? 0 : n};
    const CollectivePlan plan = assembly.planner().plan(request);
    const double seconds = bench.seconds(request, plan);
    const double algbw = size / seconds / 1e9;
    const char* measured = plan.measured == CollectivePlan::Measured::no       ? ""
                           : plan.measured == CollectivePlan::Measured::inside ? "inside"
                                                                               : "beyond";
    table.rows.push_back({size, seconds * 1e6, algbw, algbw * op.bus_factor(n), plan.algorithm, measured});
  }
  return table;
}

}  // namespace clustersim
