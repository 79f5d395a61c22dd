#include "models/input_pipeline/input_demand.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

using namespace clustersim;

namespace {

constexpr double record_bytes = 114660;

CpuSpec cpu(int cores, int threads, double images_per_core_s, double boost_over_all_core = 1.0) {
  CpuSpec spec;
  spec.cores = cores;
  spec.threads = threads;
  spec.all_core_clock = megahertz(3000);
  spec.boost_clock = megahertz(3000 * boost_over_all_core);
  spec.loader_images_per_core_s = images_per_core_s;
  return spec;
}

NodeSpec node_with(const CpuSpec& spec, int sockets, int gpus, double disk_mb_per_s, int disks, double memory_gb) {
  NodeSpec node;
  node.gpus = gpus;
  node.cpu = spec;
  node.sockets = sockets;
  node.cores = spec.cores * sockets;
  node.memory = gigabytes(memory_gb);
  node.gpu.memory_type = "GDDR6X";
  node.gpu.architecture = "Ada";
  node.gpu.memory_bandwidth = gigabytes_per_second(1008);
  node.storage.tier.kind = "nvme_pcie4";
  node.storage.tier.per = "device";
  node.storage.tier.read = bytes_per_second(disk_mb_per_s * 1e6);
  node.storage.tier.read_iops = 1e6;
  node.storage.tier.read_latency = microseconds(80);
  node.storage.count = disks;
  node.storage.raid = disks > 1 ? Raid::raid0 : Raid::none;
  node.storage.sequential_efficiency = disks > 1 ? 0.92 : 1.0;
  return node;
}

Job imagenet_job(Loader loader, int workers_per_gpu, int batch) {
  Job job;
  job.batch_per_gpu = batch;
  job.data.loader = loader;
  job.data.workers_per_gpu = workers_per_gpu;
  job.data.dataset.samples = 1281167;
  job.data.dataset.raw_bytes = job.data.dataset.record_bytes = bytes(record_bytes);
  job.data.dataset.tensor_bytes = bytes(602112);
  job.data.dataset.images = true;
  return job;
}

Cluster cluster_of(const NodeSpec& node, int nodes = 1) {
  Cluster cluster;
  cluster.groups.push_back({nodes, node});
  return cluster;
}

InputDemand demand_of(const NodeSpec& node, const Job& job, bool first_epoch, int nodes = 1) {
  return input_demand(cluster_of(node, nodes), node, job, first_epoch);
}

// Samples a second of a node: the smallest of its stages (the equation of the header).
double reading(const InputDemand& d) {
  const double miss = 1.0 - d.page_cache_share - d.cache_share;
  if (miss <= 0) return 1e300;
  return d.local_rate.base() / (d.stored_bytes * miss);
}
double decoding(const InputDemand& d, int gpus) {
  double rate = d.usable_cores / d.decode_core_s;
  if (d.hardware_decode_rate > 0) rate = std::min(rate, gpus * d.hardware_decode_rate);
  return rate;
}

}  // namespace

TEST_CASE("8 GPUs behind 8 cores wait for the loader, behind 96 cores for the disk, with 4 NVMe for neither") {
  const double wanted = 8 * 1300.0;  // images/s of 8 consumer cards, ResNet-50 under AMP
  const Job job = imagenet_job(Loader::pytorch, 1, 128);
  const auto slow = demand_of(node_with(cpu(8, 16, 220), 1, 8, 560, 1, 64), job, true);
  CHECK(decoding(slow, 8) == Approx(8 * 220.0));
  CHECK(decoding(slow, 8) < 0.2 * wanted);
  CHECK(reading(slow) == Approx(560e6 / record_bytes));
  CHECK(decoding(slow, 8) < reading(slow));
  const Job many = imagenet_job(Loader::pytorch, 12, 128);
  const auto disk_bound = demand_of(node_with(cpu(96, 192, 220), 1, 8, 560, 1, 64), many, true);
  CHECK(decoding(disk_bound, 8) > wanted);
  CHECK(reading(disk_bound) < 0.5 * wanted);
  const auto fed = demand_of(node_with(cpu(96, 192, 220), 1, 8, 6800, 4, 64), many, true);
  CHECK(std::min(decoding(fed, 8), reading(fed)) > wanted);
}

TEST_CASE("PyTorch loader row: 8 workers on 2 x 12 cores stay near the row their rate comes from") {
  // Consistency, not prediction: the 134 images/s per core are this row over its 8 workers, so what is checked is that
  // the boost clock on top does not carry it further than 20 %.
  // DLPerf: 2x Xeon Gold 5118, 8 V100, 8 worker processes in all: 1070 images/s; boost 3.2 over all-core 2.7 GHz.
  const auto d = demand_of(node_with(cpu(12, 24, 134, 3.2 / 2.7), 2, 8, 6800, 4, 512),
                           imagenet_job(Loader::pytorch, 1, 128), false);
  CHECK(decoding(d, 8) == Approx(1070).epsilon(0.2));
  // The same host with 48 workers was bound by its GPUs at 2633 images/s.
  const auto many = demand_of(node_with(cpu(12, 24, 134, 3.2 / 2.7), 2, 8, 6800, 4, 512),
                              imagenet_job(Loader::pytorch, 6, 128), false);
  CHECK(decoding(many, 8) > 2633);
}

TEST_CASE("tf.data meets the row its cost was fitted on, with the host's second threads counted") {
  // DLPerf TF1: 7887 images/s with tf.data against 9266 synthetic.
  const auto d = demand_of(node_with(cpu(12, 24, 134, 3.2 / 2.7), 2, 8, 6800, 4, 512),
                           imagenet_job(Loader::tf_data, 8, 224), false);
  CHECK(decoding(d, 8) == Approx(7887).epsilon(0.2));
}

TEST_CASE("DALI on the GPU binds none of three published 8-GPU training rows") {
  // A bound only: the rows were known when the costs were chosen, and say nothing on how far above them the loader is.
  struct Row {
    const char* name;
    const char* memory;
    const char* architecture;
    int cores;
    int sockets;
    double images_per_core_s;
    double images_per_s;
  };
  // MLPerf v2.0 (8xA100, 2x EPYC 7742), v3.0 (8xH100, 2x Xeon 8480C), DLE MXNet on DGX-1 (8xV100, 2x E5-2698 v4).
  const Row rows[] = {{"8xA100", "HBM2e", "Ampere", 64, 2, 208, 27190},
                      {"8xH100", "HBM3", "Hopper", 56, 2, 226, 56074},
                      {"8xV100", "HBM2", "Volta", 20, 2, 118, 10723}};
  for (const Row& row : rows) {
    INFO(row.name);
    NodeSpec node = node_with(cpu(row.cores, 2 * row.cores, row.images_per_core_s), row.sockets, 8, 6800, 4, 1000);
    node.gpu.memory_type = row.memory;
    node.gpu.architecture = row.architecture;
    node.gpu.memory_bandwidth = gigabytes_per_second(900);
    Job job = imagenet_job(Loader::dali_gpu, 8, 400);
    job.data.first_epoch_cold = false;
    const auto d = demand_of(node, job, true);
    // 1.1: what the loader must have in hand for the step to hide it.
    CHECK(decoding(d, 8) > 1.1 * row.images_per_s);
    CHECK(reading(d) > row.images_per_s);
    // Decoding takes the GPU less than 3 % of the time it trains on the image.
    CHECK(d.gpu_decode_s < 0.03 / (row.images_per_s / 8));
  }
}

TEST_CASE("a cold first epoch reads everything, a warm start of a set that fits in memory reads nothing") {
  const NodeSpec node = node_with(cpu(64, 128, 208), 2, 8, 94, 1, 512);
  Job job = imagenet_job(Loader::dali_cpu, 8, 256);
  const auto cold = demand_of(node, job, true);
  CHECK(cold.page_cache_share == 0.0);
  // NVIDIA/DALI issue 1415: first epoch 25 minutes from a 94 MB/s disk, later ones bound by the GPUs.
  CHECK(1281167 / reading(cold) == Approx(25 * 60).epsilon(0.2));
  CHECK(demand_of(node, job, false).page_cache_share == 1.0);
  job.data.first_epoch_cold = false;
  CHECK(demand_of(node, job, true).page_cache_share == 1.0);
}

TEST_CASE("records are kept by the node that read them, files are drawn from all: nodes share only the former's room") {
  const NodeSpec node = node_with(cpu(64, 128, 208), 2, 8, 6800, 4, 128);
  Job job = imagenet_job(Loader::dali_cpu, 8, 256);
  CHECK(demand_of(node, job, false, 1).page_cache_share < 1.0);
  CHECK(demand_of(node, job, false, 4).page_cache_share == 1.0);  // a quarter of 147 GB each
  job.data.container = Container::raw;
  CHECK(demand_of(node, job, false, 4).page_cache_share < 1.0);
}

TEST_CASE("a PyTorch worker that waits for files keeps no core busy") {
  NodeSpec node = node_with(cpu(64, 128, 200), 2, 8, 6800, 4, 64);
  Job job = imagenet_job(Loader::pytorch, 8, 256);
  job.data.container = Container::raw;
  node.storage.tier.open_latency = microseconds(2300);
  node.storage.tier.read_latency = microseconds(500);
  const auto d = demand_of(node, job, true);
  const double wait = 2300e-6 + 500e-6 + record_bytes / 6.8e9, decode = 1.0 / 200;
  CHECK(d.usable_cores == Approx(64 * decode / (decode + wait)));  // no boost in this processor
}

TEST_CASE("second hardware threads add 0.27 of a core each and no more than there are") {
  const Job sixteen = imagenet_job(Loader::pytorch, 16, 64), hundred = imagenet_job(Loader::pytorch, 100, 64);
  const NodeSpec node = node_with(cpu(8, 16, 200), 1, 1, 6800, 1, 64);
  CHECK(demand_of(node, sixteen, true).usable_cores == Approx(8 + 0.27 * 8));
  CHECK(demand_of(node, hundred, true).usable_cores == Approx(8 + 0.27 * 8));
}

TEST_CASE("few workers run at the boost clock") {
  // EPYC 7742: 250 images/s per core with few workers against 208 with all: 3.4 over 2.9 GHz is 1.17.
  const auto d = demand_of(node_with(cpu(64, 128, 208, 3.4 / 2.9), 2, 4, 6800, 1, 512),
                           imagenet_job(Loader::pytorch, 1, 64), true);
  CHECK(decoding(d, 4) / 4 == Approx(250).epsilon(0.05));
}

TEST_CASE("tokens need almost no processor, synthetic data nothing, page-cache data no disk") {
  const NodeSpec node = node_with(cpu(64, 128, 208), 2, 8, 560, 1, 512);
  Job job = imagenet_job(Loader::pytorch, 8, 32);
  job.data.dataset.images = false;
  job.data.dataset.record_bytes = bytes(2498);
  const auto tokens = demand_of(node, job, true);
  CHECK(decoding(tokens, 8) > 100 * 4591);  // BERT-large, 8xA100: 4591 sequences/s
  job.data.from = DataSource::synthetic;
  const auto nothing = demand_of(node, job, true);
  CHECK(nothing.stored_bytes == 0.0);
  CHECK(nothing.decode_core_s == 0.0);
  job.data.from = DataSource::page_cache;
  const auto cached = demand_of(node, job, true);
  CHECK(cached.page_cache_share == 1.0);
  CHECK(cached.local_rate.base() == 0.0);
}

TEST_CASE("shared storage with a node cache: misses go to the servers, hits to the cache, nothing in the first epoch") {
  NodeSpec node = node_with(cpu(64, 128, 208), 2, 8, 560, 1, 32);
  NicSpec nic;
  nic.line_rate = gigabits_per_second(100);
  nic.tcp_efficiency = 0.95;
  node.nic = nic;
  node.nics = 1;
  Cluster cluster = cluster_of(node);
  SharedStorage storage;
  storage.servers = node.storage;
  storage.servers.tier.kind = "object_store";
  storage.servers.tier.per = "server";
  storage.servers.count = 6;
  storage.nic = nic;
  storage.cache = node.storage;
  storage.cache->capacity = bytes(1281167 * record_bytes / 4);
  cluster.storage = storage;
  Job job = imagenet_job(Loader::dali_cpu, 8, 256);
  job.data.from = DataSource::shared;
  const auto first = input_demand(cluster, node, job, true), later = input_demand(cluster, node, job, false);
  CHECK(first.cache_share == 0.0);
  CHECK(later.page_cache_share == 0.0);  // an object store is read past the kernel's cache
  CHECK(later.cache_share == Approx(0.25));
  CHECK(later.shared_rate.base() == Approx(6 * 560e6));
  CHECK(later.shared_rate_per_node.base() == Approx(12.5e9 * 0.95));
  CHECK(later.cache_rate.base() == Approx(560e6));
  CHECK(later.local_rate.base() == 0.0);
}

TEST_CASE("without workers each training process loads for itself") {
  const NodeSpec node = node_with(cpu(64, 128, 200), 2, 4, 6800, 1, 512);
  CHECK(demand_of(node, imagenet_job(Loader::pytorch, 0, 64), true).usable_cores == Approx(4));
}
