#include "sim/plan/batches.h"

#include <algorithm>
#include <cmath>

#include "models/outcome/convergence.h"
#include "sim/read/job_memory.h"

namespace clustersim {

namespace {

constexpr double kept_within = 0.05;  // of the samples of a step that were asked for
constexpr int ladder_reach = 4;       // times the usual batch, up and down
constexpr int largest = 65536;

class Batches {
 public:
  Batches(const Question& question, const Scenario& base)
      : question_(question), job_(base.job), cluster_(base.cluster), gpus_(base.cluster.gpus()) {}

  std::vector<BatchChoice> choose() const {
    const bool modelled = job_.model != ModelKind::emulated && job_.model != ModelKind::trace;
    if (modelled && question_.global_batch) return of_step(*question_.global_batch);
    if (modelled && !question_.batches.empty()) return listed();
    const bool quality = job_.target.kind == Target::Kind::quality;
    if (!modelled || question_.batch_given || !quality) return {BatchChoice{}};
    return of_quality();
  }

 private:
  Job in(BatchChoice batch) const {
    Job job = job_;
    job.batch_per_gpu = batch.per_gpu;
    job.accumulation = batch.accumulation;
    return job;
  }
  bool fits_here(BatchChoice batch) const {
    return batch.per_gpu >= 1 && batch.per_gpu <= largest && batch.per_gpu >= (per_step() ? batch.accumulation : 1) &&
           memory_fit(in(batch), cluster_) == MemoryFit::fits;
  }
  bool per_step() const { return job_.stack == Stack::mlperf; }
  double global(BatchChoice batch) const { return in(batch).samples_per_step_and_gpu() * gpus_; }

  std::vector<BatchChoice> listed() const {
    std::vector<BatchChoice> choices;
    for (const int batch : question_.batches)
      if (fits_here({batch, job_.accumulation})) choices.push_back({batch, job_.accumulation});
    return choices;
  }

  std::vector<BatchChoice> of_step(double samples) const {
    std::vector<BatchChoice> choices;
    const auto add = [&](BatchChoice choice) {
      if (fits_here(choice) && std::abs(global(choice) / samples - 1) <= kept_within) choices.push_back(choice);
    };
    const double each = samples / gpus_;
    if (per_step()) {  // batch_per_gpu is of the whole step, and accumulation divides it
      const int per_gpu = static_cast<int>(std::lround(std::min<double>(each, largest)));
      for (int parts = 1; parts <= per_gpu && choices.empty(); parts *= 2) add({per_gpu, parts});
      return choices;
    }
    const auto passes = [&](int batch) { return std::max(1, static_cast<int>(std::lround(each / batch))); };
    if (question_.batch_given) add({job_.batch_per_gpu, passes(job_.batch_per_gpu)});
    if (!question_.batches.empty())
      for (const int batch : question_.batches) add({batch, passes(batch)});
    if (question_.batch_given || !question_.batches.empty()) return choices;
    // The largest few that fit: smaller ones only use the GPU less.
    for (int batch = 1; batch <= std::min<double>(each * (1 + kept_within), largest); batch *= 2)
      add({batch, passes(batch)});
    constexpr std::size_t few = 4;
    if (choices.size() > few) choices.erase(choices.begin(), choices.end() - few);
    return choices;
  }

  std::vector<BatchChoice> of_quality() const {
    std::vector<int> sizes;
    for (int step = 1; step <= ladder_reach; step *= 2) {
      sizes.push_back(job_.batch_per_gpu * step);
      if (job_.batch_per_gpu % step == 0) sizes.push_back(job_.batch_per_gpu / step);
    }
    const double passes = per_step() ? 1 : job_.accumulation;
    for (const double published : reference_batch_list(job_.model_id, job_.optimizer)) {
      const double each = published / gpus_ / passes;
      const bool near = each >= job_.batch_per_gpu / ladder_reach && each <= job_.batch_per_gpu * ladder_reach;
      if (each == std::floor(each) && near) sizes.push_back(static_cast<int>(each));
    }
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    std::vector<BatchChoice> fitting, inside;
    for (const int size : sizes) {
      const BatchChoice choice{size, job_.accumulation};
      if (!fits_here(choice)) continue;
      fitting.push_back(choice);
      if (!beyond_published(in(choice), cluster_)) inside.push_back(choice);
    }
    if (!inside.empty()) return inside;
    const auto range = reference_batches(job_.model_id, job_.optimizer);
    if (range && !fitting.empty() && global(fitting.front()) > range->largest) fitting.resize(1);
    return fitting;
  }

  const Question& question_;
  const Job& job_;
  const Cluster& cluster_;
  const int gpus_;
};

}  // namespace

std::vector<BatchChoice> batch_choices(const Question& question, const Scenario& base) {
  return Batches(question, base).choose();
}

bool beyond_published(const Job& job, const Cluster& cluster) {
  if (job.target.kind != Target::Kind::quality) return false;
  const auto range = reference_batches(job.model_id, job.optimizer);
  const double global = job.samples_per_step_and_gpu() * cluster.gpus();
  return range && (global < range->smallest || global > range->largest);
}

}  // namespace clustersim
