// Reads of one file: sequential in blocks of 1 MiB, random in blocks of 4 and 128 KiB; past the page cache and out of
// it.
//
//   median = seconds a block on one thread;  reads_per_s = threads / median;  bytes_per_s = reads_per_s block_bytes
//
// Sequential threads read a slice each. A virtual disk, or a RAID controller, may have a cache of its own below this.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>

#include "tools/hostbench/bench.h"
#include "tools/hostbench/machine.h"
#include "tools/hostbench/scratch.h"

namespace clustersim::hostbench {
namespace {

constexpr std::int64_t kib = 1024, mib = 1024 * 1024;

struct Pattern {
  bool random;
  std::int64_t block_bytes;
  int threads;
};

constexpr Pattern patterns[] = {{false, mib, 1},     {false, mib, 4},      {true, 4 * kib, 1},   {true, 4 * kib, 8},
                                {true, 4 * kib, 32}, {true, 128 * kib, 1}, {true, 128 * kib, 8}, {true, 128 * kib, 32}};

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

void read_at(int file, void* buffer, std::int64_t bytes, std::int64_t offset) {
  ssize_t got = 0;
  do {
    got = pread(file, buffer, static_cast<std::size_t>(bytes), offset);
  } while (got < 0 && errno == EINTR && !interrupted());
  check_interrupt();
  if (got < 0) throw std::runtime_error(std::string("a read failed: ") + std::strerror(errno));
  if (got != bytes) throw std::runtime_error("a read came back short");
}

// Seconds a block on one thread, over about `seconds`.
double read_round(int file, std::int64_t file_bytes, const Pattern& pattern, unsigned round, double seconds) {
  const std::int64_t blocks = file_bytes / pattern.block_bytes;
  std::atomic<std::int64_t> reads = 0;
  const Together together = run_together(first_cpus(usable_cpus(), pattern.threads), [&](int index) {
    const std::unique_ptr<void, Free> buffer(std::aligned_alloc(4096, static_cast<std::size_t>(pattern.block_bytes)));
    if (!buffer) throw std::runtime_error("no memory for a buffer");
    std::mt19937_64 random(1000 * round + static_cast<unsigned>(index));
    const std::int64_t slice = std::max<std::int64_t>(blocks / pattern.threads, 1);
    // Each round goes on elsewhere in the slice than the last.
    std::int64_t at = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(slice));
    const double end_s = now_s() + seconds;
    std::int64_t count = 0;
    while (now_s() < end_s) {
      const std::int64_t block = pattern.random
                                     ? static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(blocks))
                                     : (index * slice + at++ % slice) % blocks;
      read_at(file, buffer.get(), pattern.block_bytes, block * pattern.block_bytes);
      ++count;
    }
    reads += count;
  });
  return together.elapsed_s * pattern.threads / static_cast<double>(std::max<std::int64_t>(reads, 1));
}

Record measure(int file, const char* access, std::int64_t file_bytes, const Pattern& pattern,
               const Settings& settings) {
  const char* name = pattern.random ? "read_random" : "read_sequential";
  const Parameters parameters = {{"access", std::string(access)},
                                 {"threads", std::int64_t{pattern.threads}},
                                 {"block_bytes", pattern.block_bytes},
                                 {"file_bytes", file_bytes}};
  if (file < 0) return measurement::skipped(name, parameters, "this file system refuses O_DIRECT");
  try {
    unsigned round = 0;
    const auto samples = sample_rounds(settings.quick ? 5 : 9, settings.quick ? 0.05 : 0.15, [&](double seconds) {
      return read_round(file, file_bytes, pattern, round++, seconds);
    });
    Record record = measurement::measured(name, parameters, samples);
    const double reads_per_s = pattern.threads / record.median;
    record.derived = {{"bytes_per_s", reads_per_s * static_cast<double>(pattern.block_bytes)},
                      {"reads_per_s", reads_per_s}};
    if (filesystem_of(settings.directory) == "tmpfs") record.note = "tmpfs: memory, not a disk";
    return record;
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& fault) {
    return measurement::failed(name, parameters, fault.what());
  }
}

// Within an eighth of the free disk and a quarter of the free memory, so that cached reads are cached.
std::int64_t wanted_bytes(const Settings& settings) {
  std::int64_t bytes = (settings.quick ? 256 : 1024) * mib;
  std::error_code error;
  const auto space = std::filesystem::space(settings.directory, error);
  if (!error) bytes = std::min(bytes, static_cast<std::int64_t>(space.available / 8));
  if (const std::int64_t memory = available_memory_bytes(); memory > 0) bytes = std::min(bytes, memory / 4);
  if (bytes < 64 * mib) throw std::runtime_error("less than 512 MiB free in " + settings.directory + " or in memory");
  return bytes;
}

}  // namespace

std::vector<Record> run_disk(const Settings& settings) {
  const ScratchFile file(settings.directory, wanted_bytes(settings), settings.quick ? 4 : 10);
  std::vector<Record> records;
  for (const Pattern& pattern : patterns) {
    records.push_back(measure(file.direct(), "direct", file.bytes(), pattern, settings));
  }
  std::vector<char> block(mib);
  for (std::int64_t at = 0; at < file.bytes(); at += mib) read_at(file.cached(), block.data(), mib, at);
  for (const Pattern& pattern : patterns) {
    records.push_back(measure(file.cached(), "cached", file.bytes(), pattern, settings));
  }
  return records;
}

}  // namespace clustersim::hostbench
