#include "models/workload/model_parallel.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "models/compute/roofline.h"
#include "models/workload/decoder_kernels.h"
#include "models/workload/memory.h"
#include "models/workload/state_memory.h"
#include "tests/models/hand_clusters.h"

using namespace clustersim;
using namespace clustersim::hand;

namespace {

constexpr int layers = 48;

Job divided(int tensor, int pipeline, int interleave, int passes) {
  Job job;
  job.model = ModelKind::decoder;
  job.shape = {layers, 8192, 64, 64, 32768, 51200, 2048, false, false, true, true, 0};
  job.precision = Precision::bf16;
  job.fusion = Fusion::fused;
  job.optimizer = Optimizer::adam;
  job.fused_optimizer = true;
  job.sequence_length = 2048;
  job.tokens_per_sequence = 2048;
  job.batch_per_gpu = 2;
  job.accumulation = passes;
  job.tensor_parallel = tensor;
  job.pipeline_parallel = pipeline;
  job.interleave = interleave;
  return job;
}

GpuSpec a100_80gb() {
  GpuSpec gpu = hand::gpu("Ampere", 108, 2039);
  gpu.vendor = "NVIDIA";
  gpu.memory_type = "HBM2e";
  gpu.memory = gigabytes(80);
  gpu.peak_fp32 = teraflops(19.5);
  gpu.peak_fp16 = gpu.peak_bf16 = teraflops(312);
  gpu.boost_clock = megahertz(1410);
  gpu.tdp = watts(400);
  return gpu;
}

StepModel step_of(const Job& job) { return build_step(job, a100_80gb(), CpuSpec(), 64, 1); }

double math_s(const StepModel& model) {
  const auto sum = [](const std::vector<Kernel>& kernels) {
    return std::accumulate(kernels.begin(), kernels.end(), 0.0, [](double s, const Kernel& k) { return s + k.math_s; });
  };
  double all = sum(model.forward);
  for (const Segment& segment : model.backward) all += sum(segment.kernels);
  return all;
}

const Built& machines() {  // eight DGX A100
  static const Built built(cluster(with_nics(a100_sxm(), rdma_nic(200), 8), 8));
  return built;
}

ModelParallelTimes times_of(const Job& job) {
  return model_parallel_times(job, step_of(job), machines().planner, 64, 8);
}

}  // namespace

TEST_CASE("model parallel: GPUs that share a model hold all of it, and do all of its arithmetic", "[divided]") {
  const Job whole = divided(1, 1, 1, 8);
  const double all = parameters(whole.shape);
  CHECK(parameters_of_a_gpu(whole.shape, whole) == all);
  CHECK(8 * parameters_of_a_gpu(whole.shape, divided(8, 1, 1, 8)) == Approx(all));
  // Four stages: the layers, and of each stage as much as the largest end, the table that head and embedding share.
  const double layer = layer_parameters(whole.shape),
               ends = embedding_parameters(whole.shape) + head_parameters(whole.shape);
  CHECK(4 * parameters_of_a_gpu(whole.shape, divided(1, 4, 1, 8)) == Approx(layers * layer + 4 * ends));
  // Smaller products are less efficient; of tiles of 128 columns little is left over here.
  const double alone = math_s(step_of(whole)), eighth = math_s(step_of(divided(8, 1, 1, 8)));
  CHECK(8 * eighth >= alone);
  CHECK(8 * eighth < 1.15 * alone);
  // Gradients of a GPU are its parameters.
  for (const Job& job : {divided(8, 1, 1, 8), divided(2, 4, 1, 8)}) {
    double elements = 0;
    for (const Segment& segment : step_of(job).backward) elements += segment.gradient_elements;
    CHECK(elements == Approx(parameters_of_a_gpu(job.shape, job)));
  }
}

TEST_CASE("model parallel: four sums of the activations a layer, six where layers are computed again", "[divided]") {
  Job job = divided(8, 1, 1, 4);
  const double bytes = 2 * 2048 * 8192 * 2.0;
  const CollectivePlan sum =
      machines().planner.plan({CollectiveOp::all_reduce, bytes, CollectiveAlgorithm::automatic, Scope::world, 8});
  CHECK(times_of(job).tensor_bytes == bytes);
  CHECK(times_of(job).tensor_s == Approx(layers * 4 * (sum.idle_time_s - sum.launch_s)));
  CHECK(times_of(job).send_s == 0);
  CHECK(times_of(job).bubble_s == 0);
  job.activation_checkpointing = true;
  CHECK(times_of(job).tensor_s == Approx(layers * 6 * (sum.idle_time_s - sum.launch_s)));
  CHECK(times_of(divided(1, 1, 1, 4)).tensor_s == 0);
  CHECK_FALSE(is_model_parallel(divided(1, 1, 1, 4)));
}

TEST_CASE("model parallel: a pipeline waits for p - 1 passes of a stage, interleaved for 1 / v of them", "[divided]") {
  const Job job = divided(8, 4, 1, 8);
  const StepModel model = step_of(job);
  std::vector<Kernel> kernels(model.forward.begin() + static_cast<std::ptrdiff_t>(model.forward_ends.front()),
                              model.forward.begin() + static_cast<std::ptrdiff_t>(*(model.forward_ends.end() - 2)));
  double stage_s = work_seconds({kernels, 1.0}, {});
  for (std::size_t i = 1; i + 1 < model.backward.size(); ++i)
    stage_s += work_seconds({model.backward[i].kernels, 1.0}, {});
  const ModelParallelTimes times = times_of(job);
  CHECK(model.forward_ends.size() == layers / 4 + 2);
  CHECK(times.bubble_share == Approx(3.0 / 8));
  CHECK(times.bubble_s == Approx(3 * (stage_s + times.tensor_s) + 3 * times.send_s));
  // Two parts of a stage: half the wait, twice the sends.
  const ModelParallelTimes twice = times_of(divided(8, 4, 2, 8));
  CHECK(twice.send_s == Approx(2 * times.send_s));
  CHECK(twice.bubble_s == Approx(1.5 * (stage_s + times.tensor_s) + 3 * times.send_s));
  // Eight GPUs send 67 MB over eight ports of 25 GB/s: at least 0.34 ms, and no more than twice that.
  CHECK(times.send_bytes == 2 * 2048 * 8192 * 2.0);
  CHECK(times.send_alone_s > 67e6 / 200e9);
  CHECK(times.send_alone_s < 2 * 67e6 / 200e9);
}

TEST_CASE("model parallel: stages and shared layers divide what a GPU keeps", "[divided]") {
  const GpuSpec gpu = a100_80gb();
  const double whole = transformer_activation_bytes(divided(1, 1, 1, 8));
  CHECK(8 * transformer_activation_bytes(divided(8, 1, 1, 8)) == Approx(whole));
  // 1F1B with as many passes as stages under way: the first stage keeps what all layers do of one, without the outputs.
  const double outputs = 2 * 2048 * 51200 * 4.0;
  CHECK(transformer_activation_bytes(divided(1, 4, 1, 8)) == Approx(whole - outputs));
  CHECK(transformer_activation_bytes(divided(1, 4, 1, 1)) == Approx((whole - outputs) / 4 + outputs));
  CHECK(transformer_activation_bytes(divided(1, 4, 2, 8)) == Approx((1 + 3.0 / 8) * (whole - outputs)));
  // 39 billion parameters of 18 bytes fit on eight GPUs of 80 GB no more, on 32 they do.
  CHECK(memory_fit(divided(8, 1, 1, 8), gpu, 64) == MemoryFit::exceeds);
  CHECK(memory_fit(divided(8, 4, 1, 8), gpu, 64) == MemoryFit::fits);
}
