#include "sim/read/job_memory.h"

#include <algorithm>
#include <cmath>

#include "models/workload/memory.h"

namespace clustersim {

namespace {

// FORMATS: CNN up to 256; BERT 64 at 128 tokens, 16 at 512; between them as many tokens. Decoders up to 16,384 tokens.
int largest_usual(const Job& job) {
  const bool decoder = job.model == ModelKind::decoder;
  if (job.model != ModelKind::bert && !decoder) return 256;
  const double tokens = decoder ? 16384 : 64 * 128;
  int batch = decoder ? 256 : 64;
  while (batch > 1 && batch * static_cast<double>(job.sequence_length) > tokens) batch /= 2;
  return batch;
}

// To a tenth: more digits would only feign precision.
std::string gibibytes_text(Bytes amount) {
  const double unit = gibibytes(1).base();
  return format_quantity(bytes(std::round(amount.base() / unit * 10) / 10 * unit), "GiB");
}

// The GPU of the cluster with the least memory.
const GpuSpec* tightest_gpu(const Cluster& cluster) {
  const GpuSpec* tightest = nullptr;
  for (const NodeGroup& group : cluster.groups)
    if (!group.node.gpu.id.empty() && (tightest == nullptr || usable_memory(group.node.gpu) < usable_memory(*tightest)))
      tightest = &group.node.gpu;
  return tightest;
}

// A GPU of the catalog with the least memory that holds the job, "" if none does.
std::string larger_gpu(const ReadContext& context, const Job& job, const GpuSpec& gpu, int ranks) {
  std::string best;
  Bytes best_memory;
  std::vector<Problem> quiet;
  for (const std::string& id : context.catalog().ids("gpu")) {
    const GpuSpec other = context.catalog().gpu(id, {context.lookup.file, "", quiet});
    if (other.id.empty() || other.vendor != gpu.vendor || other.memory <= gpu.memory) continue;
    if (!best.empty() && other.memory >= best_memory) continue;
    if (!fits(job, other, ranks)) continue;
    best = id + " with " + gibibytes_text(usable_memory(other));
    best_memory = other.memory;
  }
  return best;
}

// What would make a transformer fit beside a smaller batch, "" for others and where nothing does.
std::string savings(const Job& job, const GpuSpec& gpu, int ranks) {
  if (job.model != ModelKind::bert && job.model != ModelKind::decoder && job.model != ModelKind::vit) return "";
  const bool can_shard = job.sharding != Sharding::full, can_checkpoint = !job.activation_checkpointing;
  Job checkpointed = job, sharded = job;
  checkpointed.activation_checkpointing = true;
  sharded.sharding = Sharding::full;
  sharded.shards = ranks;
  Job both = sharded;
  both.activation_checkpointing = true;
  if (can_checkpoint && fits(checkpointed, gpu, ranks)) return "activation_checkpointing true";
  if (can_shard && fits(sharded, gpu, ranks)) return "sharding \"full\"";
  if (!can_shard && !can_checkpoint) return "";  // the job says so already
  if (can_shard && can_checkpoint && fits(both, gpu, ranks))
    return "sharding \"full\" with activation_checkpointing true";
  const int batch = largest_batch(both, gpu, ranks);
  if (batch == 0) return "";
  return "batch_per_gpu " + std::to_string(batch) + " with " + (can_shard ? "sharding \"full\"" : "") +
         (can_shard && can_checkpoint ? " and " : "") + (can_checkpoint ? "activation_checkpointing true" : "");
}

}  // namespace

MemoryFit memory_fit(const Job& job, const Cluster& cluster) {
  MemoryFit worst = MemoryFit::fits;
  for (const NodeGroup& group : cluster.groups)
    if (!group.node.gpu.id.empty()) worst = std::max(worst, memory_fit(job.on(group), group.node.gpu, cluster.gpus()));
  return worst;
}

int usual_batch(const Job& job, const Cluster& cluster) {
  Job trial = job;
  for (trial.batch_per_gpu = largest_usual(job); trial.batch_per_gpu > 1; trial.batch_per_gpu /= 2)
    if (memory_fit(trial, cluster) == MemoryFit::fits) return trial.batch_per_gpu;
  return 1;
}

void check_memory(ReadContext& context, const std::string& pointer, const Job& job, const Cluster& cluster) {
  const GpuSpec* gpu = tightest_gpu(cluster);
  if (gpu == nullptr || job.model == ModelKind::emulated || job.model == ModelKind::trace) return;
  // A network without blocks is not sharded, which is a fault of its own.
  if (!std::isfinite(memory_needed(job, *gpu, cluster.gpus()).total.base())) return;
  const MemoryFit fit = memory_fit(job, cluster);
  if (fit == MemoryFit::fits) return;
  const int ranks = cluster.gpus();
  const std::string need = gibibytes_text(memory_needed(job, *gpu, ranks).total);
  const std::string there = gibibytes_text(usable_memory(*gpu)) + " of \"" + gpu->id + "\"";
  const int batch = largest_batch(job, *gpu, ranks);
  if (fit == MemoryFit::tight) {
    context.remark(pointer, std::to_string(job.batch_per_gpu),
                   "tight: needs about " + need + " +-5 % of the " + there + ", so it may run out of memory" +
                       (batch > 0 ? "; batch_per_gpu " + std::to_string(batch) + " fits" : ""));
    return;
  }
  std::string hint;
  if (batch > 0) hint = "would fit: batch_per_gpu " + std::to_string(batch);
  if (const std::string saved = savings(job, *gpu, ranks); !saved.empty())
    hint += (hint.empty() ? "would fit: " : ", or ") + saved;
  else if (hint.empty() && job.model == ModelKind::decoder)
    hint =
        "not even one sequence fits fully sharded: more GPUs, or the model divided by tensor_parallel and "
        "pipeline_parallel";
  if (const std::string other = larger_gpu(context, job, *gpu, ranks); !other.empty())
    hint += (hint.empty() ? "would fit: gpu " : ", or gpu ") + other;
  context.fault(pointer, "a job that fits in the " + there, std::to_string(job.batch_per_gpu) + ", which needs " + need,
                hint);
}

}  // namespace clustersim
