#include "sim/import/hwloc_xml.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <pugixml.hpp>
#include <sstream>

#include "clustersim/error.h"
#include "sim/import/text_source.h"
#include "sim/import/xml_file.h"

namespace clustersim {
namespace {

enum class Device { block, gpu, network, fabric, coprocessor, other };

// osdev_type by the file's version.
Device device_of(int version, int type) {
  if (version >= 3) {
    if (type & 32) return Device::fabric;  // a verbs card is also a network one: 48
    if (type & 16) return Device::network;
    if (type & 8) return Device::coprocessor;
    if (type & 4) return Device::gpu;
    return type & 1 ? Device::block : Device::other;
  }
  static constexpr Device kList[] = {Device::block,  Device::gpu,   Device::network,
                                     Device::fabric, Device::other, Device::coprocessor};
  return type >= 0 && type < 6 ? kList[type] : Device::other;
}

struct PcieRate {
  int generation, lanes;
};

// The widest slot of this rate in GB/s; hwloc counts 8b/10b and 128b/130b codes off.
std::optional<PcieRate> slot_of(double rate) {
  static constexpr double kLane[] = {0.25, 0.5, 0.98462, 1.96923, 3.93846, 7.87692};
  if (!(rate > 0)) return std::nullopt;
  std::optional<PcieRate> best;
  double nearest = 0.24;  // files round to a digit: 0.2 for 0.25
  for (int lanes : {16, 8, 4, 2, 1})
    for (int g = 0; g < 6; ++g) {
      const double off = std::abs(rate / (kLane[g] * lanes) - 1);
      if (off < nearest - 0.002) {
        nearest = off;
        best = PcieRate{g + 1, lanes};
      }
    }
  return best;
}

std::string info_of(const pugi::xml_node& object, const char* name) {
  for (const pugi::xml_node& info : object.children("info"))
    if (std::string(info.attribute("name").value()) == name) return info.attribute("value").value();
  return "";
}

std::string type_of(const pugi::xml_node& object) { return object.attribute("type").value(); }
bool is_package(const pugi::xml_node& object) { return type_of(object) == "Package" || type_of(object) == "Socket"; }

// "0302 [10de:15f9] [10de:116b] a1".
struct PciType {
  std::string device_class, device;
};
PciType pci_type_of(const pugi::xml_node& object) {
  const std::string text = object.attribute("pci_type").value();
  PciType type;
  type.device_class = text.substr(0, 4);
  const std::size_t open = text.find('[');
  if (open != std::string::npos && text.find(']', open) == open + 10) type.device = text.substr(open + 1, 9);
  return type;
}

class Reader {
 public:
  Reader(const std::string& path, NodeFacts& facts) : path_(path), facts_(facts) {}

  void read(const pugi::xml_node& topology) {
    version_ = whole_number(std::string(topology.attribute("version").value()).substr(0, 1), 9).value_or(1);
    facts_.format = "hwloc XML, version " + std::to_string(version_);
    facts_.has_tree = true;
    for (const pugi::xml_node& object : topology.children("object")) find_packages(object);
    facts_.packages = packages_ > 0;
    if (packages_ == 0) add_socket(pugi::xml_node());
    for (const pugi::xml_node& object : topology.children("object")) walk(object, 0, std::nullopt);
    drop_plain_bridges();
    constexpr double least = 1e9, most = 1e15;  // bytes; old files leave it out, broken ones say anything
    if (memory_ >= least && memory_ <= most) facts_.memory_bytes = memory_;
    for (const char* name : {"distances2", "distances2hetero"})
      for (const pugi::xml_node& matrix : topology.children(name)) read_matrix(matrix);
    if (to_cpu_ > 0)
      facts_.remarks.push_back("NVLink to the processors: " + std::to_string(static_cast<int>(to_cpu_ / 1000)) +
                               " GB/s a GPU");
  }

 private:
  int add(const NodePart& part) {
    if (facts_.parts.size() >= kMostParts)
      throw InputError({{path_, "", "at most " + std::to_string(kMostParts) + " devices", "more", ""}});
    facts_.parts.push_back(part);
    return static_cast<int>(facts_.parts.size()) - 1;
  }

  void add_socket(const pugi::xml_node& package) {
    NodePart socket;
    socket.kind = PartKind::socket;
    socket.number = packages_++;
    socket.name = info_of(package, "CPUModel");
    const std::string vendor = info_of(package, "CPUVendor"), family = info_of(package, "CPUFamilyNumber"),
                      model = info_of(package, "CPUModelNumber");
    if (!vendor.empty() && !family.empty() && !model.empty()) socket.architecture = vendor + " " + family + "/" + model;
    socket_of_[package.internal_object()] = add(socket);
  }

  // Sockets come first, and memory is summed on the way.
  void find_packages(const pugi::xml_node& object) {
    if (is_package(object)) add_socket(object);
    if (type_of(object) == "NUMANode") memory_ += object.attribute("local_memory").as_double(0);
    for (const pugi::xml_node& child : object.children("object")) find_packages(child);
  }

  // The socket in this object, else the one around it.
  std::optional<int> package_below(const pugi::xml_node& object) const {
    if (is_package(object)) return socket_of_.at(object.internal_object());
    for (const pugi::xml_node& child : object.children("object"))
      if (const auto found = package_below(child)) return found;
    return std::nullopt;
  }

  void walk(const pugi::xml_node& object, int socket, std::optional<int> bridge) {
    const std::string type = type_of(object);
    const std::optional<int> parent = bridge ? bridge : socket;
    if (type == "PCIDev") {
      read_device(object, *parent);
      return;
    }
    if (type == "Bridge" || type == "HostBridge") {
      const bool host = type == "HostBridge" || std::string(object.attribute("bridge_type").value()) == "0-1";
      std::optional<int> here = bridge;
      if (!host) {
        NodePart part;
        part.kind = PartKind::pcie_switch;
        part.parent = parent;
        part.bus_id = bus_id_of(object.attribute("pci_busid").value());
        take_rate(object, part);
        here = add(part);
      }
      for (const pugi::xml_node& child : object.children("object")) walk(child, socket, here);
      return;
    }
    // Devices of a NUMA node or group that holds one socket are near that one.
    if (type != "Machine")
      if (const auto found = package_below(object)) socket = *found;
    for (const pugi::xml_node& child : object.children("object")) walk(child, socket, bridge);
  }

  static void take_rate(const pugi::xml_node& object, NodePart& part) {
    const auto slot = slot_of(object.attribute("pci_link_speed").as_double(0));
    if (!slot) return;
    part.generation = slot->generation;
    part.lanes = slot->lanes;
  }

  void read_device(const pugi::xml_node& object, int parent) {
    const PciType type = pci_type_of(object);
    NodePart part;
    part.parent = parent;
    part.bus_id = bus_id_of(object.attribute("pci_busid").value());
    part.device = type.device;
    take_rate(object, part);
    bool computes = false, renders = false, fabric = false, network = false;
    std::vector<std::string> indexes;
    for (const pugi::xml_node& system : object.children("object")) {
      if (type_of(system) != "OSDev") continue;
      const Device kind =
          device_of(version_, whole_number(system.attribute("osdev_type").value(), 1 << 20).value_or(-1));
      const std::string name = system.attribute("name").value();
      computes = computes || kind == Device::coprocessor || name.starts_with("nvml") || name.starts_with("rsmi");
      renders = renders || name.starts_with("renderD");
      fabric = fabric || kind == Device::fabric;
      network = network || kind == Device::network;
      if (kind == Device::fabric || (kind == Device::network && part.name.empty())) part.name = name;
      const std::string model = info_of(system, "GPUModel");
      if (!model.empty()) model_of_device_ = model;
      indexes.emplace_back(system.attribute("gp_index").value());
    }
    // Boards carry ATI's displays, which nothing can compute on; a Radeon at least renders.
    const bool amd = type.device.starts_with("1002:") && (type.device_class != "0300" || renders);
    const bool graphics = type.device_class.starts_with("03") || type.device_class == "1200";
    if (graphics && (computes || amd || type.device.starts_with("10de:"))) {
      part.kind = PartKind::gpu;
      part.name = model_of_device_;
      const int here = add(part);
      for (const std::string& index : indexes) gpu_of_index_["OSDev:" + index] = here;
      gpu_of_index_["PCIDev:" + std::string(object.attribute("gp_index").value())] = here;
    } else if (type.device_class.starts_with("02") || type.device_class == "0c06") {
      part.kind = PartKind::nic;
      part.infiniband = type.device_class != "0200";
      part.efa = type.device.starts_with("1d0f:");
      if (fabric || network) add(part);
    }
    model_of_device_.clear();
  }

  // Root ports and the inner ports of a switch lead to one device and share nothing.
  void drop_plain_bridges() {
    std::map<int, int> below;
    for (const NodePart& part : facts_.parts)
      if (part.parent) ++below[*part.parent];
    std::vector<NodePart> kept;
    std::map<int, int> moved;
    for (std::size_t i = 0; i < facts_.parts.size(); ++i) {
      NodePart part = facts_.parts[i];
      const int here = static_cast<int>(i);
      if (part.kind == PartKind::pcie_switch && below[here] == 1) {
        moved[here] = part.parent ? moved.at(*part.parent) : -1;
        continue;
      }
      if (part.kind == PartKind::pcie_switch && below[here] == 0) continue;
      if (part.parent) part.parent = moved.at(*part.parent);
      moved[here] = static_cast<int>(kept.size());
      kept.push_back(part);
    }
    for (auto& [index, gpu] : gpu_of_index_) gpu = moved.at(gpu);
    facts_.parts = std::move(kept);
  }

  static std::vector<std::string> words_of(const pugi::xml_node& matrix, const char* element) {
    std::vector<std::string> words;
    for (const pugi::xml_node& part : matrix.children(element)) {
      std::istringstream text(part.text().get());
      for (std::string word; text >> word && words.size() < std::size_t{1} << 16;) words.push_back(word);
    }
    return words;
  }

  void read_matrix(const pugi::xml_node& matrix) {
    const std::string name = matrix.attribute("name").value();
    const bool xgmi = name == "XGMIBandwidth";
    if (name != "NVLinkBandwidth" && !xgmi) return;
    std::vector<std::string> indexes = words_of(matrix, "indexes");
    const std::string type = matrix.attribute("type").value();
    if (!type.empty())
      for (std::string& index : indexes) index.insert(0, type + ":");
    const std::vector<std::string> values = words_of(matrix, "u64values");
    const std::size_t n = indexes.size();
    if (n == 0 || n > 256 || values.size() != n * n) {
      facts_.warnings.push_back("the matrix " + name + " is incomplete and not read");
      return;
    }
    facts_.shows_nvlink = true;
    facts_.xgmi = facts_.xgmi || xgmi;
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b) {
        if (a == b) continue;
        const double megabytes = whole_number(values[a * n + b], 2000000000).value_or(0);
        const auto from = gpu_of_index_.find(indexes[a]), to = gpu_of_index_.find(indexes[b]);
        if (megabytes <= 0 || from == gpu_of_index_.end()) continue;
        if (to == gpu_of_index_.end() && indexes[b].starts_with("Package:")) to_cpu_ = std::max(to_cpu_, megabytes);
        const int links = links_of(megabytes, xgmi);
        const bool possible = links <= kMostGpuLinks, to_gpu = to != gpu_of_index_.end();
        const bool to_bridge = !to_gpu && indexes[b].starts_with("PCIDev:");  // the bridge that an NVSwitch is
        if (to_bridge && possible) facts_.to_switch[from->second] += links;
        if (to_bridge && !possible) facts_.unsure_to_switch.insert(from->second);
        if (!to_gpu || from->second >= to->second) continue;
        if (possible)
          facts_.cables.push_back({from->second, to->second, links});
        else
          facts_.unsure_cables.insert({from->second, to->second});
      }
    const std::size_t odd = facts_.unsure_cables.size() + facts_.unsure_to_switch.size();
    if (odd > 0)
      facts_.warnings.push_back("the matrix " + name + " names " + std::to_string(odd) +
                                " rates that are more links than any GPU has: unknown");
  }

  // 20 GB/s a link in the first NVLink, 25 in later ones, 50 of xGMI. [published: hwloc's NVML and RSMI components]
  static int links_of(double megabytes, bool xgmi) {
    const double link = xgmi ? 50000 : std::fmod(megabytes, 25000) == 0 ? 25000 : 20000;
    return std::max(1, static_cast<int>(std::lround(megabytes / link)));
  }

  const std::string& path_;
  NodeFacts& facts_;
  int version_ = 2, packages_ = 0;
  double memory_ = 0, to_cpu_ = 0;
  std::string model_of_device_;
  std::map<pugi::xml_node_struct*, int> socket_of_;
  std::map<std::string, int> gpu_of_index_;
};

}  // namespace

bool is_hwloc_xml(const std::string& text) { return xml_root(text) == "topology"; }

NodeFacts read_hwloc_xml(const std::string& text, const std::string& path) {
  pugi::xml_document document;
  parse_xml(text, path, document);
  NodeFacts facts;
  Reader(path, facts).read(document.child("topology"));
  if (facts.count(PartKind::gpu) == 0)
    throw InputError({{path, "", "GPUs among the PCI devices", "none",
                       "write the file with all devices: lstopo --whole-io topology.xml"}});
  return facts;
}

}  // namespace clustersim
