#include "sim/read/job_memory.h"

#include <algorithm>
#include <cmath>

#include "models/workload/memory.h"

namespace clustersim {

namespace {

// FORMATS: CNN up to 256; BERT 64 at 128 tokens, 16 at 512; between them as many tokens.
int largest_usual(const Job& job) {
  if (job.model != ModelKind::bert) return 256;
  const double tokens = 64 * 128;
  int batch = 64;
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
    if (!group.node.gpu.id.empty() && (tightest == nullptr || group.node.gpu.memory < tightest->memory))
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

}  // namespace

bool fits_everywhere(const Job& job, const Cluster& cluster) {
  return std::all_of(cluster.groups.begin(), cluster.groups.end(), [&](const NodeGroup& group) {
    return group.node.gpu.id.empty() || fits(job, group.node.gpu, cluster.gpus());
  });
}

int usual_batch(const Job& job, const Cluster& cluster) {
  Job trial = job;
  for (trial.batch_per_gpu = largest_usual(job); trial.batch_per_gpu > 1; trial.batch_per_gpu /= 2)
    if (fits_everywhere(trial, cluster)) return trial.batch_per_gpu;
  return 1;
}

void check_memory(ReadContext& context, const Job& job, const Cluster& cluster) {
  const GpuSpec* gpu = tightest_gpu(cluster);
  if (gpu == nullptr || job.model == ModelKind::emulated || job.model == ModelKind::trace) return;
  if (fits_everywhere(job, cluster)) return;
  const int ranks = cluster.gpus();
  const std::string need = gibibytes_text(memory_needed(job, *gpu, ranks).total);
  std::string hint;
  if (const int batch = largest_batch(job, *gpu, ranks); batch > 0)
    hint = "would fit: batch_per_gpu " + std::to_string(batch);
  if (const std::string other = larger_gpu(context, job, *gpu, ranks); !other.empty())
    hint += (hint.empty() ? "would fit: gpu " : ", or gpu ") + other;
  context.fault("/job/batch_per_gpu",
                "a job that fits in the " + gibibytes_text(usable_memory(*gpu)) + " of \"" + gpu->id + "\"",
                std::to_string(job.batch_per_gpu) + ", which needs " + need, hint);
}

}  // namespace clustersim
