#include "sim/read/resolve_transformer.h"

#include <algorithm>
#include <cmath>

#include "models/workload/bert_kernels.h"
#include "models/workload/decoder_kernels.h"

namespace clustersim {

namespace {

// Blocks that are gathered one by one in a step: each is a dozen tasks of the simulation.
constexpr double kMostBlocks = 5000;

bool is_transformer(const Job& job) {
  return job.model == ModelKind::bert || job.model == ModelKind::decoder || job.model == ModelKind::vit;
}

void change_shape(ReadContext& context, const ModelKeys& keys, TransformerShape& shape) {
  const auto take = [](const std::optional<int>& given, int& slot) { slot = given.value_or(slot); };
  if (keys.heads && !keys.kv_heads) shape.kv_heads = *keys.heads;
  // A width without its feed-forward part keeps the proportion of the base.
  if (keys.hidden && !keys.feed_forward)
    shape.feed_forward = static_cast<int>(static_cast<double>(shape.feed_forward) / shape.hidden * *keys.hidden);
  take(keys.layers, shape.layers);
  take(keys.hidden, shape.hidden);
  take(keys.heads, shape.heads);
  take(keys.kv_heads, shape.kv_heads);
  take(keys.feed_forward, shape.feed_forward);
  take(keys.vocabulary, shape.vocabulary);
  if (shape.hidden % shape.heads != 0)
    context.fault("/job/model/heads", "a divisor of hidden, " + std::to_string(shape.hidden),
                  std::to_string(shape.heads));
  if (shape.heads % shape.kv_heads != 0)
    context.fault("/job/model/kv_heads", "a divisor of heads, " + std::to_string(shape.heads),
                  std::to_string(shape.kv_heads));
  context.remark("/job/model", number_text(parameters(shape)) + " parameters",
                 "\"" + keys.id + "\" with another shape");
}

void set_lengths(ReadContext& context, const JobKeys& keys, int own_context, Job& job) {
  job.sequence_length = keys.sequence_length.value_or(own_context);
  if (!keys.sequence_length)
    context.assume("/job/sequence_length", std::to_string(own_context), "the context of the model");
  job.tokens_per_sequence = keys.tokens_per_sequence.value_or(job.sequence_length);
  if (job.tokens_per_sequence > job.sequence_length)
    context.fault("/job/tokens_per_sequence", "at most the sequence_length, " + std::to_string(job.sequence_length),
                  number_text(job.tokens_per_sequence));
  job.length_square_ratio = keys.length_square_ratio.value_or(1.0);
  job.packing = keys.packing.value_or(false);
  // A table of positions must reach to the end of the sequence.
  if (job.shape.positions > 0) job.shape.positions = std::max(own_context, job.sequence_length);
}

}  // namespace

bool resolve_transformer(ReadContext& context, const JobKeys& keys, Job& job) {
  const ModelKeys& model = *keys.model;
  std::vector<Problem> quiet;
  const ModelInfo info = context.catalog().model(model.id, {context.lookup.file, "/job/model", quiet});
  if (!info.shape) return false;
  job.model_id = model.id;
  job.shape = *info.shape;
  job.model = job.shape.patch > 0 ? ModelKind::vit : ModelKind::decoder;
  if (model.names_shape() && job.model == ModelKind::vit)
    context.fault("/job/model", "a decoder, where layers, hidden or heads are given", "\"" + model.id + "\"");
  else if (model.names_shape())
    change_shape(context, model, job.shape);
  if (job.model == ModelKind::decoder) {
    set_lengths(context, keys, info.context, job);
  } else {
    job.sequence_length = image_tokens(job.shape);
    job.tokens_per_sequence = job.sequence_length;
  }
  return true;
}

void check_sharded_passes(ReadContext& context, const Job& job) {
  if (job.sharding != Sharding::full && job.sharding != Sharding::hybrid) return;
  const int layers = job.model == ModelKind::bert ? bert_network_of(job).layers : job.shape.layers;
  const double most = std::floor(kMostBlocks / (layers + 2));
  if (job.accumulation > most)
    context.fault("/job/accumulation",
                  "at most " + number_text(most) + " passes of " + std::to_string(layers) + " sharded layers",
                  std::to_string(job.accumulation), "a larger batch_per_gpu, or sharding \"optimizer\"");
}

int shards_of(const Job& job, const Cluster& cluster) {
  if (job.sharding == Sharding::none) return 1;
  if (job.sharding != Sharding::hybrid) return std::max(1, cluster.gpus() / job.gpus_per_model());
  int fewest = std::max(1, cluster.gpus());
  for (const NodeGroup& group : cluster.groups) fewest = std::min(fewest, group.node.gpus);
  return fewest;
}

void resolve_sharding(ReadContext& context, const JobKeys& keys, const Cluster& cluster, Job& job) {
  const bool measured = job.model == ModelKind::emulated && job.emulated_parameters > 0;
  const bool given = !measured && (job.model == ModelKind::emulated || job.model == ModelKind::trace);
  if (given) {
    if (keys.activation_checkpointing || keys.sharding)
      context.remark("/job/sharding", "given", "changes nothing: the step is given as a whole");
    return;
  }
  job.activation_checkpointing = keys.activation_checkpointing.value_or(false);
  job.sharding = keys.sharding.value_or(Sharding::none);
  if (job.model == ModelKind::decoder || job.model == ModelKind::vit) {
    if (!keys.activation_checkpointing) context.assume("/job/activation_checkpointing", "false", "default");
    if (!keys.sharding) context.assume("/job/sharding", "none", "default");
  }
  if (job.activation_checkpointing && !is_transformer(job))
    context.fault("/job/activation_checkpointing", "false: it is for the layers of transformers", "true");
  const std::string word = "\"" + word_of(kShardingWords, job.sharding) + "\"";
  if ((job.sharding == Sharding::full || job.sharding == Sharding::hybrid) && !measured && !is_transformer(job))
    context.fault("/job/sharding",
                  "\"none\" or \"optimizer\": whole layers are gathered of transformers and emulated steps only", word);
  if (job.sharding != Sharding::none && job.horovod_cycle > Time())
    context.fault("/job/sharding", "\"none\": Horovod reduces whole gradients", word, "stack \"pytorch-ddp\" shards");
  if (job.sharding != Sharding::none && job.reduction == Reduction::rs_ar_ag)
    context.fault("/job/sharding", "\"none\" beside reduction \"rs_ar_ag\", which shards the optimiser in its own way",
                  word, "give reduction \"all_reduce\", or no sharding");
  if ((job.sharding == Sharding::full || job.sharding == Sharding::hybrid) && job.gpus_per_model() > 1)
    context.fault("/job/sharding", "\"none\" or \"optimizer\" beside tensor_parallel or pipeline_parallel", word);
  job.shards = shards_of(job, cluster);
  if ((job.sharding == Sharding::full || job.sharding == Sharding::hybrid) && !keys.overlap && !job.overlap) {
    job.overlap = true;
    std::erase_if(context.assumptions, [](const Assumption& a) { return a.pointer == "/job/overlap"; });
    context.assume("/job/overlap", "true", "a sharded layer is gathered while the one before it computes");
  }
}

}  // namespace clustersim
