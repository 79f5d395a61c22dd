#include "sim/read/resolve_trace.h"

#include <algorithm>
#include <filesystem>

#include "sim/import/load_trace.h"
#include "sim/import/product_names.h"
#include "sim/read/did_you_mean.h"

namespace clustersim {
namespace {

constexpr const char* kPointer = "/job/model/trace";

// As written, else beside the scenario.
std::string found_path(const std::string& path, const std::string& scenario) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::path(path).is_absolute() || fs::exists(path, ignored)) return path;
  const fs::path beside = fs::path(scenario).parent_path() / path;
  return fs::exists(beside, ignored) ? beside.string() : path;
}

class TraceResolver {
 public:
  TraceResolver(ReadContext& context, const JobKeys& keys, const Cluster& cluster, Job& job)
      : context_(context), keys_(keys), model_(*keys.model), cluster_(cluster), job_(job) {}

  bool resolve() {
    if (model_.emulated_step) context_.fault("/job/model/emulated_step", "nothing beside a trace", "a time");
    if (keys_.accumulation && *keys_.accumulation != 1)
      context_.fault("/job/accumulation", "1: a recorded step is a whole one", std::to_string(*keys_.accumulation));
    job_.model_id = "trace";
    job_.model = ModelKind::trace;
    const std::string path = found_path(*model_.trace, context_.lookup.file);
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
      context_.fault(kPointer, "a file that exists", "\"" + *model_.trace + "\"",
                     "it counts from the current folder, else from the scenario's");
      return false;
    }
    StepTrace trace;
    try {
      trace = load_trace(path);
    } catch (const InputError& error) {
      context_.lookup.problems.insert(context_.lookup.problems.end(), error.problems().begin(), error.problems().end());
      return false;
    }
    if (model_.parameters) trace.parameters = *model_.parameters;
    take_batch(trace);
    take_gpu(trace);
    take_collectives(trace);
    job_.trace = std::make_shared<const StepTrace>(std::move(trace));
    return true;
  }

 private:
  void take_batch(const StepTrace& trace) {
    const bool stated = trace.batch > 0 && trace.batch_guess.empty();
    const int recorded = static_cast<int>(trace.batch);
    job_.batch_per_gpu = model_.batch.value_or(keys_.batch_per_gpu.value_or(recorded));
    if (stated && job_.batch_per_gpu != recorded)
      context_.fault(model_.batch ? "/job/model/batch" : "/job/batch_per_gpu",
                     "the batch of the recorded step, " + std::to_string(recorded), std::to_string(job_.batch_per_gpu),
                     "leave it out, or record a step of that batch");
    if (model_.batch && keys_.batch_per_gpu && *model_.batch != *keys_.batch_per_gpu)
      context_.fault("/job/batch_per_gpu", "the batch of the recorded step, " + std::to_string(*model_.batch),
                     std::to_string(*keys_.batch_per_gpu), "leave it out");
    if (model_.batch || keys_.batch_per_gpu || stated) return;
    if (recorded > 0) {
      context_.estimate("/job/batch_per_gpu", std::to_string(recorded), "not recorded; " + trace.batch_guess);
      return;
    }
    job_.batch_per_gpu = 1;
    context_.remark("/job/batch_per_gpu", "1",
                    "the trace does not say how many samples a step has: samples, throughput and epochs count steps "
                    "here; give batch_per_gpu");
  }

  const GpuSpec* cluster_gpu() const {
    const GpuSpec& gpu = cluster_.groups.front().node.gpu;
    return gpu.id.empty() ? nullptr : &gpu;
  }

  void take_gpu(const StepTrace& trace) {
    std::string id;
    if (model_.recorded_on) {
      id = *model_.recorded_on;
      if (!context_.catalog().has("gpu", id)) {
        context_.fault("/job/model/recorded_on", "id of gpu (clustersim catalog gpu)", "\"" + id + "\"",
                       did_you_mean(id, context_.catalog().ids("gpu")));
        return;
      }
    } else if (trace.on_cpu) {
      context_.remark(kPointer, "recorded on a CPU", "its operators keep their times on every GPU");
      return;
    } else if (!trace.gpu.empty()) {
      NodePart part;
      part.name = trace.gpu;
      id = context_.catalog().has("gpu", trace.gpu) ? trace.gpu : gpu_id_of(context_.catalog(), part);
    }
    const GpuSpec* target = cluster_gpu();
    if (target == nullptr) return;
    if (id.empty()) {
      context_.remark(
          kPointer, "recorded on the cluster's GPU, " + target->name,
          (trace.gpu.empty() ? "the trace does not name its GPU" : "the catalog has no \"" + trace.gpu + "\"") +
              std::string("; if it was another, name it as recorded_on"));
      return;
    }
    job_.trace_gpu = context_.catalog().gpu(id, context_.at("/job/model/recorded_on"));
    if (id != target->id)
      context_.remark(kPointer, "recorded on " + job_.trace_gpu->name,
                      "scaled to " + target->name + " by the roofline of what each operator is");
  }

  bool same_gpu(const StepTrace& trace) const {
    if (trace.on_cpu || !job_.trace_gpu) return true;
    return std::all_of(cluster_.groups.begin(), cluster_.groups.end(),
                       [&](const NodeGroup& g) { return g.node.gpu.id == job_.trace_gpu->id; });
  }

  void take_collectives(const StepTrace& trace) {
    const int world = cluster_.gpus();
    const TraceCollectives asked = model_.collectives.value_or(TraceCollectives::automatic);
    const bool has = !trace.collectives.empty();
    if (world == 1 && trace.step == 0) {
      context_.fault(kPointer, "operators that take time: one GPU exchanges nothing", "collectives alone");
      return;
    }
    if (world == 1) {
      if (has) context_.remark(kPointer, "without its collectives", "one GPU exchanges nothing");
      return;
    }
    const bool timed = has && std::all_of(trace.operators.begin(), trace.operators.end(), [](const TraceOperator& op) {
                         return op.collective < 0 || op.duration >= 0;
                       });
    const bool can_record = timed && world == trace.ranks;
    if (asked == TraceCollectives::recorded && !can_record) {
      context_.fault("/job/model/collectives",
                     timed ? "planned: the trace is of " + std::to_string(trace.ranks) + " ranks"
                           : "planned: the trace has no times of collectives",
                     "\"recorded\"");
      return;
    }
    job_.recorded_collectives =
        asked == TraceCollectives::recorded ||
        (asked == TraceCollectives::automatic && can_record && same_gpu(trace) && cluster_.nodes() == 1);
    if (job_.recorded_collectives) {
      if (asked == TraceCollectives::automatic)
        context_.remark("/job/model/collectives", "recorded",
                        "as many GPUs of the same kind, in one node: collectives keep their times whatever the links; "
                        "\"planned\" works them out for this node");
      return;
    }
    if (!can_plan_collectives(trace)) {
      if (has)
        context_.fault(kPointer, "collectives with their bytes, to be planned for " + std::to_string(world) + " GPUs",
                       "at least one of unknown size",
                       can_record ? "or {\"collectives\": \"recorded\"}" : "or a cluster of as many GPUs as recorded");
      else
        context_.fault("/job/model/parameters",
                       "the parameters of the model: " + std::to_string(world) +
                           " GPUs exchange gradients, and the trace has no collectives",
                       "nothing", "add \"parameters\": 25600000, or record a step of several ranks");
      return;
    }
    if (has)
      context_.remark(
          "/job/model/collectives", "planned",
          "worked out for this cluster" +
              (trace.ranks > 0 ? ", recorded on " + std::to_string(trace.ranks) + " ranks" : std::string()));
    else
      context_.remark(kPointer, "gradients added",
                      "the trace is of one GPU: all-reduces in buckets, spread over the last two thirds of the time "
                      "before the optimizer");
  }

  ReadContext& context_;
  const JobKeys& keys_;
  const ModelKeys& model_;
  const Cluster& cluster_;
  Job& job_;
};

}  // namespace

bool resolve_trace(ReadContext& context, const JobKeys& keys, const Cluster& cluster, Job& job) {
  if (cluster.groups.empty()) return false;
  return TraceResolver(context, keys, cluster, job).resolve();
}

bool can_plan_collectives(const StepTrace& trace) {
  if (trace.collectives.empty()) return trace.parameters > 0;
  return std::all_of(trace.collectives.begin(), trace.collectives.end(),
                     [](const TraceCollective& c) { return c.bytes >= 0; });
}

void settle_trace_keys(ReadContext& context, const JobKeys& keys) {
  const std::pair<const char*, bool> decided[] = {
      {"/job/fusion", keys.fusion.has_value()},
      {"/job/reduction", keys.reduction.has_value()},
      {"/job/cuda_graph", keys.cuda_graph.has_value()},
      {"/job/optimizer", keys.optimizer.has_value()},
      {"/job/no_sync", keys.no_sync.has_value()},
      {"/job/lr_rule", keys.lr_rule.has_value()},
      {"/job/accumulation", false},
  };
  for (const auto& [pointer, given] : decided) {
    std::erase_if(context.assumptions, [&](const Assumption& a) { return a.pointer == pointer; });
    if (given) context.remark(pointer, "given", "changes nothing: the step is as it was recorded");
  }
}

}  // namespace clustersim
