// What the files of a user say of one node, before any catalog or default: parts, where they hang, how they are wired.
// An empty optional or text means "the file does not say", never zero.
//
//   parts    sockets, PCIe switches, GPUs, NICs; parents come before children
//   cables   NVLink or xGMI from GPU to GPU, by the number of links; to_switch: links of a GPU to NVSwitch
//   unsure   where a file shows links in a number that no GPU has: there are some, and how many is not known
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace clustersim {

enum class PartKind : std::uint8_t { socket, pcie_switch, gpu, nic };

struct NodePart {
  PartKind kind = PartKind::gpu;
  std::optional<int> parent;             // index into parts; empty for a socket, or where the place is not told
  std::string bus_id;                    // "0000:07:00.0"
  std::string name;                      // as written: "NVIDIA A100-SXM4-80GB", "mlx5_0", "AMD EPYC 7742"
  std::string device;                    // PCI vendor and device, "10de:20b0"
  std::optional<int> generation, lanes;  // PCIe, towards the parent
  std::optional<int> number;             // the driver's number of a GPU, the domain of a socket
  std::optional<int> capability;         // of a GPU: 80 for 8.0
  std::optional<int> nvlinks;            // of a GPU: links that are up
  std::optional<double> memory_bytes, power_limit_w, clock_hz;  // of a GPU
  std::optional<double> rate_bytes_per_s;                       // of a NIC, all its ports
  bool infiniband = false, efa = false;                         // of a NIC
  std::string architecture;  // as readers found it: of a socket, or "gfx908" of a GPU whose product may not be told
};

struct NvlinkCable {
  int a = 0, b = 0;  // parts that are GPUs, a < b
  int links = 1;
};

struct NodeFacts {
  std::string format;
  std::vector<NodePart> parts;
  std::vector<NvlinkCable> cables;
  std::map<int, int> to_switch;                 // GPU part -> links
  std::set<std::pair<int, int>> unsure_cables;  // as cables, lower part first
  std::set<int> unsure_to_switch;
  bool has_tree = false;      // the file shows where parts hang
  bool shows_nvlink = false;  // a file of this kind would show NVLink if the driver saw any
  bool xgmi = false;          // the cables are AMD's
  bool packages = false;      // sockets are processors, not NUMA nodes
  std::optional<bool> peer_access;
  std::optional<double> memory_bytes;          // of the node
  std::vector<std::string> warnings, remarks;  // remarks: what is known beyond parts and cables

  int count(PartKind kind) const;
  std::vector<int> of(PartKind kind) const;  // parts of a kind, GPUs by number, else as they stand
};

inline constexpr std::size_t kMostParts = 4096;
inline constexpr int kMostGpuLinks = 18;  // of any GPU: NVLink 4 and 5 [published: data sheets of H100 and B200]
inline constexpr int kDeepestTree = 32;

// "0000:07:00.0" from "00000000:07:00.0", "0000:07:00.0" or "07:00.0", any case; "" if it is none of these.
std::string bus_id_of(const std::string& text);

// A whole number in 0..most from all of the text (leading blanks allowed); "0x..." is hexadecimal.
std::optional<int> whole_number(const std::string& text, int most = 1000000);

// PCIe generation of a speed text: "16 GT/s", "16.0 GT/s PCIe", "16".
std::optional<int> pcie_generation(const std::string& speed);

}  // namespace clustersim
