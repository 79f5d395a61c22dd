// Memory bandwidth of each NUMA node, by threads bound to its cores and arrays bound to its memory.
//
//   memory_copy   bytes copied a second by memcpy (each is read and written once)
//   memory_read   bytes read a second by a sum
//   memory_triad  a[i] = b[i] + s c[i]: 3 x array a second, without the read that a write may cause
//
// Arrays of all threads together are at least four times the last-level caches that they can fill.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>

#include "tools/hostbench/bench.h"
#include "tools/hostbench/machine.h"
#include "tools/measurement/record.h"
#include "tools/measurement/statistics.h"

#if CLUSTERSIM_HWLOC
#include <hwloc.h>
#endif

namespace clustersim::hostbench {

#if CLUSTERSIM_HWLOC

namespace {

constexpr std::int64_t mib = 1024 * 1024;

class Topology {
 public:
  Topology() {
    if (hwloc_topology_init(&topology_) != 0) throw std::runtime_error("hwloc cannot start");
    if (hwloc_topology_load(topology_) != 0) throw std::runtime_error("hwloc cannot read the machine's topology");
  }
  ~Topology() { hwloc_topology_destroy(topology_); }
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;
  hwloc_topology_t get() const { return topology_; }

 private:
  hwloc_topology_t topology_ = nullptr;
};

// An array on one NUMA node.
class Array {
 public:
  Array(hwloc_topology_t topology, hwloc_obj_t node, std::size_t count)
      : topology_(topology),
        bytes_(count * sizeof(double)),
        data_(static_cast<double*>(
            hwloc_alloc_membind(topology, bytes_, node->nodeset, HWLOC_MEMBIND_BIND, HWLOC_MEMBIND_BYNODESET))) {
    if (data_ == nullptr) throw std::runtime_error("no memory of " + std::to_string(bytes_) + " bytes on this node");
  }
  ~Array() { hwloc_free(topology_, data_, bytes_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  double* data() const { return data_; }

 private:
  hwloc_topology_t topology_;
  std::size_t bytes_;
  double* data_;
};

struct Arrays {
  Array a, b, c;
  Arrays(hwloc_topology_t topology, hwloc_obj_t node, std::size_t count)
      : a(topology, node, count), b(topology, node, count), c(topology, node, count) {
    std::fill_n(a.data(), count, 0.0);
    std::fill_n(b.data(), count, 1.0);
    std::fill_n(c.data(), count, 2.0);
  }
};

double sum(const double* data, std::size_t count) {
  double parts[8] = {};
  for (std::size_t i = 0; i + 8 <= count; i += 8) {
    for (std::size_t k = 0; k < 8; ++k) parts[k] += data[i + k];
  }
  double total = 0;
  for (double part : parts) total += part;
  return total;
}

void triad(double* a, const double* b, const double* c, double s, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) a[i] = b[i] + s * c[i];
}

// One pass over a thread's arrays; false if the result is wrong.
bool pass(const std::string& kind, Arrays& arrays, std::size_t count) {
  if (kind == "memory_copy") {
    std::memcpy(arrays.a.data(), arrays.b.data(), count * sizeof(double));
    return arrays.a.data()[count - 1] == 1.0;
  }
  if (kind == "memory_read") return sum(arrays.b.data(), count / 8 * 8) == static_cast<double>(count / 8 * 8);
  triad(arrays.a.data(), arrays.b.data(), arrays.c.data(), 3.0, count);
  return arrays.a.data()[count - 1] == 7.0;
}

// Of the last-level caches that so many threads can fill: one each, as far as there are.
std::int64_t cache_bytes(hwloc_topology_t topology, std::size_t threads) {
  std::int64_t bytes = 0;
  for (hwloc_obj_type_t type : {HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE}) {
    std::int64_t level = 0;
    std::size_t counted = 0;
    for (hwloc_obj_t cache = nullptr;
         counted < threads && (cache = hwloc_get_next_obj_by_type(topology, type, cache)) != nullptr; ++counted) {
      level += static_cast<std::int64_t>(cache->attr->cache.size);
    }
    bytes = std::max(bytes, level);
  }
  return bytes;
}

std::vector<int> cpus_of(hwloc_obj_t node) {
  std::vector<int> cpus;
  for (int cpu : usable_cpus()) {
    if (hwloc_bitmap_isset(node->cpuset, static_cast<unsigned>(cpu)) != 0) cpus.push_back(cpu);
  }
  return one_cpu_a_core(cpus);
}

// Elements of one array of one thread: four times the caches in all, within an eighth of the free memory.
std::size_t elements_a_thread(std::int64_t caches, std::size_t threads) {
  const std::int64_t all = std::max(4 * caches, 256 * mib);
  const std::int64_t free = available_memory_bytes();
  const std::int64_t bounded = free > 0 ? std::min(all, free / 24) : all;
  return std::max<std::size_t>(static_cast<std::size_t>(bounded) / threads / sizeof(double), 1024);
}

std::vector<Record> measure(hwloc_topology_t topology, hwloc_obj_t node, const std::vector<int>& cpus,
                            const Settings& settings) {
  const std::size_t count = elements_a_thread(cache_bytes(topology, cpus.size()), cpus.size());
  std::vector<std::unique_ptr<Arrays>> arrays(cpus.size());
  run_together(cpus, [&](int i) { arrays[i] = std::make_unique<Arrays>(topology, node, count); });
  const double array_bytes = static_cast<double>(count * sizeof(double) * cpus.size());
  std::vector<Record> records;
  for (const auto& [kind, counted] : {std::pair{"memory_copy", 1.0}, {"memory_read", 1.0}, {"memory_triad", 3.0}}) {
    const Parameters parameters = {{"node", static_cast<std::int64_t>(node->os_index)},
                                   {"threads", static_cast<std::int64_t>(cpus.size())},
                                   {"bytes", static_cast<std::int64_t>(array_bytes)}};
    std::vector<double> seconds, shares;
    std::atomic<bool> right = true;
    const double end_s = now_s() + (settings.quick ? 0.25 : 1);
    for (int i = 0; i < 6 || (i < 21 && now_s() < end_s); ++i) {
      check_interrupt();
      const Together together = run_together(cpus, [&, name = std::string(kind)](int index) {
        if (!pass(name, *arrays[index], count)) right = false;
      });
      if (i == 0) continue;  // warms up
      seconds.push_back(together.elapsed_s);
      shares.push_back(together.cpu_share);
    }
    if (!right) {
      records.push_back(measurement::failed(kind, parameters, "the arrays hold a wrong result"));
      continue;
    }
    records.push_back(measurement::measured(kind, parameters, seconds));
    records.back().derived = {{"bytes_per_s", counted * array_bytes / records.back().median}};
    add_cpu_share(records.back(), measurement::quantile(shares, 0.5));
  }
  return records;
}

}  // namespace

std::vector<Record> run_memory(const Settings& settings) {
  const Topology topology;
  std::vector<Record> records;
  for (hwloc_obj_t node = nullptr;
       (node = hwloc_get_next_obj_by_type(topology.get(), HWLOC_OBJ_NUMANODE, node)) != nullptr;) {
    const std::vector<int> cpus = cpus_of(node);
    if (cpus.empty()) continue;  // memory without processors, such as a GPU's
    std::vector<int> counts = {1, static_cast<int>(cpus.size())};
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    for (int count : counts) {
      for (Record& record : measure(topology.get(), node, first_cpus(cpus, count), settings)) {
        records.push_back(std::move(record));
      }
    }
  }
  if (records.empty()) records.push_back(measurement::failed("memory_copy", {}, "no NUMA node has a usable processor"));
  return records;
}

#else

std::vector<Record> run_memory(const Settings&) {
  return {measurement::skipped("memory_copy", {}, "built without hwloc; install libhwloc-dev and build again")};
}

#endif

}  // namespace clustersim::hostbench
