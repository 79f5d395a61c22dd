#include "sim/import/node_choices.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "clustersim/units_text.h"
#include "sim/import/fabric_choice.h"
#include "sim/import/product_names.h"
#include "sim/import/text_source.h"
#include "sim/read/node_links.h"

namespace clustersim {
namespace {

// GB/s of a lane by generation. [published: NCCL's topology constants]
constexpr double kLane[] = {0.1875, 0.375, 0.75, 1.5, 3.0, 6.0};

constexpr int kNewest = static_cast<int>(std::size(kLane));
constexpr int kWidths[] = {1, 2, 4, 8, 12, 16, 32};

std::size_t at(int i) { return static_cast<std::size_t>(i); }

double rate_of(const NodePart& part) {
  if (!part.generation || !part.lanes) return 0;
  return kLane[at(*part.generation - 1)] * *part.lanes;
}

std::string number_list(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size() && i < 8; ++i) text += (i ? ", " : "") + std::to_string(numbers[i]);
  return text + (numbers.size() > 8 ? ", ..." : "");
}

// Of "pcie4-x16": lanes times what one doubles with every generation.
double slot_speed(const std::string& slot) {
  return std::stoi(slot.substr(slot.find('x') + 1)) * std::pow(2.0, slot[4] - '0');
}

class Chooser {
 public:
  Chooser(const Catalog& catalog, NodeFacts& facts) : catalog_(catalog), facts_(facts) {
    gpus_ = facts.of(PartKind::gpu);
  }

  NodeChoices choose() {
    name_gpus();
    mend_slots();
    mend_bridges();
    choose_sockets();
    choose_fabric(catalog_, facts_, out_);
    choose_nics();
    out_.p2p = facts_.peer_access;
    if (facts_.count(PartKind::nic) == 0) out_.unknown.push_back("network cards");
    if (facts_.memory_bytes)
      out_.known.push_back("memory: " + format_quantity(Bytes::from_base(*facts_.memory_bytes), "GiB"));
    out_.unknown.push_back(facts_.memory_bytes ? "storage of the node" : "memory and storage of the node");
    return std::move(out_);
  }

 private:
  Asked quiet() { return {"", "", problems_}; }
  const NodePart& part(int i) const { return facts_.parts[at(i)]; }
  NodePart& part(int i) { return facts_.parts[at(i)]; }
  void assume(const std::string& key, const std::string& why) { out_.assumed.emplace_back(key, why); }

  static void fill_name(NodePart& gpu) {
    if (gpu.name.empty() && gpu.device.empty()) gpu.name = gpu.architecture;
  }

  // The product of most GPUs.
  void name_gpus() {
    std::map<std::string, int> ids, names;
    for (int i : gpus_) {
      if (part(i).name.empty()) part(i).name = name_of_device(part(i).device);
      const std::string id = gpu_id_of(catalog_, part(i));
      if (id.empty()) fill_name(part(i));
      ++ids[id];
      const std::string& name = part(i).name.empty() ? part(i).device : part(i).name;
      if (!name.empty()) ++names[name];
    }
    std::string most, list;
    for (const auto& [id, count] : ids)
      if (most.empty() || (!id.empty() && count > ids[most])) most = id;
    for (const auto& [name, count] : names)
      list += (list.empty() ? "" : " and ") + (names.size() > 1 ? std::to_string(count) + " x " : "") + shown(name);
    out_.gpu_from = list;
    if (!most.empty()) out_.gpu = catalog_.gpu(most, quiet());
    if (names.size() > 1)
      out_.warnings.push_back("the GPUs differ (" + list + "): a node of ours has one kind" +
                              (most.empty() ? "" : ", and " + most + " is taken"));
    if (!most.empty() && ids.count("") == 0) return;
    if (!most.empty()) return;
    const std::string name = gpus_.empty() ? "" : part(gpus_.front()).name;
    const std::string near = name.empty() ? "" : near_gpu(catalog_, name);
    out_.unknown.push_back("the GPU" +
                           (list.empty() ? " (the file does not name it)" : ": the catalog has no " + list) +
                           (near.empty() ? "" : "; " + near));
  }

  // Generations and widths that PCI Express does not have are unknown.
  void drop_odd_links() {
    int dropped = 0;
    for (NodePart& each : facts_.parts) {
      if (each.generation && (*each.generation < 1 || *each.generation > kNewest)) each.generation.reset();
      if (!each.lanes || std::count(std::begin(kWidths), std::end(kWidths), *each.lanes) > 0) continue;
      each.lanes.reset();
      ++dropped;
    }
    if (dropped > 0)
      out_.warnings.push_back(std::to_string(dropped) + " links of a width that PCI Express does not have: unknown");
  }

  void mend_slots() {
    drop_odd_links();
    const int product = out_.gpu.pcie_generation, wide = std::min(16, out_.gpu.pcie_lanes);
    std::vector<int> asleep, too_fast, narrow;
    std::set<std::string> slots;
    for (std::size_t g = 0; g < gpus_.size(); ++g) {
      NodePart& gpu = part(gpus_[g]);
      if (product > 0 && gpu.generation) {
        if (*gpu.generation > product) too_fast.push_back(static_cast<int>(g));
        if (*gpu.generation <= 2 && product > 2) asleep.push_back(static_cast<int>(g));
        if (*gpu.generation > product || (*gpu.generation <= 2 && product > 2)) gpu.generation = product;
      }
      if (wide > 0 && gpu.lanes && *gpu.lanes < wide) narrow.push_back(static_cast<int>(g));
      if (gpu.generation && gpu.lanes)
        slots.insert("pcie" + std::to_string(*gpu.generation) + "-x" + std::to_string(*gpu.lanes));
    }
    const std::string own = "PCIe " + std::to_string(product);
    if (!too_fast.empty())
      out_.warnings.push_back("GPU " + number_list(too_fast) + ": faster than the " + own + " of \"" + out_.gpu.id +
                              "\": the product's is taken");
    if (!asleep.empty()) {
      out_.warnings.push_back("GPU " + number_list(asleep) + ": PCIe 1 or 2 is what a sleeping link reports; the " +
                              own + " of \"" + out_.gpu.id + "\" is taken");
      assume("pcie_tree", "links of sleeping GPUs have the " + own + " of the product");
    }
    if (!narrow.empty())
      out_.warnings.push_back("GPU " + number_list(narrow) + ": fewer than the " + std::to_string(wide) +
                              " lanes of the product: the slot's width counts");
    std::string text;
    for (const std::string& slot : slots) text += (text.empty() ? "" : ", ") + slot;
    if (!text.empty()) out_.known.push_back("slots of the GPUs: " + text);
    if (text.empty()) out_.unknown.push_back("PCIe generation and width of the GPUs' slots");
    if (slots.size() == 1) out_.slot = *slots.begin();
    if (slots.size() > 1 && !facts_.has_tree) give_each_its_slot(slots);
  }

  // A list tells slots and not where they hang: on the sockets themselves. Where a GPU's is not told, the slowest
  // counts for all, since it binds whatever goes to all GPUs.
  void give_each_its_slot(const std::set<std::string>& slots) {
    const bool all_told = std::all_of(gpus_.begin(), gpus_.end(), [&](int i) { return rate_of(part(i)) > 0; });
    if (!all_told) {
      out_.slot = *std::min_element(slots.begin(), slots.end(),
                                    [](const auto& x, const auto& y) { return slot_speed(x) < slot_speed(y); });
      out_.warnings.push_back("the GPUs' slots differ, and not all are told: the slowest, " + out_.slot +
                              ", is taken for all");
      return;
    }
    const std::size_t sockets = on_baseboard(out_.gpu) ? 2 : 1;
    const int first = static_cast<int>(facts_.parts.size());
    for (std::size_t s = 0; s < sockets; ++s) {
      NodePart socket;
      socket.kind = PartKind::socket;
      facts_.parts.push_back(socket);
    }
    for (std::size_t g = 0; g < gpus_.size(); ++g)
      part(gpus_[g]).parent = first + static_cast<int>(g * sockets / gpus_.size());
    facts_.has_tree = true;
    out_.tree_assumed = true;
    out_.warnings.push_back("the GPUs' slots differ: each keeps its own");
    const std::string taken = sockets == 1 ? "one socket" : "two sockets";
    out_.unknown.push_back("where the slots hang: on " + taken + ", without switches, is assumed");
    assume("sockets", "the list tells none; " + taken + " are usual for such GPUs");
    assume("pcie_tree", "the list does not tell where the slots hang: on " + taken + ", without switches");
  }

  // Bridges that were made up (by a hypervisor's file) carry what hangs below them.
  void mend_bridges() {
    int mended = 0;
    for (int i : facts_.of(PartKind::pcie_switch)) {
      if (!part(i).bus_id.starts_with("ffff:")) continue;
      const NodePart* fastest = nullptr;
      for (const NodePart& child : facts_.parts)
        if (child.parent == i && (fastest == nullptr || rate_of(child) > rate_of(*fastest))) fastest = &child;
      if (fastest == nullptr || rate_of(*fastest) <= rate_of(part(i))) continue;
      part(i).generation = fastest->generation;
      part(i).lanes = fastest->lanes;
      ++mended;
    }
    if (mended == 0) return;
    out_.warnings.push_back(std::to_string(mended) +
                            " invented bridges (bus id ffff:...) are slower than what hangs below: that rate is taken");
    assume("pcie_tree", "an invented bridge is as fast as the fastest device below it");
  }

  void choose_sockets() {
    const int domains = facts_.count(PartKind::socket);
    out_.sockets = domains;
    if (facts_.has_tree && domains == 0) {
      out_.sockets = 1;
      assume("sockets", "the file shows none");
    } else if (domains > 2) {
      out_.sockets = 2;
      const std::string what = std::to_string(domains) + (facts_.packages ? " processors" : " NUMA nodes");
      assume("sockets", what + ", taken for two sockets");
      out_.warnings.push_back(what + (facts_.packages ? " are taken for two" : " are taken for parts of two sockets"));
    }
    std::set<std::string> names, architectures;
    for (int i : facts_.of(PartKind::socket)) {
      if (!part(i).name.empty()) names.insert(part(i).name);
      if (!part(i).architecture.empty()) architectures.insert(part(i).architecture);
    }
    if (names.size() == 1) {
      out_.cpu = cpu_id_of(catalog_, *names.begin());
      out_.known.push_back("processor: " + *names.begin() + (out_.cpu.empty() ? "" : " (" + out_.cpu + ")"));
    }
    const ProcessorFamily* family = architectures.size() == 1 ? family_of(*architectures.begin()) : nullptr;
    if (architectures.size() == 1)
      out_.known.push_back("processor family: " + *architectures.begin() +
                           (family == nullptr ? "" : std::string(" (") + family->name + ")"));
    if (family != nullptr && out_.sockets > 1) out_.socket_link = family->socket_link;
    if (out_.sockets > 1 && out_.socket_link.empty()) out_.unknown.push_back("link between the sockets");
    if (!out_.cpu.empty()) return;
    std::string text = "processor";
    if (!names.empty()) text += ": the catalog does not have it";
    if (family != nullptr) {
      out_.cpu = family->cpu;
      assume("cpu", std::string("only the family is known; ") + family->cpu + " stands for it");
      text += std::string(names.empty() ? ": only its family; " : "; ") + family->cpu + " stands for it";
    }
    out_.unknown.push_back(text);
  }

  // On InfiniBand or EFA, or below one PCIe switch with a GPU.
  bool beside_gpus(const NodePart& card) const {
    if (card.infiniband || card.efa) return true;
    const auto shares = [&](const NodePart& other) {
      return other.kind == PartKind::gpu && other.parent == card.parent;
    };
    return card.parent && part(*card.parent).kind == PartKind::pcie_switch &&
           std::any_of(facts_.parts.begin(), facts_.parts.end(), shares);
  }

  // Training uses the fastest cards; the others serve storage or management. Where the rates of those beside the GPUs
  // are not told, and others' are, the former train.
  void assign_nics(const std::vector<int>& nics) {
    double fastest = 0;
    bool silent_beside = false, told_beside = false;
    for (int i : nics) {
      fastest = std::max(fastest, part(i).rate_bytes_per_s.value_or(0));
      (part(i).rate_bytes_per_s ? told_beside : silent_beside) |= beside_gpus(part(i));
    }
    const bool silent_train = silent_beside && !told_beside;
    int others = 0, slower = 0;
    for (int i : nics) {
      const auto rate = part(i).rate_bytes_per_s;
      const bool trains = silent_train ? !rate && beside_gpus(part(i)) : rate.value_or(0) >= fastest * 0.99;
      if (fastest == 0 || trains) continue;
      out_.nic_roles[i] = "storage";
      ++(rate && !silent_train ? slower : others);
    }
    const auto cards = [](int n, const std::string& kind) {
      return std::to_string(n) + kind + (n == 1 ? " network card is" : " network cards are");
    };
    if (slower > 0) out_.warnings.push_back(cards(slower, " slower") + " taken to serve storage");
    if (others > 0)
      out_.warnings.push_back(
          cards(others, silent_train ? "" : " unrated") + " taken to serve storage: " +
          (silent_train ? "others, whose rate is not told, are beside the GPUs" : "others, whose rate is told, train"));
  }

  void choose_nics() {
    const std::vector<int> nics = facts_.of(PartKind::nic);
    assign_nics(nics);
    int without_rate = 0, off_list = 0;
    double odd_rate = 0;
    std::map<std::string, int> counts;
    for (int i : nics) {
      const auto rate = part(i).rate_bytes_per_s;
      without_rate += !rate;
      const std::string id = nic_id_of(catalog_, part(i));
      if (rate && id.empty()) {
        ++off_list;
        odd_rate = *rate;
      }
      if (id.empty()) continue;
      out_.nic_ids[i] = id;
      if (out_.nic_roles.count(i) == 0) ++counts[id];
    }
    for (const auto& [id, count] : counts) {
      out_.nics.emplace_back(id, count);
      out_.known.push_back(std::to_string(count) + " x " + id + " for training");
    }
    if (out_.nics.size() > 1) {
      out_.warnings.push_back("network cards of several kinds: the first is taken");
      out_.nics.resize(1);
    }
    if (without_rate > 0)
      out_.unknown.push_back("rate of " + std::to_string(without_rate) +
                             " of the network cards: the file tells none; /cluster/node/nic names a card");
    if (off_list > 0)
      out_.unknown.push_back(std::to_string(off_list) + (off_list == 1 ? " network card" : " network cards") +
                             " of a rate that the catalog does not have, " +
                             format_quantity(Bandwidth::from_base(odd_rate), "Gbit/s"));
  }

  const Catalog& catalog_;
  NodeFacts& facts_;
  std::vector<Problem> problems_;
  std::vector<int> gpus_;
  NodeChoices out_;
};

}  // namespace

NodeChoices choose(const Catalog& catalog, NodeFacts& facts) { return Chooser(catalog, facts).choose(); }

}  // namespace clustersim
