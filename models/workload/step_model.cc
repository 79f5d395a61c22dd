#include "models/workload/step_model.h"

#include <algorithm>

#include "clustersim/error.h"
#include "models/compute/constants.h"
#include "models/compute/device_model.h"
#include "models/compute/gemm.h"
#include "models/compute/roofline.h"
#include "models/workload/bert_kernels.h"
#include "models/workload/cnn_kernels.h"
#include "models/workload/decoder_kernels.h"
#include "models/workload/layers.h"
#include "models/workload/memory.h"
#include "models/workload/rank_noise.h"

namespace clustersim {

namespace {

constexpr int emulated_tensors = 6 * emulated_blocks;  // [assumed: six weights of a layer]
constexpr double backward_share = 2.0 / 3;             // of an emulated step [assumed: backward is twice forward]

double seconds_in(const std::vector<Kernel>& kernels) { return work_seconds({kernels, 1.0}, {}); }

bool is_pytorch(const Job& job) { return job.stack == Stack::pytorch_ddp || job.stack == Stack::pytorch_horovod; }

double operator_time(const Job& job, const CpuSpec& cpu) {
  if (job.stack == Stack::native) return 0;
  return cpu.launch_overhead > Time() ? cpu.launch_overhead.base() : compute::default_operator_s;
}

bool shards_weights(const Job& job) { return job.sharding == Sharding::full || job.sharding == Sharding::hybrid; }
// Ranks that a cast of the weights is divided among: a sharded weight is cast before it is gathered.
double cast_shards(const Job& job) { return shards_weights(job) ? job.shards : 1; }

// Bytes per parameter that every micro-batch moves beside its layers: weights cast to half, gradients added up.
double weight_traffic(const Job& job) {
  double bytes = 0;
  if (is_half(job) && !half_weights(job)) bytes += (4 + 2) / cast_shards(job);  // cast of fp32 weights
  if (job.accumulation > 1 && job.stack == Stack::tensorflow_horovod)
    bytes += is_half(job) ? compute::accumulate_bytes_tf_half : compute::accumulate_bytes_tf_full;
  else if (job.accumulation > 1)
    bytes += half_weights(job) && is_pytorch(job) ? 3 * 2 : is_half(job) ? 2 + 4 + 4 : 3 * 4;
  return bytes;
}

void add_weight_traffic(StepModel& model, const Job& job, const DeviceModel& device) {
  const double bytes = weight_traffic(job);
  if (bytes == 0) return;
  for (Segment& segment : model.backward) {
    Kernel kernel = stream_kernel(device, bytes * segment.gradient_elements);
    if (!job.cuda_graph && job.stack != Stack::mlperf)
      kernel.fixed_s *= std::max(1, segment.tensors) * (job.stack == Stack::tensorflow_horovod && job.accumulation > 1
                                                            ? compute::accumulate_kernels_tf
                                                            : compute::accumulate_kernels);
    segment.kernels.push_back(kernel);
  }
}

double update_bytes(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::sgd:
      return compute::sgd_bytes;
    case Optimizer::lars:
      return compute::lars_bytes;
    case Optimizer::adam:
      return compute::adam_bytes;
    case Optimizer::lamb:
      return compute::lamb_bytes;
  }
  return compute::sgd_bytes;
}

double operators_per_tensor(const Job& job) {
  if (job.optimizer == Optimizer::lamb) return compute::lamb_operators;
  if (job.optimizer != Optimizer::adam) return compute::sgd_operators;
  return job.model == ModelKind::bert ? compute::adam_tensor_operators : compute::adam_operators;
}

void add_optimizer(StepModel& model, const Job& job, const DeviceModel& device, double operator_s, int shards) {
  // TensorFlow's LAMB and BERT's Adam are written in framework operators, a group for each variable.
  const bool bert_adam = job.model == ModelKind::bert && job.optimizer == Optimizer::adam;
  const bool per_variable = job.stack == Stack::tensorflow_horovod && (job.optimizer == Optimizer::lamb || bert_adam);
  const bool fused = job.fused_optimizer && !per_variable;
  double bytes = update_bytes(job.optimizer);
  if (bert_adam && !fused)  // XLA makes one sweep of a variable's operators, beside that of the norm
    bytes = job.stack == Stack::tensorflow_horovod && job.fusion == Fusion::jit ? compute::lamb_bytes
                                                                                : compute::adam_tensor_bytes;
  Kernel update = update_kernel(device, bytes * model.parameters / shards);
  if (fused) {
    update.fixed_s *= compute::fused_update_kernels;
    model.optimizer.push_back(update);
    return;
  }
  const double per_tensor = operators_per_tensor(job);
  const double operators = per_tensor * model.tensors;
  // Tiny kernels follow one another at the launch interval; the host is slower than that, and waited for only where
  // a synchronisation (the loss scaler's test) has emptied the queue before the update.
  update.fixed_s = operators * compute::gap_stream_s;
  model.optimizer.push_back(update);
  if (per_variable || (is_half(job) && is_pytorch(job)))
    model.optimizer_host = seconds(std::max(0.0, operators * operator_s - seconds_in(model.optimizer)));
  // Until about PyTorch 1.9 clipping a tensor's gradient waited for its norm [published: clip_grad_norm_], and BERT's
  // Adam clips tensor by tensor: the host's launches lie between the sweeps, not beside them.
  else if (bert_adam && is_pytorch(job) && job.fusion == Fusion::nchw)
    model.optimizer_host = seconds(operators * std::max(0.0, operator_s - compute::gap_stream_s));
}

// The forward kernels of each layer once more, in front of its backward ones; embedding and head are not done again.
void recompute_layers(StepModel& model) {
  const std::size_t blocks = model.forward_ends.size();
  require(blocks == model.backward.size(), "activation checkpointing knows the blocks of the network");
  for (std::size_t block = 1; block + 1 < blocks; ++block) {
    std::vector<Kernel>& kernels = model.backward[blocks - 1 - block].kernels;
    const auto at = [&](std::size_t i) {
      return model.forward.begin() + static_cast<std::ptrdiff_t>(model.forward_ends[i]);
    };
    kernels.insert(kernels.begin(), at(block - 1), at(block));
  }
}

// Of a convolutional network in PyTorch on several ranks; other scripts synchronise once for many steps.
double waited_operators(const Job& job, int ranks) {
  const bool cnn = job.model == ModelKind::resnet || job.model == ModelKind::vgg;
  if (!is_pytorch(job) || !cnn || ranks < 2) return 0;
  const CnnNetwork network = cnn_network(job.model_id);
  const auto norms = std::count_if(network.convolutions.begin(), network.convolutions.end(),
                                   [](const ConvLayer& layer) { return layer.after != After::bias_relu; });
  const double per_gradient =
      is_half(job) ? compute::sync_operators_per_gradient_scaled : compute::sync_operators_per_gradient;
  return per_gradient * network.tensors() + compute::buffers_per_norm * static_cast<double>(norms);
}

double step_host_seconds(const Job& job, const DeviceModel& device, double operator_s, int ranks) {
  const double jitter_s = compute::host_jitter_s * largest_normal(ranks);
  if (job.stack == Stack::native || job.cuda_graph) return jitter_s;
  return device.device_sync_s + jitter_s + waited_operators(job, ranks) * operator_s;
}

// Synchronous ranks go at the pace of the slowest GPU: its clock, hence its arithmetic, not its memory.
void wait_for_slowest_gpu(StepModel& model, int ranks) {
  const double longer = slowest_gpu(ranks);
  for (Kernel& kernel : model.forward) kernel.math_s *= longer;
  for (Segment& segment : model.backward)
    for (Kernel& kernel : segment.kernels) kernel.math_s *= longer;
}

// A measured step, spread evenly over tensors of equal size; one block where no gradients are exchanged. Sharded
// weights are gathered block by block.
StepModel emulated_step(const Job& job) {
  StepModel model;
  const double step_s = job.emulated_step.base();
  if (job.emulated_parameters <= 0) {
    model.forward = {{step_s, 0.0, 0.0}};
    return model;
  }
  const int parts = shards_weights(job) ? emulated_blocks : emulated_tensors;
  model.parameters = job.emulated_parameters;
  model.tensors = parts;
  model.forward.assign(static_cast<std::size_t>(parts), {step_s * (1 - backward_share) / parts, 0.0, 0.0});
  const Segment part{"part", {{step_s * backward_share / parts, 0.0, 0.0}}, model.parameters / parts, 1};
  model.backward.assign(static_cast<std::size_t>(parts), part);
  for (std::size_t end = 1; end <= model.forward.size(); ++end) model.forward_ends.push_back(end);
  return model;
}

}  // namespace

StepModel build_step(const Job& job, const GpuSpec& gpu, const CpuSpec& cpu, int ranks, int optimizer_shards) {
  require(ranks >= 1 && optimizer_shards >= 1, "a step has ranks");
  StepModel model;
  if (job.model == ModelKind::emulated) return emulated_step(job);
  if (job.model == ModelKind::trace) {
    model.replay = std::make_shared<const ReplayStep>(replay_step(job, gpu, ranks));
    model.forward = {model.replay->arithmetic, model.replay->memory, model.replay->fixed};
    model.parameters = job.trace->parameters;
    return model;
  }
  const DeviceModel device = device_model(gpu, job.cuda_graph);
  MicroBatchKernels kernels;
  if (job.model == ModelKind::bert) {
    const BertNetwork network = bert_network_of(job);
    kernels = bert_kernels(network, job, gpu);
    model.parameters = network.parameters();
    model.tensors = network.tensors();
    const double tokens = job.tokens_per_sequence;
    model.forward_flop = network.forward_flop(tokens, tokens * tokens * job.length_square_ratio,
                                              std::min(masked_share, predicted_share(job)) * tokens);
  } else if (job.model == ModelKind::decoder || job.model == ModelKind::vit) {
    kernels = transformer_kernels(job.shape, job, gpu);
    model.parameters = parameters_of_a_gpu(job.shape, job);
    model.tensors = tensors(job.shape) / job.pipeline_parallel;
    const double tokens = job.tokens_per_sequence;
    model.forward_flop = forward_flop(job.shape, tokens, tokens * tokens * job.length_square_ratio);
  } else {
    const CnnNetwork network = cnn_network(job.model_id);
    kernels = cnn_kernels(network, job, gpu);
    model.parameters = network.parameters();
    model.tensors = network.tensors();
    model.forward_flop = network.forward_flop();
  }
  model.backward_flop = 2 * model.forward_flop;
  model.forward = std::move(kernels.forward);
  model.forward_ends = std::move(kernels.forward_ends);
  model.backward = std::move(kernels.backward);
  if (device.held_by_power) wait_for_slowest_gpu(model, ranks);
  if (job.activation_checkpointing) recompute_layers(model);
  add_weight_traffic(model, job, device);

  model.kernel_launches = static_cast<double>(model.forward.size());
  for (const Segment& segment : model.backward) model.kernel_launches += static_cast<double>(segment.kernels.size());
  const double operator_s = operator_time(job, cpu);
  if (!job.cuda_graph) model.launch_bound = seconds(model.kernel_launches * operator_s);
  add_optimizer(model, job, device, operator_s, optimizer_shards);
  model.step_host = seconds(step_host_seconds(job, device, operator_s, ranks));
  if (job.model == ModelKind::bert && !job.packing && job.stack == Stack::mlperf)
    model.length_imbalance = length_imbalance(ranks, job.micro_batch(), job.length_square_ratio);
  return model;
}

StepModel slowed(const StepModel& model, double slowdown) {
  StepModel slower = model;
  const auto stretch = [&](std::vector<Kernel>& kernels) {
    for (Kernel& k : kernels) {
      k.math_s *= 1 + slowdown;
      k.memory_s *= 1 + slowdown;
      k.fixed_s *= 1 + slowdown;
    }
  };
  stretch(slower.forward);
  for (Segment& segment : slower.backward) stretch(segment.kernels);
  stretch(slower.optimizer);
  return slower;
}

TokenStatistics reference_tokens(Stack stack, int sequence_length) {
  // Half of Wikipedia's 512-token sequences is padding. DLE PyTorch pads to bins of 64 tokens, MLPerf removes padding,
  // TensorFlow computes all 512; at 128 tokens nearly every sequence is full.
  if (sequence_length < 512) return {static_cast<double>(sequence_length), 1.0};
  if (stack == Stack::pytorch_ddp || stack == Stack::pytorch_horovod) return {288, 360.0 / 288};
  if (stack == Stack::mlperf) return {256, 384.0 / 256};
  return {static_cast<double>(sequence_length), 1.0};
}

}  // namespace clustersim
