// How fast samples leave a storage array, a set of storage servers and the caches in front of them.
//
// Records (read in sequence, read-ahead keeps the queue full): rate = min(n * BW * e, copy cap)
// Files (one open and one random read a sample), a closed system of q readers:
//   rate = S * min( n / t_dev, q / t_read )
//   t_dev  = 1/IOPS + max(0, S - 4 KiB)/BW     occupancy of one device (an IOPS figure includes moving its 4 KiB)
//   t_read = t_open + t_latency + S/BW_stream  what one reader waits for one sample on an idle system
// n: devices that serve reads; BW, IOPS: of one device (B/s, 1/s); e: sequential efficiency of the RAID level;
// S: bytes of a sample; q: readers with one request each; BW_stream: B/s that one reader can get.
// Servers: all together n * min(tier, port * protocol * client share); one node at most its own ports * protocol
// and q * (single stream).
//
// Page cache, LRU, holding a share c of what a node draws from, every sample drawn once an epoch in a new order:
//   h = c + (1 - c) ln(1 - c)
// Cache without eviction: h = c. The first epoch finds neither filled.
// With N nodes that share one reshuffle, a sample comes back to a node after k epochs with chance (1/N)(1-1/N)^(k-1),
// and hits when the share of the data not touched in between is at least 1 - c; N = 1 gives the law above, large N
// gives h = c.
//
// Assumes: devices of Raid::none each hold a part of the data and are read together; samples are spread evenly; no
// other job on the servers. Does not cover metadata servers' own limits, mmap, O_DIRECT, hash-skewed placement.
// Source: the LRU law is derived above (the gap between two reads of a sample in two random orders); device numbers
// come from the catalog.
// Checked by: tests/models/storage_tier_test.cc. The hit law meets a simulated cache; the
// copy cap is fitted on the one claim that its test repeats; rates of files and latency under load are not validated.
#pragma once

#include <optional>

#include "clustersim/scenario.h"
#include "clustersim/units.h"

namespace clustersim {

struct ReadPattern {
  Container container = Container::record;
  Bytes sample;        // stored size
  double readers = 1;  // requests outstanding on one node
};

// Of an array inside a node; every RAID level reads from all its devices. Zero devices give zero.
Bandwidth array_read_rate(const StorageArray& array, const ReadPattern& pattern);

// What one reader waits for one sample on an idle tier. Zero for records: read-ahead hides it.
Time read_wait(const StorageSpec& tier, const ReadPattern& pattern);

// All servers together, for all nodes: `pattern.readers` counts the readers of all nodes.
Bandwidth servers_read_rate(const SharedStorage& storage, const ReadPattern& pattern);

// The most one node can draw from the servers, whatever they could give. `nic` and `nics`: of the node.
Bandwidth client_read_rate(const SharedStorage& storage, const NicSpec& nic, int nics,
                           std::optional<Bandwidth> single_flow_cap, const ReadPattern& pattern);

// Share of samples found in an LRU cache in steady state. cached_share: capacity over the data a node draws from;
// values outside 0..1 are clamped. nodes: how many share one reshuffle of that data (1: the node has it to itself).
double lru_hit_share(double cached_share, int nodes = 1);

// Share of samples found in a cache that never evicts.
double static_hit_share(double cached_share);

// Memory of a node left for the page cache beside a job's processes, loader workers and pinned batches.
struct MemoryUse {
  int gpu_processes = 0;
  double workers = 0;  // loader processes with a heap of their own
  Bytes pinned_batches;
};
Bytes page_cache_capacity(Bytes node_memory, const MemoryUse& use);

}  // namespace clustersim
