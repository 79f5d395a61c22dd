#include "sim/import/dcgm.h"

#include <algorithm>
#include <map>
#include <set>

#include "sim/import/measurement_text.h"
#include "sim/import/text_source.h"
#include "sim/write/readable.h"

namespace clustersim {
namespace {

constexpr double kMiB = 1048576;
constexpr std::size_t kMostGpus = 1024, kMostLabels = 64;

struct Sample {
  std::string metric;  // without "DCGM_FI_", "DEV_SM_CLOCK"
  std::map<std::string, std::string> labels;
  std::optional<double> value;  // empty: a blank
};

// The largest values of 32 and 64 bits but sixteen: blank, not found, not supported, no permission.
bool is_blank(double value) { return value >= 9.2233720368547757e18 || (value >= 2147483632 && value <= 2147483647); }

std::optional<Sample> sample_of(const std::string& line) {
  constexpr const char* prefix = "DCGM_FI_";
  if (!line.starts_with(prefix)) return std::nullopt;
  const std::size_t open = line.find('{');
  if (open == std::string::npos) return std::nullopt;
  Sample sample;
  sample.metric = line.substr(8, open - 8);
  std::size_t at = open + 1;
  while (at < line.size() && line[at] != '}') {
    const std::size_t equals = line.find("=\"", at);
    if (equals == std::string::npos || sample.labels.size() >= kMostLabels) return std::nullopt;
    std::string value;
    std::size_t end = equals + 2;
    for (; end < line.size() && line[end] != '"'; ++end) {
      if (line[end] == '\\' && end + 1 < line.size()) ++end;
      value += line[end];
    }
    if (end >= line.size()) return std::nullopt;
    sample.labels[lower_case(trimmed(line.substr(at, equals - at)))] = value;
    at = line.find_first_not_of(", ", end + 1);
  }
  if (at >= line.size()) return std::nullopt;
  const std::vector<std::string> words = words_of(line.substr(at + 1));
  if (words.empty()) return std::nullopt;
  const auto value = number_of(words[0]);
  if (!value) return std::nullopt;
  if (!is_blank(*value)) sample.value = value;
  return sample;
}

struct Gpu {
  NodePart part;
  std::map<std::string, double> values;
};

class Reader {
 public:
  std::map<std::string, Gpu> gpus;  // by the label gpu
  std::set<std::string> hosts, blanks;
  int slices = 0;

  void add(const Sample& sample) {
    const auto label = [&](const char* name) {
      const auto found = sample.labels.find(name);
      return found == sample.labels.end() ? std::string() : found->second;
    };
    const std::string number = label("gpu");
    if (!whole_number(number, 4096)) return;
    if (!label("hostname").empty()) hosts.insert(label("hostname"));
    if (first_host_.empty()) first_host_ = label("hostname");
    if (label("hostname") != first_host_) return;
    if (!label("gpu_i_id").empty()) {
      ++slices;
      return;
    }
    if (gpus.size() >= kMostGpus && gpus.count(number) == 0) return;
    Gpu& gpu = gpus[number];
    gpu.part.kind = PartKind::gpu;
    gpu.part.number = whole_number(number, 4096);
    if (gpu.part.name.empty()) gpu.part.name = label("modelname").substr(0, 100);
    if (gpu.part.bus_id.empty()) gpu.part.bus_id = bus_id_of(label("pci_bus_id"));
    if (!sample.value)
      blanks.insert(sample.metric);
    else if (gpu.values.size() < 1000)
      gpu.values[sample.metric] = *sample.value;
  }

 private:
  std::string first_host_;
};

std::optional<double> value_of(const Gpu& gpu, const char* metric, double least, double most) {
  const auto found = gpu.values.find(metric);
  if (found == gpu.values.end() || found->second < least || found->second > most) return std::nullopt;
  return found->second;
}

// "SM clock 210 to 1980 MHz", nothing where no GPU tells it.
void say_range(const Reader& reader, const char* metric, const std::string& what, const std::string& unit, double most,
               double factor, std::vector<std::string>& out) {
  std::optional<double> low, high;
  for (const auto& [number, gpu] : reader.gpus) {
    const auto value = value_of(gpu, metric, 0, most);
    if (!value) continue;
    low = std::min(low.value_or(*value), *value);
    high = std::max(high.value_or(*value), *value);
  }
  if (!low) return;
  const std::string to = *high > *low ? rounded(*low * factor) + " to " : "";
  out.push_back(what + " when it was asked: " + to + rounded(*high * factor) + " " + unit);
}

NodePart part_of(const Gpu& gpu) {
  NodePart part = gpu.part;
  constexpr double most_mib = 1e7;
  const auto used = value_of(gpu, "DEV_FB_USED", 0, most_mib), free = value_of(gpu, "DEV_FB_FREE", 0, most_mib);
  if (const auto total = value_of(gpu, "DEV_FB_TOTAL", 1, most_mib))
    part.memory_bytes = *total * kMiB;
  else if (used && free && *used + *free > 0)
    part.memory_bytes = (*used + *free + value_of(gpu, "DEV_FB_RESERVED", 0, most_mib).value_or(0)) * kMiB;
  part.power_limit_w = value_of(gpu, "DEV_POWER_MGMT_LIMIT", 1, 1e5);
  if (const auto clock = value_of(gpu, "DEV_MAX_SM_CLOCK", 1, 1e5)) part.clock_hz = *clock * 1e6;
  return part;
}

}  // namespace

std::optional<NodeFacts> read_dcgm(const std::vector<std::string>& lines, const std::string&) {
  Reader reader;
  for (const std::string& line : lines)
    if (const auto sample = sample_of(trimmed(without_prefix(line)))) reader.add(*sample);
  if (reader.gpus.empty()) return std::nullopt;
  NodeFacts facts;
  facts.format = "DCGM's metrics";
  for (const auto& [number, gpu] : reader.gpus) facts.parts.push_back(part_of(gpu));
  constexpr double percent = 100;
  say_range(reader, "DEV_SM_CLOCK", "SM clock", "MHz", 1e5, 1, facts.remarks);
  say_range(reader, "DEV_POWER_USAGE", "power", "W", 1e5, 1, facts.remarks);
  say_range(reader, "DEV_GPU_UTIL", "time with any kernel", "%", percent, 1, facts.remarks);
  say_range(reader, "PROF_PIPE_TENSOR_ACTIVE", "tensor cores active", "%", 1, percent, facts.remarks);
  say_range(reader, "PROF_DRAM_ACTIVE", "memory active", "%", 1, percent, facts.remarks);
  if (!reader.blanks.empty()) {
    std::string text;
    std::size_t told = 0;
    for (const std::string& metric : reader.blanks)
      if (++told <= 8) text += (text.empty() ? "" : ", ") + shown(metric, 40);
    facts.remarks.push_back("left blank by DCGM, so unknown: " + text + (told > 8 ? ", ..." : ""));
  }
  if (reader.hosts.size() > 1)
    facts.warnings.push_back("GPUs of " + std::to_string(reader.hosts.size()) + " hosts: the first host is read");
  if (reader.slices > 0) facts.warnings.push_back("GPUs with MIG enabled: whole GPUs are simulated");
  return facts;
}

}  // namespace clustersim
