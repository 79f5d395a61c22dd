#include "models/workload/bert_kernels.h"

#include <cmath>
#include <span>
#include <utility>

#include "models/compute/constants.h"
#include "models/compute/gemm.h"

namespace clustersim {

namespace {

constexpr double span_outputs = 2;          // start and end
constexpr double vocabulary_multiple = 64;  // the decoder is padded for the matrix units

class BertBuilder {
 public:
  BertBuilder(const BertNetwork& network, const Job& job, const GpuSpec& gpu)
      : net_(network),
        device_(device_model(gpu, job.cuda_graph)),
        format_(math_format(job.precision, gpu)),
        tensorflow_(job.stack == Stack::tensorflow_horovod),
        fusion_(job.fusion == Fusion::nchw ? Fusion::eager : job.fusion),
        written_gelu_(job.fusion == Fusion::nchw),
        by_sequence_(scores_in_memory(job, gpu)),
        element_(activation_bytes(job.precision)),
        sequences_(job.micro_batch()),
        rows_(sequences_ * job.tokens_per_sequence),
        squares_(job.tokens_per_sequence * job.tokens_per_sequence * job.length_square_ratio),
        hidden_bytes_(rows_ * network.hidden * element_),
        score_bytes_(sequences_ * network.heads * squares_ * element_),
        predicted_(std::max(1.0, std::ceil(predicted_share(job) * rows_))) {}

  std::vector<Kernel> layer_forward() const {
    std::vector<Kernel> out;
    const double h = net_.hidden, f = net_.feed_forward;
    if (fusion_ == Fusion::fused) {
      out = {linear(rows_, 3 * h, h)};
      if (by_sequence_)
        add_attention_by_sequence(out, compute::by_sequence_forward);
      else
        out.push_back(attention(4, compute::fused_attention));
    } else {
      out = {linear(rows_, h, h), linear(rows_, h, h), linear(rows_, h, h)};
      add(out, 2, scores_product(sequences_));
    }
    out.push_back(linear(rows_, h, h));
    out.push_back(linear(rows_, f, h));
    out.push_back(linear(rows_, h, f));
    add_passes(out, true);
    if (tensorflow_) out.push_back(dropout_masks());
    return out;
  }

  std::vector<Kernel> layer_backward() const {
    std::vector<Kernel> out;
    const double h = net_.hidden, f = net_.feed_forward;
    out = {linear(rows_, f, h), weight(h, f), linear(rows_, h, f), weight(f, h), linear(rows_, h, h), weight(h, h)};
    if (fusion_ == Fusion::fused) {
      if (by_sequence_)
        add_attention_by_sequence(out, compute::by_sequence_backward);
      else
        out.push_back(attention(10, compute::fused_attention_back));
      out.push_back(linear(rows_, h, 3 * h));
      out.push_back(weight(3 * h, h));
    } else {
      add(out, 4, scores_product(sequences_));
      add(out, 3, linear(rows_, h, h));
      add(out, 3, weight(h, h));
    }
    add_passes(out, false);
    return out;
  }

  std::vector<Kernel> embedding_forward() const { return {stream_kernel(device_, 8 * hidden_bytes_)}; }
  std::vector<Kernel> embedding_backward() const {
    return {stream_kernel(device_, 12 * hidden_bytes_ + 3.0 * net_.vocabulary * net_.hidden * element_)};
  }

  std::vector<Kernel> head_forward() const {
    if (net_.span_head) return {linear(rows_, span_outputs, net_.hidden)};
    return {linear(predicted_, net_.hidden, net_.hidden), linear(predicted_, vocabulary(), net_.hidden),
            stream_kernel(device_, logit_bytes(true))};
  }
  std::vector<Kernel> head_backward() const {
    if (net_.span_head) return {linear(rows_, net_.hidden, span_outputs), weight(span_outputs, net_.hidden)};
    return {stream_kernel(device_, logit_bytes(false)), linear(predicted_, net_.hidden, vocabulary()),
            product({vocabulary(), static_cast<double>(net_.hidden), predicted_}, true),
            linear(predicted_, net_.hidden, net_.hidden),
            product({static_cast<double>(net_.hidden), static_cast<double>(net_.hidden), predicted_}, true)};
  }

 private:
  double vocabulary() const { return std::ceil(net_.vocabulary / vocabulary_multiple) * vocabulary_multiple; }

  double logit_bytes(bool forward) const {
    const double half = forward ? compute::logit_bytes_half : compute::logit_back_bytes_half;
    const double full = forward ? compute::logit_bytes_full : compute::logit_back_bytes_full;
    return predicted_ * vocabulary() * (element_ == 2 ? half : full);
  }

  static void add(std::vector<Kernel>& out, int count, const Kernel& kernel) {
    for (int i = 0; i < count; ++i) out.push_back(kernel);
  }

  Kernel product(GemmShape shape, bool split) const {
    const double operand = format_ == MathFormat::fp8 ? 1.0 : element_;
    shape.bytes = (shape.m * shape.k + shape.n * shape.k) * operand + shape.m * shape.n * element_;
    shape.split_k = split;
    return gemm_kernel(device_, format_, shape);
  }
  Kernel linear(double m, double n, double k) const { return product({m, n, k}, false); }
  Kernel weight(double n, double k) const { return product({n, k, rows_}, true); }

  // One of the batched products over the scores, all heads of so many of the sequences.
  Kernel scores_product(double sequences) const {
    const double length = std::sqrt(squares_), share = sequences / sequences_;
    GemmShape shape{length, length, static_cast<double>(net_.hidden) / net_.heads, sequences * net_.heads};
    shape.bytes = share * (2 * hidden_bytes_ + score_bytes_);
    return gemm_kernel(device_, half_or(format_), shape);
  }

  // Products and softmax of one sequence after the other, dropout over all, and the host waiting in between.
  void add_attention_by_sequence(std::vector<Kernel>& out, const compute::AttentionBySequence& count) const {
    const Kernel product = scores_product(1);
    const Kernel softmax = stream_kernel(device_, count.softmax * score_bytes_ / sequences_);
    for (const auto& [kernel, times] : {std::pair(product, count.products * sequences_), {softmax, sequences_}})
      out.push_back({kernel.math_s * times, kernel.memory_s * times, kernel.fixed_s * times});
    out.push_back(stream_kernel(device_, count.dropout * score_bytes_));
    out.push_back({0.0, 0.0, count.synchronisations * compute::device_sync_s});
  }

  Kernel dropout_masks() const {
    const double elements = 2 * rows_ * net_.hidden + sequences_ * net_.heads * squares_;
    return {elements * compute::xla_random_instructions / device_.integer_per_s, 0.0, 3 * device_.fixed_s};
  }

  Kernel attention(double flop_factor, double share) const {
    const double flop = flop_factor * sequences_ * squares_ * net_.hidden;
    return {flop / (device_.rate(half_or(format_)) * share), 0.0, device_.fixed_s};
  }
  static MathFormat half_or(MathFormat format) { return format == MathFormat::fp8 ? MathFormat::half : format; }

  void add_tensorflow_passes(std::vector<Kernel>& out, bool forward) const {
    const auto list = forward ? std::span<const compute::RepeatedPass>(compute::tensorflow_forward)
                              : std::span<const compute::RepeatedPass>(compute::tensorflow_backward);
    const double width = 4 / element_;
    for (const auto& [times, pass] : list)
      add(out, times, stream_kernel(device_, width * (pass.hidden * hidden_bytes_ + pass.scores * score_bytes_)));
  }

  Kernel pass_kernel(const compute::LayerPass& pass) const {
    return stream_kernel(device_, pass.hidden * hidden_bytes_ + pass.scores * score_bytes_);
  }

  void add_passes(std::vector<Kernel>& out, bool forward) const {
    std::span<const compute::LayerPass> list =
        forward ? std::span(compute::eager_forward) : std::span<const compute::LayerPass>(compute::eager_backward);
    if (fusion_ == Fusion::jit)
      list = forward ? std::span<const compute::LayerPass>(compute::jit_forward)
                     : std::span<const compute::LayerPass>(compute::jit_backward);
    if (fusion_ == Fusion::fused)
      list = forward ? std::span<const compute::LayerPass>(compute::fused_forward)
                     : std::span<const compute::LayerPass>(compute::fused_backward);
    if (fusion_ == Fusion::eager && tensorflow_) return add_tensorflow_passes(out, forward);
    for (const compute::LayerPass& pass : list) out.push_back(pass_kernel(pass));
    if (written_gelu_ && !forward)
      add(out, compute::written_gelu_operators, pass_kernel(compute::written_gelu_backward));
    if (format_ == MathFormat::fp8)
      out.push_back(
          stream_kernel(device_, hidden_bytes_ * (forward ? compute::fp8_cast_forward : compute::fp8_cast_backward)));
  }

  BertNetwork net_;
  DeviceModel device_;
  MathFormat format_;
  bool tensorflow_;
  Fusion fusion_;
  bool written_gelu_, by_sequence_;
  double element_, sequences_, rows_, squares_, hidden_bytes_, score_bytes_, predicted_;
};

}  // namespace

BertNetwork bert_network_of(const Job& job) {
  BertNetwork network = bert_network(job.model_id);
  network.span_head = job.head == Head::span;
  return network;
}

double predicted_share(const Job& job) {
  if (job.head == Head::span) return 0;
  const bool plain = job.fusion == Fusion::eager || job.fusion == Fusion::nchw;
  return plain && job.stack != Stack::tensorflow_horovod ? 1.0 : masked_share;
}

bool scores_in_memory(const Job& job, const GpuSpec& gpu) {
  const bool built_for = gpu.peak_tf32 && gpu.memory_type.find("HBM") != std::string::npos;
  return job.stack == Stack::mlperf && job.fusion == Fusion::fused && job.precision != Precision::fp8 &&
         gpu.vendor == "NVIDIA" && !built_for;
}

MicroBatchKernels bert_kernels(const BertNetwork& network, const Job& job, const GpuSpec& gpu) {
  const BertBuilder builder(network, job, gpu);
  MicroBatchKernels kernels =
      forward_in_blocks(builder.embedding_forward(), builder.layer_forward(), network.layers, builder.head_forward());
  const std::vector<Kernel> backward = builder.layer_backward();
  kernels.backward.push_back({"heads", builder.head_backward(), network.head_parameters(), network.head_tensors()});
  for (int i = network.layers; i-- > 0;)
    kernels.backward.push_back({"encoder." + std::to_string(i), backward, network.layer_parameters(), 16});
  kernels.backward.push_back({"embeddings", builder.embedding_backward(), network.embedding_parameters(), 5});
  return kernels;
}

}  // namespace clustersim
