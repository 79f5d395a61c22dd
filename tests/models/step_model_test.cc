#include "models/workload/step_model.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "models/compute/constants.h"
#include "models/compute/device_model.h"
#include "models/compute/roofline.h"
#include "models/workload/bert_kernels.h"
#include "models/workload/layers.h"
#include "models/workload/rank_noise.h"
#include "tests/models/suite_rows.h"

using namespace clustersim;

namespace {

Job job_of(const std::string& id, Stack stack, Precision precision, int batch) {
  Job job;
  job.model_id = id;
  job.model = id[0] == 'b' ? ModelKind::bert : id[0] == 'v' ? ModelKind::vgg : ModelKind::resnet;
  job.stack = stack, job.precision = precision, job.batch_per_gpu = batch;
  suite::apply_stack(job, "", "");
  return job;
}

StepModel model_of(const Job& job, const char* gpu = "a100-sxm4-80gb", int ranks = 1, int shards = 1) {
  return build_step(job, suite::gpu_spec(gpu), suite::host_of(gpu), ranks, shards);
}

double seconds_of(const StepModel& model) {
  double total_s = work_seconds({model.forward, 1}, {});
  for (const Segment& segment : model.backward) total_s += work_seconds({segment.kernels, 1}, {});
  return total_s;
}

}  // namespace

TEST_CASE("step model: the segments carry every gradient once") {
  for (const char* id : {"resnet-50", "resnet-101", "resnet-152", "vgg16", "bert-base", "bert-large"}) {
    const StepModel model = model_of(job_of(id, Stack::pytorch_ddp, Precision::amp, 32));
    double elements = 0;
    int tensors = 0;
    for (const Segment& segment : model.backward) {
      elements += segment.gradient_elements, tensors += segment.tensors;
      CHECK(!segment.kernels.empty());
    }
    CHECK(elements == Approx(model.parameters).epsilon(1e-12));
    CHECK(tensors == model.tensors);
  }
}

TEST_CASE("step model: no network beats the arithmetic rate of its GPU") {
  // 3 x forward FLOP of the batch over the data-sheet peak is a bound from below. The stem's data gradient, counted in
  // the published total, is not computed: 0.24 of 24.5 GFLOP in ResNet-50.
  for (const char* id : {"resnet-50", "vgg16", "bert-large"}) {
    const Job job = job_of(id, Stack::mlperf, Precision::amp, 64);
    const StepModel model = model_of(job);
    CHECK(model.backward_flop == Approx(2 * model.forward_flop));
    CHECK(seconds_of(model) > 0.98 * 64 * 3 * model.forward_flop / 312e12);
  }
}

TEST_CASE("step model: every fusion profile and precision builds, and fusing never slows") {
  for (const char* id : {"resnet-50", "bert-large"})
    for (Precision precision : {Precision::fp32, Precision::tf32, Precision::amp, Precision::bf16, Precision::fp8}) {
      Job job = job_of(id, Stack::native, precision, 32);
      double eager_s = 0;
      for (Fusion fusion : {Fusion::eager, Fusion::nchw, Fusion::jit, Fusion::fused}) {
        job.fusion = fusion;
        const double s = seconds_of(model_of(job, "h100-sxm5-80gb"));
        CHECK(s > 0);
        if (fusion == Fusion::eager) eager_s = s;
        if (fusion == Fusion::nchw) CHECK(s >= eager_s);
        if (fusion == Fusion::jit || fusion == Fusion::fused) CHECK(s < eager_s);
      }
    }
  // Half precision beats TF32 beats FP32 on the same chip.
  const auto seconds = [](Precision p) { return seconds_of(model_of(job_of("bert-large", Stack::mlperf, p, 32))); };
  CHECK(seconds(Precision::amp) < seconds(Precision::tf32));
  CHECK(seconds(Precision::tf32) < seconds(Precision::fp32));
}

TEST_CASE("step model: a native step has no host cost, a CUDA graph no launch bound; both wait for the slowest host") {
  // Noise of the operating systems: its spread times the mean largest of 8 normals; nothing to wait for alone.
  const double noise_s = compute::host_jitter_s * largest_normal(8);
  const StepModel alone = model_of(job_of("resnet-50", Stack::native, Precision::amp, 64));
  CHECK(alone.step_host == Time());
  const StepModel native = model_of(job_of("resnet-50", Stack::native, Precision::amp, 64), "a100-sxm4-80gb", 8);
  CHECK(native.launch_bound == Time());
  CHECK(native.optimizer_host == Time());
  CHECK(native.step_host.base() == Approx(noise_s));
  const StepModel graph = model_of(job_of("resnet-50", Stack::mlperf, Precision::amp, 64), "a100-sxm4-80gb", 8);
  CHECK(graph.launch_bound == Time());
  CHECK(graph.step_host.base() == Approx(noise_s));
}

// Without XLA every operator is a kernel on fp32 tensors, so half precision gains only in the products.
TEST_CASE("step model: TensorFlow without XLA gains little from half precision") {
  const auto gain = [](Fusion fusion) {
    Job job = job_of("bert-base", Stack::tensorflow_horovod, Precision::fp32, 64);
    job.fusion = fusion;
    const double full_s = seconds_of(model_of(job, "v100-sxm2-16gb"));
    job.precision = Precision::amp;
    return full_s / seconds_of(model_of(job, "v100-sxm2-16gb"));
  };
  CHECK(gain(Fusion::eager) < 2);
  CHECK(gain(Fusion::jit) > 1.5 * gain(Fusion::eager));
}

// Accumulated gradients: tested, clipped and added in TensorFlow, only added elsewhere, by the bytes in constants.h.
TEST_CASE("step model: accumulation moves the counted bytes per parameter") {
  Job job = job_of("bert-large", Stack::tensorflow_horovod, Precision::fp32, 8);
  const auto memory_s = [&](int accumulation) {
    job.accumulation = accumulation;
    double sum_s = 0;
    for (const Segment& segment : model_of(job).backward)
      for (const Kernel& kernel : segment.kernels) sum_s += kernel.memory_s;
    return sum_s;
  };
  const DeviceModel device = device_model(suite::gpu_spec("a100-sxm4-80gb"), false);
  const double bytes = compute::accumulate_bytes_tf_full * bert_network("bert-large").parameters();
  CHECK(memory_s(2) - memory_s(1) == Approx(bytes / device.dram_bytes_per_s));
}

TEST_CASE("step model: launches take the host's time per operator") {
  const StepModel model = model_of(job_of("bert-large", Stack::pytorch_ddp, Precision::amp, 1));
  CHECK(model.launch_bound.base() == Approx(model.kernel_launches * 6e-6));
}

TEST_CASE("step model: mixed precision under DDP waits longer for the host than full precision, and only with others") {
  const auto host = [](Precision precision, int ranks) {
    return model_of(job_of("resnet-50", Stack::pytorch_ddp, precision, 256), "a100-sxm4-80gb", ranks).step_host;
  };
  CHECK(host(Precision::amp, 8) > host(Precision::tf32, 8));
  CHECK(host(Precision::tf32, 8) > host(Precision::tf32, 1));
  CHECK(host(Precision::amp, 1) == host(Precision::tf32, 1));
}

TEST_CASE("step model: arithmetic of many ranks goes at the pace of the slowest GPU where power holds it down") {
  // A100: 400 W for 312 TFLOP/s, 1.3 W per TFLOP/s. RTX 3090: 350 W for 71, which no product uses up.
  for (const char* gpu : {"a100-sxm4-80gb", "rtx-3090"}) {
    INFO(gpu);
    const Job job = job_of("bert-large", Stack::native, Precision::amp, 16);
    const StepModel one = model_of(job, gpu), eight = model_of(job, gpu, 8);
    const bool held = std::string(gpu) != "rtx-3090";
    REQUIRE(one.forward.size() == eight.forward.size());
    for (std::size_t i = 0; i < one.forward.size(); ++i) {
      CHECK(eight.forward[i].math_s == Approx(one.forward[i].math_s * (held ? slowest_gpu(8) : 1)));
      CHECK(eight.forward[i].memory_s == one.forward[i].memory_s);
    }
  }
}

TEST_CASE("step model: a sharded update moves a share of the bytes") {
  const Job job = job_of("bert-large", Stack::mlperf, Precision::amp, 48);
  const StepModel whole = model_of(job, "a100-sxm4-80gb", 8, 1), shard = model_of(job, "a100-sxm4-80gb", 8, 8);
  CHECK(whole.optimizer[0].memory_s == Approx(8 * shard.optimizer[0].memory_s));
}

TEST_CASE("step model: XLA joins the operators of a variable's Adam") {
  // Read gradient, weight and two moments, write three, and once more for the norm: 42 B a parameter; each operator on
  // its own moves 128.
  Job job = job_of("bert-large", Stack::tensorflow_horovod, Precision::amp, 8);
  job.optimizer = Optimizer::adam, job.fused_optimizer = false;
  job.fusion = Fusion::jit;
  const StepModel joined = model_of(job, "v100-sxm2-32gb", 1);
  job.fusion = Fusion::eager;
  const StepModel apart = model_of(job, "v100-sxm2-32gb", 1);
  CHECK(joined.optimizer[0].memory_s == Approx(42.0 / 128 * apart.optimizer[0].memory_s));
}

TEST_CASE("step model: PyTorch that wrote GELU in operators runs four more sweeps of the feed-forward's gradient") {
  // Each reads and writes 12 hidden tensors of 8 x 384 x 1024 values of 2 B: gradient, input and result of four widths.
  Job job = job_of("bert-large", Stack::pytorch_ddp, Precision::amp, 8);
  job.head = Head::span, job.sequence_length = 384, job.tokens_per_sequence = 384;
  const auto memory_s = [&](Fusion fusion) {
    job.fusion = fusion;
    double total_s = 0;
    for (const Segment& segment : model_of(job).backward)
      for (const Kernel& kernel : segment.kernels) total_s += kernel.memory_s;
    return total_s;
  };
  const double sweep_bytes = 12.0 * 8 * 384 * 1024 * 2;
  const double dram = device_model(suite::gpu_spec("a100-sxm4-80gb"), false).dram_bytes_per_s;
  CHECK(memory_s(Fusion::nchw) - memory_s(Fusion::eager) == Approx(24 * 4 * sweep_bytes / dram));
}

TEST_CASE("step model: old PyTorch's Adam of BERT waits for the norm of each tensor in full precision") {
  // 14 operators for each tensor, launched between the sweeps: host time beyond the gaps that stand in the kernels.
  Job job = job_of("bert-large", Stack::pytorch_ddp, Precision::tf32, 8);
  job.optimizer = Optimizer::adam, job.fused_optimizer = false;
  job.fusion = Fusion::eager;
  CHECK(model_of(job).optimizer_host == Time());
  job.fusion = Fusion::nchw;
  const StepModel old = model_of(job);
  CHECK(old.optimizer_host.base() ==
        Approx(compute::adam_tensor_operators * old.tensors * (6e-6 - compute::gap_stream_s)));
}

TEST_CASE("step model: MLPerf's attention keeps scores on the chip only where its kernel was built") {
  const Job job = job_of("bert-large", Stack::mlperf, Precision::amp, 8);
  for (const char* gpu : {"a100-sxm4-80gb", "a30", "h100-sxm5-80gb"})
    CHECK(!scores_in_memory(job, suite::gpu_spec(gpu)));
  for (const char* gpu : {"l40s", "rtx-3090", "v100-sxm2-32gb"}) CHECK(scores_in_memory(job, suite::gpu_spec(gpu)));
  CHECK(!scores_in_memory(job_of("bert-large", Stack::mlperf, Precision::fp8, 8), suite::gpu_spec("l40s")));
  Job torch = job_of("bert-large", Stack::pytorch_ddp, Precision::amp, 8);
  torch.fusion = Fusion::fused;
  CHECK(!scores_in_memory(torch, suite::gpu_spec("l40s")));

  // In place of one kernel a layer: forward two products and a softmax for each of 8 sequences, dropout over all, five
  // times a wait; backward four products, a softmax, dropout, four waits.
  const GpuSpec l40s = suite::gpu_spec("l40s");
  GpuSpec other = l40s;
  other.vendor = "another";
  const auto fixed_s = [&](const GpuSpec& gpu, bool forward) {
    const StepModel model = build_step(job, gpu, suite::host_of("l40s"), 1, 1);
    double sum = 0;
    if (forward)
      for (const Kernel& kernel : model.forward) sum += kernel.fixed_s;
    else
      for (const Segment& segment : model.backward)
        for (const Kernel& kernel : segment.kernels) sum += kernel.fixed_s;
    return sum;
  };
  const double f = device_model(l40s, job.cuda_graph).fixed_s;
  CHECK(fixed_s(l40s, true) - fixed_s(other, true) == Approx(24 * (8 * 3 * f + 5 * compute::device_sync_s)));
  CHECK(fixed_s(l40s, false) - fixed_s(other, false) == Approx(24 * (8 * 5 * f + 4 * compute::device_sync_s)));
}

TEST_CASE("step model: packing removes the imbalance of lengths") {
  Job job = job_of("bert-large", Stack::mlperf, Precision::amp, 6);
  job.tokens_per_sequence = 256, job.length_square_ratio = 1.5;
  CHECK(model_of(job, "a100-sxm4-80gb", 512, 8).length_imbalance > 1.0);
  job.packing = true;
  CHECK(model_of(job, "a100-sxm4-80gb", 512, 8).length_imbalance == 1.0);
}

TEST_CASE("step model: fewer tokens take less time; longer tails take more") {
  Job job = job_of("bert-large", Stack::mlperf, Precision::amp, 48);
  job.sequence_length = 512, job.tokens_per_sequence = 512;
  const double full_s = seconds_of(model_of(job));
  job.tokens_per_sequence = 256;
  const double half_s = seconds_of(model_of(job));
  CHECK(half_s < 0.55 * full_s);  // linear terms halve, attention quarters, fixed times stay
  job.length_square_ratio = 1.5;
  CHECK(seconds_of(model_of(job)) > half_s);
}

TEST_CASE("step model: an emulated step is one kernel of the given time") {
  Job job;
  job.model = ModelKind::emulated;
  job.emulated_step = seconds(0.224);
  const StepModel model = model_of(job);
  CHECK(seconds_of(model) == Approx(0.224));
  CHECK(model.parameters == 0);
}
