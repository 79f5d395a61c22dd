#include "sim/import/product_names.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "sim/import/device_ids.h"
#include "sim/read/did_you_mean.h"
#include "sim/read/node_links.h"

namespace clustersim {
namespace {

// A product's name in words: what it is, and what only tells its make.
struct Words {
  std::vector<std::string> core;  // sorted
  std::string in_order;           // the same with dashes, "rtx-4080"
  std::string form;               // "sxm", "sxm4", "pcie", ...
  std::string memory_type;        // "hbm3"
  int gigabytes = 0;              // 0: not told
};

bool is_word(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '+'; }

// Lower case, without what stands in parentheses.
std::vector<std::string> split_words(const std::string& name) {
  std::vector<std::string> words;
  std::string word;
  int inside = 0;
  for (char c : name + " ") {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    inside += c == '(';
    if (inside == 0 && is_word(c)) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(word);
      word.clear();
    }
    if (c == ')' && inside > 0) --inside;
  }
  return words;
}

Words words_of(const std::string& name) {
  static const std::vector<std::string> makes = {"nvidia",      "amd",    "intel",       "tesla",
                                                 "geforce",     "radeon", "corporation", "generation",
                                                 "accelerator", "oam",    "instinct"};
  Words words;
  for (const std::string& word : split_words(name)) {
    if (std::find(makes.begin(), makes.end(), word) != makes.end()) continue;
    if (word.starts_with("sxm") || word == "pcie") {
      words.form = word;
    } else if (word.starts_with("hbm")) {
      words.memory_type = word;
    } else if (word.size() > 2 && word.ends_with("gb") && std::atoi(word.c_str()) > 0) {
      words.gigabytes = std::atoi(word.c_str());
    } else {
      words.core.push_back(word);
      words.in_order += (words.in_order.empty() ? "" : "-") + word;
    }
  }
  std::sort(words.core.begin(), words.core.end());
  return words;
}

bool same_form(const std::string& file, const std::string& catalog) {
  return file.empty() || file == catalog || (file == "sxm" && catalog.starts_with("sxm")) ||
         (catalog == "sxm" && file.starts_with("sxm"));
}

// 81559 MiB of "80 GB": drivers report from 91 to 108 % of the round number.
bool same_capacity(double bytes, Bytes memory) {
  const double share = bytes / memory.base();
  return share > 0.89 && share < 1.1;
}

bool agrees(const GpuSpec& gpu, const Words& file, const NodePart& part) {
  const Words catalog = words_of(gpu.name);
  if (catalog.core != file.core || !same_form(file.form, catalog.form)) return false;
  if (file.gigabytes > 0 && std::abs(file.gigabytes * 1e9 - gpu.memory.base()) > 0.5e9) return false;
  if (part.memory_bytes && !same_capacity(*part.memory_bytes, gpu.memory)) return false;
  std::string type = gpu.memory_type;
  for (char& c : type) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return file.memory_type.empty() || file.memory_type == type;
}

std::vector<GpuSpec> all_gpus(const Catalog& catalog) {
  std::vector<Problem> quiet;
  std::vector<GpuSpec> gpus;
  for (const std::string& id : catalog.ids("gpu")) gpus.push_back(catalog.gpu(id, {"", "", quiet}));
  return gpus;
}

// "NVIDIA A100-SXM..." with 40536 MiB: the words that are left begin words of the product's name, the cut one a longer
// one or one that another follows; and the memory must be told and agree.
bool fits_cut_name(const GpuSpec& gpu, const std::string& cut, const NodePart& part) {
  if (!part.memory_bytes || !same_capacity(*part.memory_bytes, gpu.memory)) return false;
  const Words file = words_of(cut), catalog = words_of(gpu.name);
  std::vector<std::string> left = file.core, whole = catalog.core;
  if (!file.form.empty() && !same_form(file.form, catalog.form) && !catalog.form.starts_with(file.form)) return false;
  for (const std::string& word : left) {
    const auto found = std::find_if(whole.begin(), whole.end(), [&](const auto& w) { return w.starts_with(word); });
    if (found == whole.end()) return false;
    whole.erase(found);
  }
  const bool more = !whole.empty() || (file.gigabytes == 0 && catalog.gigabytes > 0);
  return more && !left.empty();
}

std::string gpu_of_cut_name(const Catalog& catalog, const NodePart& part) {
  const std::string cut = part.name.substr(0, part.name.size() - 3);
  std::vector<std::string> found;
  for (const GpuSpec& gpu : all_gpus(catalog))
    if (fits_cut_name(gpu, cut, part)) found.push_back(gpu.id);
  return found.size() == 1 ? found.front() : "";
}

std::string gpu_of_name(const Catalog& catalog, const NodePart& part) {
  if (part.name.ends_with("...")) return gpu_of_cut_name(catalog, part);
  const Words file = words_of(part.name);
  if (file.core.empty()) return "";
  std::vector<std::string> found;
  for (const GpuSpec& gpu : all_gpus(catalog))
    if (agrees(gpu, file, part)) found.push_back(gpu.id);
  return found.size() == 1 ? found.front() : "";
}

bool contains_run(const std::vector<std::string>& words, const std::vector<std::string>& run) {
  return !run.empty() && std::search(words.begin(), words.end(), run.begin(), run.end()) != words.end();
}

}  // namespace

std::string gpu_id_of(const Catalog& catalog, const NodePart& gpu) {
  std::string id;
  if (!gpu.name.empty()) {
    id = gpu_of_name(catalog, gpu);
  } else if (const DeviceId* known = find_device(gpu.device); known != nullptr && catalog.has("gpu", known->gpu)) {
    id = known->gpu;
  }
  return id == "mi250x" ? "mi250x-gcd" : id;  // drivers count its two dies as two GPUs
}

std::string name_of_device(const std::string& device) {
  const DeviceId* known = find_device(device);
  return known == nullptr ? "" : known->name;
}

std::string near_gpu(const Catalog& catalog, const std::string& name) {
  const Words file = words_of(name);
  std::vector<std::string> same, as_large;  // those that form or capacity tells apart, or a word more
  for (const GpuSpec& gpu : all_gpus(catalog)) {
    const std::vector<std::string> core = words_of(gpu.name).core;
    if (!std::includes(file.core.begin(), file.core.end(), core.begin(), core.end())) continue;
    same.push_back(gpu.id);
    if (std::abs(file.gigabytes * 1e9 - gpu.memory.base()) < 0.5e9) as_large.push_back(gpu.id);
  }
  if (!as_large.empty()) same = as_large;
  if (same.empty()) return did_you_mean(file.in_order, catalog.ids("gpu"));
  std::string text;
  for (const std::string& id : same) text += (text.empty() ? "did you mean \"" : " or \"") + id + "\"";
  return text + "?";
}

std::string nic_id_of(const Catalog& catalog, const NodePart& nic) {
  if (!nic.rate_bytes_per_s) return "";
  const std::string kind = nic.efa ? "efa" : nic.infiniband ? "infiniband" : "ethernet";
  std::vector<Problem> quiet;
  std::string found;
  for (const std::string& id : catalog.ids("nic")) {
    const NicSpec spec = catalog.nic(id, {"", "", quiet});
    if (spec.kind == kind && std::abs(spec.line_rate.base() / *nic.rate_bytes_per_s - 1) < 0.02) found = id;
  }
  return found;
}

std::string cpu_id_of(const Catalog& catalog, const std::string& name) {
  std::vector<std::string> file = split_words(name);
  std::erase(file, "cpu");  // "Xeon(R) CPU E5-2698 v4"
  std::vector<Problem> quiet;
  for (const std::string& id : catalog.ids("cpu")) {
    const std::string known = catalog.cpu(id, {"", "", quiet}).name;
    const std::size_t slash = known.find(" / ");  // "Xeon Platinum 8480+ / 8480C"
    std::vector<std::string> words = split_words(known.substr(0, slash));
    if (contains_run(file, words)) return id;
    if (slash == std::string::npos) continue;
    words.back() = split_words(known.substr(slash)).front();
    if (contains_run(file, words)) return id;
  }
  return "";
}

const ProcessorFamily* family_of(const std::string& architecture) {
  // Family and model numbers; AMD's families 17h and 19h as CPUID and as NCCL (143, 175) write them.
  // [published: Linux, arch/x86/include/asm/intel-family.h; AMD processor programming references]
  static constexpr ProcessorFamily kFamilies[] = {
      {"GenuineIntel 6/63", "Haswell", "xeon-e5-2698-v4", "qpi-broadwell"},
      {"GenuineIntel 6/79", "Broadwell", "xeon-e5-2698-v4", "qpi-broadwell"},
      {"GenuineIntel 6/85", "Skylake or Cascade Lake", "xeon-platinum-8168", "upi-skylake"},
      {"GenuineIntel 6/106", "Ice Lake", "xeon-platinum-8358", "upi-icelake"},
      {"GenuineIntel 6/143", "Sapphire Rapids", "xeon-platinum-8480plus-8480c", "upi-spr"},
      {"GenuineIntel 6/207", "Emerald Rapids", "xeon-platinum-8480plus-8480c", "upi-spr"},
      {"AuthenticAMD 143/49", "Rome", "epyc-7742", "xgmi-cpu-rome"},
      {"AuthenticAMD 23/49", "Rome", "epyc-7742", "xgmi-cpu-rome"},
      {"AuthenticAMD 175/1", "Milan", "epyc-7763", "xgmi-cpu-rome"},
      {"AuthenticAMD 25/1", "Milan", "epyc-7763", "xgmi-cpu-rome"},
      {"AuthenticAMD 175/17", "Genoa", "epyc-9654", "xgmi-cpu-genoa"},
      {"AuthenticAMD 25/17", "Genoa", "epyc-9654", "xgmi-cpu-genoa"},
      {"AuthenticAMD 175/160", "Bergamo", "epyc-9654", "xgmi-cpu-genoa"},
      {"AuthenticAMD 25/160", "Bergamo", "epyc-9654", "xgmi-cpu-genoa"},
  };
  for (const ProcessorFamily& family : kFamilies)
    if (architecture == family.numbers) return &family;
  return nullptr;
}

std::string gpu_link_of(const GpuSpec& gpu, std::optional<int> capability) {
  if (const std::string own = own_gpu_link(gpu); !own.empty()) return own;
  if (!gpu.id.empty() || !capability) return "";
  if (*capability >= 100) return "nvlink5";
  if (*capability >= 90) return "nvlink4";
  if (*capability >= 80) return "nvlink3";
  if (*capability >= 70) return "nvlink2";
  return *capability >= 60 ? "nvlink1" : "";
}

}  // namespace clustersim
