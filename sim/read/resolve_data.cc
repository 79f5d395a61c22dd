#include "sim/read/resolve_data.h"

#include <algorithm>
#include <cmath>

#include "sim/read/resolve_job.h"
#include "sim/read/stack_defaults.h"

namespace clustersim {

namespace {

constexpr int kShortSequence = 128, kLongSequence = 512;

// Token sets are stored by sequence length: 128 or 512 positions.
void fit_to_sequence(const DatasetInfo& info, const Job& job, Dataset& set) {
  if (job.sequence_length <= kShortSequence)
    if (const auto found = info.bytes_per_sample.find("tfrecord_seq128"); found != info.bytes_per_sample.end())
      set.raw_bytes = set.record_bytes = found->second;
  set.tensor_bytes = set.tensor_bytes * (static_cast<double>(job.sequence_length) / kLongSequence);
}

// Text as one stream of tokens, cut into sequences: token ids of two or four bytes in records.
void cut_into_sequences(const DatasetInfo& info, const Job& job, Dataset& set) {
  const double tokens = job.sequence_length, longer = tokens * set.samples / info.tokens;
  set.samples = std::floor(info.tokens / tokens);
  set.raw_bytes = set.raw_bytes * longer;
  set.tensor_bytes = set.tensor_bytes * longer;
  set.record_bytes = bytes(tokens * (job.shape.vocabulary < 65536 ? 2 : 4));
}

Dataset resolve_dataset(ReadContext& context, const JobKeys& keys, const Job& job) {
  const bool bert = job.model == ModelKind::bert, decoder = job.model == ModelKind::decoder;
  std::string usual = bert ? "wikipediaplusbookcorpus" : "imagenet-1k";
  if (decoder) {
    std::vector<Problem> told_already;
    usual = context.catalog().model(job.model_id, {context.lookup.file, "", told_already}).dataset_id;
    if (usual.empty()) usual = "c4";
  }
  const std::string id = keys.dataset.value_or(usual);
  if (!keys.dataset)
    context.assume("/job/data/dataset", id,
                   job.model == ModelKind::emulated || job.model == ModelKind::trace ? "default" : "that of the model");
  const DatasetInfo info = context.catalog().dataset(id, context.at("/job/data/dataset"));
  Dataset set = info.dataset;
  if (info.id.empty()) return set;
  if (job.model == ModelKind::trace) return set;
  if (job.model == ModelKind::emulated) {
    if (job.emulated_sample_bytes.base() > 0) {
      set.raw_bytes = set.record_bytes = set.tensor_bytes = job.emulated_sample_bytes;
      set.images = false;
    }
    return set;
  }
  if (set.images == (bert || decoder) || (decoder && info.tokens <= 0))
    context.fault("/job/data/dataset",
                  bert      ? "a data set of token sequences"
                  : decoder ? "a data set of text whose tokens are counted"
                            : "a data set of images",
                  "\"" + id + "\"", "such as \"" + usual + "\"");
  if (decoder && info.tokens > 0) cut_into_sequences(info, job, set);
  if (bert) fit_to_sequence(info, job, set);
  note_estimates(context, "model", info, {"raw_bytes", "record_bytes", "tensor_bytes", "samples"});
  return set;
}

void check_room(ReadContext& context, const Cluster& cluster, const DataSpec& data) {
  const Bytes each = data.container == Container::raw ? data.dataset.raw_bytes : data.dataset.record_bytes;
  const Bytes all = each * data.dataset.samples;
  for (const NodeGroup& group : cluster.groups) {
    const auto& room = group.node.storage.capacity;
    if (data.from != DataSource::node || !room || *room >= all) continue;
    context.remark("/job/data/from", "node",
                   "the data set of " + format_quantity(all) + " is larger than the " + format_quantity(*room) +
                       " of the node's storage");
    return;
  }
}

}  // namespace

int usual_workers(const Cluster& cluster) {
  int workers = 8;
  for (const NodeGroup& group : cluster.groups)
    workers = std::min(workers, std::max(1, static_cast<int>(group.node.cores / std::max(1, group.node.gpus))));
  return workers;
}

void resolve_data(ReadContext& context, const JobKeys& keys, const Cluster& cluster, Job& job) {
  const StackDefaults usual = stack_defaults(job.stack, job.model);
  const std::string by_stack = "implied by stack " + word_of(kStackWords, job.stack);
  DataSpec& data = job.data;
  data.dataset = resolve_dataset(context, keys, job);

  const bool warm = usual.warm_records;
  data.from = keys.from.value_or(warm ? DataSource::page_cache : DataSource::node);
  if (job.model == ModelKind::trace && !keys.from) {
    data.from = DataSource::synthetic;
    context.assume("/job/data/from", "synthetic", "what the step waited for its input is part of the recording");
  } else if (!keys.from)
    context.assume("/job/data/from", word_of(kDataSourceWords, data.from), warm ? by_stack : "default");
  if (data.from == DataSource::shared && !cluster.storage)
    context.fault("/job/data/from", "node, page-cache or synthetic: the cluster shares no storage", "\"shared\"",
                  "describe it under /cluster/storage");
  data.container = keys.container.value_or(Container::record);
  if (!keys.container) context.assume("/job/data/container", "record", "default");
  data.loader = keys.loader.value_or(usual.loader);
  if (!keys.loader) context.assume("/job/data/loader", word_of(kLoaderWords, data.loader), by_stack);
  data.workers_per_gpu = keys.workers_per_gpu.value_or(usual_workers(cluster));
  data.worker_time = keys.worker_time;
  if (!keys.workers_per_gpu)
    context.assume("/job/data/workers_per_gpu", std::to_string(data.workers_per_gpu),
                   data.workers_per_gpu == 8 ? "default" : "the cores there are");
  data.first_epoch_cold = keys.first_epoch_cold.value_or(!warm);
  if (!keys.first_epoch_cold)
    context.assume("/job/data/first_epoch_cold", flag_text(data.first_epoch_cold), warm ? by_stack : "default");
  check_room(context, cluster, data);
}

}  // namespace clustersim
