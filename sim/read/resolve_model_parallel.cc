#include "sim/read/resolve_model_parallel.h"

#include <algorithm>

namespace clustersim {

namespace {

class Divisions {
 public:
  Divisions(ReadContext& context, const JobKeys& keys, const Cluster& cluster, const Job& job)
      : context_(context), keys_(keys), cluster_(cluster), job_(job) {}

  void check() const {
    if (job_.model != ModelKind::decoder) {
      for (const auto& [pointer, value] : {std::pair{"/job/tensor_parallel", job_.tensor_parallel},
                                           std::pair{"/job/pipeline_parallel", job_.pipeline_parallel}})
        if (value > 1) fault(pointer, "1: only decoders are divided", value);
      return;
    }
    check_tensor();
    check_pipeline();
    check_gpus();
  }

 private:
  void fault(const char* pointer, const std::string& expected, int got, const std::string& hint = "") const {
    context_.fault(pointer, expected, std::to_string(got), hint);
  }
  void divides(const char* pointer, int divisor, int whole, const char* of) const {
    if (whole % divisor != 0) fault(pointer, "a divisor of the " + std::to_string(whole) + " " + of, divisor);
  }

  void check_tensor() const {
    const int t = job_.tensor_parallel;
    if (t == 1) return;
    divides("/job/tensor_parallel", t, job_.shape.heads, "heads");
    divides("/job/tensor_parallel", t, job_.shape.feed_forward, "columns of the feed-forward layer");
    if (job_.shape.kv_heads != job_.shape.heads && job_.shape.kv_heads % t != 0 && t % job_.shape.kv_heads != 0)
      fault("/job/tensor_parallel",
            "a divisor or a multiple of the " + std::to_string(job_.shape.kv_heads) + " kv_heads", t);
    for (const NodeGroup& group : cluster_.groups)
      if (group.node.gpus > 0 && group.node.gpus % t != 0)
        fault("/job/tensor_parallel", "a divisor of the " + std::to_string(group.node.gpus) + " GPUs of a node", t,
              "layers are shared inside a node");
  }

  void check_pipeline() const {
    const int p = job_.pipeline_parallel, v = job_.interleave;
    if (p == 1) {
      if (v > 1) fault("/job/interleave", "1 without pipeline_parallel", v);
      return;
    }
    divides("/job/pipeline_parallel", p, job_.shape.layers, "layers");
    if (v == 1) return;
    const int of_a_stage = job_.shape.layers / p;
    if (of_a_stage > 0 && of_a_stage % v != 0)
      fault("/job/interleave", "a divisor of the " + std::to_string(of_a_stage) + " layers of a stage", v);
    const int passes = keys_.accumulation.value_or(1);
    if (passes % p != 0)
      fault("/job/accumulation", "a multiple of pipeline_parallel, " + std::to_string(p) + ", where stages interleave",
            passes);
  }

  void check_gpus() const {
    const int gpus = cluster_.gpus(), each = job_.gpus_per_model();
    const bool several = std::any_of(cluster_.groups.begin(), cluster_.groups.end(), [&](const NodeGroup& group) {
      return !(group.node.gpu.id == cluster_.groups.front().node.gpu.id) || group.batch_per_gpu || group.emulated_step;
    });
    if (each > 1 && several)
      fault("/job/pipeline_parallel", "1, and tensor_parallel 1, in a cluster of different GPUs or batches",
            job_.pipeline_parallel);
    if (each > 1 && gpus > 0 && gpus % each != 0)
      fault("/job/pipeline_parallel",
            "with tensor_parallel " + std::to_string(job_.tensor_parallel) + " a divisor of " + std::to_string(gpus) +
                " GPUs",
            job_.pipeline_parallel, "their product is the GPUs of one model, which is now " + std::to_string(each));
  }

  ReadContext& context_;
  const JobKeys& keys_;
  const Cluster& cluster_;
  const Job& job_;
};

}  // namespace

bool resolve_model_parallel(ReadContext& context, const JobKeys& keys, const Cluster& cluster, Job& job) {
  job.tensor_parallel = keys.tensor_parallel.value_or(1);
  job.pipeline_parallel = keys.pipeline_parallel.value_or(1);
  job.interleave = keys.interleave.value_or(1);
  if (!keys.tensor_parallel && !keys.pipeline_parallel && !keys.interleave) return true;
  const std::size_t before = context.lookup.problems.size();
  Divisions(context, keys, cluster, job).check();
  if (job.gpus_per_model() > 1 && job.horovod_cycle > Time())
    context.fault("/job/stack", "a stack that divides models", "\"" + word_of(kStackWords, job.stack) + "\"",
                  "such as \"pytorch-ddp\"");
  if (job.gpus_per_model() > 1 && job.reduction == Reduction::rs_ar_ag)
    context.fault("/job/reduction", "\"all_reduce\" beside tensor_parallel or pipeline_parallel", "\"rs_ar_ag\"");
  if (context.lookup.problems.size() > before) {
    job.tensor_parallel = job.pipeline_parallel = job.interleave = 1;
    return false;
  }
  const int passes = keys.accumulation.value_or(1);
  if (passes < job.pipeline_parallel)
    context.remark("/job/accumulation", std::to_string(passes), "fewer passes than stages: most of the pipeline waits");
  return true;
}

}  // namespace clustersim
