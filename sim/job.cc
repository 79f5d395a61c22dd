#include "sim/job.h"

#include <algorithm>
#include <cmath>

#include "models/workload/replay.h"
#include "models/workload/sharded_step.h"
#include "sim/engine/executor.h"
#include "sim/target.h"

namespace clustersim {
namespace {

constexpr int most_steps = 64;
constexpr double steady_within = 1e-4;  // relative difference of two steps in a row
constexpr double clock_settled_within = 2e-3;
constexpr int most_clock_rounds = 12;
constexpr double thermal_horizon_h = 4;  // longer than any time constant of a node

std::map<std::string, double> stage_busy(const TaskGraph& graph, const RunRecord& record) {
  struct Stage {
    SimTime worked = 0, first = 0, last = 0;
    LabelId label = -1;
  };
  std::map<StreamId, Stage> stages;
  for (const Span& span : record.spans) {
    const Task& task = graph.tasks[static_cast<std::size_t>(span.task)];
    if (task.part != Part::input || task.kind != TaskKind::transfer) continue;
    Stage& stage = stages[task.stream];
    if (stage.label < 0) stage.first = span.start;
    stage.label = task.label;
    stage.worked += span.end - span.start;
    stage.last = span.end;
  }
  std::map<std::string, double> busy;
  for (const auto& [stream, stage] : stages) {
    const double share =
        static_cast<double>(stage.worked) / static_cast<double>(std::max<SimTime>(1, stage.last - stage.first));
    double& most = busy[graph.labels[static_cast<std::size_t>(stage.label)]];
    most = std::max(most, share);
  }
  return busy;
}

SteadyStep summarize_window(const Assembly& assembly, const DataParallelSpec& spec, const TaskGraph& graph,
                            const RunRecord& record, SimTime from, SimTime to, int steps) {
  SteadyStep result;
  const double window_s = sim_time_to_seconds(to - from);
  result.step_s = window_s / steps;
  std::vector<ObservedStream> streams;
  for (std::size_t g = 0; g < spec.ranks.size(); ++g)
    streams.push_back({spec.ranks[g].compute_stream, assembly.gpus()[g].stands_for});
  const std::vector<StepParts> of_each = parts_of_each(graph, record, streams, from, to);
  StepParts& parts = result.parts = mean_of(of_each, streams);
  for (double* part : {&parts.forward_backward_s, &parts.communication_s, &parts.input_s, &parts.optimizer_s,
                       &parts.host_s, &parts.straggler_s, &parts.busy_s})
    *part /= steps;
  for (auto& [label, seconds] : parts.waited_s) seconds /= steps;
  for (const StepParts& own : of_each) {
    const double busy = std::min(1.0, own.busy_s / window_s);  // sums of rounded spans may pass it by a bit
    result.loads.push_back({busy, std::min(1.0 - busy, (own.communication_s + own.straggler_s) / window_s)});
  }
  result.stage_busy = stage_busy(graph, record);
  result.events = record.events;
  result.fingerprint = record.fingerprint;
  return result;
}

// Steps are alike from the second on, and so is the room that they need.
void append_steps(StepSource& source, TaskGraph& graph, int steps) {
  std::size_t before = 0;
  for (int i = 0; i < steps; ++i) {
    if (i == 1) before = graph.tasks.size();
    source.append_step(graph, i);
    if (i == 1) graph.tasks.reserve(before + (graph.tasks.size() - before) * static_cast<std::size_t>(steps - 1));
  }
}

std::unique_ptr<StepSource> step_source(const Assembly& assembly, const DataParallelSpec& spec) {
  if (spec.job.model == ModelKind::trace)
    return std::make_unique<Replay>(spec, &assembly.planner(), assembly.message_planner());
  if (spec.job.sharding == Sharding::full || spec.job.sharding == Sharding::hybrid)
    return std::make_unique<ShardedStep>(spec, &assembly.planner(), assembly.message_planner());
  return std::make_unique<DataParallel>(spec, &assembly.planner(), assembly.message_planner());
}

}  // namespace

SteadyStep simulate_steady_step(const Assembly& assembly, bool first_epoch, const std::vector<double>& clocks,
                                StepRecording* recording) {
  const DataParallelSpec spec = assembly.step(first_epoch);
  const MachineSpec machine = assembly.machine(first_epoch, clocks);
  for (int steps = std::min(most_steps, spec.prefetch + 4);; steps = std::min(most_steps, 2 * steps)) {
    TaskGraph graph;
    const std::unique_ptr<StepSource> source = step_source(assembly, spec);
    // Readers go on working for the batches after the last step that is measured.
    append_steps(*source, graph, steps + spec.prefetch);
    RunRecord record = run_tasks(machine, graph, recording != nullptr);
    const std::vector<SimTime> ends = step_ends(graph, record);
    const auto last = static_cast<std::size_t>(steps) - 1;
    const double now = sim_time_to_seconds(ends[last] - ends[last - 1]);
    const double before = sim_time_to_seconds(ends[last - 1] - ends[last - 2]);
    const bool settled = std::abs(now - before) <= steady_within * now;
    if (!settled && steps < most_steps) continue;
    // A pipeline that beats instead of settling is averaged over the later half of the window.
    const std::size_t first = settled ? last - 1 : last / 2;
    SteadyStep result =
        summarize_window(assembly, spec, graph, record, ends[first], ends[last], static_cast<int>(last - first));
    result.steps_simulated = steps;
    result.settled = settled;
    if (recording) *recording = {spec, std::move(graph), std::move(record), ends[first], ends[last]};
    return result;
  }
}

namespace {

// The simulated nodes once they have settled under the loads of their GPUs; by simulated node.
std::vector<NodeThermal::State> settled_nodes(const Assembly& assembly, const std::vector<NodeThermal>& models,
                                              const std::vector<GpuLoad>& loads) {
  struct Settled {
    std::vector<GpuLoad> loads;
    NodeThermal::State state;
  };
  std::vector<std::vector<Settled>> met(models.size());  // equal nodes under equal loads settle alike
  std::vector<NodeThermal::State> states;
  auto first = loads.begin();
  for (const SimulatedNode& node : assembly.simulated().nodes()) {
    const auto model = static_cast<std::size_t>(node.plan_node);
    const auto last = first + static_cast<std::ptrdiff_t>(assembly.fabric().nodes[model].gpus.size());
    const std::vector<GpuLoad> own(first, last);
    first = last;
    auto known = std::find_if(met[model].begin(), met[model].end(), [&](const Settled& s) { return s.loads == own; });
    if (known == met[model].end()) {
      const NodeThermal& thermal = models[model];
      met[model].push_back({own, thermal.settle(thermal.start(), own, hours(thermal_horizon_h))});
      known = met[model].end() - 1;
    }
    states.push_back(known->state);
  }
  return states;
}

// The clocks at which heat, power and the step that causes them agree.
void settle_clocks(const Assembly& assembly, JobResult& result) {
  std::vector<NodeThermal> models;
  for (const NodePlan& plan : assembly.fabric().nodes)
    models.emplace_back(assembly.cluster().groups[static_cast<std::size_t>(plan.group)].node);
  result.clocks.assign(assembly.gpus().size(), 1.0);
  for (int round = 0; round < most_clock_rounds; ++round) {
    result.steady = simulate_steady_step(assembly, false, result.clocks);
    result.thermal = settled_nodes(assembly, models, result.steady.loads);
    std::vector<double> clocks;
    for (const NodeThermal::State& node : result.thermal)
      for (const NodeThermal::Gpu& card : node.gpus) clocks.push_back(card.clock);
    double change = 0;
    for (std::size_t g = 0; g < clocks.size(); ++g) change = std::max(change, std::abs(clocks[g] - result.clocks[g]));
    if (change <= clock_settled_within) return;
    // Slowed steps draw less power, which lets the clock rise again: half a step towards the new value settles.
    for (std::size_t g = 0; g < clocks.size(); ++g)
      result.clocks[g] = round < 2 ? clocks[g] : 0.5 * (clocks[g] + result.clocks[g]);
  }
  result.steady = simulate_steady_step(assembly, false, result.clocks);
}

}  // namespace

JobResult run_job(const Assembly& assembly) {
  JobResult result;
  settle_clocks(assembly, result);
  const Job& job = assembly.job();
  if (job.data.first_epoch_cold && job.data.from != DataSource::synthetic)
    result.first_epoch = simulate_steady_step(assembly, true, result.clocks);
  // A run that ends within its first epoch never sees a warm one.
  result.within_first_epoch =
      result.first_epoch && target_length(job, assembly.cluster()).samples <= job.data.dataset.samples * (1 + 1e-3);
  if (result.within_first_epoch) result.steady = *result.first_epoch;
  return result;
}

}  // namespace clustersim
