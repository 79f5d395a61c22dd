#include "sim/detail.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "sim/read/scenario_words.h"

namespace clustersim {
namespace {

constexpr double most_gpus = 16384;          // unfolded: some gigabytes
constexpr double most_messages = 2e9;        // about a quarter of an hour
constexpr double steps_at_a_time = 10;       // simulated until two in a row are equal
constexpr double latencies_of_a_chunk = 10;  // below so many the bundle and the messages part

// The collectives of one step.
std::vector<CollectiveRequest> requests(const Assembly& assembly) {
  const Job& job = assembly.job();
  std::vector<CollectiveRequest> all;
  if (assembly.cluster().gpus() < 2) return all;
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

double messages_in(const MessagePlan& plan) {
  return static_cast<double>(plan.pattern.lanes.size()) * plan.pattern.steps;
}

void check_messages(const Scenario& scenario, Detail detail, std::vector<Problem>& faults) {
  const CollectiveAlgorithm asked = scenario.job.algorithm;
  if (asked != CollectiveAlgorithm::automatic && asked != CollectiveAlgorithm::ring)
    faults.push_back({scenario.file, "/job/collective_algorithm", "auto or ring with --fidelity messages",
                      "\"" + word_of(kAlgorithmWords, asked) + "\"", "only rings are simulated message by message"});
  if (!scenario.cluster.corrections.empty())
    faults.push_back({scenario.file, "/cluster", "no measured collectives with --fidelity messages", "some",
                      "they correct the bundle: leave --fidelity, or collectives and calibration, out"});
  // A ring through all, at least one, in one bucket at least; Assembly would be too large to ask.
  const double n = scenario.cluster.gpus(), least = 2 * n * (n - 1) * steps_at_a_time;
  const bool folds = scenario.cluster.groups.size() == 1 && !detail.unfold;
  if (!folds && least > most_messages)
    faults.push_back({"command line", "--fidelity", "messages with fewer GPUs",
                      std::to_string(scenario.cluster.gpus()) + " GPUs", "--fidelity bundle takes any number"});
}

}  // namespace

Detail detail_of(const Scenario& scenario, const RunOptions& options) {
  const Detail detail{options.unfold, options.messages};
  std::vector<Problem> faults;
  if (options.unfold && scenario.cluster.gpus() > most_gpus)
    faults.push_back({"command line", "--unfold", "at most " + std::to_string(static_cast<int>(most_gpus)) + " GPUs",
                      std::to_string(scenario.cluster.gpus()) + " GPUs", "without it equal nodes cost what one costs"});
  if (options.messages) check_messages(scenario, detail, faults);
  if (!faults.empty()) throw InputError(faults);
  return detail;
}

std::string messages_text(const Assembly& assembly) {
  double messages = 0, fewest = 0;
  int count = 0, bound = 0;
  for (const CollectiveRequest& request : requests(assembly)) {
    const CollectivePlan bundle = assembly.planner().plan(request);
    const auto plan = assembly.message_planner()->plan(request, bundle);
    if (!plan) continue;
    const double alike = assembly.simulated().folds() ? assembly.simulated().nodes().front().stands_for : 1.0;
    messages += messages_in(*plan) * alike;
    const double waits_s = bundle.latency_s - bundle.launch_s;
    const double latencies = waits_s > 0 ? (bundle.idle_time_s - bundle.latency_s) / waits_s : latencies_of_a_chunk;
    fewest = count == 0 ? latencies : std::min(fewest, latencies);
    ++count;
    bound += latencies < latencies_of_a_chunk;
  }
  if (count == 0) return "";
  char text[240];
  std::snprintf(text, sizeof text, "%d collectives a step, all by ring, in %.0f messages", count, messages);
  std::string result = text;
  if (assembly.simulated().folds() && assembly.cluster().nodes() > 1)
    result += " (simulated on one node, since all are alike)";
  if (bound > 0) {
    std::snprintf(text, sizeof text,
                  "; latency-bound: in %d of them a chunk takes less than ten latencies (the least %.2g), where taking "
                  "the ring as one transfer may be off by more than 1 %%",
                  bound, fewest);
    result += text;
  }
  return result;
}

}  // namespace clustersim
