#include "models/input_pipeline/storage_tier.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <list>
#include <vector>

using namespace clustersim;

namespace {

StorageSpec device(double mb_per_s, double iops, double latency_us) {
  StorageSpec tier;
  tier.kind = "nvme_pcie4";
  tier.per = "device";
  tier.read = bytes_per_second(mb_per_s * 1e6);
  if (iops > 0) tier.read_iops = iops;
  tier.read_latency = microseconds(latency_us);
  return tier;
}

StorageArray array_of(const StorageSpec& tier, int count, double efficiency) {
  StorageArray array;
  array.tier = tier;
  array.count = count;
  array.raid = count > 1 ? Raid::raid0 : Raid::none;
  array.sequential_efficiency = efficiency;
  return array;
}

// A small generator of our own, so that the simulated orders are the same everywhere.
struct Counter {
  std::uint64_t state = 88172645463325252ULL;
  std::uint64_t next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  }
};

// Hit share of an LRU cache of `capacity` samples on one of `nodes` nodes that split a fresh order of `samples`.
double simulated_hits(int samples, int capacity, int nodes, int epochs) {
  Counter counter;
  std::vector<int> order(samples);
  for (int i = 0; i < samples; ++i) order[i] = i;
  std::list<int> recent;  // front: newest
  std::vector<std::list<int>::iterator> where(samples, recent.end());
  double hits = 0, reads = 0;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (int i = samples - 1; i > 0; --i) std::swap(order[i], order[counter.next() % (i + 1)]);
    for (int i = 0; i < samples / nodes; ++i) {
      const int sample = order[i];
      const bool hit = where[sample] != recent.end();
      if (hit) recent.erase(where[sample]);
      recent.push_front(sample);
      where[sample] = recent.begin();
      if (static_cast<int>(recent.size()) > capacity) {
        where[recent.back()] = recent.end();
        recent.pop_back();
      }
      if (epoch >= epochs / 2) hits += hit, reads += 1;
    }
  }
  return hits / reads;
}

const ReadPattern imagenet_records{Container::record, bytes(114660), 64};
const ReadPattern imagenet_files{Container::raw, bytes(114660), 64};

}  // namespace

TEST_CASE("records from a RAID0 run at devices x bandwidth x efficiency") {
  const auto array = array_of(device(3500, 600000, 80), 4, 0.92);
  CHECK(array_read_rate(array, imagenet_records).base() == Approx(4 * 3.5e9 * 0.92));
}

TEST_CASE("one disk has no RAID loss and no disk gives nothing") {
  CHECK(array_read_rate(array_of(device(560, 98000, 90), 1, 0.92), imagenet_records).base() == Approx(560e6));
  CHECK(array_read_rate(array_of(device(560, 98000, 90), 0, 0.92), imagenet_records).base() == 0.0);
}

TEST_CASE("a single reader copies no faster than a core can, so 8 Optane are 18x one SATA disk and not 96x") {
  ReadPattern one_reader = imagenet_records;
  one_reader.readers = 1;
  const auto optane = array_of(device(7200, 1500000, 5), 8, 0.92);
  const auto sata = array_of(device(560, 98000, 90), 1, 1.0);
  const double ratio = array_read_rate(optane, one_reader) / array_read_rate(sata, one_reader);
  CHECK(ratio == Approx(10e9 / 560e6));  // 17.9; the guide has 17
  const double raw_ratio = 8 * 7.2e9 * 0.92 / 560e6;
  CHECK(ratio < raw_ratio / 5);
}

TEST_CASE("files on a spinning disk cost one seek each") {
  const auto disk = array_of(device(285, 170, 4160), 1, 1.0);
  // 1/170 s of seek and rotation, then the bytes beyond the first 4 KiB at the sequential rate.
  const double per_file = 1.0 / 170 + (114660 - 4096) / 285e6;
  CHECK(array_read_rate(disk, imagenet_files).base() == Approx(114660 / per_file));
}

TEST_CASE("files of 4 KiB reach exactly the IOPS figure") {
  ReadPattern small{Container::raw, bytes(4096), 1024};
  CHECK(array_read_rate(array_of(device(6800, 1000000, 80), 1, 1.0), small).base() == Approx(4096 * 1e6));
}

TEST_CASE("few readers leave a fast device waiting: readers / (open + latency + transfer)") {
  StorageSpec tier = device(6800, 1000000, 80);
  tier.open_latency = microseconds(11);
  ReadPattern two{Container::raw, bytes(114660), 2};
  const double wait = 11e-6 + 80e-6 + 114660 / 6.8e9;
  CHECK(array_read_rate(array_of(tier, 4, 0.92), two).base() == Approx(114660 * 2 / wait));
}

TEST_CASE("files are never read faster than records, and more readers never hurt") {
  for (double readers : {1.0, 4.0, 16.0, 64.0, 256.0}) {
    for (double bytes_each : {8e3, 114660.0, 5e6}) {
      const auto array = array_of(device(6800, 1000000, 80), 2, 0.92);
      ReadPattern files{Container::raw, bytes(bytes_each), readers};
      ReadPattern more = files;
      more.readers = 2 * readers;
      CHECK(array_read_rate(array, files) <= array_read_rate(array, more));
      ReadPattern alike = files;
      alike.container = Container::record;
      // The random path has no sequential efficiency; it may reach the raw rate of the devices at most.
      CHECK(array_read_rate(array, files).base() <= array_read_rate(array, alike).base() / 0.92 * (1 + 1e-12));
    }
  }
}

TEST_CASE("servers: the smaller of device and port, times their number") {
  SharedStorage storage;
  storage.servers = array_of(device(6000, 120000, 800), 6, 1.0);
  storage.servers.tier.kind = "distributed_fs";
  storage.servers.tier.per = "server";
  storage.nic.line_rate = gigabits_per_second(100);
  storage.nic.tcp_efficiency = 0.95;
  CHECK(servers_read_rate(storage, imagenet_records).base() == Approx(6 * 6e9));  // a port carries 11.9 GB/s
  storage.nic.line_rate = gigabits_per_second(25);
  CHECK(servers_read_rate(storage, imagenet_records).base() == Approx(6 * 25e9 / 8 * 0.95));
  storage.servers.tier.client_share_of_nic = 0.45;
  CHECK(servers_read_rate(storage, imagenet_records).base() == Approx(6 * 25e9 / 8 * 0.95 * 0.45));
}

TEST_CASE("a client is capped by its port, its streams and its connections") {
  SharedStorage storage;
  storage.servers = array_of(device(20000, 0, 500), 8, 1.0);
  storage.servers.tier.kind = "distributed_fs";
  storage.servers.tier.per = "server";
  NicSpec nic;
  nic.line_rate = gigabits_per_second(100);
  nic.tcp_efficiency = 0.95;
  CHECK(client_read_rate(storage, nic, 2, std::nullopt, imagenet_records).base() == Approx(2 * 12.5e9 * 0.95));
  storage.servers.tier.client_single_stream = gigabytes_per_second(3);
  ReadPattern two = imagenet_records;
  two.readers = 2;
  CHECK(client_read_rate(storage, nic, 2, std::nullopt, two).base() == Approx(2 * 3e9));
  CHECK(client_read_rate(storage, nic, 2, gigabits_per_second(10), two).base() == Approx(2 * 1.25e9));
}

TEST_CASE("an object store sold by the connection gives connections x rate") {
  SharedStorage storage;
  storage.servers = array_of(device(85, 0, 100000), 1, 1.0);
  storage.servers.tier.kind = "object_store";
  storage.servers.tier.per = "connection";
  CHECK(servers_read_rate(storage, imagenet_records).base() == Approx(64 * 85e6));
}

TEST_CASE("LRU hit share follows c + (1-c) ln(1-c) and the cache without eviction c") {
  for (double c : {0.05, 0.2, 0.5, 0.8, 0.95, 0.999}) {
    CHECK(lru_hit_share(c) == Approx(c + (1 - c) * std::log(1 - c)).margin(1e-12));
    CHECK(static_hit_share(c) == c);
    CHECK(lru_hit_share(c) < static_hit_share(c));
  }
  CHECK(lru_hit_share(0.0) == 0.0);
  CHECK(lru_hit_share(1.5) == 1.0);
}

TEST_CASE("LRU hit share meets a simulated cache, alone and with other nodes drawing from one order") {
  // 4000 samples: a share has a spread of about sqrt(h (1-h) / reads), below 0.003 with 40k reads; the law itself is
  // for many samples and errs by about 1/capacity.
  for (int nodes : {1, 2, 5}) {
    for (double c : {0.3, 0.6, 0.9}) {
      const int epochs = 20 * nodes;
      CHECK(simulated_hits(4000, static_cast<int>(4000 * c), nodes, epochs) ==
            Approx(lru_hit_share(c, nodes)).margin(0.01));
    }
  }
}

TEST_CASE("with very many nodes a cache hits as often as it is large") {
  // Each read then lands on a sample drawn at random, independent of the past: the chance that it is held is c.
  for (double c : {0.1, 0.5, 0.9}) CHECK(lru_hit_share(c, 2000) == Approx(c).margin(1e-3));
}

TEST_CASE("page cache: memory minus what the job takes") {
  MemoryUse idle, busy;
  busy.gpu_processes = 8;
  busy.workers = 64;
  busy.pinned_batches = gigabytes(2);
  const double difference =
      (page_cache_capacity(gigabytes(512), idle) - page_cache_capacity(gigabytes(512), busy)).base();
  CHECK(difference > 2e9);
  CHECK(page_cache_capacity(gigabytes(512), idle) < gigabytes(512));
  CHECK(page_cache_capacity(gigabytes(16), busy).base() == 0.0);
}
