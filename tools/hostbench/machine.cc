#include "tools/hostbench/machine.h"

#include <linux/magic.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "tools/hostbench/bench.h"

namespace clustersim::hostbench {
namespace {

std::string content(const std::string& path) {
  std::ifstream stream(path);
  return (std::ostringstream() << stream.rdbuf()).str();
}

std::string topology_of(int cpu, const std::string& name) {
  std::string text = content("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/" + name);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::int64_t count_sockets(const std::vector<int>& cpus) {
  std::set<std::string> packages;
  for (int cpu : cpus) packages.insert(topology_of(cpu, "physical_package_id"));
  packages.erase("");
  return static_cast<std::int64_t>(packages.size());
}

std::int64_t count_numa_nodes() {
  std::int64_t count = 0;
  while (!content("/sys/devices/system/node/node" + std::to_string(count) + "/meminfo").empty()) ++count;
  return count;
}

// The value of a line of /proc/meminfo, which counts in units of 1024 bytes.
std::int64_t memory_line_bytes(const std::string& key) {
  return std::atoll(value_of(content("/proc/meminfo"), key).c_str()) * 1024;
}

}  // namespace

std::string value_of(const std::string& text, const std::string& key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t key_end = line.find_last_not_of(" \t", colon == 0 ? 0 : colon - 1);
    if (key_end == std::string::npos || line.substr(0, key_end + 1) != key) continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

std::vector<int> one_cpu_a_core(const std::vector<int>& cpus) {
  std::vector<int> chosen;
  std::set<std::string> seen;
  for (int cpu : cpus) {
    const std::string siblings = topology_of(cpu, "thread_siblings_list");
    if (siblings.empty() || seen.insert(siblings).second) chosen.push_back(cpu);
  }
  return chosen;
}

std::int64_t available_memory_bytes() { return memory_line_bytes("MemAvailable"); }

std::string filesystem_of(const std::string& directory) {
  static const std::map<std::uint64_t, std::string> names = {
      {EXT4_SUPER_MAGIC, "ext4"}, {XFS_SUPER_MAGIC, "xfs"}, {BTRFS_SUPER_MAGIC, "btrfs"},
      {TMPFS_MAGIC, "tmpfs"},     {NFS_SUPER_MAGIC, "nfs"}, {OVERLAYFS_SUPER_MAGIC, "overlayfs"},
      {F2FS_SUPER_MAGIC, "f2fs"}, {0x0BD00BD0, "lustre"},   {0x2FC12FC1, "zfs"},
      {0x47504653, "gpfs"},       {0x19830326, "beegfs"},   {0x00C36400, "ceph"},
      {0x65735546, "fuse"},       {0xFF534D42, "cifs"},     {0x6A656A63, "virtiofs or fuse"},
      {0x01021997, "9p"},
  };
  struct statfs info = {};
  if (statfs(directory.c_str(), &info) != 0) return "";
  const auto magic = static_cast<std::uint64_t>(info.f_type) & 0xFFFFFFFFu;
  if (const auto found = names.find(magic); found != names.end()) return found->second;
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(magic));
  return text;
}

measurement::Parameters describe_machine(const std::string& directory) {
  measurement::Parameters machine;
  const auto add_text = [&machine](const char* name, const std::string& text) {
    if (!text.empty()) machine.emplace_back(name, text);
  };
  const auto add_count = [&machine](const char* name, std::int64_t count) {
    if (count > 0) machine.emplace_back(name, count);
  };
  const std::vector<int> cpus = usable_cpus();
  utsname system = {};
  add_text("cpu", value_of(content("/proc/cpuinfo"), "model name"));
  add_text("architecture", uname(&system) == 0 ? system.machine : "");
  add_count("cores", static_cast<std::int64_t>(one_cpu_a_core(cpus).size()));
  add_count("threads", static_cast<std::int64_t>(cpus.size()));
  add_count("sockets", count_sockets(cpus));
  add_count("numa_nodes", count_numa_nodes());
  add_count("host_memory_bytes", memory_line_bytes("MemTotal"));
  add_text("filesystem", filesystem_of(directory));
  if (value_of(content("/proc/cpuinfo"), "flags").find(" hypervisor") != std::string::npos) {
    add_text("virtual_machine", "yes");
  }
  return machine;
}

}  // namespace clustersim::hostbench
