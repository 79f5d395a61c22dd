#include "models/workload/state_memory.h"

#include <algorithm>

#include "models/compute/device_model.h"
#include "models/workload/bert_kernels.h"
#include "models/workload/decoder_kernels.h"
#include "models/workload/rank_noise.h"

namespace clustersim {

double transformer_activation_bytes(const Job& job) {
  const TransformerShape& shape = job.shape;
  const double h = shape.hidden, f = shape.feed_forward, g = h * shape.kv_heads / shape.heads;
  const double element = activation_bytes(job.precision);
  const double sequences = std::max(1.0, job.micro_batch()), rows = sequences * job.sequence_length;
  const bool scores_in_memory = job.fusion == Fusion::eager || job.fusion == Fusion::nchw;
  const double scores = scores_in_memory ? static_cast<double>(shape.heads) * job.sequence_length : 0;
  const double layer = rows * (6 * h + 2 * g + (shape.gated ? 3 : 2) * f + scores) * element;
  const double layers = job.activation_checkpointing ? shape.layers * rows * h * element + layer : shape.layers * layer;
  const double outputs = (shape.patch > 0 ? sequences : rows) * shape.vocabulary;
  return layers + outputs * (scores_in_memory ? element + 4 + 4 : 2 * element);
}

BlockParameters block_parameters(const Job& job) {
  if (job.model == ModelKind::bert) {
    const BertNetwork network = bert_network_of(job);
    return {network.embedding_parameters() + network.head_parameters(), network.layer_parameters()};
  }
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
