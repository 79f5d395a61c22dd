// Tests that copy: three more formats.
//
// STREAM: "Triad:  363208.7  0.026599 ...", MB/s of 1e6 bytes; and SuperBench's of a GPU, "STREAM_TRIAD_double_gpu_0_
// buffer_N_block_M  7378.19  90.07", GB/s. The triad counts, of several blocks and GPUs each by itself.
// SuperBench's gpu_copy: "cpu_to_gpu0_by_dma_under_numa0 26.2387", "gpu0_to_gpu1_write_by_dma=279.287", GB/s. Copies by
// DMA count, since jobs copy that way; "by_sm" are kernels, "_and_" both ways at once, "gpu0_to_gpu0" a device with
// itself.
// hipBusBandwidth of HIP's samples: "H2D_Bandwidth_pinned  64kB  GB/sec  median mean stddev min max"; the median, kB of
// 1,024 bytes.
// Source: SuperBench's micro-benchmarks; ROCm's hipBusBandwidth. Checked by: tests/sim/measurement_readers_test.cc.

#include <algorithm>

#include "sim/import/measurement_formats.h"
#include "sim/import/measurement_text.h"
#include "sim/import/node_facts.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

// The number of "gpu12"; nothing for another word.
std::optional<int> gpu_of(const std::string& word) {
  return word.starts_with("gpu") ? whole_number(word.substr(3), 4096) : std::nullopt;
}

std::optional<Subject> subject_of(const std::string& name) {
  const std::size_t to = name.find("_to_"), by = name.find("_by_dma");
  if (to == std::string::npos || by == std::string::npos || by < to) return std::nullopt;
  const std::string from = name.substr(0, to);
  std::string target = name.substr(to + 4, by - to - 4);
  target.resize(std::min(target.find('_'), target.size()));  // "gpu1_write"
  const auto a = gpu_of(from), b = gpu_of(target);
  if (from == "cpu" && b) return Subject::host_to_gpu;
  if (a && target == "cpu") return Subject::gpu_to_host;
  if (a && b && *a != *b) return Subject::gpu_pair;
  return std::nullopt;
}

// "4096kB", "+064By".
double bytes_of(const std::string& word) {
  const std::size_t from = word.starts_with("+") ? 1 : 0, end = word.find_first_not_of("0123456789", from);
  if (end == std::string::npos || end == from || end > 12) return 0;
  const double number = number_of(word.substr(from, end - from)).value_or(0);
  const std::string unit = word.substr(end);
  return unit == "kB" ? number * 1024 : unit == "MB" ? number * 1024 * 1024 : unit == "By" ? number : 0;
}

std::optional<Measured> stream_row(const std::vector<std::string>& words, double threads) {
  if (words.size() < 2) return std::nullopt;
  const auto rate = number_of(words[1]);
  Measured measured;
  measured.how = "triad";
  if (rate && words[0] == "Triad:") {
    measured.subject = Subject::host_memory;
    measured.value = *rate * 1e6;
    measured.streams = threads;
    return measured;
  }
  if (!rate || !words[0].starts_with("STREAM_TRIAD_")) return std::nullopt;
  measured.subject = Subject::gpu_memory;
  measured.value = *rate * 1e9;
  const std::size_t at = words[0].find("_buffer_");
  if (at != std::string::npos)
    measured.bytes = number_of(words[0].substr(at + 8, words[0].find('_', at + 8) - at - 8)).value_or(0);
  measured.bytes = std::clamp(measured.bytes, 0.0, 1e15);
  return measured;
}

}  // namespace

bool is_stream(const std::string& text) {
  return (contains(text, "Triad:") && contains(text, "Best Rate MB/s")) || contains(text, "STREAM_TRIAD_");
}

void read_stream(const std::string& text, const ReaderOptions&, MeasuredFile& out) {
  out.program = "STREAM";
  double threads = 1;
  int number = 0;
  for (const std::string& raw : lines_of(text)) {
    ++number;
    const std::string line = trimmed(without_prefix(raw));
    const auto words = words_of(line);
    if (line.starts_with("Number of Threads") && !words.empty())
      threads = std::clamp(number_of(words.back()).value_or(1), 1.0, 1e6);
    if (line.starts_with("Device ") && out.gpu.empty() && std::count(line.begin(), line.end(), '"') == 2)
      out.gpu = line.substr(line.find('"') + 1, line.rfind('"') - line.find('"') - 1);
    auto measured = stream_row(words, threads);
    if (!measured) continue;
    measured->line = number;
    out.add(*measured);
  }
  if (out.values.empty()) out.warn(0, "no triad");
  if (!out.values.empty() && out.values.front().subject == Subject::host_memory)
    out.warn(0, "the rate is that of all sockets it ran on; a scenario's cpu is one socket");
}

bool is_copy_test(const std::string& text) {
  return (contains(text, "_by_dma") && contains(text, "cpu_to_gpu")) ||
         (contains(text, "_Bandwidth_pinned") && contains(text, "GB/sec"));
}

void read_copy_test(const std::string& text, const ReaderOptions&, MeasuredFile& out) {
  out.program = contains(text, "_Bandwidth_pinned") ? "hipBusBandwidth" : "gpu_copy of SuperBench";
  int number = 0;
  for (std::string line : lines_of(text)) {
    ++number;
    line = without_prefix(line);
    for (char& c : line)
      if (c == '=') c = ' ';
    const auto words = words_of(line);
    Measured measured;
    measured.line = number;
    if (words.size() == 2) {
      const auto subject = subject_of(words[0]);
      const auto rate = number_of(words[1]);
      if (!subject || !rate) continue;
      measured.subject = *subject;
      measured.value = *rate * 1e9;
      measured.how = "DMA";
    } else if (words.size() >= 4 && words[2] == "GB/sec" && words[0].ends_with("_Bandwidth_pinned")) {
      const bool down = words[0].starts_with("H2D"), up = words[0].starts_with("D2H");
      const auto median = number_of(words[3]);
      if ((!down && !up) || !median) continue;
      measured.subject = down ? Subject::host_to_gpu : Subject::gpu_to_host;
      measured.value = *median * 1e9;
      measured.bytes = bytes_of(words[1]);
      measured.how = "pinned";
    } else {
      continue;
    }
    out.add(measured);
  }
  if (out.values.empty()) out.warn(0, "no copy between host and GPU or between GPUs by DMA");
}

}  // namespace clustersim
