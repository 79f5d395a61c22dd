#include "models/input_pipeline/input_demand.h"

#include <algorithm>
#include <optional>

#include "models/input_pipeline/storage_tier.h"

namespace clustersim {
namespace {

// [assumed] what a second hardware thread adds; between 0.25 and 0.3, no row of ours isolates it.
constexpr double hyper_thread_gain = 0.27;

// Cost of a loader over the Pillow-class PyTorch loader that CpuSpec::loader_images_per_core_s describes.
// Users report 1.3 to 2 times of DALI. [fitted: two DLPerf nodes of 8 V100 on tf.data, loader-bound] both are taken as
// twice as fast.
constexpr double native_loader_cost = 0.5;
// [assumed] Huffman decoding stays on the CPU. A DGX-2 trained 25.3 k images/s on 48 cores (MLPerf v0.7), which a share
// above 0.3 would not have fed.
constexpr double dali_hybrid_cost = 0.25;
// [assumed] headers and copying of the compressed bytes; a guess.
constexpr double dali_engine_cost = 0.06;

// [assumed] images/s; the catalog's figure for DALI on A100, which it marks as estimated and unsourced.
constexpr double ampere_engine_images_per_s = 6000;
// [assumed] 7 decoders against 5, recalled and not looked up. The published 8xH100 row needs 7.0 k images/s a GPU and
// was known when this was chosen.
constexpr double later_engine_images_per_s = ampere_engine_images_per_s * 7.0 / 5.0;

// [assumed] DRAM traffic on the GPU per image: inverse transform, colour, crop, resize, normalise, as passes over
// 0.55 MB of pixels; with the engine only the last three.
constexpr double hybrid_dram_bytes = 8e6;
constexpr double engine_dram_bytes = 2e6;

// [assumed] middle of 0.1 to 0.2 ms per MB: main process and pinning thread of PyTorch.
constexpr double collate_s_per_byte = 0.15e-3 / 1e6;
// [assumed] parsing a record of tokens; any loader.
constexpr double token_sample_s = 20e-6;

// Batches ready ahead. [assumed] the libraries' defaults as recalled: two a worker in PyTorch, a queue of two
// elsewhere.
constexpr int pytorch_prefetch_per_worker = 2;
constexpr int other_prefetch = 2;

bool is_dali(Loader loader) { return loader == Loader::dali_cpu || loader == Loader::dali_gpu; }

// JPEG engines sit on the HBM parts of NVIDIA from Ampere on (A100, A30, H100, H200, B200).
double jpeg_engine_images_per_s(const GpuSpec& gpu) {
  if (gpu.memory_type.rfind("HBM", 0) != 0) return 0.0;
  if (gpu.architecture == "Ampere") return ampere_engine_images_per_s;
  if (gpu.architecture == "Hopper" || gpu.architecture == "Blackwell") return later_engine_images_per_s;
  return 0.0;
}

// Without workers the training process loads by itself, one at a time.
double workers_of_node(const NodeSpec& node, const Job& job) {
  return std::max(1.0, static_cast<double>(job.data.workers_per_gpu)) * node.gpus;
}

// All-core equivalents of `workers` runnable threads.
double core_equivalents(const NodeSpec& node, double workers) {
  const CpuSpec& cpu = node.cpu;
  const double chip_cores = std::max<double>(node.cores, static_cast<double>(cpu.cores) * node.sockets);
  if (workers <= node.cores) {
    const double all_core = cpu.all_core_clock.base();
    const double headroom = all_core > 0 ? std::max(0.0, cpu.boost_clock.base() / all_core - 1.0) : 0.0;
    return workers * (1.0 + headroom * (1.0 - workers / chip_cores));
  }
  const double threads_per_core = cpu.cores > 0 ? static_cast<double>(cpu.threads) / cpu.cores : 1.0;
  const double second_threads = node.cores * std::max(0.0, threads_per_core - 1.0);
  return node.cores + hyper_thread_gain * std::min(workers - node.cores, second_threads);
}

// Readers with one request outstanding each: worker processes, or one reader thread in each DALI pipeline.
double readers_of_node(const NodeSpec& node, const Job& job) {
  const bool one_per_gpu = is_dali(job.data.loader) && job.data.container == Container::raw;
  return std::max(1.0, one_per_gpu ? node.gpus : workers_of_node(node, job));
}

void set_processing(InputDemand& demand, const NodeSpec& node, const Job& job) {
  const Dataset& set = job.data.dataset;
  const Loader loader = job.data.loader;
  demand.usable_cores = core_equivalents(node, workers_of_node(node, job));
  demand.copy_bytes = set.tensor_bytes.base();
  demand.prefetch_batches =
      loader == Loader::pytorch ? std::max(1, pytorch_prefetch_per_worker * job.data.workers_per_gpu) : other_prefetch;
  if (loader == Loader::pytorch) demand.collate_s = collate_s_per_byte * demand.copy_bytes;
  if (job.data.worker_time) {
    // Measured in a worker on a core of its own, which runs faster than a core of a busy processor.
    const double workers = workers_of_node(node, job);
    const double faster = workers <= node.cores ? demand.usable_cores / workers : 1.0;
    demand.decode_core_s = job.data.worker_time->base() * faster;
    return;
  }
  if (!set.images || job.model == ModelKind::emulated || node.cpu.loader_images_per_core_s <= 0) {
    demand.decode_core_s = token_sample_s;
    return;
  }
  const double pillow_s = 1.0 / node.cpu.loader_images_per_core_s;
  switch (loader) {
    case Loader::pytorch:
      demand.decode_core_s = pillow_s;
      break;
    case Loader::dali_cpu:
      demand.decode_core_s = pillow_s * native_loader_cost;
      break;
    case Loader::tf_data:
      demand.decode_core_s = pillow_s * native_loader_cost;
      break;
    case Loader::dali_gpu: {
      demand.hardware_decode_rate = jpeg_engine_images_per_s(node.gpu);
      const bool engine = demand.hardware_decode_rate > 0;
      demand.decode_core_s = pillow_s * (engine ? dali_engine_cost : dali_hybrid_cost);
      demand.gpu_decode_s = (engine ? engine_dram_bytes : hybrid_dram_bytes) / node.gpu.memory_bandwidth.base();
      demand.copy_bytes = demand.stored_bytes;
      demand.notes.push_back(engine ? "JPEG decode on the GPU's hardware engine, about " +
                                          std::to_string(static_cast<int>(demand.hardware_decode_rate)) +
                                          " images/s per GPU (an estimate without a published source)"
                                    : "JPEG decode shared by CPU and GPU (hybrid); the CPU's part, 0.25 of a Pillow "
                                      "decode, is assumed");
      break;
    }
  }
}

void set_page_cache(InputDemand& demand, const Cluster& cluster, const NodeSpec& node, const Job& job) {
  const bool cached_by_kernel =
      job.data.from != DataSource::shared || !cluster.storage || cluster.storage->servers.tier.kind != "object_store";
  if (!cached_by_kernel) return;
  const bool sharded = job.data.container == Container::record;
  const int nodes = std::max(1, cluster.nodes());
  MemoryUse use;
  use.gpu_processes = node.gpus;
  use.workers = job.data.loader == Loader::pytorch ? workers_of_node(node, job) : 0.0;
  use.pinned_batches = job.data.dataset.tensor_bytes * (job.micro_batch() * demand.prefetch_batches * node.gpus);
  const double drawn_bytes = demand.stored_bytes * job.data.dataset.samples / (sharded ? nodes : 1);
  if (drawn_bytes <= 0) return;
  demand.page_cache_share =
      lru_hit_share(page_cache_capacity(node.memory, use).base() / drawn_bytes, sharded ? 1 : nodes);
}

void set_cache_tier(InputDemand& demand, const Cluster& cluster, const Job& job, const ReadPattern& pattern) {
  const std::optional<StorageArray>& cache = cluster.storage->cache;
  if (!cache) return;
  demand.cache_rate = array_read_rate(*cache, pattern);
  if (!cache->capacity) {
    demand.notes.push_back("the cache tier states no capacity, so it is taken to hold nothing");
    return;
  }
  const int shards = job.data.container == Container::record ? std::max(1, cluster.nodes()) : 1;
  const double drawn_bytes = demand.stored_bytes * job.data.dataset.samples / shards;
  if (drawn_bytes <= 0) return;
  demand.cache_share = (1.0 - demand.page_cache_share) * static_hit_share(cache->capacity->base() / drawn_bytes);
}

void set_shared_rates(InputDemand& demand, const Cluster& cluster, const NodeSpec& node, const ReadPattern& pattern) {
  ReadPattern all = pattern;
  all.readers = pattern.readers * std::max(1, cluster.nodes());
  demand.shared_rate = servers_read_rate(*cluster.storage, all);
  if (node.nic && node.nics > 0) {
    demand.shared_rate_per_node =
        client_read_rate(*cluster.storage, *node.nic, node.nics, node.single_flow_cap, pattern);
  } else {
    demand.shared_rate_per_node =
        client_read_rate(*cluster.storage, cluster.storage->nic, 1, node.single_flow_cap, pattern);
    demand.notes.push_back("the node states no NIC: it reads shared storage through one like the servers'");
  }
}

// A PyTorch worker that waits for a file decodes nothing.
void limit_by_read_wait(InputDemand& demand, const StorageSpec& tier, const NodeSpec& node, const Job& job,
                        const ReadPattern& pattern) {
  if (job.data.loader != Loader::pytorch || demand.decode_core_s <= 0) return;
  const double miss = 1.0 - demand.page_cache_share - demand.cache_share;
  const double wait_s = miss * read_wait(tier, pattern).base();
  const double decoding = workers_of_node(node, job) * demand.decode_core_s / (demand.decode_core_s + wait_s);
  demand.usable_cores = std::min(demand.usable_cores, core_equivalents(node, decoding));
}

}  // namespace

InputDemand input_demand(const Cluster& cluster, const NodeSpec& node, const Job& job, bool first_epoch) {
  InputDemand demand;
  if (job.data.from == DataSource::synthetic) return demand;
  const Dataset& set = job.data.dataset;
  demand.stored_bytes = (job.data.container == Container::raw ? set.raw_bytes : set.record_bytes).base();
  if (job.model == ModelKind::emulated && job.emulated_sample_bytes.base() > 0)
    demand.stored_bytes = job.emulated_sample_bytes.base();
  set_processing(demand, node, job);
  if (job.data.from == DataSource::page_cache) {
    demand.page_cache_share = 1.0;
    return demand;
  }
  ReadPattern pattern{job.data.container, bytes(demand.stored_bytes), readers_of_node(node, job)};
  const bool cold = first_epoch && job.data.first_epoch_cold;
  if (!cold) set_page_cache(demand, cluster, node, job);
  const bool shared = job.data.from == DataSource::shared && cluster.storage;
  if (shared) {
    if (!cold) set_cache_tier(demand, cluster, job, pattern);
    set_shared_rates(demand, cluster, node, pattern);
  } else {
    demand.local_rate = array_read_rate(node.storage, pattern);
  }
  limit_by_read_wait(demand, shared ? cluster.storage->servers.tier : node.storage.tier, node, job, pattern);
  return demand;
}

}  // namespace clustersim
