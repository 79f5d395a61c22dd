#include "sim/calibrate/constants.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

namespace clustersim {
namespace {

struct Sourced {
  const Measured* measured;
  const MeasuredFile* file;
};
using Rows = std::vector<Sourced>;
using Wanted = std::function<bool(const Measured&)>;

bool any(const Measured&) { return true; }
bool sustained(const Measured& m) { return m.how == "gemm_sustained"; }

class Collector {
 public:
  Collector(const std::vector<MeasuredFile>& files, const MeasuredParts& parts, std::vector<std::string>& notes)
      : files_(files), parts_(parts), notes_(notes) {}

  std::vector<Constant> run() {
    add_gpu();
    add_slot();
    add_nic();
    add_host();
    add_storage();
    add_notes();
    return std::move(constants_);
  }

 private:
  // The sound values of a subject; the doubtful ones where there are no others; of cached reads last.
  Rows rows(Subject subject, const Wanted& wanted = any) const {
    Rows sound, doubtful;
    for (const MeasuredFile& file : files_)
      for (const Measured& m : file.values)
        if (m.subject == subject && wanted(m))
          (m.confidence == Confidence::high ? sound : doubtful).push_back({&m, &file});
    Rows& kept = sound.empty() ? doubtful : sound;
    // The page cache says nothing about a disk that was itself measured, however unsteadily.
    const auto cached = [](const Sourced& row) { return row.measured->how == "cached"; };
    if (!std::all_of(kept.begin(), kept.end(), cached))
      kept.erase(std::remove_if(kept.begin(), kept.end(), cached), kept.end());
    return std::move(kept);
  }

  static std::set<double> sizes(const Rows& rows) {
    std::set<double> out;
    for (const Sourced& row : rows)
      if (row.measured->bytes > 0) out.insert(row.measured->bytes);
    return out;
  }

  Constant constant(const char* part, const char* key, std::optional<Dimension> dimension, const Rows& rows) const {
    Constant c{part, key, 0, dimension, {}, "", "", "", ""};
    std::vector<const MeasuredFile*> files;
    std::map<std::string, std::pair<int, int>> lines;
    for (const Sourced& row : rows) {
      if (std::find(files.begin(), files.end(), row.file) == files.end()) files.push_back(row.file);
      auto [found, first] = lines.try_emplace(base_name(row.file->file), row.measured->line, row.measured->line);
      found->second.first = std::min(found->second.first, row.measured->line);
      found->second.second = std::max(found->second.second, row.measured->line);
    }
    c.source = source_text(files);
    for (const auto& [name, range] : lines)
      c.where +=
          (c.where.empty() ? "" : "; ") + name + ", line" +
          (range.first == range.second ? " " + std::to_string(range.first)
                                       : "s " + std::to_string(range.first) + " to " + std::to_string(range.second));
    if (rows.front().measured->confidence == Confidence::low)
      c.doubt = "a single quick, cached, noisy or disturbed measurement: " + rows.front().measured->how;
    return c;
  }

  // Median; the abscissa is the size or the number of streams.
  static void set_middle(Constant& c, const Rows& rows, bool by_streams) {
    std::vector<double> at, values;
    for (const Sourced& row : rows) {
      at.push_back(by_streams ? row.measured->streams : row.measured->bytes);
      values.push_back(row.measured->value);
    }
    const Middle middle = middle_of(at, values);
    c.value = middle.value;
    c.quality = middle.quality;
    c.swept = by_streams ? "streams" : middle.quality.to > 0 ? "B" : "";
  }

  void add_middle(const char* part, const char* key, Dimension dimension, const Rows& rows, bool by_streams = false) {
    if (rows.empty()) return;
    Constant c = constant(part, key, dimension, rows);
    set_middle(c, rows, by_streams);
    constants_.push_back(std::move(c));
  }

  // A rate from a sweep of sizes, or the median at the largest.
  std::optional<Constant> rate(const char* part, const char* key, const Rows& rows) const {
    if (rows.empty()) return std::nullopt;
    Constant c = constant(part, key, Dimension::bandwidth, rows);
    const std::set<double> swept = sizes(rows);
    if (swept.size() >= 3) {
      std::vector<TimedSize> sweep;
      for (const Sourced& row : rows)
        if (row.measured->bytes > 0) sweep.push_back({row.measured->bytes, row.measured->bytes / row.measured->value});
      if (const auto fit = fit_rate(sweep)) {
        c.value = fit->per_s;
        c.quality = fit->quality;
        c.swept = "B";
        return c;
      }
    }
    const double largest = swept.empty() ? 0 : *swept.rbegin();
    Rows top;
    for (const Sourced& row : rows)
      if (row.measured->bytes >= 0.5 * largest) top.push_back(row);
    set_middle(c, top, false);
    return c;
  }

  // Rows of the number of streams with the best median.
  static Rows best_streams(const Rows& rows) {
    std::map<double, Rows> by_streams;
    for (const Sourced& row : rows) by_streams[row.measured->streams].push_back(row);
    const Rows* best = nullptr;
    double most = 0;
    for (const auto& [streams, group] : by_streams) {
      std::vector<double> values;
      for (const Sourced& row : group) values.push_back(row.measured->value);
      if (best != nullptr && median_of(values) <= most) continue;
      most = median_of(values);
      best = &group;
    }
    return best == nullptr ? Rows{} : *best;
  }

  void add_best(const char* part, const char* key, std::optional<Dimension> dimension, const Rows& all) {
    const Rows best = best_streams(all);
    if (best.empty()) return;
    Constant c = constant(part, key, dimension, best);
    set_middle(c, best, true);
    constants_.push_back(std::move(c));
  }

  void add_gpu() {
    constexpr double beyond_cache = 4;  // working set over L2
    const double l2 = parts_.gpu.l2_cache.base() > 0 ? parts_.gpu.l2_cache.base() : 64e6;
    const auto streams = [&](const Measured& m) {
      if (m.how == "stream_read") return false;  // a read alone is faster than what kernels do
      return !m.how.starts_with("stream_") || m.streams > beyond_cache * l2;
    };
    if (auto c = rate("gpu", "measured_stream", rows(Subject::gpu_memory, streams)))
      constants_.push_back(std::move(*c));
    add_middle("gpu", "launch_gap", Dimension::time, rows(Subject::gpu_launch_gap));
    add_middle("gpu", "graph_gap", Dimension::time, rows(Subject::gpu_graph_gap));
    // The two 16-bit formats run alike: what was sustained in one says more than short products in the other.
    const bool bf16 = !rows(Subject::matmul_bf16, sustained).empty() ||
                      (rows(Subject::matmul_fp16, sustained).empty() && !rows(Subject::matmul_bf16).empty());
    add_product("measured_matmul_bf16", bf16 ? Subject::matmul_bf16 : Subject::matmul_fp16);
    add_product("measured_matmul_fp8", Subject::matmul_fp8);
    add_product("measured_matmul_tf32", Subject::matmul_tf32);
    add_product("measured_matmul_fp32", Subject::matmul_fp32);
  }

  // What a sustained product reached; else the best shape of a sweep, which is a guess under load.
  void add_product(const char* key, Subject subject) {
    const Rows settled = rows(subject, sustained);
    if (!settled.empty()) {
      add_middle("gpu", key, Dimension::flop_rate, settled);
      return;
    }
    const Rows all = rows(subject);
    if (all.empty()) return;
    const Sourced best = *std::max_element(all.begin(), all.end(), [](const Sourced& a, const Sourced& b) {
      return a.measured->value < b.measured->value;
    });
    add_middle("gpu", key, Dimension::flop_rate, {best});
    constants_.back().doubt =
        "the best of " + std::to_string(all.size()) + " short products; under load it may be less";
    constants_.back().swept = "";
  }

  // Both directions of the slot; the slower one counts.
  void add_slot() {
    const auto down = rate("pcie", "achievable", rows(Subject::host_to_gpu));
    const auto up = rate("pcie", "achievable", rows(Subject::gpu_to_host));
    if (down || up) add_slower(!up || (down && down->value < up->value) ? *down : *up);
    const Rows pairs = rows(Subject::gpu_pair);
    if (pairs.empty()) return;
    if (parts_.gpu.id.empty() || parts_.gpu.nvlink_generation) {
      std::vector<double> at(pairs.size(), 0), values;
      for (const Sourced& row : pairs) values.push_back(row.measured->value);
      const Middle middle = middle_of(at, values);
      notes_.push_back("GPU to GPU: median " + format_quantity(middle.value, Dimension::bandwidth, "GB/s") + " of " +
                       std::to_string(pairs.size()) + " copies" +
                       (parts_.gpu.id.empty() ? "; no key: say which GPU it is (--base), PCIe or NVLink carried them"
                                              : "; no key: collectives over NVLink are calibrated by nccl-tests"));
      return;
    }
    add_middle("pcie", "achievable_p2p", Dimension::bandwidth, pairs);
  }

  // Chips of one package (GH200) copy over NVLink-C2C, which no slot is.
  void add_slower(const Constant& slot) {
    constexpr double widest = 256e9 / 2;  // 16 lanes of 64 GT/s, before coding [published: PCI Express 6.0]
    if (slot.value <= widest)
      constants_.push_back(slot);
    else
      notes_.push_back("host to GPU: " + format_quantity(slot.value, Dimension::bandwidth, "GB/s") +
                       " is more than any PCIe slot carries: NVLink-C2C, which has no key");
  }

  void add_efficiency(const char* key, const Rows& all) {
    if (all.empty()) return;
    Rows large;
    const std::set<double> swept = sizes(all);
    constexpr double plateau = 1048576;  // below it messages still cost more than their bytes
    const double least = swept.empty() ? 0 : std::min(plateau, *swept.rbegin());
    for (const Sourced& row : all)
      if (row.measured->bytes >= least || row.measured->bytes == 0) large.push_back(row);
    const Rows best = best_streams(large);
    Constant c = constant("nic", key, std::nullopt, best);
    set_middle(c, best, false);
    const double line = parts_.nic.line_rate.base();
    if (!(line > 0)) {
      notes_.push_back(std::string(subject_name(all.front().measured->subject)) + ": " +
                       format_quantity(c.value, Dimension::bandwidth, "Gbit/s") + "; " + key +
                       " is a share of the line rate: name the card, such as --base ib-hdr");
      return;
    }
    if (c.value > 1.02 * line) {
      notes_.push_back(std::string(subject_name(all.front().measured->subject)) + ": " +
                       format_quantity(c.value, Dimension::bandwidth, "Gbit/s") + " is above the " +
                       format_quantity(line, Dimension::bandwidth, "Gbit/s") +
                       " of the card: a loopback, or another card; left out");
      return;
    }
    c.value = std::min(1.0, c.value / line);
    constants_.push_back(std::move(c));
  }

  void add_nic() {
    const auto on_host = [](const Measured& m) { return !m.how.ends_with("GPU memory"); };
    const Rows host = rows(Subject::rdma_rate, on_host);
    add_efficiency("rdma_efficiency", host.empty() ? rows(Subject::rdma_rate) : host);
    constexpr double small = 64;
    const Rows latency = rows(Subject::rdma_latency, [](const Measured& m) { return m.bytes <= small; });
    add_middle("nic", "rdma_latency", Dimension::time, latency.empty() ? rows(Subject::rdma_latency) : latency);
    add_middle("nic", "tcp_single_stream", Dimension::bandwidth,
               rows(Subject::tcp_rate, [](const Measured& m) { return m.streams < 2; }));
    add_efficiency("tcp_efficiency", rows(Subject::tcp_rate, [](const Measured& m) { return m.streams >= 2; }));
  }

  void add_host() {
    add_best("cpu", "memory_bandwidth", Dimension::bandwidth, rows(Subject::host_memory));
    // All cores busy: the most threads.
    const Rows decode = rows(Subject::decode_per_core);
    double threads = 0;
    for (const Sourced& row : decode) threads = std::max(threads, row.measured->streams);
    const Rows busy = rows(Subject::decode_per_core, [&](const Measured& m) { return m.streams >= threads; });
    if (busy.empty()) return;
    Constant c = constant("cpu", "loader_images_per_core_s", std::nullopt, busy);
    set_middle(c, busy, true);
    if (c.doubt.empty())
      c.doubt = "decoding alone: a loader also crops, resizes and collates, so this is an upper bound";
    constants_.push_back(std::move(c));
  }

  void add_storage() {
    add_best("storage", "read", Dimension::bandwidth, rows(Subject::storage_read));
    add_best("storage", "write", Dimension::bandwidth, rows(Subject::storage_write));
    constexpr double most_block = 16384;  // operations a second, and their latency, are of 4 KiB
    const auto small = [](const Measured& m) { return m.bytes <= most_block; };
    add_best("storage", "read_iops", std::nullopt, rows(Subject::storage_read_iops, small));
    add_best("storage", "write_iops", std::nullopt, rows(Subject::storage_write_iops, small));
    add_middle("storage", "read_latency", Dimension::time, rows(Subject::storage_read_latency, small));
    add_middle("storage", "write_latency", Dimension::time, rows(Subject::storage_write_latency, small));
    add_middle("storage", "open_latency", Dimension::time,
               rows(Subject::file_open, [](const Measured& m) { return m.streams < 2; }));
  }

  // Subjects without a key: shown, so that nobody thinks that they were used.
  void add_notes() {
    for (const Subject subject :
         {Subject::udp_rate, Subject::gpu_pair_both, Subject::gpu_pair_no_access, Subject::gpu_pair_latency,
          Subject::host_copy, Subject::loopback_rate, Subject::loopback_round_trip}) {
      const Rows found = best_streams(rows(subject));
      if (found.empty()) continue;
      std::vector<double> values;
      for (const Sourced& row : found) values.push_back(row.measured->value);
      const bool latency = std::string(subject_unit(subject)) == "s";
      notes_.push_back(std::string(subject_name(subject)) + ": " +
                       format_quantity(median_of(values), latency ? Dimension::time : Dimension::bandwidth,
                                       latency ? "us" : "GB/s") +
                       "; no key of a scenario is of it");
    }
  }

  const std::vector<MeasuredFile>& files_;
  const MeasuredParts& parts_;
  std::vector<std::string>& notes_;
  std::vector<Constant> constants_;
};

}  // namespace

std::string base_name(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string source_text(const std::vector<const MeasuredFile*>& files) {
  std::vector<std::string> said;
  for (const MeasuredFile* file : files) {
    const std::string text = file->program + (file->date.empty() ? "" : ", " + file->date);
    if (std::find(said.begin(), said.end(), text) == said.end()) said.push_back(text);
  }
  std::string out = "measured";
  for (const std::string& text : said) out += (text == said.front() ? ", " : "; ") + text;
  return out;
}

std::vector<Constant> constants_of(const std::vector<MeasuredFile>& files, const MeasuredParts& parts,
                                   std::vector<std::string>& notes) {
  return Collector(files, parts, notes).run();
}

}  // namespace clustersim
