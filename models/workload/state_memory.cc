#include "models/workload/state_memory.h"

#include <algorithm>

#include "models/compute/device_model.h"
#include "models/workload/bert_kernels.h"
#include "models/workload/decoder_kernels.h"
#include "models/workload/rank_noise.h"
#include "models/workload/step_model.h"

namespace clustersim {

double transformer_activation_bytes(const Job& job) {
  const TransformerShape& shape = job.shape;
  const double h = shape.hidden, f = shape.feed_forward, g = h * shape.kv_heads / shape.heads;
  const double element = activation_bytes(job.precision);
  const double sequences = std::max(1.0, job.micro_batch()), rows = sequences * job.sequence_length;
  const bool scores_in_memory = job.fusion == Fusion::eager || job.fusion == Fusion::nchw;
  const double scores = scores_in_memory ? static_cast<double>(shape.heads) * job.sequence_length : 0;
  const double layer = rows * (6 * h + 2 * g + (shape.gated ? 3 : 2) * f + scores) * element;
  const double outputs =
      (shape.patch > 0 ? sequences : rows) * shape.vocabulary * (scores_in_memory ? element + 4 + 4 : 2 * element);
  const int p = job.pipeline_parallel;
  const double of_a_stage = static_cast<double>(shape.layers) / p;
  const auto kept = [&](double passes) {
    return job.activation_checkpointing ? passes * of_a_stage * rows * h * element + layer
                                        : passes * of_a_stage * layer;
  };
  // 1F1B: the first stage has as many passes under way as there are stages, the last one, and the outputs.
  const double under_way =
      std::min<double>(p, job.accumulation) * (1 + (p - 1.0) / p / job.interleave * (job.interleave > 1));
  const double all = p == 1 ? kept(1) + outputs : std::max(kept(under_way), kept(1) + outputs);
  return all / job.tensor_parallel;
}

BlockParameters block_parameters(const Job& job) {
  if (job.model == ModelKind::bert) {
    const BertNetwork network = bert_network_of(job);
    return {network.embedding_parameters() + network.head_parameters(), network.layer_parameters()};
  }
  if (job.model == ModelKind::emulated)
    return {2 * job.emulated_parameters / emulated_blocks, job.emulated_parameters / emulated_blocks};
  return {embedding_parameters(job.shape) + head_parameters(job.shape), layer_parameters(job.shape)};
}

StateShares state_shares(const Job& job, int ranks) {
  const double share = 1.0 / std::max(1, job.shards);
  switch (job.sharding) {
    case Sharding::none:
      break;
    case Sharding::optimizer:
      return {1, 1, share};
    case Sharding::full:
    case Sharding::hybrid:
      return {share, share, share};
  }
  if (job.reduction == Reduction::rs_ar_ag) return {1, 1, 1.0 / std::min(ranks, balanced_group)};
  return {};
}

}  // namespace clustersim
