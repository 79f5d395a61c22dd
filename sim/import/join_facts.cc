#include "sim/import/join_facts.h"

#include <algorithm>
#include <map>
#include <set>

#include "clustersim/error.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// How much a file tells of where parts hang.
int fullness(const NodeFacts& facts) {
  if (!facts.has_tree) return 0;
  const bool addresses = std::any_of(facts.parts.begin(), facts.parts.end(), [](const NodePart& part) {
    return part.kind == PartKind::gpu && !part.bus_id.empty();
  });
  return addresses ? 2 : 1;
}

template <class T>
void fill(std::optional<T>& value, const std::optional<T>& other) {
  if (!value) value = other;
}
void fill(std::string& value, const std::string& other) {
  if (value.empty()) value = other;
}

class Joiner {
 public:
  explicit Joiner(NodeFacts base) : out_(std::move(base)) {}

  void add(const NodeFacts& file) {
    out_.format += " and " + file.format;
    std::map<int, int> same;  // part of the file -> part of ours
    std::vector<int> unmatched;
    match(file, same, unmatched);
    for (const auto& [theirs, ours] : same) fill_gpu(file, file.parts[at(theirs)], out_.parts[at(ours)]);
    for (const std::string& slot : slots_) warn(file, "slots of " + slot + ": what the driver says counts");
    slots_.clear();
    add_unmatched(file, unmatched, same);
    join_links(file, same);
    join_nics(file);
    fill(out_.peer_access, file.peer_access);
    fill(out_.memory_bytes, file.memory_bytes);
    out_.shows_nvlink = out_.shows_nvlink || file.shows_nvlink;
    out_.xgmi = out_.xgmi || file.xgmi;
    for (const std::string& text : file.warnings)  // several reports of one GPU say the same
      if (std::find(out_.warnings.begin(), out_.warnings.end(), text) == out_.warnings.end())
        out_.warnings.push_back(text);
    out_.remarks.insert(out_.remarks.end(), file.remarks.begin(), file.remarks.end());
    join_sockets(file);
  }

  NodeFacts take() { return std::move(out_); }

 private:
  static bool addressed(const NodeFacts& facts) {
    const auto gpus = facts.of(PartKind::gpu);
    return std::all_of(gpus.begin(), gpus.end(), [&](int i) { return !facts.parts[at(i)].bus_id.empty(); });
  }

  void match(const NodeFacts& file, std::map<int, int>& same, std::vector<int>& unmatched) const {
    const std::vector<int> ours = out_.of(PartKind::gpu), theirs = file.of(PartKind::gpu);
    const bool by_bus = addressed(out_) && addressed(file);
    for (std::size_t g = 0; g < theirs.size(); ++g) {
      const NodePart& gpu = file.parts[at(theirs[g])];
      const auto found = std::find_if(ours.begin(), ours.end(), [&](int i) {
        const NodePart& own = out_.parts[at(i)];
        if (by_bus) return own.bus_id == gpu.bus_id;
        return own.number && gpu.number ? *own.number == *gpu.number : i == (g < ours.size() ? ours[g] : -1);
      });
      if (found != ours.end()) {
        same[theirs[g]] = *found;
      } else {
        unmatched.push_back(theirs[g]);
      }
    }
    // Addresses of a hypervisor's file need not be those that the guest sees: then the numbers join them.
    if (!by_bus || !same.empty() || ours.size() != theirs.size()) return;
    for (std::size_t g = 0; g < theirs.size(); ++g) same[theirs[g]] = ours[g];
    unmatched.clear();
  }

  // nvidia-smi cuts long names off: "NVIDIA A100-SXM..." is any name that begins so.
  static bool begins_so(const std::string& cut, const std::string& name) {
    return cut.ends_with("...") && name.starts_with(cut.substr(0, cut.size() - 3));
  }

  void fill_gpu(const NodeFacts& file, const NodePart& theirs, NodePart& ours) {
    if (begins_so(ours.name, theirs.name)) ours.name = theirs.name;
    if (!ours.name.empty() && !theirs.name.empty() && ours.name != theirs.name && !begins_so(theirs.name, ours.name))
      warn(file, "GPU " + shown(theirs.name) + " where another file has " + shown(ours.name));
    if (!ours.bus_id.empty() && !theirs.bus_id.empty() && ours.bus_id != theirs.bus_id) ++other_addresses_;
    fill(ours.name, theirs.name);
    fill(ours.bus_id, theirs.bus_id);
    fill(ours.number, theirs.number);
    fill(ours.capability, theirs.capability);
    fill(ours.nvlinks, theirs.nvlinks);
    fill(ours.architecture, theirs.architecture);
    fill(ours.memory_bytes, theirs.memory_bytes);
    fill(ours.power_limit_w, theirs.power_limit_w);
    fill(ours.clock_hz, theirs.clock_hz);
    // What the driver says that device and host can do, over the rate at which a link happened to run.
    const bool from_driver = !file.has_tree && theirs.generation && theirs.lanes;
    if (from_driver && ours.generation && ours.lanes &&
        (*ours.generation != *theirs.generation || *ours.lanes != *theirs.lanes))
      slots_.insert(pcie(theirs) + " where another file has " + pcie(ours));
    if (from_driver) {
      ours.generation = theirs.generation;
      ours.lanes = theirs.lanes;
    }
    fill(ours.generation, theirs.generation);
    fill(ours.lanes, theirs.lanes);
  }

  static std::string pcie(const NodePart& part) {
    return "PCIe " + std::to_string(*part.generation) + " x" + std::to_string(*part.lanes);
  }

  void add_unmatched(const NodeFacts& file, const std::vector<int>& unmatched, std::map<int, int>& same) {
    const int ours = out_.count(PartKind::gpu), theirs = file.count(PartKind::gpu);
    if (other_addresses_ > 0) {
      warn(file, "the bus ids differ from those of another file: GPUs are joined by number");
      other_addresses_ = 0;
    }
    if (ours != theirs)
      warn(file, std::to_string(theirs) + (theirs == 1 ? " GPU" : " GPUs") + " where another file has " +
                     std::to_string(ours));
    if (unmatched.empty()) return;
    if (out_.has_tree) {
      warn(file, std::to_string(unmatched.size()) + " GPUs that are not in the tree of another file are left out");
      return;
    }
    for (int i : unmatched) {
      out_.parts.push_back(file.parts[at(i)]);
      same[i] = static_cast<int>(out_.parts.size()) - 1;
    }
  }

  void join_links(const NodeFacts& file, const std::map<int, int>& same) {
    std::map<std::pair<int, int>, int> theirs;
    for (const NvlinkCable& cable : file.cables)
      if (same.count(cable.a) && same.count(cable.b))
        theirs[std::minmax(same.at(cable.a), same.at(cable.b))] = cable.links;
    for (const auto& [a, b] : file.unsure_cables)
      if (same.count(a) && same.count(b)) out_.unsure_cables.insert(std::minmax(same.at(a), same.at(b)));
    for (const int gpu : file.unsure_to_switch)
      if (same.count(gpu)) out_.unsure_to_switch.insert(same.at(gpu));
    const bool none = out_.cables.empty() && out_.to_switch.empty();
    if (none) {
      for (const auto& [ends, links] : theirs) out_.cables.push_back({ends.first, ends.second, links});
      for (const auto& [gpu, links] : file.to_switch)
        if (same.count(gpu)) out_.to_switch[same.at(gpu)] = links;
      return;
    }
    if (!file.shows_nvlink || !out_.to_switch.empty()) return;
    std::map<std::pair<int, int>, int> ours;
    for (const NvlinkCable& cable : out_.cables) ours[std::minmax(cable.a, cable.b)] = cable.links;
    if (ours != theirs && !theirs.empty()) warn(file, "other NVLinks than in another file: that file's are taken");
  }

  // Cards are known by name where no address joins them.
  void join_nics(const NodeFacts& file) {
    const std::vector<int> theirs = file.of(PartKind::nic), ours = out_.of(PartKind::nic);
    for (int i : theirs) {
      const NodePart& card = file.parts[at(i)];
      for (int k : ours) {
        NodePart& own = out_.parts[at(k)];
        const bool same =
            (!card.bus_id.empty() && card.bus_id == own.bus_id) || (!card.name.empty() && card.name == own.name);
        if (!same) continue;
        fill(own.name, card.name);
        fill(own.rate_bytes_per_s, card.rate_bytes_per_s);
        own.infiniband = own.infiniband || card.infiniband;
      }
    }
    if (!theirs.empty() && !ours.empty() && theirs.size() != ours.size())
      warn(file,
           std::to_string(theirs.size()) + " network cards where another file has " + std::to_string(ours.size()));
  }

  void join_sockets(const NodeFacts& file) {
    const std::vector<int> theirs = file.of(PartKind::socket), ours = out_.of(PartKind::socket);
    if (theirs.empty()) return;
    for (int k : ours) {
      fill(out_.parts[at(k)].name, file.parts[at(theirs.front())].name);
      fill(out_.parts[at(k)].architecture, file.parts[at(theirs.front())].architecture);
    }
    if (!ours.empty() && ours.size() != theirs.size() && file.has_tree)
      warn(file, std::to_string(theirs.size()) + " NUMA nodes where another file has " + std::to_string(ours.size()));
  }

  void warn(const NodeFacts& file, const std::string& text) { out_.warnings.push_back(file.format + ": " + text); }

  NodeFacts out_;
  std::set<std::string> slots_;
  int other_addresses_ = 0;
};

}  // namespace

NodeFacts join_facts(const std::vector<NodeFacts>& files) {
  require(!files.empty(), "facts of at least one file");
  std::size_t base = 0;
  for (std::size_t i = 1; i < files.size(); ++i)
    if (fullness(files[i]) > fullness(files[base])) base = i;
  Joiner joiner(files[base]);
  for (std::size_t i = 0; i < files.size(); ++i)
    if (i != base) joiner.add(files[i]);
  return joiner.take();
}

}  // namespace clustersim
