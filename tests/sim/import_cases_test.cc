// Files that users published, item by item: small ones of our own with the same shape and oddities, and what they say.
#include <cmath>

#include "sim/import/import_topology.h"
#include "sim/import/smi_query.h"
#include "sim/import/smi_report.h"
#include "sim/import/text_source.h"
#include "sim/import/topo_matrix.h"
#include "tests/sim/gzip_text.h"
#include "tests/sim/import_files.h"

namespace clustersim {
namespace {

using imports::example;
using imports::fault_of;
using imports::says;
using imports::ScratchFile;

constexpr double kMiB = 1048576;

std::string pci(const std::string& bus, const std::string& cls, const std::string& device, const std::string& speed,
                const std::string& inside = "") {
  // Vendor after width, as newer kernels' dumps have it.
  return "<pci busid=\"" + bus + "\" class=\"" + cls + "\" link_speed=\"" + speed +
         "\" link_width=\"16\" vendor=\"0x10de\" device=\"" + device + "\">" + inside + "</pci>";
}

std::string id_of(int n) {
  char text[8];
  std::snprintf(text, sizeof text, "%04x", static_cast<unsigned>(n));
  return text;
}

NodeFacts facts_of(const std::string& text) {
  const ScratchFile file(text);
  return read_node_facts(file.path());
}

int below(const NodeFacts& facts, int parent, PartKind kind) {
  int count = 0;
  for (const NodePart& part : facts.parts) count += part.kind == kind && part.parent == parent;
  return count;
}

}  // namespace

TEST_CASE("item 2: the same virtual machine with GPUs of 80 GB, by their device number") {
  std::string text = clean_text(read_source(example("vm_8gpu.xml")));
  for (std::size_t at = text.find("0x20b0"); at != std::string::npos; at = text.find("0x20b0"))
    text.replace(at, 6, "0x20b2");
  const ScratchFile file(text);
  const Imported imported = import_files("topology", {file.path()});
  CHECK(imported.document.find("\"gpu\": \"a100-sxm4-80gb\"") != std::string::npos);
  CHECK(says(imported.unknown, "rate of 4 of the network cards"));
  CHECK(read_node_facts(file.path()).count(PartKind::pcie_switch) == 4);
}

TEST_CASE("items 4 and 5: virtual machines with four or eight invented switches, whose GPUs follow no order of NUMA") {
  // Four NUMA nodes with a switch each, two GPUs and two InfiniBand cards below it.
  std::string four = "<system version=\"1\">";
  const int numa[] = {1, 3, 0, 2};
  for (int s = 0; s < 4; ++s) {
    std::string inside;
    for (int k = 0; k < 2; ++k)
      inside += pci(id_of(1 + 2 * numa[s] + k) + ":00:00.0", "0x030200", "0x20b2", "16 GT/s") +
                pci(id_of(0x101 + 2 * s + k) + ":00:00.0", "0x020700", "0x101c", "16 GT/s");
    four += "<cpu numaid=\"" + std::to_string(s) + "\" affinity=\"ffff\">" +
            pci("ffff:ff:0" + std::to_string(s + 1) + ".0", "0x060400", "0xffff", "16 GT/s", inside) + "</cpu>";
  }
  // Two NUMA nodes, eight switches with a GPU and a card each; "32.0 GT/s PCIe".
  std::string eight = "<system version=\"1\">";
  for (int n = 0; n < 2; ++n) {
    eight += "<cpu numaid=\"" + std::to_string(n) + "\">";
    for (int k = 4 * n; k < 4 * n + 4; ++k)
      eight += pci("ffff:ff:0" + std::to_string(k + 1) + ".0", "0x060400", "0xffff", "32.0 GT/s PCIe",
                   pci(id_of(k + 1) + ":00:00.0", "0x030200", "0x2330", "32.0 GT/s PCIe") +
                       pci(id_of(0x101 + k) + ":00:00.0", "0x020700", "0x101e", "32.0 GT/s PCIe"));
    eight += "</cpu>";
  }
  const NodeFacts v4 = facts_of(four + "</system>"), v5 = facts_of(eight + "</system>");
  CHECK(v4.count(PartKind::socket) == 4);
  CHECK(v5.count(PartKind::socket) == 2);
  CHECK(v4.count(PartKind::pcie_switch) == 4);
  CHECK(v5.count(PartKind::pcie_switch) == 8);
  for (const auto& [facts, each, generation] : {std::tuple{v4, 2, 4}, std::tuple{v5, 1, 5}}) {
    CHECK(facts.count(PartKind::gpu) == 8);
    CHECK(facts.count(PartKind::nic) == 8);
    for (int bridge : facts.of(PartKind::pcie_switch)) {
      CHECK(below(facts, bridge, PartKind::gpu) == each);
      CHECK(below(facts, bridge, PartKind::nic) == each);
    }
    for (int gpu : facts.of(PartKind::gpu)) {
      CHECK(facts.parts[static_cast<std::size_t>(gpu)].generation == generation);
      CHECK(facts.parts[static_cast<std::size_t>(gpu)].lanes == 16);
    }
    for (int nic : facts.of(PartKind::nic)) CHECK(facts.parts[static_cast<std::size_t>(nic)].infiniband);
  }
}

TEST_CASE("item 8: a graph file of NCCL's is refused with the variable that dumps the right one") {
  const ScratchFile graph(
      "<graphs version=\"1\">\n  <graph id=\"0\" pattern=\"4\" crossnic=\"0\" nchannels=\"2\" speedintra=\"12\" "
      "speedinter=\"12\" typeintra=\"SYS\" typeinter=\"PIX\" samechannels=\"0\">\n    <channel>\n      <gpu "
      "dev=\"0\"/>\n"
      "      <gpu dev=\"1\"/>\n    </channel>\n  </graph>\n</graphs>\n");
  for (const char* kind : {"topology", "node"}) {
    const Problem fault = fault_of([&] { import_files(kind, {graph.path()}); });
    CHECK(fault.got == "an NCCL graph file (<graphs>)");
    CHECK(fault.hint.find("NCCL_TOPO_DUMP_FILE") != std::string::npos);
  }
}

TEST_CASE("item 13: bare metal with 18 links a GPU; latency before speed, gdr of the card other than of the GPU") {
  std::string text = "<system version=\"1\"><cpu numaid=\"0\" arch=\"x86_64\">";
  for (int g = 0; g < 8; ++g) {
    std::string links;
    for (int s = 0; s < 4; ++s)  // 5 + 5 + 4 + 4
      links +=
          "<nvlink target=\"fffffff:ffff:ff\" count=\"" + std::to_string(s < 2 ? 5 : 4) + "\" tclass=\"0x068000\"/>";
    text += pci("0000:" + std::to_string(g + 1) + "0:00.0", "0x030200", "0x2330", "32.0 GT/s PCIe",
                "<gpu dev=\"" + std::to_string(g) + "\" sm=\"90\" gdr=\"1\">" + links + "</gpu>") +
            pci("0000:" + std::to_string(g + 1) + "1:00.0", "0x020700", "0x1021", "32.0 GT/s PCIe",
                "<nic><net name=\"mlx5_" + std::to_string(g) + "\" dev=\"" + std::to_string(g) +
                    "\" latency=\"0.000000\" speed=\"400000\" port=\"1\" guid=\"0x1\" maxconn=\"131072\" "
                    "gdr=\"0\"/></nic>");
  }
  const NodeFacts facts = facts_of(text + "</cpu></system>");
  CHECK(facts.count(PartKind::gpu) == 8);
  REQUIRE(facts.to_switch.size() == 8);
  for (const auto& [gpu, links] : facts.to_switch) CHECK(links == 18);
  REQUIRE(facts.count(PartKind::nic) == 8);
  for (int nic : facts.of(PartKind::nic))
    CHECK(*facts.parts[static_cast<std::size_t>(nic)].rate_bytes_per_s == Approx(400e9 / 8));
}

TEST_CASE("item 15: files of a virtual machine that keep cpu and pci alone, and list GPUs that are not there") {
  const NodeFacts facts = facts_of(
      "<system version=\"1\">\n<cpu numaid=\"0\" affinity=\"ff\" arch=\"x86_64\">\n<pci busid=\"0001:00:00.0\" "
      "class=\"0x030200\" link_speed=\"16 GT/s\" link_width=\"16\"/>\n<pci busid=\"0099:00:00.0\" class=\"0x030200\" "
      "link_speed=\"16 GT/s\" link_width=\"16\"/></cpu></system>");
  CHECK(facts.count(PartKind::gpu) == 2);
  CHECK(facts.count(PartKind::nic) == 0);
}

TEST_CASE("item 23: four links a pair are 100 GB/s a direction") {
  std::string text = "\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\tNUMA Affinity\n";
  for (int a = 0; a < 4; ++a) {
    text += "GPU" + std::to_string(a);
    for (int b = 0; b < 4; ++b) text += a == b ? "\t X " : "\tNV4";
    text += "\t0\t0-1\n";
  }
  const ScratchFile matrix(text), list(
                                      "index, name\n0, NVIDIA A100-SXM4-40GB\n1, NVIDIA A100-SXM4-40GB\n"
                                      "2, NVIDIA A100-SXM4-40GB\n3, NVIDIA A100-SXM4-40GB\n");
  const Imported imported = import_files("topology", {matrix.path(), list.path()});
  CHECK(imported.document.find("\"link\": \"nvlink3\"") != std::string::npos);  // 25 GB/s a link and direction
  CHECK(imported.document.find("\"links\": 4") != std::string::npos);
}

TEST_CASE("items 33 and 39: a capture of 200 columns, idle and loaded, by an older and a newer driver") {
  std::string head = "timestamp, driver_version", idle = "2026/01/01, 590.48.01", load = idle;
  for (int i = 0; i < 200; ++i) {
    head += ", filler." + std::to_string(i);
    idle += i % 3 == 0 ? ", [N/A]" : ", Requested functionality has been deprecated";
    load += ", 1";
  }
  const auto table = [&](const std::string& reasons) {
    return head +
           ", index, pcie.link.gen.hostmax, pcie.link.gen.max, pcie.link.width.max, clocks.current.sm [MHz], "
           "clocks.max.sm [MHz], power.draw [W], power.limit [W], memory.total [MiB], utilization.gpu [%], name, " +
           reasons + "\n";
  };
  const std::string text = "== idle\n" + table("clocks_event_reasons.active") + idle +
                           ", 0, [N/A], 5, 16, 345 MHz, 1980 MHz, 69.62 W, 700.00 W, 81559 MiB, 0 %, NVIDIA H100 80GB "
                           "HBM3, 0x0000000000000001\n"
                           "\n== load\n" +
                           table("clocks_throttle_reasons.active") + load +
                           ", 0, [N/A], 5, 16, 1980 MHz, 1980 MHz, 625.70 W, 700.00 W, 81559 MiB, 100 %, NVIDIA H100 "
                           "80GB HBM3, 0x0000000000000004\n";
  std::string links = "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-0)\n";
  for (int link = 0; link < 18; ++link) links += "\t Link " + std::to_string(link) + ": 26.562 GB/s\n";
  const NodeFacts facts = facts_of(text + "\n== nvlink -s\n" + links);
  REQUIRE(facts.parts.size() == 1);
  const NodePart& gpu = facts.parts[0];
  CHECK(gpu.generation == 5);
  CHECK(gpu.lanes == 16);
  CHECK(gpu.nvlinks == 18);
  CHECK(*gpu.power_limit_w == 700);
  CHECK(*gpu.clock_hz == Approx(1.98e9));  // the highest, not the one it idled at
  CHECK(*gpu.memory_bytes == Approx(81559 * kMiB));
  CHECK(facts.warnings.empty());  // a software power cap is no defect
  CHECK_FALSE(says(facts.remarks, "none is idle"));
}

TEST_CASE("item 38: a sample that is called idle and is not") {
  const NodeFacts facts = facts_of(
      "== idle\nindex, name, memory.total [MiB], pcie.link.gen.max, pcie.link.width.max, power.limit [W], power.draw "
      "[W], "
      "utilization.gpu [%], clocks_event_reasons.active\n"
      "0, NVIDIA L40S, 46068 MiB, 4, 16, 350.00 W, 127.00 W, 100 %, 0x0000000000000004\n");
  CHECK(says(facts.remarks, "1 GPU in use in every sample: none is idle"));
  CHECK(*facts.parts[0].memory_bytes == Approx(46068 * kMiB));
  CHECK(facts.parts[0].generation == 4);
  CHECK(facts.parts[0].lanes == 16);
  CHECK(*facts.parts[0].power_limit_w == 350);
  CHECK_FALSE(facts.parts[0].nvlinks);
}

TEST_CASE("item 118: a software power cap is normal, a slowdown by the hardware a defect") {
  const auto read = [](const std::string& cap, const std::string& slowdown) {
    const auto facts = read_smi_report(
        lines_of("GPU 00000000:18:00.0\n    Product Name : NVIDIA A100-SXM4-80GB\n    Clocks Throttle Reasons\n"
                 "        Idle                        : Not Active\n        SW Power Cap                : " +
                 cap + "\n        HW Slowdown                 : " + slowdown + "\n"),
        "test");
    REQUIRE(facts);
    return facts->warnings;
  };
  CHECK(read("Active", "Not Active").empty());
  CHECK(says(read("Not Active", "Active"), "HW Slowdown"));
}

TEST_CASE("item 106: a tar of traces is named as one; PyTorch's own execution trace has no times of kernels") {
  // A member of a tar: name, then the mark at byte 257. macOS puts a "._" twin beside each file.
  std::string tar = "._trace.json";
  tar.resize(257, '\0');
  tar += "ustar";
  tar.resize(1536, '\0');
  for (const std::string& text : {tar, gzip_of(tar)}) {
    const ScratchFile file(text);
    for (const char* kind : {"chakra", "kineto", "topology", "prices", "jobs", "mllog"}) {
      INFO(kind);
      CHECK(fault_of([&] { import_files(kind, {file.path()}); }).hint.find("tar") != std::string::npos);
    }
  }
  std::string nodes;
  for (int i = 0; i < 263; ++i)
    nodes += std::string(i > 0 ? "," : "") + R"({"id": )" + std::to_string(i) + R"(, "name": ")" +
             (i % 50 == 1 ? "nccl:all_gather" : "aten::mm") +
             R"(", "ctrl_deps": 0, "attrs": [{"name": "pg_size", "value": 2}]})";
  const ScratchFile trace(R"({"schema": "1.0.2-chakra.0.0.4", "pid": 1, "start_ts": 10, "finish_ts": 15, "nodes": [)" +
                          nodes + "]}");
  const Problem fault = fault_of([&] { import_files("chakra", {trace.path()}); });
  CHECK((fault.got + fault.expected + fault.hint).find("263 nodes") != std::string::npos);
  CHECK((fault.got + fault.expected + fault.hint).find("nccl:all_gather") != std::string::npos);
}

}  // namespace clustersim
