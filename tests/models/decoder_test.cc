#include <catch2/catch.hpp>
#include <numeric>

#include "models/compute/device_model.h"
#include "models/workload/decoder_kernels.h"
#include "models/workload/memory.h"
#include "models/workload/state_memory.h"
#include "models/workload/step_model.h"
#include "tests/models/hand_clusters.h"

using namespace clustersim;

namespace {

// Shapes as published: Radford et al. 2019, Llama 3 model card, Dosovitskiy et al. 2020.
TransformerShape gpt2_small() { return {12, 768, 12, 12, 3072, 50257, 1024, false, false, true, true, 0}; }
TransformerShape llama3_8b() { return {32, 4096, 32, 8, 14336, 128256, 0, true, true, false, false, 0}; }
TransformerShape vit_b_16() { return {12, 768, 12, 12, 3072, 1000, 197, false, false, true, false, 16}; }

GpuSpec a100() {
  GpuSpec gpu = hand::gpu("Ampere", 108, 2039);
  gpu.vendor = "NVIDIA";
  gpu.memory_type = "HBM2e";
  gpu.memory = gigabytes(80);
  gpu.peak_fp32 = teraflops(19.5);
  gpu.peak_fp16 = gpu.peak_bf16 = teraflops(312);
  gpu.peak_tf32 = teraflops(156);
  gpu.measured_matmul_bf16 = teraflops(0.869 * 312);  // micro.csv
  gpu.boost_clock = megahertz(1410);
  gpu.tdp = watts(400);
  return gpu;
}

Job job_of(const TransformerShape& shape, int sequence_length, int batch) {
  Job job;
  job.model = shape.patch > 0 ? ModelKind::vit : ModelKind::decoder;
  job.shape = shape;
  job.precision = Precision::bf16;
  job.fusion = Fusion::fused;
  job.optimizer = Optimizer::adam;
  job.fused_optimizer = true;
  job.sequence_length = sequence_length;
  job.tokens_per_sequence = sequence_length;
  job.batch_per_gpu = batch;
  return job;
}

double math_s(const std::vector<Kernel>& kernels) {
  return std::accumulate(kernels.begin(), kernels.end(), 0.0,
                         [](double sum, const Kernel& k) { return sum + k.math_s; });
}
double memory_s(const std::vector<Kernel>& kernels) {
  return std::accumulate(kernels.begin(), kernels.end(), 0.0,
                         [](double sum, const Kernel& k) { return sum + k.memory_s; });
}

}  // namespace

TEST_CASE("decoder: parameters are those that were published") {
  CHECK(parameters(gpt2_small()) == 124439808);
  CHECK(parameters(llama3_8b()) == 8030261248);
  CHECK(parameters(vit_b_16()) == 86567656);
}

TEST_CASE("decoder: tensors are those of the published code") {
  CHECK(tensors(gpt2_small()) == 148);        // 12 x 12, two embeddings, the last norm's two
  CHECK(tensors(llama3_8b()) == 32 * 9 + 3);  // embedding, last norm, head
  CHECK(tensors(vit_b_16()) == 152);          // 12 x 12, patch and bias, class, positions, last norm, head and bias
}

TEST_CASE("decoder: a forward pass is two FLOP for each weight of a product and token, and the scores") {
  // Weights of the products: all but norms, biases and tables. 4 S h more a token and layer for the scores.
  const TransformerShape gpt = gpt2_small();
  const double h = 768, tokens = 1024;
  const double weights = 12 * 12 * h * h + 50257 * h;
  CHECK(forward_flop(gpt, tokens, tokens * tokens) == 2 * weights * tokens + 12 * 4 * h * tokens * tokens);
  CHECK(forward_flop(gpt, 1024, 1024. * 1024) == 1024 * 284812800.0);
  CHECK(forward_flop(llama3_8b(), 8192, 8192. * 8192) == Approx(8192 * 19304284160.0));
  CHECK(forward_flop(vit_b_16(), 197, 197. * 197) == Approx(35127656448.0));
}

TEST_CASE("decoder: the kernels do the arithmetic of 6 N D and of half the scores") {
  // At sizes where tiles and waves do not matter the products take 2 N T FLOP forward, twice that backward, at the
  // rate of half precision; tiles round up by less than 7 %. Scores: (S + 128) / 2 of S and 180 more to fill and drain,
  // 4 S h a token, 2.5 times that backward, and an exponential each (16 a cycle and SM); forward at the rate of the
  // other products, backward at 0.67 of the peak.
  const GpuSpec gpu = a100();
  const DeviceModel device = device_model(gpu, false);
  const TransformerShape shape = llama3_8b();
  const Job job = job_of(shape, 8192, 2);
  const StepModel model = build_step(job, gpu, CpuSpec(), 1, 1);
  double backward_s = 0;
  for (const Segment& segment : model.backward) backward_s += math_s(segment.kernels);
  const double tokens = 2 * 8192, weights = 32 * (218112000.0 - 8192) + 128256.0 * 4096;
  const double scores = 32 * tokens * ((8192 + 128) / 2 + 180) * shape.heads, head = 128;
  const double exponentials_s = scores / (16 * 108 * 1.41e9);
  const double rate = device.half_flop_per_s;
  const double forward_attention_s = scores * 4 * head / std::min(rate, 0.889 * 312e12) + exponentials_s;
  const double backward_attention_s = scores * 10 * head / (0.67 * 312e12) + exponentials_s;
  const double products_s = 2 * weights * tokens / rate;
  CHECK(math_s(model.forward) > products_s + forward_attention_s);
  CHECK(math_s(model.forward) < 1.07 * products_s + forward_attention_s);
  CHECK(backward_s > 2 * products_s + backward_attention_s);
  CHECK(backward_s < 2 * 1.07 * products_s + backward_attention_s);
}

TEST_CASE("decoder: fused attention leaves no scores in memory, eager attention does") {
  const GpuSpec gpu = a100();
  Job job = job_of(gpt2_small(), 1024, 8);
  const double fused_s = memory_s(transformer_kernels(job.shape, job, gpu).forward);
  job.fusion = Fusion::eager;
  const double eager_s = memory_s(transformer_kernels(job.shape, job, gpu).forward);
  // Scale, mask and softmax: 6 passes; two products: one each; of 8 x 12 x 1024^2 scores of 2 bytes, in 12 layers.
  const double scores_s = 12 * 8 * 8. * 12 * 1024 * 1024 * 2 / gpu.memory_bandwidth.base();
  CHECK(eager_s > fused_s + scores_s);
  // Twice the length at as many tokens: fused traffic stays, eager traffic of the scores doubles.
  Job longer = job_of(gpt2_small(), 2048, 4);
  CHECK(memory_s(transformer_kernels(longer.shape, longer, gpu).forward) == Approx(fused_s).epsilon(1e-9));
}

TEST_CASE("decoder: compiled chains are no slower than fused kernels, and these no slower than eager ones") {
  for (const TransformerShape& shape : {gpt2_small(), llama3_8b(), vit_b_16()}) {
    std::vector<double> seconds;
    for (const Fusion fusion : {Fusion::jit, Fusion::fused, Fusion::eager}) {
      Job job = job_of(shape, shape.patch > 0 ? 197 : 1024, 4);
      job.fusion = fusion;
      const MicroBatchKernels kernels = transformer_kernels(shape, job, a100());
      double sum = memory_s(kernels.forward);
      for (const Segment& segment : kernels.backward) sum += memory_s(segment.kernels);
      seconds.push_back(sum);
    }
    CHECK(seconds[0] <= seconds[1]);
    CHECK(seconds[1] < seconds[2]);
  }
}

TEST_CASE("decoder: blocks of the forward pass are the segments of the backward pass the other way round") {
  const Job job = job_of(llama3_8b(), 8192, 1);
  const StepModel model = build_step(job, a100(), CpuSpec(), 1, 1);
  REQUIRE(model.forward_ends.size() == 34);
  CHECK(model.forward_ends.back() == model.forward.size());
  REQUIRE(model.backward.size() == 34);
  CHECK(model.backward.front().name == "head");
  CHECK(model.backward.back().name == "embeddings");
  double gradients = 0;
  for (const Segment& segment : model.backward) gradients += segment.gradient_elements;
  CHECK(gradients == parameters(job.shape));
}

TEST_CASE("decoder: activation checkpointing adds one forward pass of the layers") {
  Job job = job_of(llama3_8b(), 8192, 1);
  const StepModel plain = build_step(job, a100(), CpuSpec(), 1, 1);
  job.activation_checkpointing = true;
  const StepModel again = build_step(job, a100(), CpuSpec(), 1, 1);
  const auto backward_s = [](const StepModel& model) {
    double sum = 0;
    for (const Segment& segment : model.backward) sum += math_s(segment.kernels);
    return sum;
  };
  const std::vector<Kernel> layers(plain.forward.begin() + static_cast<std::ptrdiff_t>(plain.forward_ends[0]),
                                   plain.forward.begin() + static_cast<std::ptrdiff_t>(plain.forward_ends[32]));
  CHECK(backward_s(again) == Approx(backward_s(plain) + math_s(layers)).epsilon(1e-12));
  CHECK(math_s(again.forward) == math_s(plain.forward));
}

TEST_CASE("decoder: memory by hand, Llama 3 8B unsharded and sharded over 8") {
  // BF16 with FP32 gradients: 4 + 2 bytes of weights, 4 of gradients, 8 of Adam. Activations of a token and layer:
  // 6 h + 2 h / 4 + 3 f elements of 2 bytes; outputs and their gradient 2 x 2 bytes.
  Job job = job_of(llama3_8b(), 8192, 1);
  const double n = 8030261248, token = 2 * (6.5 * 4096 + 3 * 14336), outputs = 8192 * 128256.0;
  const MemoryNeed whole = memory_needed(job, a100(), 8);
  CHECK(whole.weights.base() == 6 * n);
  CHECK(whole.gradients.base() == 4 * n);
  CHECK(whole.optimizer.base() == 8 * n);
  CHECK(whole.activations.base() == 32 * 8192 * token + 4 * outputs);
  job.sharding = Sharding::optimizer;
  job.shards = 8;
  CHECK(memory_needed(job, a100(), 8).weights.base() == 6 * n);
  CHECK(memory_needed(job, a100(), 8).optimizer.base() == n);
  // Sharded: an eighth, and whole at a time the root and two layers, with the gradients of the root and of one.
  job.sharding = Sharding::full;
  const double root = 2 * 128256.0 * 4096 + 4096, layer = 218112000;
  const MemoryNeed shard = memory_needed(job, a100(), 8);
  CHECK(shard.weights.base() == Approx(6 * n / 8 + 2 * (root + 2 * layer)));
  CHECK(shard.gradients.base() == Approx(4 * n / 8 + 4 * (root + layer)));
  CHECK(shard.optimizer.base() == n);
  // Checkpointed: of each layer its input, and one layer as a whole.
  job.activation_checkpointing = true;
  CHECK(memory_needed(job, a100(), 8).activations.base() == Approx(32 * 8192 * 2 * 4096. + 8192 * token + 4 * outputs));
}
