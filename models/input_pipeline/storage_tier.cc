#include "models/input_pipeline/storage_tier.h"

#include <algorithm>
#include <cmath>

namespace clustersim {
namespace {

// [published: stas00/ml-engineering, local NVMe] open() of a small file where the tier states none.
constexpr double local_open_s = 11e-6;
// [assumed: middle of the 8 to 12 GB/s a core that the catalog recalls] what one reader copies out of the kernel.
constexpr double copy_per_reader_bytes_per_s = 10e9;
// [assumed: catalog note, recalled] and all readers of a node together.
constexpr double copy_per_node_bytes_per_s = 60e9;
// [published: fio issue thread, mdadm on Xeon E5] software RAID0 saturates its cores here.
constexpr double software_raid_iops = 3.8e6;
// [assumed] goodput over line rate of a storage protocol on TCP where the NIC's entry states none.
constexpr double default_protocol_efficiency = 0.94;
// An IOPS figure is for reads of this size.
constexpr double iops_read_bytes = 4096;

// [assumed] operating system and services; one training process (context, framework, staging); one loader worker.
constexpr double system_bytes = 4e9;
constexpr double process_bytes = 3e9;
constexpr double worker_bytes = 0.4e9;
// [assumed] of what is free; the rest is slab, dirty pages and watermarks.
constexpr double page_cache_share_of_free = 0.9;

double copy_cap_bytes_per_s(double readers) {
  return std::min(readers * copy_per_reader_bytes_per_s, copy_per_node_bytes_per_s);
}

bool over_network(const StorageSpec& tier) {
  return tier.kind == "object_store" || tier.kind == "distributed_fs" || tier.kind == "nfs" ||
         tier.kind == "object_gateway" || tier.kind == "cloud_block";
}

double protocol_efficiency(const NicSpec& nic) {
  if (nic.tcp_efficiency) return *nic.tcp_efficiency;
  return nic.rdma_efficiency.value_or(default_protocol_efficiency);
}

// One reader alone: a connection of an object store, a client's stream, else the device.
double stream_bytes_per_s(const StorageSpec& tier) {
  const double device = tier.read.base();
  return tier.client_single_stream ? std::min(device, tier.client_single_stream->base()) : device;
}

// Samples a second that the devices can serve when each sample is a random read.
double device_samples_per_s(const StorageSpec& tier, double devices, double sample_bytes) {
  const double seek_s = tier.read_iops ? 1.0 / *tier.read_iops : 0.0;
  const double move_s = std::max(0.0, sample_bytes - (tier.read_iops ? iops_read_bytes : 0.0)) / tier.read.base();
  return devices / (seek_s + move_s);
}

// Bytes a second of `devices` behind `readers`, before any cap of the client.
double tier_bytes_per_s(const StorageSpec& tier, double devices, double efficiency, const ReadPattern& pattern) {
  if (tier.per == "connection") devices = pattern.readers;
  if (devices <= 0 || tier.read.base() <= 0) return 0.0;
  if (pattern.container == Container::record) return devices * tier.read.base() * efficiency;
  const double sample_bytes = pattern.sample.base();
  if (sample_bytes <= 0) return 0.0;
  const double waiting = pattern.readers / read_wait(tier, pattern).base();
  double served = device_samples_per_s(tier, devices, sample_bytes);
  if (devices > 1 && !over_network(tier)) served = std::min(served, software_raid_iops);
  return sample_bytes * std::min(served, waiting);
}

// Chance that (1 - a/N)(1 - b/N) >= y for a, b uniform in 0..1: the part of the data that two partly read epochs
// left untouched. With p = 1 - a/N uniform in l..1, l = 1 - 1/N, the inner chance is N (1 - max(l, y/p)).
double untouched_at_least(double y, int nodes) {
  const double n = nodes, l = 1.0 - 1.0 / n;
  if (y <= l * l) return 1.0;
  if (y >= 1.0) return 0.0;
  double area = 0.0, from = std::max(l, y);
  if (y <= l) {
    const double knee = y / l;  // below it y/p binds, above it l
    area = (knee - from) - y * std::log(knee / from) + (1.0 - knee) * (1.0 - l);
  } else {
    area = (1.0 - from) + y * std::log(from);
  }
  return std::clamp(n * n * area, 0.0, 1.0);
}

}  // namespace

Bandwidth array_read_rate(const StorageArray& array, const ReadPattern& pattern) {
  const double efficiency = array.count > 1 ? array.sequential_efficiency : 1.0;
  const double tier = tier_bytes_per_s(array.tier, array.count, efficiency, pattern);
  return bytes_per_second(std::min(tier, copy_cap_bytes_per_s(pattern.readers)));
}

Time read_wait(const StorageSpec& tier, const ReadPattern& pattern) {
  if (pattern.container == Container::record) return Time();
  const double open_s =
      tier.open_latency ? tier.open_latency->base() : (over_network(tier) ? tier.read_latency.base() : local_open_s);
  return seconds(open_s + tier.read_latency.base() + pattern.sample.base() / stream_bytes_per_s(tier));
}

Bandwidth servers_read_rate(const SharedStorage& storage, const ReadPattern& pattern) {
  const StorageArray& servers = storage.servers;
  const double tier = tier_bytes_per_s(servers.tier, servers.count, 1.0, pattern);
  // A cloud's object store or a file system sold by its size is no set of ports that the scenario describes.
  if (servers.tier.per == "connection" || servers.tier.per == "TiB") return bytes_per_second(tier);
  const double port =
      storage.nic.line_rate.base() * protocol_efficiency(storage.nic) * servers.tier.client_share_of_nic.value_or(1.0);
  return bytes_per_second(port > 0 ? std::min(tier, servers.count * port) : tier);
}

Bandwidth client_read_rate(const SharedStorage& storage, const NicSpec& nic, int nics,
                           std::optional<Bandwidth> single_flow_cap, const ReadPattern& pattern) {
  const StorageSpec& tier = storage.servers.tier;
  double rate = nics * nic.line_rate.base() * protocol_efficiency(nic);
  if (nic.tcp_single_stream) rate = std::min(rate, pattern.readers * nic.tcp_single_stream->base());
  if (single_flow_cap) rate = std::min(rate, pattern.readers * single_flow_cap->base());
  if (tier.client_single_stream) rate = std::min(rate, pattern.readers * tier.client_single_stream->base());
  if (tier.per == "connection") rate = std::min(rate, pattern.readers * tier.read.base());
  if (pattern.container == Container::raw)
    rate = std::min(rate, pattern.readers * (pattern.sample / read_wait(tier, pattern)).base());
  return bytes_per_second(std::min(rate, copy_cap_bytes_per_s(pattern.readers)));
}

double lru_hit_share(double cached_share, int nodes) {
  const double c = std::clamp(cached_share, 0.0, 1.0);
  if (c >= 1.0) return 1.0;
  const double stay = 1.0 - 1.0 / nodes;
  double hits = 0.0, away = 1.0;  // away: chance that the sample went to other nodes in each epoch between
  while (away > 1.0 - c) {        // beyond, what was touched no longer fits whatever a and b
    const double hit = untouched_at_least((1.0 - c) / away, nodes);
    hits += away / nodes * hit;
    away *= stay;
  }
  return hits;
}

double static_hit_share(double cached_share) { return std::clamp(cached_share, 0.0, 1.0); }

Bytes page_cache_capacity(Bytes node_memory, const MemoryUse& use) {
  const double taken =
      system_bytes + use.gpu_processes * process_bytes + use.workers * worker_bytes + use.pinned_batches.base();
  return bytes(std::max(0.0, node_memory.base() - taken) * page_cache_share_of_free);
}

}  // namespace clustersim
