#include "sim/import/inventory.h"

#include <algorithm>
#include <iterator>

#include "clustersim/error.h"
#include "sim/import/product_names.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

struct Format {
  bool (*is)(const std::string& text);
  Inventory (*read)(const std::string& text, const std::string& path);
};
constexpr Format kFormats[] = {
    {is_slurm_nodes, read_slurm_nodes},
    {is_machine_table, read_machine_table},
    {is_simai_topology, read_simai_topology},
};

// "nvidia_a100" as words; "V100M32", as Alibaba writes 32 GB of memory.
std::string product_name(const std::string& written) {
  std::string name = written;
  std::replace(name.begin(), name.end(), '_', ' ');
  const std::size_t m = name.find_last_of('M');
  const bool memory = m != std::string::npos && m > 0 && m + 1 < name.size() && name[m - 1] >= '0' &&
                      name[m - 1] <= '9' && name.find_first_not_of("0123456789", m + 1) == std::string::npos;
  return memory ? name.substr(0, m) + " " + name.substr(m + 1) + "GB" : name;
}

NodePart part_of(const NodeKind& kind) {
  NodePart part;
  part.name = product_name(kind.gpu);
  part.memory_bytes = kind.gpu_memory_bytes;
  return part;
}

std::string count_of(long long n, const std::string& thing) {
  return std::to_string(n) + " " + thing + (n == 1 ? "" : "s");
}

// "4392 GPUs \"G2\": 549 nodes of 8"
std::vector<std::string> lines_by_name(const std::vector<NodeKind>& kinds) {
  std::vector<std::string> names, lines;
  for (const NodeKind& kind : kinds)
    if (std::find(names.begin(), names.end(), kind.gpu) == names.end()) names.push_back(kind.gpu);
  for (const std::string& name : names) {
    long long gpus = 0;
    std::string nodes;
    for (const NodeKind& kind : kinds) {
      if (kind.gpu != name) continue;
      gpus += static_cast<long long>(kind.nodes) * kind.gpus;
      nodes += (nodes.empty() ? "" : ", ") + count_of(kind.nodes, "node") + " of " + std::to_string(kind.gpus);
    }
    lines.push_back(count_of(gpus, "GPU") + (name.empty() ? " without a name" : " " + shown(name)) + ": " + nodes);
  }
  return lines;
}

}  // namespace

long long Inventory::nodes() const {
  long long sum = 0;
  for (const NodeKind& kind : kinds) sum += kind.nodes;
  return sum;
}

long long Inventory::gpus() const {
  long long sum = 0;
  for (const NodeKind& kind : kinds) sum += static_cast<long long>(kind.nodes) * kind.gpus;
  return sum;
}

bool NodeCounter::add(long long nodes, long long gpus, const std::string& gpu, std::optional<double> gpu_memory_bytes,
                      std::optional<double> memory_bytes) {
  constexpr std::size_t longest_name = 80;
  const auto key = std::make_pair(gpu.substr(0, longest_name), static_cast<int>(std::clamp(gpus, 0LL, 100000LL)));
  const bool fits = nodes > 0 && nodes <= kMostNodes - nodes_ && gpus >= 0 && gpus <= kMostGpus &&
                    (gpus == 0 || kinds_.count(key) > 0 || kinds_.size() < kMostKinds);
  if (!fits) {
    left_out_ += std::clamp(nodes, 1LL, kMostNodes);
    return false;
  }
  nodes_ += nodes;
  if (gpus == 0) {
    without_gpus_ += nodes;
    return true;
  }
  const bool first = kinds_.count(key) == 0;
  NodeKind& kind = kinds_[key];
  kind.gpu = key.first;
  kind.gpus = key.second;
  kind.nodes += static_cast<int>(nodes);
  if (first) {
    kind.gpu_memory_bytes = gpu_memory_bytes;
    kind.memory_bytes = memory_bytes;
  }
  if (kind.gpu_memory_bytes != gpu_memory_bytes) kind.gpu_memory_bytes.reset();
  if (kind.memory_bytes != memory_bytes) {
    memory_differs_[key] = true;
    kind.memory_bytes.reset();
  }
  return true;
}

void NodeCounter::fill(Inventory& out, const std::string& path) const {
  for (const auto& [key, kind] : kinds_) out.kinds.push_back(kind);
  if (out.kinds.empty())
    throw InputError(
        {{path, "", "nodes with GPUs", without_gpus_ > 0 ? count_of(without_gpus_, "node") + " without" : "none",
          out.warnings.empty() ? "" : out.warnings.front()}});
  std::stable_sort(out.kinds.begin(), out.kinds.end(), [](const NodeKind& a, const NodeKind& b) {
    return static_cast<long long>(a.nodes) * a.gpus > static_cast<long long>(b.nodes) * b.gpus;
  });
  out.without_gpus = static_cast<int>(without_gpus_);
  std::vector<std::string> lines = lines_by_name(out.kinds);
  if (out.nodes_told)
    lines.insert(lines.begin(), count_of(out.nodes(), "node") + " with " + count_of(out.gpus(), "GPU") + " together");
  if (without_gpus_ > 0) lines.push_back(count_of(without_gpus_, "node") + " without a GPU: left out");
  out.known.insert(out.known.begin(), lines.begin(), lines.end());
  if (!memory_differs_.empty())
    out.unknown.push_back("memory of a node: nodes that are alike else have different ones");
  if (left_out_ > 0)
    out.warnings.push_back(count_of(left_out_, "node") + " left out: more than " + std::to_string(kMostKinds) +
                           " kinds or " + std::to_string(kMostNodes) + " nodes, or numbers that no node has");
}

bool is_inventory(const std::string& text) {
  return std::any_of(std::begin(kFormats), std::end(kFormats), [&](const Format& format) { return format.is(text); });
}

Inventory read_inventory(const std::string& text, const std::string& path) {
  for (const Format& format : kFormats)
    if (format.is(text)) return format.read(text, path);
  throw InputError({{path, "", "a list of nodes", shown(text), ""}});
}

std::string gpu_id_of(const Catalog& catalog, const NodeKind& kind) {
  return kind.gpu.empty() ? "" : gpu_id_of(catalog, part_of(kind));
}

std::string near_gpu(const Catalog& catalog, const NodeKind& kind) {
  constexpr std::size_t shortest = 3;  // "G2" of a list that hides names is near to nothing
  return kind.gpu.size() < shortest ? "" : near_gpu(catalog, product_name(kind.gpu));
}

}  // namespace clustersim
