#include "sim/detail.h"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "models/fabric/build_fabric.h"
#include "models/workload/replay.h"
#include "sim/read/scenario_words.h"

namespace clustersim {
namespace {

constexpr int most_gpus = 16384;             // unfolded: some gigabytes
constexpr double most_messages = 2e9;        // about a quarter of an hour
constexpr double steps_at_a_time = 10;       // simulated until two in a row are equal
constexpr double latencies_of_a_chunk = 10;  // below so many the bundle and the messages part

// The collectives of one step.
std::vector<CollectiveRequest> requests(const Assembly& assembly) {
  const Job& job = assembly.job();
  std::vector<CollectiveRequest> all;
  if (assembly.cluster().gpus() < 2) return all;
  if (const ReplayStep* replay = assembly.step_model(0).replay.get()) {
    if (job.recorded_collectives) return all;
    const DataParallelSpec spec = assembly.step(false);
    for (const TraceCollective& collective : replay->collectives) all.push_back(replayed_request(collective, spec));
    return all;
  }
  const double gpus = assembly.step(false).gpus_per_node;
  double total = 0;
  for (const Bucket& bucket : gradient_buckets(job, assembly.step_model(0), &assembly.planner())) {
    if (bucket.bytes <= 0) continue;
    total += bucket.bytes;
    if (job.reduction == Reduction::all_reduce) {
      all.push_back({CollectiveOp::all_reduce, bucket.bytes, job.algorithm, Scope::world, 0});
      continue;
    }
    all.push_back({CollectiveOp::reduce_scatter, bucket.bytes, job.algorithm, Scope::node, 0});
    all.push_back({CollectiveOp::all_reduce, bucket.bytes / gpus, job.algorithm, Scope::across, 0});
  }
  if (total > 0 && job.reduction == Reduction::rs_ar_ag)
    all.push_back({CollectiveOp::all_gather, total, job.algorithm, Scope::node, 0});
  return all;
}

// A collective's bundle and messages; those without messages are left out.
struct TwoFaces {
  CollectivePlan bundle;
  MessagePlan messages;
  double count = 0;  // messages, of all nodes
};

std::vector<TwoFaces> faces(const Assembly& assembly) {
  std::vector<TwoFaces> all;
  const SimulatedFabric& fabric = assembly.simulated();
  const double alike = fabric.folds() ? fabric.nodes().front().stands_for : 1.0;
  for (const CollectiveRequest& request : requests(assembly)) {
    const CollectivePlan bundle = assembly.planner().plan(request);
    if (auto plan = assembly.message_planner()->plan(request, bundle)) {
      const double count = static_cast<double>(plan->pattern.lanes.size()) * plan->pattern.steps * alike;
      all.push_back({bundle, std::move(*plan), count});
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
  for (const TwoFaces& one : faces(assembly))
    messages += static_cast<double>(one.messages.pattern.lanes.size()) * one.messages.pattern.steps;
  if (messages * steps_at_a_time <= most_messages) return;
  char got[40];
  std::snprintf(got, sizeof got, "%.2g messages", messages * steps_at_a_time);
  throw InputError({{"command line", "--fidelity", "messages with fewer GPUs or larger buckets", got,
                     "--fidelity bundle takes any number"}});
}

std::string messages_text(const Assembly& assembly) {
  double messages = 0, fewest = 1e300;
  int count = 0, bound = 0;
  for (const TwoFaces& one : faces(assembly)) {
    const double waits_s = one.bundle.latency_s - one.bundle.launch_s;
    const double sends_s = one.bundle.idle_time_s - one.bundle.latency_s;
    if (sends_s < latencies_of_a_chunk * waits_s) {
      ++bound;
      fewest = std::min(fewest, sends_s / waits_s);
    }
    messages += one.count;
    ++count;
  }
  if (count == 0) {
    if (assembly.job().recorded_collectives) return "collectives last as long as recorded";
    return requests(assembly).empty() ? "no collectives" : "no collective here is a ring: each is one transfer";
  }
  char text[240];
  std::snprintf(text, sizeof text, "%d collective%s a step, all by ring, in %.0f messages%s", count,
                count == 1 ? "" : "s", messages,
                assembly.simulated().folds() && assembly.cluster().nodes() > 1
                    ? " (simulated on one node, since all are alike)"
                    : "");
  std::string result = text;
  if (bound == 0) return result;
  std::snprintf(text, sizeof text,
                "; latency-bound: in %d of them a chunk takes less than ten latencies (the least %.2g), where taking "
                "the ring as one transfer may be off by more than 1 %%",
                bound, fewest);
  return result + text;
}

}  // namespace clustersim
