#include "models/workload/memory.h"

#include <algorithm>
#include <cmath>

#include "models/compute/device_model.h"
#include "models/workload/bert_kernels.h"
#include "models/workload/decoder_kernels.h"
#include "models/workload/layers.h"
#include "models/workload/state_memory.h"

namespace clustersim {

namespace {

constexpr double context_bytes = 0.6e9;          // [assumed: CUDA context and library handles, 0.4-0.8 GB]
constexpr double library_scratch_bytes = 0.5e9;  // [assumed: cuDNN and cuBLAS workspaces]
constexpr double allocator_share = 0.03;         // [assumed: rounding of allocations]
// What the backward pass of an encoder layer needs, per token and unit of width and per token, head and position. A
// dropout mask is a byte an element under any precision. [published: Korthikanti et al. 2022]
constexpr double kept_tensors = 16, kept_masks = 2, kept_scores = 2, kept_score_masks = 1;
// The same of TensorFlow without XLA: masks are tensors, GELU keeps two more of the feed-forward's width, each
// normalisation two. [assumed: counted; published runs and refusals of DeepLearningExamples lie on either side]
constexpr double kept_tensors_operators = 30, kept_scores_operators = 4;

// [published: what PyTorch and nvidia-smi print] of 24 GiB 23.7 are visible, of 80 79.2, of 32 31.7; data-centre boards
// on GDDR keep their error-correcting codes in it and show 15/16: T4 15.0 of 16, A10 22.5 of 24, A40 and L40S 45 of 48.
constexpr double visible_share = 0.99, inline_ecc_share = 15.0 / 16;

constexpr int most_samples = 65536;

// Convolution outputs, and the normalised tensor after each; a bias layer's output is activated in place.
double cnn_activation_elements(const CnnNetwork& network) {
  double elements = 3.0 * 224 * 224;
  for (const ConvLayer& layer : network.convolutions) {
    elements += layer.output_elements() * (layer.after == After::bias_relu ? 1 : 2);
    if (layer.pooled) elements += layer.output_elements() / 4;
  }
  for (const LinearLayer& layer : network.linears) elements += layer.in + layer.out;
  return elements;
}

double bert_activation_bytes(const BertNetwork& network, const Job& job, const GpuSpec& gpu) {
  const double sequences = std::max(1.0, job.micro_batch()), h = network.hidden;
  const bool unpadded = job.fusion == Fusion::fused;
  const double cv = std::sqrt(std::max(0.0, job.length_square_ratio - 1));
  const double length =
      unpadded ? std::min<double>(job.sequence_length, job.tokens_per_sequence * (1 + 2 * cv / std::sqrt(sequences)))
               : job.sequence_length;
  const double rows = sequences * length;
  const double element = activation_bytes(job.precision);
  double hidden = kept_tensors * element + kept_masks;
  double scores = kept_scores * element + kept_score_masks;
  if (job.stack == Stack::tensorflow_horovod && (job.fusion == Fusion::eager || job.fusion == Fusion::nchw))
    hidden = kept_tensors_operators * element, scores = kept_scores_operators * element;
  scores *= unpadded && !scores_in_memory(job, gpu) ? 0.0 : network.heads * length / h;
  double layers = network.layers * rows * h * (hidden + scores);
  if (job.activation_checkpointing) layers = network.layers * rows * h * element + layers / network.layers;
  // Logits, their softmax in fp32 and its gradient.
  const double logits = rows * predicted_share(job) * network.vocabulary * (element + 4 + 4);
  return layers + logits;
}

}  // namespace

bool is_half(const Job& job) { return activation_bytes(job.precision) == 2; }

bool half_weights(const Job& job) { return is_half(job) && job.gradient_precision == GradientPrecision::fp16; }

MemoryNeed memory_needed(const Job& job, const GpuSpec& gpu, int ranks) {
  MemoryNeed need;
  if (job.model == ModelKind::trace) return need;
  double parameters = 0, activations = 0;
  if (job.model == ModelKind::emulated) {
    parameters = job.emulated_parameters;
    if (parameters <= 0) return need;
  } else if (job.model == ModelKind::bert) {
    const BertNetwork network = bert_network_of(job);
    parameters = network.parameters();
    activations = bert_activation_bytes(network, job, gpu);
  } else if (job.model == ModelKind::decoder || job.model == ModelKind::vit) {
    parameters = parameters_of_a_gpu(job.shape, job);
    activations = transformer_activation_bytes(job);
  } else {
    const CnnNetwork network = cnn_network(job.model_id);
    parameters = network.parameters();
    activations = job.micro_batch() * cnn_activation_elements(network) * activation_bytes(job.precision);
  }
  const bool half = half_weights(job);
  const double states = job.optimizer == Optimizer::sgd || job.optimizer == Optimizer::lars ? 4 : 8;
  const StateShares share = state_shares(job, ranks);
  // Half precision keeps a half copy beside fp32 weights: the master copy, which may be sharded with the optimiser.
  const double kept = half ? 2 : 4, copy = is_half(job) && !half ? 2 : 0;
  need.weights = bytes(parameters * share.weights * (kept + copy));
  need.gradients = bytes(parameters * share.gradients * kept);
  need.optimizer = bytes(parameters * share.optimizer * (states + (half ? 4 : 0)));
  need.saved = bytes(parameters * share.weights * kept) + need.optimizer;
  if (share.weights < 1) {
    const BlockParameters whole = block_parameters(job);
    need.weights += bytes((whole.root + 2 * whole.layer) * activation_bytes(job.precision));
    need.gradients += bytes((whole.root + whole.layer) * kept);
  }
  need.activations = bytes(activations);
  const double tensors = (need.weights + need.gradients + need.optimizer + need.activations).base();
  need.workspace = bytes(context_bytes + library_scratch_bytes + allocator_share * tensors);
  need.total = bytes(tensors) + need.workspace;
  return need;
}

Bytes usable_memory(const GpuSpec& gpu) {
  const bool inline_ecc = gpu.vendor == "NVIDIA" && gpu.memory_type.find("GDDR") != std::string::npos &&
                          gpu.form_factor.find("passive") != std::string::npos;
  return gibibytes(gpu.memory.base() / 1e9 * visible_share * (inline_ecc ? inline_ecc_share : 1.0));
}

MemoryFit memory_fit(const Job& job, const GpuSpec& gpu, int ranks) {
  const double share = memory_needed(job, gpu, ranks).total / usable_memory(gpu);
  if (share <= 1 - memory_uncertainty) return MemoryFit::fits;
  return share <= 1 + memory_uncertainty ? MemoryFit::tight : MemoryFit::exceeds;
}

bool fits(const Job& job, const GpuSpec& gpu, int ranks) { return memory_fit(job, gpu, ranks) == MemoryFit::fits; }

int largest_batch(Job job, const GpuSpec& gpu, int ranks) {
  const auto fits_batch = [&](int batch) {
    job.batch_per_gpu = batch;
    return fits(job, gpu, ranks);
  };
  if (!fits_batch(1)) return 0;
  int low = 1, high = most_samples + 1;  // low fits, high does not or is out of range
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (fits_batch(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace clustersim
