#include "sim/bottleneck.h"

#include "tests/sim/small_scenarios.h"

using namespace clustersim;

namespace {

const std::string synthetic = R"({"from": "synthetic"})";

// Ample of everything, then changed.
Scenario ample(const std::string& data = synthetic, const std::string& more = "", int nodes = 1) {
  return small::read(small::servers(nodes), small::resnet(data, R"(, "fusion": "fused", "cuda_graph": true)" + more));
}

struct Found {
  Bottleneck bottleneck;
  SteadyStep step;
};

Found find(const Scenario& s) {
  const Assembly assembly(s.cluster, s.job);
  const JobResult result = run_job(assembly);
  const SteadyStep& step = result.first_epoch ? *result.first_epoch : result.steady;
  return {find_bottleneck(assembly, step, result), step};
}

// The advice names the remedy, and the share is that of the part of the step it would shorten.
void check(const Found& found, const char* kind, const std::string& resource, const char* remedy, double part_s) {
  CHECK(found.bottleneck.kind == kind);
  CHECK(found.bottleneck.resource == resource);
  CHECK(found.bottleneck.advice.find(remedy) != std::string::npos);
  CHECK(found.bottleneck.share == Approx(part_s / found.step.step_s));
  CHECK(found.bottleneck.share <= 1 + 1e-9);
}

}  // namespace

TEST_CASE("bottleneck: arithmetic, where everything else is ample") {
  Scenario s = small::read(small::servers(1), R"({"model": "bert-large", "precision": "fp32", "stack": "mlperf",
      "batch_per_gpu": 8, "sequence_length": 128, "data": {"from": "synthetic"}, "target": {"steps": 10}})");
  const Found found = find(s);
  check(found, "compute", "node0.gpu0", "lower precision", found.step.parts.forward_backward_s);
}

TEST_CASE("bottleneck: DRAM, where the GPU's is slow") {
  Scenario s = ample();
  s.cluster.groups[0].node.gpu.memory_bandwidth = gigabytes_per_second(300);
  const Found found = find(s);
  check(found, "memory", "node0.gpu0", "DRAM bandwidth", found.step.parts.forward_backward_s);
}

TEST_CASE("bottleneck: kernels too short, where the batch is tiny") {
  Scenario s = ample();
  s.job.batch_per_gpu = 1;
  s.job.fused_optimizer = true;
  s.job.stack = Stack::native;  // no host costs
  const Found found = find(s);
  check(found, "compute", "node0.gpu0", "larger batch_per_gpu", found.step.parts.forward_backward_s);
}

TEST_CASE("bottleneck: the network between nodes") {
  Scenario s = ample(synthetic, R"(, "bucket": "25 MiB")", 8);
  s.cluster.groups[0].node.nic->tcp_collective = gigabits_per_second(1);
  const Found found = find(s);
  check(found, "fabric", found.bottleneck.resource, "NICs", found.step.parts.communication_s);
  CHECK(found.bottleneck.resource.find("nic0") != std::string::npos);
  s.job.overlap = false;
  CHECK(find(s).bottleneck.advice.find("overlap true") != std::string::npos);
}

TEST_CASE("bottleneck: the node's own storage") {
  Scenario s = ample(R"({"from": "node", "loader": "tf-data"})");
  s.cluster.groups[0].node.storage.tier.read = bytes_per_second(50e6);
  const Found found = find(s);
  check(found, "storage", "node0.storage", "faster tier", found.step.parts.input_s);
}

TEST_CASE("bottleneck: the slowest stage is named, however little of it the GPU sees") {
  // Reading gives a share of what the GPUs ask. The GPU sees a wait of step - compute, which the batch's copy and
  // decode fill first: at 85 % nothing of the read is left to see.
  for (const double share : {0.85, 0.5}) {
    Scenario s = ample(R"({"from": "node", "loader": "tf-data"})");
    StorageArray& storage = s.cluster.groups[0].node.storage;
    storage.count = 1;
    storage.tier.read = bytes_per_second(share * 4 * 64 * s.job.data.dataset.record_bytes.base() / small::step_s(s));
    const Found found = find(s);
    check(found, "storage", "node0.storage", "faster tier", found.step.parts.input_s);
  }
}

TEST_CASE("bottleneck: shared storage") {
  Scenario s = small::read(small::servers(4, R"(, "storage": {"tier": "nfs-10g", "servers": 1})"),
                           small::resnet(R"({"from": "shared", "loader": "tf-data"})"));
  s.cluster.storage->servers.tier.read = bytes_per_second(50e6);
  const Found found = find(s);
  check(found, "storage", "shared storage", "more storage servers", found.step.parts.input_s);
}

TEST_CASE("bottleneck: the loader's cores") {
  Scenario s = ample(R"({"from": "page-cache", "loader": "pytorch", "workers_per_gpu": 1})");
  const Found found = find(s);
  check(found, "loader", "node0.loader", "more CPU cores", found.step.parts.input_s);
}

TEST_CASE("bottleneck: copies to the GPU") {
  Scenario s = ample(R"({"from": "page-cache", "loader": "dali-cpu"})");
  s.job.data.dataset.tensor_bytes = bytes(50e6);
  const Found found = find(s);
  check(found, "pcie", "node0.gpu0.pcie", "PCIe slot", found.step.parts.input_s);
}

TEST_CASE("bottleneck: decoding on the GPU") {
  // The JPEG engine of an A100 is taken at 6000 images/s; a GPU of hardly any arithmetic time is faster than that.
  Scenario s = ample(R"({"from": "page-cache", "loader": "dali-gpu"})");
  s.job.fused_optimizer = true;
  s.job.stack = Stack::native;
  s.cluster.groups[0].node.cpu.loader_images_per_core_s = 1e6;
  for (auto* peak : {&s.cluster.groups[0].node.gpu.peak_fp16, &s.cluster.groups[0].node.gpu.peak_tf32})
    *peak = teraflops(1e5);
  s.cluster.groups[0].node.gpu.measured_matmul_bf16.reset();
  s.cluster.groups[0].node.gpu.memory_bandwidth = gigabytes_per_second(1e5);
  const Found found = find(s);
  check(found, "input", "node0.gpu0.jpeg-engine", "smaller images", found.step.parts.input_s);
}

TEST_CASE("bottleneck: the host, where the update is launched tensor by tensor") {
  Scenario s = small::read(small::servers(1), R"({"model": "resnet-152", "precision": "amp", "stack": "pytorch-ddp",
      "batch_per_gpu": 16, "optimizer": "sgd", "data": {"from": "synthetic"}, "target": {"steps": 10}})");
  Found found = find(s);
  check(found, "host", "node0.host", "fused optimizer", found.step.parts.host_s + found.step.parts.optimizer_s);
  // LAMB on BERT moves so many bytes that its launches hide: the memory's, though the update is as long.
  s = small::read(small::servers(1), R"({"model": "bert-large", "precision": "amp", "stack": "pytorch-ddp",
      "batch_per_gpu": 1, "sequence_length": 128, "optimizer": "lamb", "data": {"from": "synthetic"},
      "target": {"steps": 10}})");
  found = find(s);
  CHECK(found.step.parts.optimizer_s > 0.25 * found.step.step_s);
  CHECK(found.bottleneck.kind == "memory");
}

TEST_CASE("bottleneck: heat and power limits") {
  Scenario hot = ample();
  hot.cluster.groups[0].node.cooling.inlet = Temperature::celsius(75);
  Found found = find(hot);
  check(found, "thermal", found.bottleneck.resource, "cooler inlet air", found.step.parts.forward_backward_s);

  Scenario capped = ample();
  capped.cluster.groups[0].node.gpu_power_limit = watts(120);
  found = find(capped);
  check(found, "power", "node0.gpu0", "gpu_power_limit", found.step.parts.forward_backward_s);

  Scenario limited = ample();
  limited.cluster.groups[0].node.gpu_clock_limit = megahertz(700);
  found = find(limited);
  check(found, "power", "node0.gpu0", "gpu_clock_limit", found.step.parts.forward_backward_s);
}

TEST_CASE("bottleneck: GPUs that wait for a slower kind") {
  const std::string fast =
      R"({"nodes": 3, "node": {"server": "xe8545", "gpu": "a100-sxm4-40gb", "gpus": 4, "nic": "eth-100g"}})";
  const std::string slow =
      R"({"nodes": 1, "node": {"server": "as-4124gs-tnr", "gpu": "rtx-3090", "gpus": 1, "nic": "eth-100g"}})";
  const Scenario s = small::read(R"({"groups": [)" + fast + ", " + slow + R"(], "fabric": {"transport": "rdma"}})",
                                 small::resnet(synthetic, R"(, "fusion": "fused", "cuda_graph": true)"));
  const Found found = find(s);
  check(found, "straggler", found.bottleneck.resource, "equal GPUs", found.step.parts.straggler_s);
}
