#include "sim/summarize.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "models/workload/memory.h"
#include "sim/bottleneck.h"
#include "sim/money.h"
#include "sim/trace_notes.h"
#include "sim/validation/expected_error.h"
#include "sim/write/readable.h"

namespace clustersim {
namespace {

std::string gpus_text(const Cluster& cluster) {
  std::string text;
  for (const NodeGroup& group : cluster.groups) {
    if (!text.empty()) text += " and ";
    text += std::to_string(group.count) + (group.count == 1 ? " node" : " nodes") + " x " +
            std::to_string(group.node.gpus) + " " + group.node.gpu.name;
  }
  return text;
}

class Summary {
 public:
  Summary(const Scenario& scenario, const SimulatedJob& own, const SimulatedJob* cloud, bool explain_cost)
      : scenario_(scenario), own_(own), cloud_(cloud), explain_cost_(explain_cost) {}

  Report make() {
    const Job& job = scenario_.job;
    report_.scenario = scenario_.name;
    report_.headline = job.model_id + " on " + gpus_text(scenario_.cluster) + ", " +
                       rounded(own_.projection.target.global_batch) + " samples a step";
    add_speed();
    add_parts();
    add_target();
    add_machine();
    add_energy();
    add_money(scenario_, own_, cloud_, explain_cost_, report_);
    report_.bottleneck = find_bottleneck(own_.assembly, own_.result.steady, own_.result);
    add_notes();
    add_assumptions();
    return std::move(report_);
  }

 private:
  void metric(const char* name, double value, const char* unit, const char* meaning) {
    report_.metrics.push_back({name, value, unit, meaning});
  }
  void note(const char* topic, std::string text) { report_.notes.push_back({topic, std::move(text)}); }

  void add_speed() {
    const Projection& p = own_.projection;
    metric("step_time", own_.result.steady.step_s, "s", "one optimizer step, steady");
    metric("throughput", p.throughput, "samples/s", "of the whole job, steady");
    metric("throughput_per_gpu", p.throughput / scenario_.cluster.gpus(), "samples/s", "steady");
    if (scenario_.job.model == ModelKind::bert || scenario_.job.model == ModelKind::decoder)
      metric("tokens_per_s", p.throughput * scenario_.job.tokens_per_sequence, "tokens/s",
             "of the whole job, padding not counted");
  }

  void add_parts() {
    const StepParts& parts = own_.result.steady.parts;
    metric("forward_backward_time", parts.forward_backward_s, "s", "kernels of forward and backward passes, a step");
    metric("exposed_communication_time", parts.communication_s, "s", "waiting for gradients on their way, a step");
    metric("input_stall_time", parts.input_s, "s", "waiting for the next batch or decoding it on the GPU, a step");
    metric("optimizer_time", parts.optimizer_s, "s", "updating the weights, launches included, a step");
    metric("host_overhead_time", parts.host_s, "s", "waiting for the host: synchronisations and launches, a step");
    metric("straggler_time", parts.straggler_s, "s", "waiting for slower ranks, a step");
    if (const ModelParallelTimes divided = own_.assembly.step(false).divided; is_model_parallel(own_.assembly.job())) {
      const double passes = own_.assembly.job().accumulation;
      metric("tensor_parallel_time", passes * divided.tensor_s, "s",
             "sums inside layers, a step; part of the exposed communication");
      metric("pipeline_send_time", passes * divided.send_s, "s",
             "sends between stages, a step; part of the exposed communication");
      metric("pipeline_bubble_time", divided.bubble_s, "s",
             "waiting for the pipeline to fill and drain, a step; part of straggler_time");
    }
    metric("gpu_busy_share", parts.busy_s / own_.result.steady.step_s, "1", "share of the step in which kernels run");
  }

  void add_target() {
    const Projection& p = own_.projection;
    const Target& target = scenario_.job.target;
    const double asked = target.kind == Target::Kind::samples  ? target.value
                         : target.kind == Target::Kind::epochs ? target.value * scenario_.job.data.dataset.samples
                                                               : p.target.samples;
    if (asked > 0 && asked < p.target.global_batch)
      note("target", "one step of " + rounded(p.target.global_batch) + " samples is more than the " + rounded(asked) +
                         " asked for");
    metric("steps_to_target", p.target.steps, "1", "optimizer steps");
    metric("samples_to_target", p.target.samples, "1", "samples");
    if (p.target.epochs > 0) metric("epochs_to_target", p.target.epochs, "1", "passes over the data set");
    metric("time_to_train", p.time.total.base(), "s", "to the target, evaluations and checkpoints included");
    if (scenario_.job.data.from != DataSource::synthetic)
      metric("first_epoch_time", p.time.first_epoch.base(), "s", "the first epoch, or the part of it that is needed");
    if (scenario_.job.checkpoint.every > Time()) {
      metric("checkpoint_blocking_time", p.one_checkpoint.base(), "s", "one checkpoint holds the run up");
      metric("checkpoint_time", p.time.checkpoint.base(), "s", "all checkpoints together hold the run up");
    }
    if (scenario_.job.evaluation.every_samples > 0)
      metric("evaluation_time", p.time.evaluations.base(), "s", "all evaluations together");
  }

  void add_machine() {
    const NodeSpec& node = scenario_.cluster.groups.front().node;
    if (scenario_.job.model != ModelKind::emulated && scenario_.job.model != ModelKind::trace)
      metric("gpu_memory_required", memory_needed(scenario_.job, node.gpu, scenario_.cluster.gpus()).total.base(), "B",
             "on each GPU");
    metric("sustained_gpu_clock", own_.projection.slowest_clock * node.gpu.boost_clock.base(), "Hz",
           "of the slowest GPU once temperatures have settled");
    metric("peak_gpu_temperature", own_.projection.hottest.in_celsius(), "degC", "of the hottest GPU, settled");
  }

  double pue() const {
    const bool given = scenario_.cost && scenario_.cost->self_hosted;
    return given ? scenario_.cost->self_hosted->pue : SelfHosted().pue;
  }

  void add_energy() {
    const Projection& p = own_.projection;
    metric("average_gpu_power", p.gpu_power.base(), "W", "mean over GPUs while training");
    metric("average_node_power", p.node_power.base(), "W", "mean over nodes while training, from the wall");
    const Energy energy = facility_energy(p.use(scenario_.cluster), pue());
    metric("energy", energy.base(), "J", "of the run, cooling included (PUE)");
    if (scenario_.cluster.grid > CarbonIntensity())
      metric("carbon", carbon(energy, scenario_.cluster.grid).base(), "g", "CO2 equivalent of that energy");
  }

  void add_notes() {
    const SteadyStep& steady = own_.result.steady;
    add_model_parallel_notes();
    const std::string text = reduction_text();
    if (!text.empty()) note("gradients", text);
    for (const Note& line : trace_notes(own_.assembly)) report_.notes.push_back(line);
    for (std::size_t n = 0; n < own_.assembly.fabric().nodes.size(); ++n)
      for (const std::string& line : own_.assembly.input(n, false).notes) note("input", line);
    if (!own_.projection.target.basis.empty()) note("target", own_.projection.target.basis);
    add_clock_note();
    add_expected_error();
    if (scenario_.cluster.stragglers) note("stragglers", stragglers_text());
    note("simulated", std::to_string(steady.steps_simulated) + " steps of " + simulated_nodes_text() +
                          (steady.settled ? ", until two in a row were equal"
                                          : ", averaged: the input pipeline beats instead of settling"));
  }

  void add_model_parallel_notes() {
    const Job& job = own_.assembly.job();
    if (!is_model_parallel(job)) return;
    const ModelParallelTimes divided = own_.assembly.step(false).divided;
    const int copies = scenario_.cluster.gpus() / job.gpus_per_model();
    note("divided", "a model on " + std::to_string(job.gpus_per_model()) + " GPUs, " +
                        std::to_string(job.tensor_parallel) + " to a layer, in " +
                        std::to_string(job.pipeline_parallel) +
                        (job.pipeline_parallel == 1 ? " stage; " : " stages; ") + std::to_string(copies) +
                        (copies == 1 ? " copy" : " copies"));
    if (job.tensor_parallel > 1)
      note("tensor parallel", std::to_string(job.activation_checkpointing ? 6 : 4) + " sums a layer and pass, of " +
                                  rounded(divided.tensor_bytes / 1e6) + " MB in " +
                                  rounded(divided.tensor_alone_s * 1e3) + " ms each, not overlapped");
    if (job.pipeline_parallel > 1)
      note("pipeline",
           "bubble " + rounded(100 * divided.bubble_share) + " % of the passes" +
               (job.interleave > 1 ? ", " + std::to_string(job.interleave) + " parts of a stage in turn" : "") +
               "; sends of " + rounded(divided.send_bytes / 1e6) + " MB a node in " +
               rounded(divided.send_alone_s * 1e3) + " ms, not overlapped");
  }

  std::string stragglers_text() const {
    const Stragglers& s = *scenario_.cluster.stragglers;
    const int units = s.gpus ? scenario_.cluster.gpus() : scenario_.cluster.nodes();
    return std::to_string(std::lround(s.share * units)) + " of " + std::to_string(units) +
           (s.gpus ? " GPUs" : " nodes") + " compute " + (s.uniform ? "up to " : "") + rounded(100 * s.slowdown) +
           " % longer, chosen by seed " + std::to_string(s.seed);
  }

  std::string simulated_nodes_text() const {
    const std::size_t simulated = own_.assembly.simulated().nodes().size();
    const std::string nodes = std::to_string(scenario_.cluster.nodes());
    if (!own_.assembly.simulated().folds()) return simulated == 1 ? "the node" : "each of " + nodes + " nodes";
    return (simulated == 1 ? "one node" : std::to_string(simulated) + " nodes") + " in " + nodes;
  }

  // What travels for a layer: its weights before each of its two passes, its gradients after the second.
  std::string sharding_text(const Job& job, const StepModel& model) const {
    const double elements = model.backward[1].gradient_elements;
    const double weights = elements * bytes_per_gathered_weight(job), gradients = elements * bytes_per_gradient(job);
    const Scope scope = job.sharding == Sharding::hybrid ? Scope::node : Scope::world;
    const auto alone = [&](CollectiveOp op, double bytes) {
      const CollectivePlan plan = own_.assembly.planner().plan({op, bytes, job.algorithm, scope, 0});
      return rounded(bytes / 1e6) + " MB alone in " + rounded(plan.idle_time_s * 1e3) + " ms" +
             (plan.limit.empty() ? "" : ", limited by " + plan.limit);
    };
    return "weights, gradients and states in " + std::to_string(job.shards) + " shards" +
           (job.sharding == Sharding::hybrid ? " in each node" : "") + "; of each of " +
           std::to_string(model.forward_ends.size() - 2) + " layers an all-gather before each pass (" +
           alone(CollectiveOp::all_gather, weights) + ") and a reduce-scatter (" +
           alone(CollectiveOp::reduce_scatter, gradients) + ")" +
           (job.overlap ? ", overlapped with the layers beside it" : ", not overlapped");
  }

  std::string reduction_text() const {
    const Cluster& cluster = scenario_.cluster;
    const Job& job = own_.assembly.job();
    const StepModel& model = own_.assembly.step_model(0);
    const int exchanging = cluster.gpus() / job.pipeline_parallel, layer_gpus = job.tensor_parallel;
    if (exchanging == layer_gpus || job.model == ModelKind::trace || model.backward.empty()) return "";
    if (job.sharding == Sharding::full || job.sharding == Sharding::hybrid) return sharding_text(job, model);
    const std::vector<Bucket> buckets = gradient_buckets(job, model, &own_.assembly.planner());
    double total = 0, largest = 0;
    for (const Bucket& b : buckets) {
      total += b.bytes * layer_gpus;
      largest = std::max(largest, b.bytes * layer_gpus);
    }
    const CollectivePlan plan = own_.assembly.planner().plan(
        {CollectiveOp::all_reduce, largest, job.algorithm, Scope::world, is_model_parallel(job) ? exchanging : 0});
    const double n = exchanging;
    const double busbw = largest / plan.idle_time_s * 2 * (n - 1) / n;
    std::string text = rounded(total / 1e6) + " MB in " + std::to_string(buckets.size()) +
                       (buckets.size() == 1 ? " bucket, " : " buckets, ") +
                       (is_model_parallel(job) ? "of the GPUs of a layer together, " : "") +
                       (job.overlap ? "overlapped with the backward pass" : "after the backward pass");
    text += "; all-reduce by " + plan.algorithm + (plan.protocol.empty() ? "" : " (" + plan.protocol + ")") + ": " +
            rounded(largest / 1e6) + " MB alone in " + rounded(plan.idle_time_s * 1e3) + " ms, busbw " +
            rounded(busbw / 1e9) + " GB/s";
    if (!plan.limit.empty()) text += ", limited by " + plan.limit;
    if (plan.measured == CollectivePlan::Measured::inside) text += "; corrected by measurement";
    if (plan.measured == CollectivePlan::Measured::beyond)
      text += "; corrected by measurement, but beyond the sizes that were measured";
    if (job.sharding == Sharding::optimizer)
      text += " (done here as reduce-scatter, and an all-gather of the weights after the update)";
    if (job.reduction == Reduction::rs_ar_ag) text += " (done here as reduce-scatter, all-reduce, all-gather)";
    return text;
  }

  // One line for the GPUs that are alike.
  void add_clock_note() {
    struct Alike {
      std::string first;
      int count = 0;
      NodeThermal::Gpu gpu;
    };
    std::vector<Alike> told;
    std::size_t g = 0;
    for (const NodeThermal::State& state : own_.result.thermal)
      for (const NodeThermal::Gpu& gpu : state.gpus) {
        const SimulatedGpu& simulated = own_.assembly.gpus()[g++];
        if (gpu.reason == ClockReason::none) continue;
        const auto same = std::find_if(told.begin(), told.end(), [&](const Alike& a) {
          return a.gpu.clock == gpu.clock && a.gpu.die == gpu.die && a.gpu.power == gpu.power &&
                 a.gpu.reason == gpu.reason;
        });
        const int stands_for = static_cast<int>(std::lround(simulated.stands_for));
        if (same == told.end())
          told.push_back({simulated.name, stands_for, gpu});
        else
          same->count += stands_for;
      }
    for (const Alike& a : told)
      note("clock", a.first +
                        (a.count > 1 ? " and " + std::to_string(a.count - 1) + " more settle at " : " settles at ") +
                        rounded(100 * a.gpu.clock) + " % of the free clock, " + rounded(a.gpu.die.in_celsius()) +
                        " degC, " + rounded(a.gpu.power.base()) + " W: " + to_string(a.gpu.reason));
  }

  void add_expected_error() {
    const auto& expected = report_.expected_error = expected_error(scenario_);
    note("expected error", expected
                               ? "throughput within " + rounded(100 * expected->median) + " % (median), " +
                                     rounded(100 * expected->p90) + " % (9 of 10), in " +
                                     std::to_string(expected->rows) + " published rows like this: " + expected->like
                               : nothing_like_it());
  }

  std::string nothing_like_it() const {
    const ModelKind model = scenario_.job.model;
    if (model == ModelKind::decoder || model == ModelKind::vit)
      return "unknown: no constant of the model was chosen by a run of such a network; `clustersim validate "
             "throughput` "
             "shows how published ones come out";
    return "no published row is like this one";
  }

  void add_assumptions() {
    report_.assumptions = scenario_.assumptions;
    if (own_.projection.target.extrapolated)
      report_.assumptions.push_back({Assumption::Kind::model, "/job/target",
                                     rounded(own_.projection.target.samples) + " samples",
                                     "the global batch lies outside the reference points: extrapolated"});
    if (scenario_.job.target.kind == Target::Kind::quality && scenario_.job.model == ModelKind::bert &&
        scenario_.job.sequence_length < 512)
      report_.assumptions.push_back(
          {Assumption::Kind::model, "/job/target", rounded(own_.projection.target.samples) + " samples",
           "the reference runs had sequences of up to 512 tokens; shorter ones may need more"});
    for (const Assumption& a : trace_assumptions(own_.assembly)) report_.assumptions.push_back(a);
    const NodeSpec& node = scenario_.cluster.groups.front().node;
    const GpuPowerModel power = gpu_power_model(node.gpu);
    if (power.assumed)
      report_.assumptions.push_back({Assumption::Kind::model, "/cluster/node/gpu", "power curve", power.basis});
    if (power.lowest_measured > 0 && own_.projection.slowest_clock < power.lowest_measured * (1 - 1e-6))
      report_.assumptions.push_back({Assumption::Kind::model, "/cluster/node/gpu", "power curve",
                                     "the clock falls below the lowest of the calibrating sweep, " +
                                         rounded(100 * power.lowest_measured) +
                                         " % of the highest: the curve is carried on"});
  }

  const Scenario& scenario_;
  const SimulatedJob& own_;
  const SimulatedJob* cloud_;
  bool explain_cost_;
  Report report_;
};

}  // namespace

Report summarize(const Scenario& scenario, const SimulatedJob& own, const SimulatedJob* cloud, bool explain_cost) {
  return Summary(scenario, own, cloud, explain_cost).make();
}

}  // namespace clustersim
