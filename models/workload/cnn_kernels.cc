#include "models/workload/cnn_kernels.h"

#include <algorithm>

#include "models/compute/constants.h"
#include "models/compute/gemm.h"
#include "models/compute/roofline.h"

namespace clustersim {

namespace {

// The library's normalisation alone, as measured.
compute::NormPasses with_own_norm(compute::NormPasses passes, const MeasuredKernels& measured) {
  passes.norm = measured.norm_passes.value_or(passes.norm);
  passes.norm_back = measured.norm_back_passes.value_or(passes.norm_back);
  return passes;
}

// Its kernels that join ReLU and addition, as measured.
compute::NormPasses with_joint_norm(compute::NormPasses passes, const MeasuredKernels& measured) {
  passes.norm = measured.fused_norm_passes.value_or(passes.norm);
  passes.norm_back = measured.fused_norm_back_passes.value_or(passes.norm_back);
  passes.add = measured.fused_add_passes.value_or(passes.add);
  passes.add_back = measured.fused_add_back_passes.value_or(passes.add_back);
  return passes;
}

compute::NormPasses passes(const Job& job, const GpuSpec& gpu) {
  const bool fused = job.fusion == Fusion::fused || job.fusion == Fusion::jit;
  if (!fused) return with_own_norm(compute::passes_eager, gpu.measured);
  // MXNet's joint kernels exist for channels-last half precision only; else it joins elementwise operators, as XLA.
  if (job.stack == Stack::tensorflow_horovod ||
      (job.stack == Stack::mxnet_horovod && activation_bytes(job.precision) > 2))
    return with_own_norm(compute::passes_xla, gpu.measured);
  // Where the convolution gathers the statistics, cuDNN's normalisation does not run.
  return fuses_normalisation(gpu) ? compute::passes_hopper : with_joint_norm(compute::passes_fused, gpu.measured);
}

class CnnBuilder {
 public:
  CnnBuilder(const Job& job, const GpuSpec& gpu)
      : device_(device_model(gpu, job.cuda_graph)),
        format_(math_format(job.precision, gpu)),
        passes_(passes(job, gpu)),
        images_(job.micro_batch()),
        element_(activation_bytes(job.precision)),
        simt_(device_.rate(format_) <= device_.simt_flop_per_s) {
    // Tensor-core kernels want channels last; frameworks keep NCHW unless told, and are told only under half precision.
    const bool nchw = job.fusion == Fusion::nchw || element_ > 2;
    change_layout_ = nchw && !simt_;
  }

  void forward(const ConvLayer& layer, std::vector<Kernel>& out) const {
    const double in = in_bytes(layer), result = out_bytes(layer);
    add_products(out, in + result, {forward_shape(layer)});
    if (layer.after == After::bias_relu) {
      if (passes_.relu > 0) {
        add_elementwise(out, sweep_bytes(device_, result, 2, 1));  // bias
        add_elementwise(out, sweep_bytes(device_, result, passes_.relu, 1));
      }
    } else {
      const bool join = passes_.relu == 0;
      const bool with_add = layer.after == After::norm_add_relu;
      add_norm(out,
               sweep_bytes(device_, result, passes_.norm + (join && with_add ? passes_.add : 0), passes_.norm - 1));
      if (!join && with_add && passes_.add >= 3) add_elementwise(out, sweep_bytes(device_, result, passes_.add, 1));
      if (!join && layer.after != After::norm)
        add_elementwise(out, sweep_bytes(device_, result, passes_.relu + (with_add && passes_.add < 3 ? 1 : 0), 1));
    }
    if (layer.pooled) add_stream(out, compute::pool_passes * result);
  }

  void backward(const ConvLayer& layer, bool first, std::vector<Kernel>& out) const {
    const double in = in_bytes(layer), result = out_bytes(layer);
    if (layer.pooled) add_stream(out, compute::pool_back_passes * result);
    if (layer.after == After::bias_relu) {
      add_elementwise(out, sweep_bytes(device_, result, std::max(3.0, passes_.relu_back), 1));
      add_stream(out, sweep_bytes(device_, result, 1, 1));  // bias gradient
    } else {
      const bool join = passes_.relu_back == 0;
      const bool with_add = layer.after == After::norm_add_relu;
      if (!join && layer.after != After::norm) add_elementwise(out, sweep_bytes(device_, result, passes_.relu_back, 1));
      if (!join && with_add) add_elementwise(out, sweep_bytes(device_, result, passes_.add_back, 1));
      add_norm(out, sweep_bytes(device_, result, passes_.norm_back + (join && with_add ? passes_.add_back : 0),
                                std::min(3.0, passes_.norm_back - 2)));
    }
    std::vector<GemmShape> shapes = {weight_gradient_shape(layer)};
    if (!first) shapes.insert(shapes.begin(), data_gradient_shape(layer));
    add_products(out, (in + result) * (first ? 1 : 2), shapes);
  }

  void forward(const LinearLayer& layer, std::vector<Kernel>& out) const {
    out.push_back(gemm_kernel(device_, format_, linear_shape(images_, layer.out, layer.in, false)));
    if (layer.relu_dropout) add_stream(out, 5 * images_ * layer.out * element_);
  }

  void backward(const LinearLayer& layer, std::vector<Kernel>& out) const {
    if (layer.relu_dropout) add_stream(out, 6 * images_ * layer.out * element_);
    out.push_back(gemm_kernel(device_, format_, linear_shape(images_, layer.in, layer.out, false)));
    out.push_back(gemm_kernel(device_, format_, linear_shape(layer.out, layer.in, images_, true)));
  }

  void add_stream(std::vector<Kernel>& out, double bytes) const { out.push_back(stream_kernel(device_, bytes)); }
  void add_norm(std::vector<Kernel>& out, double bytes) const { out.push_back(normalisation_kernel(device_, bytes)); }
  void add_elementwise(std::vector<Kernel>& out, double bytes) const {
    out.push_back(elementwise_kernel(device_, bytes));
  }
  double images() const { return images_; }
  double element() const { return element_; }

 private:
  // The products of one call, with the transposes of `bytes` where the layouts differ. In full precision frameworks
  // time cuDNN's algorithms and keep the fastest [published: cudnn.benchmark, MXNET_CUDNN_AUTOTUNE_DEFAULT,
  // TF_CUDNN_USE_AUTOTUNE], so that TF32 is never slower than the CUDA cores, which take NCHW as it is.
  void add_products(std::vector<Kernel>& out, double bytes, const std::vector<GemmShape>& shapes) const {
    std::vector<Kernel> kernels;
    if (change_layout_)
      kernels.push_back(transpose_kernel(device_, compute::layout_change_passes * bytes / element_, element_));
    for (const GemmShape& shape : shapes) kernels.push_back(gemm_kernel(device_, format_, shape));
    if (change_layout_ && element_ > 2) {
      std::vector<Kernel> plain;
      for (const GemmShape& shape : shapes) plain.push_back(gemm_kernel(device_, MathFormat::simt, shape));
      if (seconds_alone(plain) < seconds_alone(kernels)) kernels = plain;
    }
    out.insert(out.end(), kernels.begin(), kernels.end());
  }
  static double seconds_alone(const std::vector<Kernel>& kernels) { return work_seconds({kernels}, Conditions{}); }
  double padded_channels(const ConvLayer& layer) const { return layer.in_channels == 3 ? 4 : layer.in_channels; }
  double in_bytes(const ConvLayer& layer) const {
    return images_ * layer.in_channels * layer.in_size * layer.in_size * element_;
  }
  double out_bytes(const ConvLayer& layer) const { return images_ * layer.output_elements() * element_; }
  double weight_bytes(const ConvLayer& layer) const { return layer.weights() * element_; }
  // `measured`: of the direction, on matrix units.
  double gain(const ConvLayer& layer, double measured) const {
    if (!simt_) return measured;
    return layer.window == 3 && layer.stride == 1 ? device_.winograd_gain : 1.0;
  }
  double taps(const ConvLayer& layer) const { return static_cast<double>(layer.window) * layer.window; }

  GemmShape forward_shape(const ConvLayer& layer) const {
    const double out = layer.out_size();
    return {images_ * out * out,
            static_cast<double>(layer.out_channels),
            padded_channels(layer) * taps(layer),
            1,
            sweep_bytes(device_, in_bytes(layer), 1, 1) + out_bytes(layer) + weight_bytes(layer),
            false,
            gain(layer, device_.convolution_forward)};
  }
  GemmShape data_gradient_shape(const ConvLayer& layer) const {
    const double in = layer.in_size;
    return {images_ * in * in,
            static_cast<double>(layer.in_channels),
            layer.out_channels * taps(layer) / (layer.stride * layer.stride),
            1,
            in_bytes(layer) + sweep_bytes(device_, out_bytes(layer), 1, 1) + weight_bytes(layer),
            false,
            gain(layer, device_.convolution_data_gradient)};
  }
  GemmShape weight_gradient_shape(const ConvLayer& layer) const {
    const double out = layer.out_size();
    return {static_cast<double>(layer.out_channels),
            padded_channels(layer) * taps(layer),
            images_ * out * out,
            1,
            in_bytes(layer) + sweep_bytes(device_, out_bytes(layer), 1, 1) + weight_bytes(layer),
            true,
            gain(layer, device_.convolution_weight_gradient)};
  }
  GemmShape linear_shape(double m, double n, double k, bool weight_gradient) const {
    return {m, n, k, 1, (m * n + n * k + m * k) * element_, weight_gradient, 1};
  }

  DeviceModel device_;
  MathFormat format_;
  compute::NormPasses passes_;
  double images_, element_;
  bool simt_, change_layout_ = false;
};

}  // namespace

MicroBatchKernels forward_in_blocks(const std::vector<Kernel>& embedding, const std::vector<Kernel>& layer, int layers,
                                    const std::vector<Kernel>& head) {
  MicroBatchKernels kernels;
  const auto add = [&](const std::vector<Kernel>& block) {
    kernels.forward.insert(kernels.forward.end(), block.begin(), block.end());
    kernels.forward_ends.push_back(kernels.forward.size());
  };
  add(embedding);
  for (int i = 0; i < layers; ++i) add(layer);
  add(head);
  return kernels;
}

MicroBatchKernels cnn_kernels(const CnnNetwork& network, const Job& job, const GpuSpec& gpu) {
  const CnnBuilder builder(job, gpu);
  MicroBatchKernels kernels;
  for (const ConvLayer& layer : network.convolutions) builder.forward(layer, kernels.forward);
  const double pooled = builder.images() * network.convolutions.back().out_channels * network.last_size *
                        network.last_size * builder.element();
  if (network.average_pool) builder.add_stream(kernels.forward, pooled);
  for (const LinearLayer& layer : network.linears) builder.forward(layer, kernels.forward);
  builder.add_stream(kernels.forward, 4 * builder.images() * network.linears.back().out * 4);  // softmax, loss

  for (std::size_t i = network.linears.size(); i-- > 0;) {
    const LinearLayer& layer = network.linears[i];
    Segment segment{layer.name, {}, layer.parameters(), 2};
    builder.backward(layer, segment.kernels);
    if (i == 0 && network.average_pool) builder.add_stream(segment.kernels, pooled);
    kernels.backward.push_back(std::move(segment));
  }
  for (std::size_t i = network.convolutions.size(); i-- > 0;) {
    const ConvLayer& layer = network.convolutions[i];
    Segment segment{layer.name, {}, layer.parameters(), layer.tensors()};
    builder.backward(layer, i == 0, segment.kernels);
    kernels.backward.push_back(std::move(segment));
  }
  return kernels;
}

}  // namespace clustersim
