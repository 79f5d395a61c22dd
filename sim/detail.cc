#include "sim/detail.h"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "models/fabric/build_fabric.h"
#include "models/workload/replay.h"
#include "models/workload/sharded_step.h"
#include "sim/read/scenario_words.h"

namespace clustersim {
namespace {

constexpr int most_gpus = 16384;             // unfolded: some gigabytes
constexpr double most_messages = 2e9;        // about a quarter of an hour
constexpr double steps_at_a_time = 10;       // simulated until two in a row are equal
constexpr double latencies_of_a_chunk = 10;  // below so many the bundle and the messages part

// The collectives of one step.
std::vector<RepeatedCollective> requests(const Assembly& assembly) {
  const Job& job = assembly.job();
  std::vector<RepeatedCollective> all;
  if (assembly.cluster().gpus() < 2) return all;
  if (const ReplayStep* replay = assembly.step_model(0).replay.get()) {
    if (job.recorded_collectives) return all;
    const DataParallelSpec spec = assembly.step(false);
    for (const TraceCollective& collective : replay->collectives)
      all.push_back({replayed_request(collective, spec), 1});
    return all;
  }
  if (job.sharding == Sharding::full || job.sharding == Sharding::hybrid)
    return sharded_collectives(job, assembly.step_model(0), assembly.cluster().gpus(),
                               assembly.step(false).gpus_per_node);
  const double gpus = assembly.step(false).gpus_per_node;
  const double times = job.no_sync ? 1 : job.accumulation;
  double total = 0;
  for (const Bucket& bucket : gradient_buckets(job, assembly.step_model(0), &assembly.planner())) {
    if (bucket.bytes <= 0) continue;
    total += bucket.bytes;
    if (job.sharding == Sharding::optimizer) {
      all.push_back({{CollectiveOp::reduce_scatter, bucket.bytes, job.algorithm, Scope::world, 0}, times});
    } else if (job.reduction == Reduction::all_reduce) {
      all.push_back({{CollectiveOp::all_reduce, bucket.bytes, job.algorithm, Scope::world, 0}, times});
    } else {
      all.push_back({{CollectiveOp::reduce_scatter, bucket.bytes, job.algorithm, Scope::node, 0}, times});
      all.push_back({{CollectiveOp::all_reduce, bucket.bytes / gpus, job.algorithm, Scope::across, 0}, times});
    }
  }
  const bool gathers = job.reduction == Reduction::rs_ar_ag || job.sharding == Sharding::optimizer;
  const Scope scope = job.sharding == Sharding::optimizer ? Scope::world : Scope::node;
  if (total > 0 && gathers) all.push_back({{CollectiveOp::all_gather, total, job.algorithm, scope, 0}, 1});
  return all;
}

// A collective's bundle and messages; those without messages are left out.
struct TwoFaces {
  CollectivePlan bundle;
  double times = 1;      // in a step
  double simulated = 0;  // messages of a step, of the nodes that are simulated
  double count = 0;      // of all nodes
};

std::vector<TwoFaces> faces(const Assembly& assembly) {
  std::vector<TwoFaces> all;
  const SimulatedFabric& fabric = assembly.simulated();
  const double alike = fabric.folds() ? fabric.nodes().front().stands_for : 1.0;
  for (const auto& [request, times] : requests(assembly)) {
    const CollectivePlan bundle = assembly.planner().plan(request);
    if (const auto plan = assembly.message_planner()->plan(request, bundle)) {
      const double simulated = times * static_cast<double>(plan->pattern.lanes.size()) * plan->pattern.steps;
      all.push_back({bundle, times, simulated, simulated * alike});
    }
  }
  return all;
}

}  // namespace

Detail detail_of(const Scenario& scenario, const RunOptions& options) {
  std::vector<Problem> faults;
  const CollectiveAlgorithm asked = scenario.job.algorithm;
  if (options.messages && asked != CollectiveAlgorithm::automatic && asked != CollectiveAlgorithm::ring)
    faults.push_back({scenario.file, "/job/collective_algorithm", "auto or ring with --fidelity messages",
                      "\"" + word_of(kAlgorithmWords, asked) + "\"", "only rings are simulated message by message"});
  if (options.messages && !scenario.cluster.corrections.empty())
    faults.push_back({scenario.file, "/cluster", "no measured collectives with --fidelity messages", "some",
                      "they correct the bundle: leave --fidelity, or collectives and calibration, out"});
  const bool alike = !scenario.cluster.stragglers && MessagePlanner::can_fold(build_fabric(scenario.cluster));
  const bool every_node = options.unfold || (options.messages && !alike);
  if (every_node && scenario.cluster.gpus() > most_gpus)
    faults.push_back({"command line", options.unfold ? "--unfold" : "--fidelity",
                      "at most " + std::to_string(most_gpus) + " GPUs, each simulated by itself",
                      std::to_string(scenario.cluster.gpus()) + " GPUs", "without it equal nodes cost what one costs"});
  if (!faults.empty()) throw InputError(faults);
  return {options.unfold, options.messages};
}

void check_messages(const Assembly& assembly) {
  if (!assembly.message_planner()) return;
  double messages = 0;
  for (const TwoFaces& one : faces(assembly)) messages += one.simulated;
  if (messages * steps_at_a_time <= most_messages) return;
  char got[40];
  std::snprintf(got, sizeof got, "%.2g messages", messages * steps_at_a_time);
  throw InputError({{"command line", "--fidelity", "messages with fewer GPUs or larger buckets", got,
                     "--fidelity bundle takes any number"}});
}

std::string messages_text(const Assembly& assembly) {
  double messages = 0, fewest = 1e300;
  double count = 0, bound = 0;
  for (const TwoFaces& one : faces(assembly)) {
    const double waits_s = one.bundle.latency_s - one.bundle.launch_s;
    const double sends_s = one.bundle.idle_time_s - one.bundle.latency_s;
    if (sends_s < latencies_of_a_chunk * waits_s) {
      bound += one.times;
      fewest = std::min(fewest, sends_s / waits_s);
    }
    messages += one.count;
    count += one.times;
  }
  if (count == 0) {
    if (assembly.job().recorded_collectives) return "collectives last as long as recorded";
    return requests(assembly).empty() ? "no collectives" : "no collective here is a ring: each is one transfer";
  }
  char text[240];
  std::snprintf(text, sizeof text, "%.0f collective%s a step, all by ring, in %.0f messages%s", count,
                count == 1 ? "" : "s", messages,
                assembly.simulated().folds() && assembly.cluster().nodes() > 1
                    ? " (simulated on one node, since all are alike)"
                    : "");
  std::string result = text;
  if (bound == 0) return result;
  std::snprintf(text, sizeof text,
                "; latency-bound: in %.0f of them a chunk takes less than ten latencies (the least %.2g), where taking "
                "the ring as one transfer may be off by more than 1 %%",
                bound, fewest);
  return result + text;
}

}  // namespace clustersim
