#include "models/workload/memory.h"

#include <catch2/catch.hpp>

#include "models/workload/layers.h"
#include "tests/models/suite_rows.h"

using namespace clustersim;

namespace {

const char* const suite_path = CLUSTERSIM_SOURCE_DIR "/scenarios/measurements/training_suite.csv";

}  // namespace

TEST_CASE("memory: every row of the training suite ran, so none is refused") {
  const std::vector<suite::Row> rows = suite::rows(suite_path);
  REQUIRE(rows.size() == 367);
  for (const suite::Row& row : rows) {
    INFO(row.id << " " << row.gpu << " " << row.job.model_id << " batch " << row.job.batch_per_gpu);
    CHECK(memory_fit(row.job, suite::gpu_spec(row.gpu), row.ranks()) != MemoryFit::exceeds);
  }
}

TEST_CASE("memory: what cannot fit is refused") {
  // 336 M parameters at 16 B and more already fill a third of 16 GiB; 512 sequences of 512 tokens padded need
  // 24 * 512 * 512 * 1024 * (34 + 40) B = 477 GB.
  Job job;
  job.model_id = "bert-large", job.model = ModelKind::bert, job.optimizer = Optimizer::lamb;
  job.fusion = Fusion::jit, job.sequence_length = 512, job.tokens_per_sequence = 512, job.batch_per_gpu = 512;
  CHECK(memory_fit(job, suite::gpu_spec("v100-sxm2-16gb"), 1) == MemoryFit::exceeds);
  CHECK(memory_fit(job, suite::gpu_spec("b200-sxm-180gb"), 1) == MemoryFit::exceeds);
}

TEST_CASE("memory: parts") {
  Job job;
  job.model_id = "resnet-50", job.precision = Precision::fp32, job.batch_per_gpu = 1;
  const GpuSpec gpu = suite::gpu_spec("a100-sxm4-80gb");
  const MemoryNeed one = memory_needed(job, gpu, 1);
  const double parameters = cnn_network("resnet-50").parameters();
  CHECK(one.weights.base() == Approx(4 * parameters));
  CHECK(one.gradients.base() == Approx(4 * parameters));
  CHECK(one.optimizer.base() == Approx(4 * parameters));  // momentum
  CHECK(one.total.base() ==
        Approx((one.weights + one.gradients + one.optimizer + one.activations + one.workspace).base()));
  // Activations are linear in the batch and halve with half precision; saved elements of the catalog: 22.4 M an image.
  CHECK(one.activations.base() == Approx(4 * 22431720.0).epsilon(0.02));
  job.batch_per_gpu = 32;
  CHECK(memory_needed(job, gpu, 1).activations.base() == Approx(32 * one.activations.base()));
  job.precision = Precision::amp;
  CHECK(memory_needed(job, gpu, 1).activations.base() == Approx(16 * one.activations.base()));
}

TEST_CASE("memory: the largest batch fits and the next does not") {
  Job job;
  job.model_id = "resnet-50", job.precision = Precision::amp;
  for (const char* id : {"v100-sxm2-16gb", "rtx-3090", "a100-sxm4-80gb"}) {
    const GpuSpec gpu = suite::gpu_spec(id);
    job.batch_per_gpu = largest_batch(job, gpu, 1);
    REQUIRE(job.batch_per_gpu > 0);
    CHECK(fits(job, gpu, 1));
    ++job.batch_per_gpu;
    CHECK(!fits(job, gpu, 1));
  }
}

TEST_CASE("memory: accumulation of an MLPerf batch divides the activations") {
  Job job;
  job.model_id = "resnet-50", job.stack = Stack::mlperf, job.batch_per_gpu = 224;
  const GpuSpec gpu = suite::gpu_spec("a30");
  const Bytes whole = memory_needed(job, gpu, 2).activations;
  job.accumulation = 14;
  CHECK(whole / memory_needed(job, gpu, 2).activations == Approx(14));
}

TEST_CASE("memory: a card of 24 GB shows 99 % of 24 GiB, a data-centre board on GDDR 15/16 of that") {
  const double gib = 1073741824.0;
  CHECK(usable_memory(suite::gpu_spec("rtx-3090")).base() == Approx(0.99 * 24 * gib));
  CHECK(usable_memory(suite::gpu_spec("a100-sxm4-80gb")).base() == Approx(0.99 * 80 * gib));
  CHECK(usable_memory(suite::gpu_spec("t4")).base() == Approx(0.99 * 15 * gib));
}

TEST_CASE("memory: a mask takes a byte an element in full precision too") {
  // One layer's worth of a span head in fp32: h (16 * 4 + 2) and heads * S (2 * 4 + 1) B a token, 24 layers.
  Job job;
  job.model_id = "bert-large", job.model = ModelKind::bert, job.head = Head::span, job.fusion = Fusion::eager;
  job.precision = Precision::fp32, job.sequence_length = 384, job.tokens_per_sequence = 384, job.batch_per_gpu = 64;
  const double tokens = 64 * 384;
  const Bytes kept = memory_needed(job, suite::gpu_spec("a100-sxm4-80gb"), 1).activations;
  CHECK(kept.base() == Approx(24 * tokens * (1024 * 66.0 + 16 * 384 * 9.0)));
}

TEST_CASE("memory: within 5 % of the limit the verdict is open") {
  // Published: fine-tuning of BERT-large in TF32, 16 sequences of 384 tokens, ran on cards of 24 GB, 64 on those of 80.
  Job job;
  job.model_id = "bert-large", job.model = ModelKind::bert, job.head = Head::span, job.fusion = Fusion::eager;
  job.precision = Precision::tf32, job.optimizer = Optimizer::adam, job.stack = Stack::pytorch_ddp;
  job.sequence_length = 384, job.tokens_per_sequence = 384;
  const GpuSpec gpu = suite::gpu_spec("rtx-3090");
  job.batch_per_gpu = 16;
  CHECK(memory_fit(job, gpu, 1) == MemoryFit::tight);
  const auto share = [&](int batch) {
    job.batch_per_gpu = batch;
    return memory_needed(job, gpu, 1).total / usable_memory(gpu);
  };
  for (int batch = 1; batch < 24; ++batch) {
    const MemoryFit fit = share(batch) <= 0.95   ? MemoryFit::fits
                          : share(batch) <= 1.05 ? MemoryFit::tight
                                                 : MemoryFit::exceeds;
    CHECK(memory_fit(job, gpu, 1) == fit);
  }
  job.batch_per_gpu = 64;
  CHECK(memory_fit(job, suite::gpu_spec("a100-sxm4-80gb"), 1) != MemoryFit::exceeds);
}

TEST_CASE("memory: TensorFlow without XLA keeps more, and published refusals are refused") {
  // DeepLearningExamples, BERT-large on SQuAD in full precision: what ran, and what ran out of memory beside it.
  struct Published {
    const char* gpu;
    Precision precision;
    int ran, ran_out;
  };
  Job job;
  job.model_id = "bert-large", job.model = ModelKind::bert, job.head = Head::span, job.fusion = Fusion::eager;
  job.optimizer = Optimizer::adam, job.stack = Stack::tensorflow_horovod;
  job.sequence_length = 384, job.tokens_per_sequence = 384;
  for (const Published& p :
       {Published{"v100-sxm2-16gb", Precision::fp32, 3, 6}, Published{"v100-sxm2-32gb", Precision::fp32, 10, 24},
        Published{"a100-sxm4-80gb", Precision::tf32, 38, 76}}) {
    INFO(p.gpu);
    job.precision = p.precision;
    job.batch_per_gpu = p.ran;
    CHECK(memory_fit(job, suite::gpu_spec(p.gpu), 1) != MemoryFit::exceeds);
    job.batch_per_gpu = p.ran_out;
    CHECK(memory_fit(job, suite::gpu_spec(p.gpu), 1) == MemoryFit::exceeds);
  }
}
