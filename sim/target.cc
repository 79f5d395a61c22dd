#include "sim/target.h"

#include "clustersim/error.h"
#include "models/outcome/convergence.h"

namespace clustersim {

TargetLength target_length(const Job& job, const Cluster& cluster) {
  TargetLength t;
  for (const NodeGroup& group : cluster.groups)
    t.global_batch += job.on(group).samples_per_step_and_gpu() * group.count * group.node.gpus;
  const double epoch = job.data.dataset.samples;
  switch (job.target.kind) {
    case Target::Kind::epochs:
      t.samples = job.target.value * epoch;
      break;
    case Target::Kind::samples:
      t.samples = job.target.value;
      break;
    case Target::Kind::steps:
      t.samples = job.target.value * t.global_batch;
      break;
    case Target::Kind::quality: {
      const auto reference = samples_to_target(job.model_id, job.optimizer, t.global_batch, job.lr_rule, epoch);
      require(reference.has_value(), "a quality target was accepted only where a reference exists");
      t.samples = on_evaluation_grid(reference->samples, job.evaluation.every_samples);
      t.basis = reference->basis;
      t.extrapolated = reference->extrapolated;
      break;
    }
  }
  t.steps = whole_steps(t.samples, t.global_batch);
  t.samples = t.steps * t.global_batch;
  t.epochs = epoch > 0 ? t.samples / epoch : 0;
  return t;
}

}  // namespace clustersim
