#include "models/workload/decoder_kernels.h"

#include <algorithm>
#include <cmath>

#include "models/compute/attention.h"
#include "models/compute/constants.h"
#include "models/compute/gemm.h"

namespace clustersim {

namespace {

constexpr double vocabulary_multiple = 64;  // the output product is padded for the matrix units

// Reads and writes of one tensor by the operators of a layer, in units of T x h elements, or T x f where it says so.
struct Traffic {
  double norm, norm_back;            // without the residual's addition
  double add, add_back;              // of the residual; 0: joined with the normalisation
  double rotary;                     // of queries; keys in proportion, backward the same
  double gated, gated_back;          // f: SwiGLU
  double loss, loss_back;            // bytes of an output, at 2 bytes an element
  double loss_full, loss_back_full;  // at 4
};
// [counted from the operators; RMSNorm: cast, square, mean, root, product, cast, product; rotary positions: cast,
// complex product, cast; SwiGLU: sigmoid product and product]
constexpr Traffic eager_rms = {18,
                               34,
                               3,
                               3,
                               10,
                               5,
                               9,
                               compute::logit_bytes_half,
                               compute::logit_back_bytes_half,
                               compute::logit_bytes_full,
                               compute::logit_back_bytes_full};
// [counted: LayerNorm reads and writes; backward reads two tensors twice, for its input and for its weights]
constexpr Traffic eager_layer_norm = {2,
                                      5,
                                      3,
                                      3,
                                      10,
                                      5,
                                      9,
                                      compute::logit_bytes_half,
                                      compute::logit_back_bytes_half,
                                      compute::logit_bytes_full,
                                      compute::logit_back_bytes_full};
// [counted: the loss reads the outputs once; backward reads them and writes their gradient]
constexpr Traffic fused_traffic = {2, 5, 3, 3, 2, 3, 5, 2, 4, 4, 8};
// [counted: sum and normalised tensor written together]
constexpr Traffic jit_traffic = {4, 6, 0, 0, 2, 3, 5, 2, 4, 4, 8};

Traffic traffic_of(Fusion fusion, bool rms_norm) {
  if (fusion == Fusion::jit) return jit_traffic;
  if (fusion == Fusion::fused) return fused_traffic;
  return rms_norm ? eager_rms : eager_layer_norm;
}

double key_share(const TransformerShape& shape) { return static_cast<double>(shape.kv_heads) / shape.heads; }
double norm_parameters(const TransformerShape& shape) { return (shape.rms_norm ? 1.0 : 2.0) * shape.hidden; }

class TransformerBuilder {
 public:
  TransformerBuilder(const TransformerShape& shape, const Job& job, const GpuSpec& gpu)
      : shape_(shape),
        gpu_(gpu),
        attention_(job.attention),
        device_(device_model(gpu, job.cuda_graph)),
        format_(math_format(job.precision, gpu)),
        scores_in_memory_(job.fusion == Fusion::eager || job.fusion == Fusion::nchw),
        traffic_(traffic_of(job.fusion, shape.rms_norm)),
        element_(activation_bytes(job.precision)),
        sequences_(job.micro_batch()),
        rows_(sequences_ * job.tokens_per_sequence),
        own_rows_(rows_ / job.tensor_parallel),
        squares_(job.tokens_per_sequence * job.tokens_per_sequence * job.length_square_ratio),
        h_(shape.hidden),
        heads_(static_cast<double>(shape.heads) / job.tensor_parallel),
        a_(h_ / job.tensor_parallel),
        f_(static_cast<double>(shape.feed_forward) / job.tensor_parallel),
        g_(h_ / shape.heads * std::max(1.0, static_cast<double>(shape.kv_heads) / job.tensor_parallel)),
        up_(shape.gated ? 2 * f_ : f_),
        vocabulary_(std::ceil(shape.vocabulary / vocabulary_multiple / job.tensor_parallel) * vocabulary_multiple) {}

  std::vector<Kernel> layer_forward() const {
    std::vector<Kernel> out;
    add_norm(out);
    out.push_back(linear(rows_, a_ + 2 * g_, h_));
    add_rotary(out);
    add_attention(out, true);
    out.push_back(linear(rows_, h_, a_));
    add_norm(out);
    out.push_back(linear(rows_, up_, h_));
    out.push_back(elementwise(rows_ * f_, shape_.gated ? traffic_.gated : 2));
    out.push_back(linear(rows_, h_, f_));
    for (int i = 0; i < 2 && traffic_.add > 0; ++i) out.push_back(elementwise(own_rows_ * h_, traffic_.add));
    if (format_ == MathFormat::fp8) out.push_back(casts(compute::fp8_cast_forward));
    return out;
  }

  std::vector<Kernel> layer_backward() const {
    std::vector<Kernel> out = {linear(rows_, f_, h_), weight(h_, f_)};
    out.push_back(elementwise(rows_ * f_, shape_.gated ? traffic_.gated_back : 3));
    out.push_back(linear(rows_, h_, up_));
    out.push_back(weight(up_, h_));
    add_norm_back(out);
    out.push_back(linear(rows_, a_, h_));
    out.push_back(weight(h_, a_));
    add_attention(out, false);
    add_rotary(out);
    out.push_back(linear(rows_, h_, a_ + 2 * g_));
    out.push_back(weight(a_ + 2 * g_, h_));
    add_norm_back(out);
    if (shape_.biases)  // sums over the rows
      for (const double elements : {own_rows_ * h_, rows_ * up_, own_rows_ * h_, rows_ * (a_ + 2 * g_)})
        out.push_back(reduction(elements, 1));
    if (format_ == MathFormat::fp8) out.push_back(casts(compute::fp8_cast_backward));
    return out;
  }

  std::vector<Kernel> embedding_forward() const {
    std::vector<Kernel> out;
    if (shape_.patch > 0) out.push_back(linear(patches(), h_, patch_elements()));
    out.push_back(elementwise(own_rows_ * h_, shape_.positions > 0 ? 2 + 3 : 2));
    return out;
  }
  // The table's gradient is cleared, then added to row by row; where the head shares it, the two are added.
  std::vector<Kernel> embedding_backward() const {
    if (shape_.patch > 0) return {product(format_, {h_, patch_elements(), patches()}, true)};
    const double table = vocabulary_ * h_;
    return {elementwise(own_rows_ * h_, 3), elementwise(table, shape_.tied ? 1 + 3 : 1)};
  }

  std::vector<Kernel> head_forward() const {
    return {reduction(own_rows_ * h_, 2), half_linear(outputs(), vocabulary_, h_), loss(true)};
  }
  std::vector<Kernel> head_backward() const {
    return {loss(false), half_linear(outputs(), h_, vocabulary_),
            product(half_or(format_), {vocabulary_, h_, outputs()}, true), reduction(own_rows_ * h_, 5)};
  }

 private:
  double outputs() const { return shape_.patch > 0 ? std::ceil(sequences_) : rows_; }  // one class an image
  double patch_elements() const { return 3.0 * shape_.patch * shape_.patch; }
  double patches() const { return sequences_ * (image_tokens(shape_) - 1); }

  static MathFormat half_or(MathFormat format) { return format == MathFormat::fp8 ? MathFormat::half : format; }

  Kernel product(MathFormat format, GemmShape shape, bool split) const {
    const double operand = format == MathFormat::fp8 ? 1.0 : element_;
    shape.bytes = (shape.m * shape.k + shape.n * shape.k) * operand + shape.m * shape.n * element_;
    shape.split_k = split;
    return gemm_kernel(device_, format, shape);
  }
  Kernel linear(double m, double n, double k) const { return product(format_, {m, n, k}, false); }
  // The head is left out of FP8 [published: torchtitan, Transformer Engine].
  Kernel half_linear(double m, double n, double k) const { return product(half_or(format_), {m, n, k}, false); }
  Kernel weight(double n, double k) const { return product(format_, {n, k, rows_}, true); }

  Kernel elementwise(double elements, double passes) const {
    return elementwise_kernel(device_, passes * elements * element_);
  }
  // Normalisation, softmax, sums.
  Kernel reduction(double elements, double passes) const {
    return stream_kernel(device_, passes * elements * element_);
  }

  void add_norm(std::vector<Kernel>& out) const { out.push_back(reduction(own_rows_ * h_, traffic_.norm)); }
  void add_norm_back(std::vector<Kernel>& out) const {
    out.push_back(reduction(own_rows_ * h_, traffic_.norm_back));
    if (traffic_.add_back > 0) out.push_back(elementwise(own_rows_ * h_, traffic_.add_back));
  }
  void add_rotary(std::vector<Kernel>& out) const {
    if (shape_.positions == 0) out.push_back(elementwise(rows_ * (a_ + g_), traffic_.rotary));
  }

  // Casts to 8 bits of what enters the products, in proportion to BERT's: h, h, h and f = 4 h wide.
  Kernel casts(double passes) const { return elementwise(rows_ * (3 * a_ + f_) / 7, passes); }

  Kernel loss(bool forward) const {
    const double half = forward ? traffic_.loss : traffic_.loss_back;
    const double full = forward ? traffic_.loss_full : traffic_.loss_back_full;
    return stream_kernel(device_, outputs() * vocabulary_ * (element_ == 2 ? half : full));
  }

  void add_attention(std::vector<Kernel>& out, bool forward) const {
    if (scores_in_memory_) return add_scores(out, forward);
    const double length = std::sqrt(squares_);
    const AttentionPass pass{h_ / shape_.heads, length, shape_.patch == 0, forward};
    const double math_s =
        attention_seconds(gpu_, device_.rate(half_or(format_)), attention_, pass, sequences_ * heads_ * length);
    const double tensors = (forward ? 2 : 4) * (a_ + g_);  // q, k, v, o; backward their gradients too
    out.push_back({math_s, rows_ * tensors * element_ / device_.dram_bytes_per_s, device_.fixed_s});
  }

  // Scale, mask and softmax over all scores; copies to and from the order of heads.
  void add_scores(std::vector<Kernel>& out, bool forward) const {
    const double length = std::sqrt(squares_), all = sequences_ * heads_ * squares_;
    GemmShape shape{length, length, h_ / shape_.heads, sequences_ * heads_};
    shape.bytes = 2 * rows_ * a_ * element_ + all * element_;
    for (int i = 0; i < (forward ? 2 : 4); ++i) out.push_back(gemm_kernel(device_, half_or(format_), shape));
    out.push_back(elementwise(all, 2));
    if (shape_.patch == 0) out.push_back(elementwise(all, 2));
    out.push_back(reduction(all, forward ? 2 : 3));
    for (int i = 0; i < 4; ++i) out.push_back(elementwise(rows_ * a_, 2));
  }

  TransformerShape shape_;
  GpuSpec gpu_;
  Attention attention_;
  DeviceModel device_;
  MathFormat format_;
  bool scores_in_memory_;
  Traffic traffic_;
  // Of one GPU, where tensors are divided: rows of what lies between the products, heads, widths.
  double element_, sequences_, rows_, own_rows_, squares_, h_, heads_, a_, f_, g_, up_, vocabulary_;
};

int layer_tensors(const TransformerShape& shape) {
  const int products = shape.gated ? 7 : 4, norms = 2 * (shape.rms_norm ? 1 : 2);
  return products * (shape.biases ? 2 : 1) + norms;
}
int embedding_tensors(const TransformerShape& shape) {
  return (shape.patch > 0 ? 3 : 1) + (shape.positions > 0 ? 1 : 0);
}
int head_tensors(const TransformerShape& shape) {
  return (shape.rms_norm ? 1 : 2) + (shape.patch > 0 ? 2 : shape.tied ? 0 : 1);
}

}  // namespace

int image_tokens(const TransformerShape& shape) {
  const int side = image_pixels / shape.patch;
  return side * side + 1;
}

double layer_parameters(const TransformerShape& shape) {
  const double h = shape.hidden, f = shape.feed_forward, g = h * key_share(shape), up = shape.gated ? 2 * f : f;
  const double biases = shape.biases ? (h + 2 * g) + h + up + h : 0;
  return h * (h + 2 * g) + h * h + h * up + f * h + biases + 2 * norm_parameters(shape);
}

double embedding_parameters(const TransformerShape& shape) {
  const double h = shape.hidden;
  if (shape.patch > 0)  // the patches' product with its bias, the class token
    return 3.0 * shape.patch * shape.patch * h + h + h + shape.positions * h;
  return (static_cast<double>(shape.vocabulary) + shape.positions) * h;
}

double head_parameters(const TransformerShape& shape) {
  const double h = shape.hidden;
  if (shape.patch > 0) return norm_parameters(shape) + shape.vocabulary * h + shape.vocabulary;
  return norm_parameters(shape) + (shape.tied ? 0.0 : shape.vocabulary * h);
}

double parameters(const TransformerShape& shape) {
  return shape.layers * layer_parameters(shape) + embedding_parameters(shape) + head_parameters(shape);
}

int tensors(const TransformerShape& shape) {
  return shape.layers * layer_tensors(shape) + embedding_tensors(shape) + head_tensors(shape);
}

double forward_flop(const TransformerShape& shape, double tokens, double tokens_squared) {
  const double h = shape.hidden, f = shape.feed_forward, g = h * key_share(shape);
  const double products = h * (h + 2 * g) + h * h + (shape.gated ? 3 : 2) * h * f;
  const double layers = shape.layers * (2 * products * tokens + 4 * tokens_squared * h);
  if (shape.patch == 0) return layers + 2 * h * shape.vocabulary * tokens;
  return layers + 2 * h * (3.0 * shape.patch * shape.patch * (image_tokens(shape) - 1) + shape.vocabulary);
}

double parameters_of_a_gpu(const TransformerShape& shape, const Job& job) {
  const double table = shape.tied ? embedding_parameters(shape) : 0;
  const double ends = job.pipeline_parallel == 1
                          ? embedding_parameters(shape) + head_parameters(shape)
                          : std::max(embedding_parameters(shape), head_parameters(shape) + table);
  return (shape.layers / job.pipeline_parallel * layer_parameters(shape) + ends) / job.tensor_parallel;
}

MicroBatchKernels transformer_kernels(const TransformerShape& shape, const Job& job, const GpuSpec& gpu) {
  const TransformerBuilder builder(shape, job, gpu);
  const int layers = shape.layers / job.pipeline_parallel;
  const bool whole = job.pipeline_parallel == 1;  // else the last stage
  const double part = 1.0 / job.tensor_parallel, layer = layer_parameters(shape) * part;
  MicroBatchKernels kernels = forward_in_blocks(whole ? builder.embedding_forward() : std::vector<Kernel>(),
                                                builder.layer_forward(), layers, builder.head_forward());
  const std::vector<Kernel> backward = builder.layer_backward();
  const double head = whole ? head_parameters(shape) * part : parameters_of_a_gpu(shape, job) - layers * layer;
  kernels.backward.push_back({"head", builder.head_backward(), head, head_tensors(shape)});
  for (int i = layers; i-- > 0;)
    kernels.backward.push_back({"layer." + std::to_string(i), backward, layer, layer_tensors(shape)});
  if (whole)
    kernels.backward.push_back(
        {"embeddings", builder.embedding_backward(), embedding_parameters(shape) * part, embedding_tensors(shape)});
  else
    kernels.backward.push_back({"embeddings", {}, 0, 0});
  return kernels;
}

}  // namespace clustersim
