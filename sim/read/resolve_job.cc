#include "sim/read/resolve_job.h"

#include <algorithm>
#include <cmath>

#include "models/compute/attention.h"
#include "sim/read/job_memory.h"
#include "sim/read/resolve_data.h"
#include "sim/read/resolve_model_parallel.h"
#include "sim/read/resolve_trace.h"
#include "sim/read/resolve_transformer.h"
#include "sim/read/stack_defaults.h"

namespace clustersim {

namespace {

constexpr double kMostSamples = 1e9;  // keeps counts of samples whole numbers

struct Runnable {
  const char* id;
  ModelKind kind;
};
constexpr Runnable kRunnable[] = {
    {"resnet-50", ModelKind::resnet}, {"resnet-101", ModelKind::resnet}, {"resnet-152", ModelKind::resnet},
    {"vgg16", ModelKind::vgg},        {"bert-base", ModelKind::bert},    {"bert-large", ModelKind::bert},
};

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

class JobResolver {
 public:
  JobResolver(ReadContext& context, const JobKeys& keys, const Cluster& cluster)
      : context_(context), keys_(keys), cluster_(cluster) {}

  Job resolve() {
    if (!add_model()) return job_;
    add_sequence();
    take("stack", keys_.stack, Stack::pytorch_ddp, kStackWords, "default", job_.stack);
    if ((job_.stack == Stack::mxnet_horovod && (is_bert() || is_transformer())) ||
        (job_.stack == Stack::tensorflow_horovod && is_transformer()))
      context_.fault("/job/stack", "a stack that trains \"" + job_.model_id + "\"",
                     "\"" + word_of(kStackWords, job_.stack) + "\"", "such as \"pytorch-ddp\"");
    add_precision();
    add_optimizer();
    add_head();
    add_stack();
    const bool divides = resolve_model_parallel(context_, keys_, cluster_, job_);
    resolve_sharding(context_, keys_, cluster_, job_);
    add_batch(divides);
    check_groups();
    resolve_data(context_, keys_, cluster_, job_);
    add_rounds();
    add_target();
    if (job_.model == ModelKind::trace) settle_trace_keys(context_, keys_);
    return job_;
  }

 private:
  bool is_bert() const { return job_.model == ModelKind::bert; }
  bool is_cnn() const { return job_.model == ModelKind::resnet || job_.model == ModelKind::vgg; }
  bool is_transformer() const { return job_.model == ModelKind::decoder || job_.model == ModelKind::vit; }
  bool half() const { return job_.precision != Precision::fp32 && job_.precision != Precision::tf32; }

  template <class E, std::size_t N>
  void take(const char* key, const std::optional<E>& given, E usual, const Choice<E> (&words)[N],
            const std::string& why, E& slot) {
    slot = given.value_or(usual);
    if (!given) context_.assume(std::string("/job/") + key, word_of(words, usual), why);
  }
  void take(const char* key, const std::optional<bool>& given, bool usual, const std::string& why, bool& slot) {
    slot = given.value_or(usual);
    if (!given) context_.assume(std::string("/job/") + key, flag_text(usual), why);
  }

  bool add_model() {
    if (!keys_.model) return false;  // told already
    const ModelKeys& model = *keys_.model;
    if (model.trace) return resolve_trace(context_, keys_, cluster_, job_);
    if (model.recorded_on || model.collectives)
      context_.remark("/job/model", "recorded_on or collectives", "changes nothing without a trace");
    if (model.id.empty()) return add_emulated(model);
    if (resolve_transformer(context_, keys_, job_)) return true;
    if (model.parameters)
      context_.remark("/job/model", "parameters", "changes nothing: the catalog's model has its own");
    if (model.names_shape())
      context_.fault("/job/model", "a decoder, where layers, hidden or heads are given", "\"" + model.id + "\"");
    std::vector<std::string> ids;
    for (const Runnable& runnable : kRunnable) {
      ids.push_back(runnable.id);
      if (model.id != runnable.id) continue;
      job_.model_id = model.id;
      job_.model = runnable.kind;
      return true;
    }
    for (const std::string& id : context_.catalog().ids("model")) {
      std::vector<Problem> told_already;
      if (context_.catalog().model(id, {context_.lookup.file, "", told_already}).shape) ids.push_back(id);
    }
    context_.fault("/job/model", "a model that can be run: " + joined(ids), "\"" + model.id + "\"",
                   "its layers are not modelled: record a step of it, {\"trace\": \"step.json\"}, or state one, "
                   "{\"emulated_step\": \"0.2 s\", \"batch\": 64}");
    return false;
  }

  bool add_emulated(const ModelKeys& model) {
    job_.model_id = "emulated";
    job_.model = ModelKind::emulated;
    if (!model.emulated_step)
      context_.fault("/job/model/emulated_step", "compute time of one batch, such as \"0.224 s\"", "nothing", "add it");
    if (!model.batch) context_.fault("/job/model/batch", "samples of that batch", "nothing", "add it");
    if (!model.emulated_step || !model.batch) return false;
    job_.emulated_step = *model.emulated_step;
    job_.batch_per_gpu = *model.batch;
    if (model.sample_bytes) job_.emulated_sample_bytes = *model.sample_bytes;
    job_.emulated_parameters = model.parameters.value_or(0);
    if (!model.parameters && cluster_.gpus() > 1)
      context_.remark("/job/model/parameters", "none", "no gradients are exchanged: give it for the cost of scaling");
    if (keys_.batch_per_gpu && *keys_.batch_per_gpu != *model.batch)
      context_.fault("/job/batch_per_gpu", "the batch of the emulated step, " + std::to_string(*model.batch),
                     std::to_string(*keys_.batch_per_gpu), "leave it out");
    return true;
  }

  void add_sequence() {
    if (job_.model == ModelKind::decoder) return;  // with its shape
    if (!is_bert()) {
      if (keys_.sequence_length || keys_.tokens_per_sequence || keys_.length_square_ratio || keys_.packing)
        context_.remark("/job/sequence_length", "given", "changes nothing: the model reads no sequences");
      return;
    }
    job_.sequence_length = keys_.sequence_length.value_or(128);
    if (!keys_.sequence_length) context_.assume("/job/sequence_length", "128", "default");
    if (job_.sequence_length > 512)
      context_.fault("/job/sequence_length", "at most 512: BERT knows no further positions",
                     std::to_string(job_.sequence_length));
    job_.tokens_per_sequence = keys_.tokens_per_sequence.value_or(job_.sequence_length);
    if (!keys_.tokens_per_sequence)
      context_.assume("/job/tokens_per_sequence", number_text(job_.tokens_per_sequence), "default: full sequences");
    if (job_.tokens_per_sequence > job_.sequence_length)
      context_.fault("/job/tokens_per_sequence", "at most the sequence_length, " + std::to_string(job_.sequence_length),
                     number_text(job_.tokens_per_sequence));
    job_.length_square_ratio = keys_.length_square_ratio.value_or(1.0);
    if (!keys_.length_square_ratio)
      context_.assume("/job/length_square_ratio", "1", "default: sequences of one length");
    job_.packing = keys_.packing.value_or(false);
    if (!keys_.packing) context_.assume("/job/packing", "false", "default");
  }

  void add_precision() {
    const auto all = [&](auto has) {
      return std::all_of(cluster_.groups.begin(), cluster_.groups.end(),
                         [&](const NodeGroup& g) { return g.node.gpu.id.empty() || has(g.node.gpu); });
    };
    Precision usual = all([](const GpuSpec& g) { return g.has_tensor_cores(); }) ? Precision::amp : Precision::fp32;
    std::string why = usual == Precision::amp ? "default on parts with tensor cores" : "default without tensor cores";
    if (usual == Precision::amp && job_.model == ModelKind::decoder &&
        all([](const GpuSpec& g) { return g.peak_bf16.has_value(); })) {
      usual = Precision::bf16;
      why = "default for decoders on parts that have it";
    }
    // Ada parts have FP8 units too, but the submissions that use them ran on Hopper and later.
    const auto hopper = [](const GpuSpec& g) {
      return g.peak_fp8.has_value() && g.architecture.find("Ada") == std::string::npos;
    };
    if (is_bert() && job_.stack == Stack::mlperf && all(hopper)) {
      usual = Precision::fp8;
      why = "stack mlperf on Hopper and later";
    }
    take("precision", keys_.precision, usual, kPrecisionWords, why, job_.precision);
    for (const NodeGroup& group : cluster_.groups) {
      const GpuSpec& gpu = group.node.gpu;
      if (gpu.id.empty() || can_train_in(gpu, job_.precision)) continue;
      context_.fault("/job/precision", "a precision of \"" + gpu.id + "\": " + joined(precisions_of(gpu)),
                     "\"" + word_of(kPrecisionWords, job_.precision) + "\"");
      return;
    }
  }

  void add_optimizer() {
    Optimizer usual = Optimizer::adam;
    if (is_bert()) usual = Optimizer::lamb;
    if (is_cnn()) usual = job_.stack == Stack::mlperf ? Optimizer::lars : Optimizer::sgd;
    take("optimizer", keys_.optimizer, usual, kOptimizerWords, "default for this model and stack", job_.optimizer);
    take("lr_rule", keys_.lr_rule, LrRule::reference, kLrRuleWords, "default", job_.lr_rule);
  }

  void add_head() {
    if (is_bert())
      take("head", keys_.head, Head::pretraining, kHeadWords, "default", job_.head);
    else if (keys_.head)
      context_.fault("/job/head", "no head but BERT's own choice", "\"" + word_of(kHeadWords, *keys_.head) + "\"");
  }

  void add_stack() {
    const StackDefaults usual = stack_defaults(job_.stack, job_.model);
    const std::string why = "implied by stack " + word_of(kStackWords, job_.stack);
    take("fusion", keys_.fusion, usual.fusion, kFusionWords, why, job_.fusion);
    add_attention();
    const bool fp16 = usual.fp16_gradients && half();
    take("gradient_precision", keys_.gradient_precision, fp16 ? GradientPrecision::fp16 : GradientPrecision::fp32,
         kGradientWords, why, job_.gradient_precision);
    job_.bucket = keys_.bucket.value_or(bytes(usual.bucket_mib * 1024 * 1024));
    if (!keys_.bucket)
      context_.assume("/job/bucket", format_quantity(job_.bucket), usual.bucket_mib > 0 ? why : why + ": one for all");
    job_.horovod_cycle = seconds(usual.horovod_cycle_ms * 1e-3);
    if (usual.horovod_cycle_ms > 0)
      context_.assume("/job/stack", format_quantity(job_.horovod_cycle) + " of Horovod's cycle", why);
    take("overlap", keys_.overlap, usual.overlap, why, job_.overlap);
    take("reduction", keys_.reduction, usual.reduction, kReductionWords, why, job_.reduction);
    take("cuda_graph", keys_.cuda_graph, usual.cuda_graph, why, job_.cuda_graph);
    // Published PyTorch code for BERT has a fused Adam in half precision only.
    const bool pytorch = job_.stack == Stack::pytorch_ddp || job_.stack == Stack::pytorch_horovod;
    job_.fused_optimizer =
        usual.fused_optimizer && !(is_bert() && pytorch && job_.optimizer == Optimizer::adam && !half());
    take("collective_algorithm", keys_.algorithm, CollectiveAlgorithm::automatic, kAlgorithmWords, "default",
         job_.algorithm);
    check_algorithm();
  }

  void add_attention() {
    const bool on_chip = is_transformer() && (job_.fusion == Fusion::fused || job_.fusion == Fusion::jit);
    if (!on_chip) {
      if (keys_.attention)
        context_.fault("/job/attention",
                       "no kernel of attention for \"" + job_.model_id + "\" with fusion \"" +
                           word_of(kFusionWords, job_.fusion) + "\"",
                       "\"" + word_of(kAttentionWords, *keys_.attention) + "\"",
                       "transformers other than BERT have one with fusion \"fused\" or \"jit\"");
      return;
    }
    Attention usual = Attention::flash_3;
    for (const NodeGroup& group : cluster_.groups)
      if (usual_attention(group.node.gpu) != Attention::flash_3) usual = Attention::flash_2;
    take("attention", keys_.attention, usual, kAttentionWords, "what PyTorch runs on this GPU", job_.attention);
    for (const NodeGroup& group : cluster_.groups)
      if (!can_run(group.node.gpu, job_.attention))
        context_.fault("/job/attention", "a kernel that \"" + group.node.gpu.id + "\" can run",
                       "\"" + word_of(kAttentionWords, job_.attention) + "\"", "such as \"flash-2\"");
  }

  void check_algorithm() {
    if (job_.algorithm == CollectiveAlgorithm::in_network && !cluster_.fabric.in_network_reduction)
      context_.fault("/job/collective_algorithm", "an algorithm that this network can do", "\"in_network\"",
                     "set /cluster/fabric/in_network_reduction");
    if (job_.algorithm != CollectiveAlgorithm::nvls) return;
    const bool all = std::all_of(cluster_.groups.begin(), cluster_.groups.end(),
                                 [](const NodeGroup& g) { return g.node.gpu_fabric.in_network_reduction; });
    if (!all)
      context_.fault("/job/collective_algorithm", "an algorithm that the GPU fabric can do", "\"nvls\"",
                     "NVSwitch adds up from its third generation on (H100 servers)");
  }

  void add_batch(bool divides) {
    job_.accumulation = keys_.accumulation.value_or(1);
    if (!keys_.accumulation) context_.assume("/job/accumulation", "1", "default");
    take("no_sync", keys_.no_sync, true, "default", job_.no_sync);
    check_sharded_passes(context_, job_);
    if (job_.model == ModelKind::emulated || job_.model == ModelKind::trace) return;
    if (keys_.batch_per_gpu) {
      job_.batch_per_gpu = *keys_.batch_per_gpu;
    } else {
      job_.batch_per_gpu = usual_batch(job_, cluster_);
      if (job_.stack == Stack::mlperf) job_.batch_per_gpu = std::max(job_.batch_per_gpu, job_.accumulation);
      context_.assume("/job/batch_per_gpu", std::to_string(job_.batch_per_gpu),
                      "the largest usual power of two that fits in memory");
    }
    if (job_.stack == Stack::mlperf && job_.batch_per_gpu < job_.accumulation)
      context_.fault("/job/accumulation", "at most batch_per_gpu, which the mlperf stack splits",
                     std::to_string(job_.accumulation));
    const double per_step = job_.samples_per_step_and_gpu();
    if (per_step > kMostSamples)
      context_.fault("/job/accumulation", "at most " + number_text(kMostSamples) + " samples in a step of one GPU",
                     number_text(per_step), "batch_per_gpu times accumulation");
    if (divides)
      check_memory(context_, "/job/batch_per_gpu", job_, cluster_);
    else
      job_.batch_per_gpu = 0;  // nor of that of a rented instance
  }

  void check_groups() {
    for (std::size_t g = 0; g < cluster_.groups.size(); ++g) {
      const NodeGroup& group = cluster_.groups[g];
      if (group.emulated_step && job_.model != ModelKind::emulated)
        context_.fault("/cluster/groups", "no emulated_step: the job's model is none",
                       format_quantity(*group.emulated_step));
      if (group.batch_per_gpu && job_.model == ModelKind::trace)
        context_.fault("/cluster/groups", "no batch_per_gpu: the recorded step has its own",
                       std::to_string(*group.batch_per_gpu));
      if (group.batch_per_gpu && *group.batch_per_gpu != job_.batch_per_gpu && job_.model == ModelKind::emulated &&
          !group.emulated_step)
        context_.fault("/cluster/groups", "emulated_step beside batch_per_gpu: the time of that batch",
                       "batch_per_gpu alone");
    }
  }

  void add_rounds() {
    const bool evaluates = keys_.evaluation_every || keys_.evaluation_samples || keys_.evaluation_fixed;
    const double epoch = job_.data.dataset.samples;
    if (evaluates) {
      // 50,000 images are held out of ImageNet-1k, 10,000 sequences of the MLPerf set [published: the data sets].
      const double held_out = is_bert() ? 10000 : 50000;
      job_.evaluation.every_samples = keys_.evaluation_every.value_or(epoch);
      job_.evaluation.samples = keys_.evaluation_samples.value_or(held_out);
      job_.evaluation.fixed = keys_.evaluation_fixed.value_or(Time());
      if (job_.model == ModelKind::decoder && !keys_.evaluation_samples)
        context_.fault("/job/evaluation/samples", "how many sequences an evaluation has", "nothing",
                       "the data sets of decoders state no held-out part");
      if (!keys_.evaluation_every)
        context_.assume("/job/evaluation/every_samples", number_text(epoch), "once an epoch");
      if (!keys_.evaluation_samples)
        context_.assume("/job/evaluation/samples", number_text(held_out), "the held-out part of the data set");
      if (!keys_.evaluation_fixed) context_.assume("/job/evaluation/fixed", "0 s", "default");
    } else {
      context_.assume("/job/evaluation", "none", "default");
    }
    if (keys_.checkpoint_every && *keys_.checkpoint_every > Time() && *keys_.checkpoint_every < seconds(1))
      context_.fault("/job/checkpoint/every", "at least 1 s, or 0 s for never",
                     format_quantity(*keys_.checkpoint_every));
    if (keys_.checkpoint_every) {
      job_.checkpoint.every = *keys_.checkpoint_every;
      take("checkpoint/asynchronous", keys_.checkpoint_asynchronous, true, "default", job_.checkpoint.asynchronous);
      job_.checkpoint.size = keys_.checkpoint_size;
      const bool unknown =
          job_.model == ModelKind::trace || (job_.model == ModelKind::emulated && job_.emulated_parameters <= 0);
      if (unknown && !keys_.checkpoint_size)
        context_.remark("/job/checkpoint/size", "unknown",
                        "this model does not tell it: saving is taken to cost nothing");
    } else {
      context_.assume("/job/checkpoint", "none", "default");
    }
  }

  bool has_reference_points() const {
    return (job_.model_id == "resnet-50" && job_.optimizer == Optimizer::lars) ||
           (job_.model_id == "bert-large" && job_.optimizer == Optimizer::lamb);
  }

  void add_target() {
    if (!keys_.target) return add_usual_target();
    const TargetKeys& target = *keys_.target;
    const int given =
        target.epochs.has_value() + target.samples.has_value() + target.steps.has_value() + target.quality.has_value();
    if (given != 1)
      context_.fault("/job/target", "one of epochs, samples, steps, quality", std::to_string(given) + " of them");
    if (target.epochs) job_.target = {Target::Kind::epochs, *target.epochs};
    if (target.samples) job_.target = {Target::Kind::samples, *target.samples};
    if (target.steps) job_.target = {Target::Kind::steps, *target.steps};
    if (!target.quality) return;
    job_.target = {Target::Kind::quality, 0};
    if (!has_reference_points())
      context_.fault("/job/target/quality", "resnet-50 with lars, or bert-large with lamb: these have reference points",
                     job_.model_id + " with " + word_of(kOptimizerWords, job_.optimizer),
                     "or another target, such as {\"epochs\": 90}");
  }

  void add_usual_target() {
    const auto epochs = [&](double value, const std::string& why) {
      job_.target = {Target::Kind::epochs, value};
      context_.assume("/job/target", number_text(value) + (value == 1 ? " epoch" : " epochs"), why);
    };
    if (job_.model == ModelKind::resnet) return epochs(90, "default for ResNet");
    if (job_.model == ModelKind::vgg) return epochs(74, "default for VGG");
    if (!is_bert()) return epochs(1, "default");
    if (!has_reference_points())
      return epochs(1, "MLPerf has no reference points for " + job_.model_id + " with " +
                           word_of(kOptimizerWords, job_.optimizer));
    job_.target = {Target::Kind::quality, 0};
    context_.assume("/job/target", "quality mlperf", "default for BERT");
  }

  ReadContext& context_;
  const JobKeys& keys_;
  const Cluster& cluster_;
  Job job_;
};

}  // namespace

bool can_train_in(const GpuSpec& gpu, Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return true;
    case Precision::tf32:
      return gpu.peak_tf32.has_value();
    case Precision::amp:
      return gpu.peak_fp16.has_value();
    case Precision::bf16:
      return gpu.peak_bf16.has_value();
    case Precision::fp8:
      return gpu.peak_fp8.has_value();
  }
  return false;
}

std::vector<std::string> precisions_of(const GpuSpec& gpu) {
  std::vector<std::string> words;
  for (const auto& word : kPrecisionWords)
    if (can_train_in(gpu, word.value)) words.push_back(word.name);
  return words;
}

Job resolve_job(ReadContext& context, const JobKeys& keys, const Cluster& cluster) {
  return JobResolver(context, keys, cluster).resolve();
}

}  // namespace clustersim
