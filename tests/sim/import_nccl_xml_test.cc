// NCCL topology XML: the shapes and oddities of files that clouds and users publish, on small files of our own.
#include "clustersim/clustersim.h"
#include "sim/import/import_topology.h"
#include "sim/import/nccl_xml.h"
#include "sim/import/text_source.h"
#include "sim/read/catalog.h"
#include "tests/sim/import_files.h"

namespace clustersim {
namespace {

using imports::example;
using imports::fault_of;
using imports::says;
using imports::ScratchFile;

NodeFacts facts_of(const std::string& name) { return read_node_facts(example(name)); }

int below(const NodeFacts& facts, int parent, PartKind kind) {
  int count = 0;
  for (const NodePart& part : facts.parts) count += part.kind == kind && part.parent == parent;
  return count;
}

NodeFacts read(const std::string& inside) {
  return read_nccl_xml("<system version=\"1\"><cpu numaid=\"0\">" + inside + "</cpu></system>", "test");
}

}  // namespace

TEST_CASE("a virtual machine's file without gpu, nic and nvlink elements gives the tree by classes") {
  const NodeFacts facts = facts_of("vm_8gpu.xml");
  CHECK(facts.count(PartKind::socket) == 2);
  CHECK(facts.count(PartKind::pcie_switch) == 4);
  CHECK(facts.count(PartKind::gpu) == 8);
  CHECK(facts.count(PartKind::nic) == 4);
  for (int bridge : facts.of(PartKind::pcie_switch)) {
    CHECK(below(facts, bridge, PartKind::gpu) == 2);
    CHECK(below(facts, bridge, PartKind::nic) == 1);
  }
  for (const NodePart& part : facts.parts) {
    if (part.kind == PartKind::socket) continue;
    CHECK(part.generation == 3);
    CHECK(part.lanes == 16);
    CHECK_FALSE(part.rate_bytes_per_s);  // unknown, not zero
  }
  CHECK_FALSE(facts.shows_nvlink);
}

TEST_CASE("what an NCCL file leaves out is read as NCCL reads it, and said") {
  const NodeFacts facts = read(R"(<pci busid="0:0:0" class="0x0302" link_speed="" link_width="0"><gpu dev="0"/></pci>
      <pci busid="00:02.0" class="0x0302" link_speed="fast" link_width="8"><gpu dev="1"/></pci>)");
  CHECK(facts.parts[1].generation == 3);
  CHECK(facts.parts[1].lanes == 16);
  CHECK(facts.parts[1].bus_id.empty());
  CHECK(facts.parts[2].bus_id == "0000:00:02.0");
  CHECK(facts.parts[2].lanes == 8);
  CHECK(says(facts.warnings, "1 device without a link speed"));
  CHECK(says(facts.warnings, "1 device with a link speed that is none"));
  CHECK(says(facts.warnings, "1 device without a link width"));
}

TEST_CASE("speed texts of old and new kernels name the same generation") {
  CHECK(pcie_generation("8 GT/s") == 3);
  CHECK(pcie_generation("8.0 GT/s PCIe") == 3);
  CHECK(pcie_generation("16.0 GT/s") == 4);
  CHECK(pcie_generation("32.0 GT/s PCIe") == 5);
  CHECK(pcie_generation("2.5 GT/s") == 1);
  CHECK_FALSE(pcie_generation("Unknown speed"));
  CHECK_FALSE(pcie_generation("8 GB/s"));
  CHECK_FALSE(pcie_generation("1e400 GT/s"));
}

TEST_CASE("NVLink: to GPUs, to a switch without an address, to itself") {
  const std::string gpu0 = R"(<pci busid="0000:07:00.0" class="0x030200" vendor="0x10de" device="0x20b0"
      link_speed="16 GT/s" link_width="16"><gpu dev="0" sm="80">)";
  const std::string gpu1 = R"(<pci busid="0000:0f:00.0" class="0x030200" vendor="0x10de" device="0x20b0"
      link_speed="16 GT/s" link_width="16"><gpu dev="1" sm="80">)";
  const std::string end = "</gpu></pci>";
  const NodeFacts pair = read(gpu0 + R"(<nvlink target="0000:0F:00.0" count="12" tclass="0x030200"/>)" + end + gpu1 +
                              R"(<nvlink target="0000:07:00.0" count="12" tclass="0x030200"/>)" + end);
  REQUIRE(pair.cables.size() == 1);
  CHECK(pair.cables[0].links == 12);

  const std::string anonymous = R"(<nvlink target="fffffff:ffff:ff" count="12" tclass="0x068000"/>)";
  const NodeFacts hub = read(gpu0 + anonymous + end + gpu1 + anonymous + end);
  CHECK(hub.cables.empty());
  CHECK(hub.to_switch.size() == 2);
  CHECK(hub.to_switch.begin()->second == 12);

  const NodeFacts odd =
      read(gpu0 + R"(<nvlink target="0000:0F:00.0" count="1000000" tclass="0x030200"/>)" + end + gpu1 + end);
  CHECK(says(odd.warnings, "1 NVLink entries name a number of links that no GPU has"));
  const NodeFacts self = read(gpu0 + R"(<nvlink target="0000:07:00.0" count="2" tclass="0x030200"/>)" + end);
  CHECK(self.cables.empty());
  CHECK(self.to_switch.empty());
  CHECK(says(self.warnings, "lead to the GPU itself"));

  const NodeFacts unequal = read(gpu0 + R"(<nvlink target="0000:0f:00.0" count="12" tclass="0x030200"/>)" + end + gpu1 +
                                 R"(<nvlink target="0000:07:00.0" count="11" tclass="0x030200"/>)" + end);
  CHECK(unequal.cables[0].links == 12);
  CHECK(says(unequal.warnings, "12 and 11"));
}

TEST_CASE(
    "RCCL writes version 2, more attributes and xGMI; a card may stand outside PCIe with attributes in any order") {
  std::string gpus;
  const auto bus = [](int g) { return "0000:" + std::to_string(g + 1) + "5:00.0"; };
  for (int g = 0; g < 4; ++g) {
    gpus += "<pci busid=\"" + bus(g) + "\" class=\"0x120000\" vendor=\"0x1002\" device=\"0x74a1\" link_width=\"16\" " +
            "link_speed=\"32.0 GT/s PCIe\"><gpu dev=\"" + std::to_string(g) +
            "\" sm=\"94\" gcn=\"gfx942\" arch=\"38911\" rank=\"" + std::to_string(g) + "\" gdr=\"1\">";
    for (int other = 0; other < 4; ++other)
      if (other != g) gpus += "<xgmi target=\"" + bus(other) + "\" count=\"1\" tclass=\"0x120000\"/>";
    gpus += "</gpu></pci>";
  }
  const std::string net = R"(<nic><net name="mlx5_0" dev="0" latency="0.5" speed="400000" port="1" gdr="0"/></nic>)";
  const imports::ScratchFile file("<system version=\"2\"><cpu numaid=\"0\">" + gpus + net + "</cpu></system>");
  const NodeFacts facts = read_node_facts(file.path());
  CHECK(facts.format == "NCCL topology XML, version 2");
  CHECK(facts.cables.size() == 6);
  REQUIRE(facts.count(PartKind::nic) == 1);
  CHECK(facts.parts.back().rate_bytes_per_s == Approx(400e9 / 8));
  const Imported imported = import_files("topology", {file.path()});
  CHECK(imported.document.find("\"gpu\": \"mi300x\"") != std::string::npos);
  CHECK(imported.document.find("\"link\": \"xgmi-gpu-mi300x\"") != std::string::npos);
}

TEST_CASE("an invented bridge slower than what hangs below is as fast as that; false speeds are the product's") {
  const auto node = [](const std::string& bridge, const std::string& speed) {
    return "<system version=\"1\"><cpu numaid=\"0\"><pci busid=\"ffff:ff:01.0\" class=\"0x060400\" link_speed=\"" +
           bridge +
           "\" link_width=\"16\"><pci busid=\"0001:00:00.0\" class=\"0x030200\" vendor=\"0x10de\" device=\"0x20b2\" " +
           "link_speed=\"" + speed + "\" link_width=\"16\"/></pci></cpu></system>";
  };
  const imports::ScratchFile slow(node("8 GT/s", "16.0 GT/s")), fast(node("32 GT/s", "32 GT/s"));
  const Imported mended = import_files("topology", {slow.path()});
  CHECK(says(mended.warnings, "invented bridges"));
  CHECK(mended.document.find("pcie3-x16") == std::string::npos);
  const Imported capped = import_files("topology", {fast.path()});
  CHECK(says(capped.warnings, "faster than the PCIe 4"));
  CHECK(capped.document.find("\"slot\": \"pcie4-x16\"") != std::string::npos);
}

TEST_CASE("of several machines in one file the first is read; links between chips are told") {
  const auto machine = [](const std::string& hash, int first) {
    std::string text = "<cpu host_hash=\"" + hash + "\" numaid=\"0\" arch=\"arm64\">";
    for (int g = first; g < first + 2; ++g)
      text += "<pci busid=\"000" + std::to_string(g) +
              ":01:00.0\" class=\"0x030200\" vendor=\"0x10de\" device=\"0x2941\" link_speed=\"32.0 GT/s PCIe\" "
              "link_width=\"16\"><gpu dev=\"" +
              std::to_string(g - first) + "\" sm=\"100\"><nvlink target=\"fff" + std::to_string(g) +
              ":ffff:ffff\" count=\"18\" tclass=\"0x068000\"/><c2c bw=\"44000\" count=\"2\"/></gpu></pci>";
    return text + "</cpu>";
  };
  const NodeFacts facts =
      read_nccl_xml("<system version=\"1\">" + machine("0xaa", 1) + machine("0xbb", 3) + "</system>", "t");
  CHECK(facts.count(PartKind::gpu) == 2);
  CHECK(facts.to_switch.size() == 2);
  CHECK(says(facts.warnings, "the first is read, 1 others are left out"));
  CHECK(says(facts.remarks, "4 chip-to-chip links"));
}

TEST_CASE("files that are no topology are refused with the way out") {
  const ScratchFile bare("<system version=\"1\"><cpu numaid=\"0\"><pci busid=\"0000:00:16.0\"/></cpu></system>");
  CHECK(fault_of([&] { import_files("topology", {bare.path()}); }).hint.find("NCCL_TOPO_DUMP_FILE") !=
        std::string::npos);
  const Problem graph = fault_of([] {
    read_nccl_xml(R"(<graphs version="1"><graph id="0" pattern="4"><channel><gpu dev="0"/></channel></graph></graphs>)",
                  "graph.xml");
  });
  CHECK(graph.got == "an NCCL graph file (<graphs>)");
  CHECK(graph.hint.find("NCCL_TOPO_DUMP_FILE") != std::string::npos);
  CHECK(fault_of([] { read("<pci busid=\"00:01.0\" class=\"0x0604\"/>"); }).got == "none");
  CHECK(fault_of([] { read_nccl_xml("<system version=\"1\"><cpu>", "cut.xml"); }).expected == "XML text");
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += "<pci class=\"0x0604\">";
  for (int i = 0; i < 200; ++i) deep += "</pci>";
  CHECK(fault_of([&] { read(deep); }).expected == "at most 128 levels of elements");
}

TEST_CASE("an imported topology names the product by its PCI numbers and takes NVLink from the product's table") {
  const Imported imported = import_files("topology", {example("vm_8gpu.xml")});
  CHECK(imported.format == "NCCL topology XML, version 1");
  CHECK(imported.document.find("\"gpu\": \"a100-sxm4-40gb\"") != std::string::npos);
  CHECK(imported.document.find("\"shape\": \"switch\"") != std::string::npos);
  CHECK(says(imported.unknown, "NVLink: the file shows none"));
  CHECK(says(imported.unknown, "rate of 4 of the network cards"));
}

TEST_CASE("interfaces of containers are no cards, and those of a virtual machine are one each") {
  const NodeFacts facts = read(R"(<pci busid="0000:01:00.0" class="0x030200" link_speed="16 GT/s" link_width="16">
      <gpu dev="0"/></pci>
      <pci busid="0000:22:00.0" class="0x020000" link_speed="8 GT/s" link_width="4">
      <nic><net name="enp34s0f0" dev="0" speed="1000"/><net name="enp34s0f1" dev="1" speed="1000"/></nic></pci>
      <nic><net name="tunl0" dev="2" speed="10000"/><net name="br-702d9f06" dev="3" speed="10000"/>
      <net name="cali1c7388b" dev="4" speed="10000"/><net name="veth268d912" dev="5" speed="10000"/>
      <net name="eth0" dev="6" speed="100000"/><net name="mlx5_0" dev="7" speed="200000"/></nic>)");
  const std::vector<int> cards = facts.of(PartKind::nic);
  REQUIRE(cards.size() == 3);
  const double gbit = 1e9 / 8;
  CHECK(facts.parts[static_cast<std::size_t>(cards[0])].rate_bytes_per_s == Approx(2 * gbit));  // two ports
  CHECK(facts.parts[static_cast<std::size_t>(cards[1])].rate_bytes_per_s == Approx(100 * gbit));
  CHECK(facts.parts[static_cast<std::size_t>(cards[2])].rate_bytes_per_s == Approx(200 * gbit));
  CHECK(says(facts.remarks, "4 interfaces of containers and bridges"));
}

TEST_CASE("RCCL's xGMI is no NVLink, its sm counts compute units, and its gcn names the architecture") {
  const std::string two = R"(<pci busid="0000:01:00.0" class="0x038000" link_speed="16 GT/s" link_width="16">
      <gpu dev="0" sm="120" gcn="908" arch="38911" rank="0" gdr="1"><xgmi target="0000:02:00.0" count="1"/></gpu></pci>
      <pci busid="0000:02:00.0" class="0x038000" link_speed="16 GT/s" link_width="16">
      <gpu dev="1" sm="120" gcn="908" rank="1" gdr="1"><xgmi target="0000:01:00.0" count="1"/></gpu></pci>)";
  const NodeFacts facts = read(two);
  CHECK(facts.xgmi);
  for (const int gpu : facts.of(PartKind::gpu)) {
    CHECK_FALSE(facts.parts[static_cast<std::size_t>(gpu)].capability);
    CHECK(facts.parts[static_cast<std::size_t>(gpu)].architecture == "gfx908");
  }
  const ScratchFile file("<system version=\"2\"><cpu numaid=\"0\">" + two + "</cpu></system>");
  const Imported imported = import_files("topology", {file.path()});
  CHECK(says(imported.known, "2 GPUs (\"gfx908\")"));
  CHECK(says(imported.known, "xGMI: 1 pair of GPUs joined directly"));
  CHECK(says(imported.unknown, "generation of xGMI"));
  CHECK_FALSE(says(imported.known, "NVLink"));
  CHECK(imported.document.find("nvlink") == std::string::npos);
}

TEST_CASE("each die of an MI250X is a GPU to its driver, with half of the board") {
  const ScratchFile file(R"(<system version="2"><cpu numaid="0">
      <pci busid="0000:01:00.0" class="0x038000" vendor="0x1002" device="0x7408" link_speed="16 GT/s" link_width="16">
      <gpu dev="0" gcn="910"/></pci>
      <pci busid="0000:02:00.0" class="0x038000" vendor="0x1002" device="0x7408" link_speed="16 GT/s" link_width="16">
      <gpu dev="1" gcn="910"/></pci></cpu></system>)");
  CHECK(import_files("topology", {file.path()}).document.find(R"("gpu": "mi250x-gcd")") != std::string::npos);
  std::vector<Problem> problems;
  const Catalog catalog(data_directory());
  const GpuSpec board = catalog.gpu("mi250x", {"", "", problems}), die = catalog.gpu("mi250x-gcd", {"", "", problems});
  CHECK(die.memory.base() == Approx(board.memory.base() / 2));
  CHECK(die.memory_bandwidth.base() == Approx(board.memory_bandwidth.base() / 2));
  CHECK(die.sm_count * 2 == board.sm_count);
}

}  // namespace clustersim
