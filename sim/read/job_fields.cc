// The keys of a scenario's "job".
#include "sim/read/hardware_part.h"
#include "sim/read/scenario_keys.h"

namespace clustersim {

namespace {

void visit_shape(FieldVisitor& v, ModelKeys& model) {
  const auto key = [&](const char* name, const char* meaning, double max, std::optional<int>& slot) {
    v.key({.name = name, .meaning = meaning, .default_text = "that of the base", .min = 1, .max = max}, slot);
  };
  key("layers", "of a decoder like its base", 1000, model.layers);
  key("hidden", "width of its layers", 1e6, model.hidden);
  key("heads", "of its attention", 1e5, model.heads);
  key("kv_heads", "heads of keys and values, fewer with grouped queries", 1e5, model.kv_heads);
  key("feed_forward", "width of its feed-forward part", 1e7, model.feed_forward);
  key("vocabulary", "tokens that it knows", 1e7, model.vocabulary);
}

void visit_model(FieldVisitor& v, JobKeys& keys, const Lookup& lookup) {
  v.part(
      {.name = "model", .meaning = "what is trained", .required = true}, "model", ids_for(v, "model", "model", lookup),
      [&](const std::string& id) { keys.model.emplace().id = id; },
      [&](FieldVisitor& in, const std::string& base) {
        ModelKeys& model = keys.model.emplace();
        model.id = base;
        in.key({.name = "trace", .meaning = "file of a recorded step (clustersim import)"}, model.trace);
        in.key({.name = "emulated_step", .meaning = "compute time of one batch on one GPU", .min = 1e-6, .max = 1e5},
               model.emulated_step);
        in.key({.name = "batch", .meaning = "samples of that batch, or of the recorded step", .min = 1, .max = 1e7},
               model.batch);
        in.key(
            {.name = "parameters",
             .meaning = "of the model whose step was measured or recorded on one GPU: what gradients are exchanged for",
             .default_text = "what the trace says; of an emulated step: none, and nothing is exchanged",
             .min = 1,
             .max = 1e14},
            model.parameters);
        in.key({.name = "recorded_on",
                .meaning = "id of the GPU that the step was recorded on",
                .default_text = "what the trace says"},
               model.recorded_on);
        in.choice({.name = "collectives",
                   .meaning = "what becomes of the recorded collectives",
                   .default_text = "recorded on as many GPUs of the same kind in one node, else planned"},
                  kTraceCollectivesWords, model.collectives);
        visit_shape(in, model);
        in.key({.name = "sample_bytes", .meaning = "stored size of one sample", .min = 1, .max = 1e12},
               model.sample_bytes);
      });
}

void visit_data(FieldVisitor& v, JobKeys& keys) {
  v.key({.name = "dataset", .meaning = "id of the data set", .default_text = "that of the model"}, keys.dataset);
  v.choice({.name = "from", .meaning = "where it lies", .default_text = "node"}, kDataSourceWords, keys.from);
  v.choice({.name = "container", .meaning = "how samples are stored", .default_text = "record"}, kContainerWords,
           keys.container);
  v.choice({.name = "loader", .meaning = "what reads and decodes it", .default_text = "by stack"}, kLoaderWords,
           keys.loader);
  v.key({.name = "workers_per_gpu",
         .meaning = "loader processes for each GPU",
         .default_text = "8, or the cores there are",
         .min = 0,
         .max = 1024},
        keys.workers_per_gpu);
  v.key({.name = "worker_time",
         .meaning = "time in which one worker decodes and transforms one sample, reading not counted",
         .default_text = "by data set, loader and processor",
         .min = 1e-7,
         .max = 1e4},
        keys.worker_time);
  v.key({.name = "first_epoch_cold",
         .meaning = "nothing is cached when the job starts",
         .default_text = "true; false for the mlperf stack"},
        keys.first_epoch_cold);
}

void visit_rounds(FieldVisitor& v, JobKeys& keys) {
  v.object(
      {.name = "evaluation", .meaning = "forward passes over held-out samples", .default_text = "none"},
      [&](FieldVisitor& in) {
        in.key({.name = "every_samples",
                .meaning = "trained samples between two evaluations; 0: never",
                .default_text = "one epoch",
                .min = 0,
                .max = 1e15},
               keys.evaluation_every);
        in.key({.name = "samples",
                .meaning = "samples of one evaluation",
                .default_text = "the data set's held-out part",
                .min = 0,
                .max = 1e12},
               keys.evaluation_samples);
        in.key(
            {.name = "fixed", .meaning = "time beside the forward passes", .default_text = "0 s", .min = 0, .max = 1e6},
            keys.evaluation_fixed);
      });
  v.object({.name = "checkpoint", .meaning = "saving the state", .default_text = "none"}, [&](FieldVisitor& in) {
    in.key({.name = "every", .meaning = "time between two; 0 s: never", .required = true, .min = 0, .max = 1e9},
           keys.checkpoint_every);
    in.key({.name = "asynchronous", .meaning = "training goes on while it is written", .default_text = "true"},
           keys.checkpoint_asynchronous);
    in.key({.name = "size",
            .meaning = "of what is saved; where states are sharded each GPU saves its part",
            .default_text = "weights and optimiser states, by model, optimiser and precision",
            .min = 1,
            .max = 1e18},
           keys.checkpoint_size);
  });
  v.object({.name = "target",
            .meaning = "when the job is done: one of its keys",
            .default_text = "resnet: 90 epochs; BERT: the quality of MLPerf; vgg16: 74 epochs; else one epoch"},
           [&](FieldVisitor& in) {
             TargetKeys& target = keys.target.emplace();
             in.key({.name = "epochs", .meaning = "passes over the data", .min = 1e-6, .max = 1e6}, target.epochs);
             in.key({.name = "samples", .meaning = "samples trained on", .min = 1, .max = 1e18}, target.samples);
             in.key({.name = "steps", .meaning = "optimiser steps", .min = 1, .max = 1e12}, target.steps);
             in.choice({.name = "quality", .meaning = "a quality to reach: resnet-50 with lars, bert-large with lamb"},
                       kQualityWords, target.quality);
           });
}

void visit_step(FieldVisitor& v, JobKeys& keys) {
  v.key(
      {.name = "batch_per_gpu",
       .meaning = "samples of one pass on one GPU, or on all that share a model (stack mlperf: of one optimiser step)",
       .default_text =
           "the largest power of two that fits in memory (CNN and ViT up to 256; BERT 64 at 128 tokens, 16 at "
           "512; decoders up to 16,384 tokens)",
       .min = 1,
       .max = 1e7},
      keys.batch_per_gpu);
  v.key({.name = "accumulation", .meaning = "passes in one optimiser step", .default_text = "1", .min = 1, .max = 1e5},
        keys.accumulation);
  v.key({.name = "no_sync", .meaning = "gradients are reduced after the last pass only", .default_text = "true"},
        keys.no_sync);
  v.key({.name = "sequence_length",
         .meaning = "tokens of a padded sequence; of BERT 512 at most",
         .default_text = "128; a decoder's own context",
         .min = 8,
         .max = 1048576},
        keys.sequence_length);
  v.key({.name = "tokens_per_sequence",
         .meaning = "mean of the tokens that are not padding",
         .default_text = "sequence_length",
         .min = 1,
         .max = 1048576},
        keys.tokens_per_sequence);
  v.key({.name = "length_square_ratio",
         .meaning = "mean of the squared length over the squared mean",
         .default_text = "1",
         .min = 1,
         .max = 100},
        keys.length_square_ratio);
  v.key({.name = "packing", .meaning = "short sequences share one", .default_text = "false"}, keys.packing);
  v.choice({.name = "head", .meaning = "what BERT's last layer predicts", .default_text = "pretraining"}, kHeadWords,
           keys.head);
  v.key({.name = "activation_checkpointing",
         .meaning = "a transformer's layers keep only their inputs and are computed again before their backward pass",
         .default_text = "false"},
        keys.activation_checkpointing);
  v.choice({.name = "sharding", .meaning = "what the GPUs divide among them", .default_text = "none"}, kShardingWords,
           keys.sharding);
  v.key({.name = "tensor_parallel",
         .meaning = "GPUs of a node that share every layer of a decoder",
         .default_text = "1",
         .min = 1,
         .max = 1024},
        keys.tensor_parallel);
  v.key({.name = "pipeline_parallel",
         .meaning = "stages of a decoder's layers, each on GPUs of its own",
         .default_text = "1",
         .min = 1,
         .max = 1024},
        keys.pipeline_parallel);
  v.key({.name = "interleave",
         .meaning = "parts of a pipeline's stage that take turns (interleaved schedule)",
         .default_text = "1",
         .min = 1,
         .max = 1024},
        keys.interleave);
  v.choice({.name = "fusion", .meaning = "how operators become kernels", .default_text = "by stack"}, kFusionWords,
           keys.fusion);
  v.choice({.name = "attention",
            .meaning = "the kernel of a transformer's attention, where fusion is fused or jit",
            .default_text = "flash-2; of Blackwell with HBM flash-3"},
           kAttentionWords, keys.attention);
  v.choice({.name = "gradient_precision", .meaning = "what travels in the reduction", .default_text = "by stack"},
           kGradientWords, keys.gradient_precision);
  v.key({.name = "bucket",
         .meaning = "DDP bucket or Horovod's fusion buffer; 0 B: one for all",
         .default_text = "by stack",
         .min = 0,
         .max = 1e12},
        keys.bucket);
  v.key({.name = "overlap", .meaning = "the reduction runs during the backward pass", .default_text = "by stack"},
        keys.overlap);
  v.choice({.name = "reduction", .meaning = "how gradients are reduced", .default_text = "by stack"}, kReductionWords,
           keys.reduction);
  v.key({.name = "cuda_graph", .meaning = "the step is launched as one graph", .default_text = "by stack"},
        keys.cuda_graph);
  v.choice({.name = "collective_algorithm", .meaning = "the algorithm of every collective", .default_text = "auto"},
           kAlgorithmWords, keys.algorithm);
}

}  // namespace

void visit_job(FieldVisitor& v, JobKeys& keys, const Lookup& lookup) {
  keys.present = true;
  visit_model(v, keys, lookup);
  v.choice({.name = "precision",
            .meaning = "number formats",
            .default_text = "amp on parts with tensor cores (decoders bf16 where it is), else fp32"},
           kPrecisionWords, keys.precision);
  v.choice({.name = "stack", .meaning = "the software", .default_text = "pytorch-ddp"}, kStackWords, keys.stack);
  visit_step(v, keys);
  v.choice({.name = "optimizer",
            .meaning = "the optimiser",
            .default_text = "sgd for CNNs (lars on the mlperf stack), lamb for BERT, adam else"},
           kOptimizerWords, keys.optimizer);
  v.choice({.name = "lr_rule", .meaning = "how the learning rate follows the batch", .default_text = "reference"},
           kLrRuleWords, keys.lr_rule);
  v.object({.name = "data", .meaning = "the samples and their way to the GPU", .default_text = "see its keys"},
           [&](FieldVisitor& in) { visit_data(in, keys); });
  visit_rounds(v, keys);
}

}  // namespace clustersim
