// SLURM's nodes: what scontrol and sinfo print, and the files slurm.conf and gres.conf.
//
//   NodeName=n1 ... Gres=gpu:h100:8(S:0-1) GresUsed=gpu:h100:5(IDX:0-4) RealMemory=2000000 CfgTRES=cpu=192,gres/gpu=8
//   NodeName=n[01-16] Gres=gpu:a100:8 RealMemory=1000000          slurm.conf; NodeName=DEFAULT holds for what follows
//   NodeName=n[1-4] Name=gpu Type=a100 File=/dev/nvidia[0-7]      gres.conf; without NodeName it is of each node
//   NODELIST GRES / n[01-16] gpu:h100:8(S:0-1)                    sinfo, with its header or without
// Keys in any case. Gres counts before CfgTRES, whose gres/gpu and gres/gpu:h100 are the same GPUs. A node of several
// partitions counts once where it is named. RealMemory is in MiB.
// Source: SLURM's man pages slurm.conf(5), gres.conf(5), sinfo(1), scontrol(1).
#include <algorithm>
#include <set>

#include "clustersim/error.h"
#include "sim/import/inventory.h"
#include "sim/import/measurement_text.h"
#include "sim/import/node_facts.h"
#include "sim/import/slurm_topology.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

constexpr double kMiB = 1048576;
constexpr std::size_t kMostNames = 200000;

struct Gpus {
  std::string type;  // "" where it is not told
  int count = 0;
};

// At commas outside of brackets and parentheses.
std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : list) {
    depth += (c == '[' || c == '(') - (c == ']' || c == ')');
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

// GPUs of "gpu:h100:8(S:0-1),nic:2", "gpu:8" or "gpu"; empty where the list has none.
std::vector<Gpus> gres_of(const std::string& list) {
  std::vector<Gpus> found;
  for (const std::string& part : parts_of(list)) {
    const std::string text = part.substr(0, part.find('('));
    if (lower_case(text.substr(0, 3)) != "gpu" || (text.size() > 3 && text[3] != ':')) continue;
    Gpus gpus{"", 1};
    for (std::size_t at = 4; at < text.size() + 1;) {
      const std::size_t end = std::min(text.find(':', at), text.size());
      const std::string piece = text.substr(at, end - at);
      if (const auto count = whole_number(piece, 100000))
        gpus.count = *count;
      else if (!piece.empty())
        gpus.type = piece;
      at = end + 1;
    }
    found.push_back(gpus);
  }
  return found;
}

// Of "cpu=192,mem=2T,gres/gpu=8,gres/gpu:h100=8": those with a type where there are some.
std::vector<Gpus> tres_of(const std::string& list) {
  std::vector<Gpus> typed, plain;
  for (const std::string& part : parts_of(list)) {
    const std::string name = lower_case(part.substr(0, part.find('=')));
    const auto count = whole_number(part.substr(std::min(part.size(), part.find('=') + 1)), 100000);
    if (!count || !name.starts_with("gres/gpu")) continue;
    if (name.size() > 9)
      typed.push_back({part.substr(9, part.find('=') - 9), *count});
    else
      plain.push_back({"", *count});
  }
  return typed.empty() ? plain : typed;
}

int sum_of(const std::vector<Gpus>& gpus) {
  int sum = 0;
  for (const Gpus& one : gpus) sum += one.count;
  return sum;
}

struct Record {
  std::vector<Gpus> gres, tres, files;  // files: of gres.conf, line by line
  std::optional<int> used;
  std::optional<double> memory_bytes;
  bool down = false;

  const std::vector<Gpus>& gpus() const { return !gres.empty() ? gres : !files.empty() ? files : tres; }
};

class Reader {
 public:
  std::map<std::string, Record> nodes;
  std::map<std::string, long long> lines_of_many;  // sinfo's "16 gpu:h100:8": nodes without names
  bool of_each_node = false, detects = false, cut = false, odd_links = false;
  int links = 0;

  void line(const std::string& text) {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const std::string& word : words_of(text)) {
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos || equals == 0) continue;
      std::string value = word.substr(equals + 1);
      std::erase(value, '"');
      if (value != "(null)" && value != "N/A") pairs.emplace_back(lower_case(word.substr(0, equals)), value);
    }
    if (pairs.empty()) return;
    const auto value = [&](const char* key) -> std::string {
      for (const auto& [name, text_of] : pairs)
        if (name == key) return text_of;
      return "";
    };
    if (pairs.front().first == "autodetect") detects = true;
    if (!value("nodename").empty()) open(value("nodename"));
    const std::string name = lower_case(value("name"));
    if (!name.empty()) {
      if (name == "gpu") gres_line(value("type"), value("count"), value("file"), value("links"), value("nodename"));
      return;
    }
    for (const auto& [key, text_of] : pairs) set(key, text_of);
  }

  // A row of sinfo: hosts or how many they are, and their GPUs.
  void row(const std::string& hosts, const std::string& gres, const std::string& used, const std::string& memory,
           const std::string& state) {
    if (hosts.find_first_not_of("0123456789") == std::string::npos) {
      if (lines_of_many.size() < 1000) lines_of_many[gres] += whole_number(hosts, 1000000).value_or(0);
      return;
    }
    open(hosts);
    set("gres", gres);
    if (!used.empty()) set("gresused", used);
    if (!memory.empty()) set("realmemory", memory);
    if (!state.empty()) set("state", state);
  }

 private:
  void open(const std::string& list) {
    open_.clear();
    if (list == "DEFAULT") {
      open_.push_back(&default_);
      return;
    }
    const auto names = unfold_hosts(list, std::min(kMostNames, left_));
    if (!names || nodes.size() + names->size() > kMostNames) {
      cut = true;
      return;
    }
    left_ -= names->size();
    for (const std::string& name : *names) open_.push_back(&nodes.try_emplace(name, default_).first->second);
  }

  void set(const std::string& key, const std::string& value) {
    if (open_.empty()) return;
    const auto number = number_of(value.substr(0, value.find('+')));
    const std::vector<Gpus> gpus = key == "gres" || key == "gresused" ? gres_of(value) : tres_of(value);
    for (Record* record : open_) {
      if (key == "gres") record->gres = gpus;
      if (key == "gresused" && value.find("gpu") != std::string::npos) record->used = sum_of(gpus);
      if (key == "cfgtres") record->tres = gpus;
      if (key == "alloctres" && !gpus.empty() && !record->used) record->used = sum_of(gpus);
      if (key == "realmemory" && number && *number > 0 && *number < 1e9) record->memory_bytes = *number * kMiB;
      if (key == "state") {
        const std::string state = lower_case(value);
        for (const char* bad : {"down", "drain", "fail", "maint"})
          record->down = record->down || state.find(bad) != std::string::npos;
      }
    }
  }

  void gres_line(const std::string& type, const std::string& count, const std::string& file, const std::string& link,
                 const std::string& hosts) {
    Gpus gpus{type, 1};
    if (const auto told = whole_number(count, 100000)) {
      gpus.count = *told;
    } else if (const auto devices = unfold_hosts(file, 1024); devices && !devices->empty()) {
      gpus.count = static_cast<int>(devices->size());
    }
    if (hosts.empty()) {
      of_each_node = true;
      open_ = {&nodes["each"]};
    }
    for (Record* record : open_)
      if (record->files.size() < 64) record->files.push_back(gpus);
    int sum = 0;
    bool possible = true;  // -1 stands for the GPU itself
    for (const std::string& one : parts_of(link)) {
      sum += whole_number(one, kMostGpuLinks).value_or(0);
      possible = possible && (one.empty() || one == "-1" || whole_number(one, kMostGpuLinks));
    }
    odd_links = odd_links || !possible || sum > kMostGpuLinks;
    if (possible && sum <= kMostGpuLinks) links = std::max(links, sum);
  }

  std::vector<Record*> open_;
  Record default_;
  std::size_t left_ = 5 * kMostNames;  // names that may still be unfolded, repeated ones too
};

// Lines that a backslash continues are one. "#" begins a remark, but not in what scontrol says of the system
// ("OS=Linux 5.14 #1 SMP").
std::vector<std::string> whole_lines(const std::string& text) {
  std::vector<std::string> whole;
  std::string held;
  for (const std::string& raw : lines_of(text)) {
    std::string line = trimmed(without_prefix(raw));
    const std::size_t remark = line.find('#');
    if (remark == 0 || (remark != std::string::npos && line.substr(0, remark).find("OS=") == std::string::npos))
      line = trimmed(line.substr(0, remark));
    held += held.empty() ? line : " " + line;
    if (held.ends_with("\\")) {
      held.pop_back();
      continue;
    }
    if (!held.empty()) whole.push_back(held);
    held.clear();
  }
  if (!held.empty()) whole.push_back(held);
  return whole;
}

// Where sinfo's columns stand; -1: it has none.
struct SinfoColumns {
  int hosts = -1, nodes = -1, gres = -1, used = -1, memory = -1, state = -1;
  std::size_t width = 0;
};

std::optional<SinfoColumns> sinfo_header(const std::vector<std::string>& words) {
  SinfoColumns columns;
  columns.width = words.size();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const int at = static_cast<int>(i);
    if (words[i] == "NODELIST" || words[i] == "HOSTNAMES" || words[i] == "NODE") columns.hosts = at;
    if (words[i] == "NODES") columns.nodes = at;
    if (words[i] == "GRES") columns.gres = at;
    if (words[i] == "GRES_USED") columns.used = at;
    if (words[i] == "MEMORY") columns.memory = at;
    if (words[i] == "STATE") columns.state = at;
  }
  if (columns.gres < 0 || (columns.hosts < 0 && columns.nodes < 0)) return std::nullopt;
  return columns;
}

// Without a header: "n[01-16] gpu:h100:8", "16 gpu:h100:8(S:0-1)".
std::optional<SinfoColumns> bare_row(const std::vector<std::string>& words) {
  if (words.size() < 2 || words.size() > 4) return std::nullopt;
  SinfoColumns columns;
  columns.width = words.size();
  for (std::size_t i = 1; i < words.size(); ++i)
    if (columns.gres < 0 && words[i].starts_with("gpu:") && sum_of(gres_of(words[i])) > 0)
      columns.gres = static_cast<int>(i);
  if (columns.gres < 0 || words[0].find_first_of("=|,\"") != std::string::npos) return std::nullopt;
  columns.hosts = 0;
  return columns;
}

bool is_key_line(const std::string& line) {
  const std::string text = lower_case(line);
  const bool node = text.starts_with("nodename=");
  const auto has = [&](const char* key) { return text.find(key) != std::string::npos; };
  if (node && (has(" gres=") || has(" arch=") || has(" realmemory=") || has(" cputot=") || has(" cpus=") ||
               has(" sockets=") || has(" name=gpu")))
    return true;
  return text.starts_with("name=gpu") || text.starts_with("autodetect=");
}

void say_use(const Reader& reader, Inventory& out) {
  long long used = 0, down = 0;
  bool told = false;
  for (const auto& [name, record] : reader.nodes) {
    used += record.used.value_or(0);
    told = told || record.used;
    down += record.down && !record.gpus().empty();
  }
  if (told) out.known.push_back(std::to_string(used) + " of the GPUs are in use");
  if (down > 0)
    out.warnings.push_back(std::to_string(down) +
                           " nodes are down, drained or in maintenance: they count all the same");
}

}  // namespace

bool is_slurm_nodes(const std::string& text) {
  for (const std::string& line : whole_lines(text)) {
    if (is_key_line(line)) return true;
    const std::vector<std::string> words = words_of(line);
    if (sinfo_header(words) || bare_row(words)) return true;
  }
  return false;
}

Inventory read_slurm_nodes(const std::string& text, const std::string& path) {
  Reader reader;
  std::optional<SinfoColumns> columns;
  bool partitions = false;
  for (const std::string& line : whole_lines(text)) {
    const std::vector<std::string> words = words_of(line);
    if (auto header = sinfo_header(words)) {
      columns = header;
      partitions = std::find(words.begin(), words.end(), "PARTITION") != words.end();
      continue;
    }
    const auto bare = columns && words.size() == columns->width ? columns : bare_row(words);
    if (!bare) {
      reader.line(line);
      continue;
    }
    const auto cell = [&](int at) { return at < 0 ? "" : words[static_cast<std::size_t>(at)]; };
    reader.row(cell(bare->hosts >= 0 ? bare->hosts : bare->nodes), cell(bare->gres), cell(bare->used),
               cell(bare->memory), cell(bare->state));
  }
  Inventory out;
  out.format = "SLURM's nodes";
  out.nodes_told = !reader.of_each_node;
  NodeCounter counter;
  const auto count = [&](long long nodes, const std::vector<Gpus>& gpus, std::optional<double> memory) {
    std::set<std::string> types;
    for (const Gpus& one : gpus) types.insert(one.type);
    const bool slices = types.size() == 1 && types.begin()->find("g.") != std::string::npos;
    counter.add(nodes, sum_of(gpus), types.size() == 1 && !slices ? *types.begin() : "", std::nullopt, memory);
    if ((types.size() > 1 || slices) && out.warnings.empty())
      out.warnings.push_back(slices ? "GPUs are slices of MIG (" + shown(*types.begin()) + "): whole GPUs are simulated"
                                    : "nodes with GPUs of several kinds: a node of ours has one");
  };
  for (const auto& [name, record] : reader.nodes) count(1, record.gpus(), record.memory_bytes);
  for (const auto& [gres, nodes] : reader.lines_of_many) count(nodes, gres_of(gres), std::nullopt);
  if (reader.cut)
    out.warnings.push_back("lists of nodes that cannot be read, or are over " + std::to_string(kMostNames) + " names");
  if (partitions && !reader.lines_of_many.empty())
    out.warnings.push_back("nodes of several partitions count in each: sinfo -N -o \"%N %G\" names them");
  if (reader.detects && reader.nodes.empty())
    throw InputError({{path, "", "lines with Name=gpu", "AutoDetect alone: the driver is asked when SLURM starts",
                       "take scontrol show node"}});
  if (!out.nodes_told) out.unknown.push_back("how many nodes have this gres.conf: /cluster/nodes, 1 is written");
  if (reader.odd_links)
    out.warnings.push_back(
        "Links of gres.conf with a number of NVLinks that no GPU has: it is unknown, and the default of "
        "the GPU counts");
  if (reader.links > 0)
    out.known.push_back("NVLink: " + std::to_string(reader.links) + " links of a GPU, by gres.conf");
  say_use(reader, out);
  counter.fill(out, path);
  return out;
}

}  // namespace clustersim
