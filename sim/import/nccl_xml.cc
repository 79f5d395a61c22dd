#include "sim/import/nccl_xml.h"

#include <algorithm>
#include <map>
#include <pugixml.hpp>
#include <set>
#include <utility>

#include "clustersim/error.h"
#include "sim/import/text_source.h"
#include "sim/import/xml_file.h"

namespace clustersim {
namespace {

constexpr int kPlainWidth = 16, kPlainGeneration = 3;  // what NCCL takes for a width of 0 and an unknown speed
constexpr int kMostChipLinks = 1000;
constexpr int kMostMegabits = 1'600'000;  // of a port: twice the fastest that is sold [published: ConnectX-8, 800G]
constexpr double kMegabit = 1e6 / 8;      // bytes/s

enum class Element { bridge, gpu, nic, nvswitch, cpu, nothing };

// The class is six hexadecimal digits: two of the base class, two of the subclass, two of the programming interface.
Element element_of_class(const std::string& text) {
  if (text.starts_with("0x068001")) return Element::cpu;
  if (text.starts_with("0x0680")) return Element::nvswitch;
  if (text.starts_with("0x06")) return Element::bridge;
  if (text.starts_with("0x03") || text.starts_with("0x12")) return Element::gpu;
  if (text.starts_with("0x02")) return Element::nic;
  return Element::nothing;
}

Element element_of(const pugi::xml_node& pci) {
  if (pci.child("gpu")) return Element::gpu;
  if (pci.child("nic")) return Element::nic;
  if (pci.child("pci")) return Element::bridge;
  return element_of_class(pci.attribute("class").value());
}

std::string device_of(const pugi::xml_node& pci) {
  const std::string vendor = pci.attribute("vendor").value(), device = pci.attribute("device").value();
  if (vendor.size() != 6 || device.size() != 6) return "";
  return vendor.substr(2) + ":" + device.substr(2);
}

class Reader {
 public:
  Reader(const std::string& path, NodeFacts& facts) : path_(path), facts_(facts) {}

  void read(const pugi::xml_node& system) {
    const std::string host = system.child("cpu").attribute("host_hash").value();
    for (const pugi::xml_node& cpu : system.children("cpu")) {
      const std::string other = cpu.attribute("host_hash").value();
      if (other == host)
        read_cpu(cpu);
      else
        other_hosts_.insert(other);
    }
    for (const pugi::xml_node& pci : system.children("pci")) read_pci(pci, std::nullopt, 1);
    for (std::size_t i = 0; i < links_.size(); ++i) resolve_link(links_[i]);
    join_directions();
    say_oddities();
  }

 private:
  struct Wire {
    int gpu;
    std::string target, target_class;
    std::optional<int> links;  // empty: a number that no GPU has
  };

  NodePart& add(NodePart part) {
    if (facts_.parts.size() >= kMostParts)
      throw InputError({{path_, "", "at most " + std::to_string(kMostParts) + " devices", "more", ""}});
    facts_.parts.push_back(std::move(part));
    return facts_.parts.back();
  }
  int last() const { return static_cast<int>(facts_.parts.size()) - 1; }

  void read_cpu(const pugi::xml_node& cpu) {
    NodePart socket;
    socket.kind = PartKind::socket;
    socket.number = whole_number(cpu.attribute("numaid").value());  // -1 is none
    socket.architecture = architecture_of(cpu);
    add(socket);
    const int here = last();
    for (const pugi::xml_node& child : cpu.children()) {
      const std::string name = child.name();
      if (name == "pci") read_pci(child, here, 1);
      if (name == "nic") read_interfaces(child, here);
    }
  }

  // "GenuineIntel 6/85": the catalog's names of architectures are found in node_names.cc.
  static std::string architecture_of(const pugi::xml_node& cpu) {
    const std::string vendor = cpu.attribute("vendor").value(), arch = cpu.attribute("arch").value();
    const auto family = whole_number(cpu.attribute("familyid").value());
    const auto model = whole_number(cpu.attribute("modelid").value());
    std::string text = vendor.empty() ? arch : vendor;
    if (family && model) text += " " + std::to_string(*family) + "/" + std::to_string(*model);
    return text;
  }

  void read_link(const pugi::xml_node& pci, NodePart& part) {
    const std::string speed = pci.attribute("link_speed").value(), width = pci.attribute("link_width").value();
    part.generation = pcie_generation(speed);
    if (!part.generation) {
      part.generation = kPlainGeneration;
      ++(speed.empty() ? no_speed_ : odd_speed_);
    }
    const auto lanes = whole_number(width, 32);
    part.lanes = lanes.value_or(0) == 0 ? kPlainWidth : *lanes;
    no_width_ += lanes.value_or(0) == 0;
  }

  void read_pci(const pugi::xml_node& pci, std::optional<int> parent, int depth) {
    if (depth > kDeepestTree)
      throw InputError({{path_, "", "at most " + std::to_string(kDeepestTree) + " bridges on a way", "more", ""}});
    NodePart part;
    part.parent = parent;
    part.bus_id = bus_id_of(pci.attribute("busid").value());
    part.device = device_of(pci);
    const Element element = element_of(pci);
    if (element == Element::gpu || element == Element::nic || element == Element::bridge) read_link(pci, part);
    switch (element) {
      case Element::gpu:
        part.kind = PartKind::gpu;
        read_gpu(pci, part);
        return;
      case Element::nic:
        read_ports(pci.child("nic"), pci.attribute("class").value(), parent, part);
        return;
      case Element::bridge: {
        if (!pci.child("pci")) return;  // nothing below it that was dumped
        part.kind = PartKind::pcie_switch;
        add(part);
        const int here = last();
        for (const pugi::xml_node& child : pci.children("pci")) read_pci(child, here, depth + 1);
        return;
      }
      default:
        return;
    }
  }

  void read_gpu(const pugi::xml_node& pci, const NodePart& slot) {
    NodePart& part = add(slot);
    const int here = last();
    const pugi::xml_node gpu = pci.child("gpu");
    part.number = whole_number(gpu.attribute("dev").value());
    part.architecture = architecture_of_gpu(gpu.attribute("gcn").value());
    // RCCL writes the number of compute units there.
    if (part.architecture.empty()) part.capability = whole_number(gpu.attribute("sm").value());
    for (const pugi::xml_node& link : gpu.children("c2c"))
      c2c_ += whole_number(link.attribute("count").value(), kMostChipLinks).value_or(0);
    for (const char* kind : {"nvlink", "xgmi"})
      for (const pugi::xml_node& link : gpu.children(kind)) {
        if (links_.size() > kMostParts) continue;
        const std::string written = link.attribute("count").value();
        const auto count = whole_number(written, kMostGpuLinks);
        const bool possible = count.value_or(0) > 0;
        if (!possible && ++odd_count_ == 1) odd_count_text_ = written;
        links_.push_back({here, trimmed(link.attribute("target").value()), link.attribute("tclass").value(),
                          possible ? count : std::nullopt});
        facts_.xgmi = facts_.xgmi || link.name()[0] == 'x';
      }
  }

  // "gfx908" from RCCL's "908" or "gfx908"; its "910" is gfx90a.
  static std::string architecture_of_gpu(const std::string& gcn) {
    if (gcn.empty() || gcn.size() > 16 || gcn.starts_with("gfx")) return gcn.size() > 16 ? "" : gcn;
    return gcn == "910" ? "gfx90a" : "gfx" + gcn;
  }

  // Outside PCIe stand the interfaces of a virtual machine, each a card, and those that the host invents for containers
  // and bridges, whose 10 Gbit/s is what NCCL takes where none is told.
  void read_interfaces(const pugi::xml_node& nic, int socket) {
    for (const pugi::xml_node& net : nic.children("net")) {
      if (is_invented(net.attribute("name").value())) {
        ++invented_;
        continue;
      }
      NodePart card;
      take_port(net, card);
      card.kind = PartKind::nic;
      card.parent = socket;
      add(card);
    }
  }
  static bool is_invented(const std::string& name) {
    for (const char* prefix :
         {"veth", "br-", "docker", "virbr", "cali", "tunl", "flannel", "cni",    "lxc", "lxd", "vnet",
          "tap",  "tun", "vxlan",  "dummy", "ovs",  "kube", "weave",   "cilium", "gre", "wg",  "ip6tnl"})
      if (name.starts_with(prefix)) return true;
    return false;
  }

  void take_port(const pugi::xml_node& net, NodePart& card) {
    if (card.name.empty()) card.name = net.attribute("name").value();
    const std::string speed = net.attribute("speed").value();
    const auto megabits = whole_number(speed, kMostMegabits);
    if (!megabits && !speed.empty() && ++odd_rate_ == 1) odd_rate_text_ = speed;
    if (megabits.value_or(0) > 0) card.rate_bytes_per_s = card.rate_bytes_per_s.value_or(0) + *megabits * kMegabit;
  }

  // One NIC a card: its ports add up. Files of virtual machines have cards without a nic element.
  void read_ports(const pugi::xml_node& nic, const std::string& device_class, std::optional<int> parent,
                  NodePart part) {
    part.kind = PartKind::nic;
    part.parent = parent;
    part.efa = part.device.starts_with("1d0f:");  // Amazon
    for (const pugi::xml_node& net : nic.children("net")) take_port(net, part);
    part.infiniband = device_class.starts_with("0x0207");
    add(part);
  }

  // A link whose other end is not in the file ends at a switch if its class, or that it has no address, says so.
  void resolve_link(const Wire& wire) {
    const std::string target = bus_id_of(wire.target);
    if (!target.empty() && target == facts_.parts[static_cast<std::size_t>(wire.gpu)].bus_id) {
      ++to_itself_;
      return;
    }
    for (int other : facts_.of(PartKind::gpu)) {
      if (target.empty() || facts_.parts[static_cast<std::size_t>(other)].bus_id != target) continue;
      if (wire.links)
        facts_.cables.push_back({wire.gpu, other, *wire.links});
      else
        facts_.unsure_cables.insert(std::minmax(wire.gpu, other));
      return;
    }
    const Element element = element_of_class(wire.target_class);
    if (element == Element::cpu) {
      to_cpu_ += wire.links.value_or(0);
    } else if (element == Element::gpu) {
      ++to_unknown_gpu_;
    } else if (wire.links) {
      facts_.to_switch[wire.gpu] += *wire.links;
    } else {
      facts_.unsure_to_switch.insert(wire.gpu);
    }
  }

  // Both ends list a cable; it is one.
  void join_directions() {
    std::map<std::pair<int, int>, std::pair<int, int>> both;
    for (const NvlinkCable& cable : facts_.cables) {
      auto& [from_lower, from_upper] = both[std::minmax(cable.a, cable.b)];
      (cable.a < cable.b ? from_lower : from_upper) += cable.links;
    }
    facts_.cables.clear();
    for (const auto& [ends, links] : both) {
      facts_.cables.push_back({ends.first, ends.second, std::max(links.first, links.second)});
      if (links.first != links.second && links.first > 0 && links.second > 0)
        warn("the two ends of a cable name " + std::to_string(links.first) + " and " + std::to_string(links.second) +
             " links: the larger is taken");
    }
  }

  void warn(const std::string& text) { facts_.warnings.push_back(text); }

  void say_oddities() {
    const auto devices = [](int n) { return std::to_string(n) + (n == 1 ? " device" : " devices"); };
    if (no_speed_ > 0) warn(devices(no_speed_) + " without a link speed: Gen3 is taken, as NCCL does");
    if (odd_speed_ > 0) warn(devices(odd_speed_) + " with a link speed that is none: Gen3 is taken, as NCCL does");
    if (no_width_ > 0) warn(devices(no_width_) + " without a link width: 16 lanes are taken, as NCCL does");
    if (odd_count_ > 0)
      warn(std::to_string(odd_count_) + " NVLink entries name a number of links that no GPU has, " +
           shown(odd_count_text_, 20) + " for one: it is unknown");
    if (odd_rate_ > 0)
      warn(std::to_string(odd_rate_) + " ports of network cards with a speed that none has, " +
           shown(odd_rate_text_, 20) + " Mbit/s for one: it is unknown");
    if (to_itself_ > 0) warn(std::to_string(to_itself_) + " NVLink entries lead to the GPU itself and are left out");
    if (to_unknown_gpu_ > 0)
      warn(std::to_string(to_unknown_gpu_) + " NVLink entries lead to GPUs that the file does not list");
    if (invented_ > 0)
      facts_.remarks.push_back(std::to_string(invented_) + (invented_ == 1 ? " interface" : " interfaces") +
                               " of containers and bridges left out of the network cards");
    if (!other_hosts_.empty())
      warn("NVLink joins several machines here: the first is read, " + std::to_string(other_hosts_.size()) +
           " others are left out");
    if (c2c_ > 0) facts_.remarks.push_back(std::to_string(c2c_) + " chip-to-chip links lead to the processors");
    if (to_cpu_ > 0) facts_.remarks.push_back(std::to_string(to_cpu_) + " NVLinks lead to the processors");
  }

  const std::string& path_;
  NodeFacts& facts_;
  std::vector<Wire> links_;
  int no_speed_ = 0, odd_speed_ = 0, no_width_ = 0, to_itself_ = 0, to_unknown_gpu_ = 0, to_cpu_ = 0, c2c_ = 0,
      invented_ = 0, odd_count_ = 0, odd_rate_ = 0;
  std::string odd_count_text_, odd_rate_text_;
  std::set<std::string> other_hosts_;
};

}  // namespace

bool is_nccl_xml(const std::string& text) {
  const std::string root = xml_root(text);
  return root == "system" || root == "graphs";
}

NodeFacts read_nccl_xml(const std::string& text, const std::string& path) {
  pugi::xml_document document;
  parse_xml(text, path, document);
  if (document.child("graphs"))
    throw InputError({{path, "", "an NCCL topology (<system>)", "an NCCL graph file (<graphs>)",
                       "it holds the rings NCCL chose, not the machine: dump that with NCCL_TOPO_DUMP_FILE=topo.xml"}});
  const pugi::xml_node system = document.child("system");
  NodeFacts facts;
  facts.format = "NCCL topology XML";
  if (const auto version = whole_number(system.attribute("version").value()))
    facts.format += ", version " + std::to_string(*version);
  facts.has_tree = true;
  Reader(path, facts).read(system);
  facts.shows_nvlink = !facts.cables.empty() || !facts.to_switch.empty();
  if (facts.count(PartKind::gpu) == 0)
    throw InputError({{path, "", "GPUs in the tree of <cpu> and <pci>", "none",
                       system.select_node("//pci[@class]") ? "is it cut off, or of another node?"
                                                           : "NCCL fills in such a file when it runs: give what it "
                                                             "dumps then, NCCL_TOPO_DUMP_FILE=topo.xml"}});
  return facts;
}

}  // namespace clustersim
