// hwloc's XML of three versions, on small files of our own with the oddities of real ones.
#include <cmath>

#include "clustersim/clustersim.h"
#include "sim/import/hwloc_xml.h"
#include "tests/sim/import_files.h"

namespace clustersim {
namespace {

using imports::fault_of;
using imports::says;

const NodePart& part(const NodeFacts& facts, PartKind kind, std::size_t n) {
  return facts.parts.at(static_cast<std::size_t>(facts.of(kind).at(n)));
}

std::string device(const std::string& bus, const std::string& type, const std::string& speed,
                   const std::string& inside) {
  return "<object type=\"PCIDev\" gp_index=\"9" + bus.substr(5, 2) + "\" pci_busid=\"" + bus + "\" pci_type=\"" + type +
         "\" pci_link_speed=\"" + speed + "\">" + inside + "</object>";
}
std::string system(const std::string& name, int type, int index, const std::string& info = "") {
  return "<object type=\"OSDev\" gp_index=\"" + std::to_string(index) + "\" name=\"" + name + "\" osdev_type=\"" +
         std::to_string(type) + "\">" + info + "</object>";
}
const std::string kModel = R"(<info name="GPUModel" value="Tesla P100-SXM2-16GB"/>)";
const std::string kHost = R"(<object type="Bridge" bridge_type="0-1" depth="0">)";

// Two packages with two GPUs each and NVLink inside the halves and to the packages, as POWER8 boards have it.
std::string power8() {
  std::string text = R"(<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0"><object type="Machine" gp_index="1">)";
  for (int p = 0; p < 2; ++p) {
    text += "<object type=\"Package\" gp_index=\"" + std::to_string(2 + p) +
            "\"><info name=\"CPUModel\" value=\"POWER8NVL\"/>"
            "<object type=\"NUMANode\" gp_index=\"" +
            std::to_string(4 + p) + "\" local_memory=\"137438953472\"/>";
    for (int g = 0; g < 2; ++g) {
      const int n = 2 * p + g;
      text += kHost +
              device("000" + std::to_string(n) + ":01:00.0", "0302 [10de:15f9] [10de:116b] a1", "15.753846",
                     system("cuda" + std::to_string(n), 5, 20 + n, kModel) +
                         system("nvml" + std::to_string(n), 1, 30 + n, kModel)) +
              "</object>";
    }
    text += "</object>";
  }
  text +=
      "</object><distances2hetero nbobjs=\"6\" kind=\"5\" name=\"NVLinkBandwidth\">"
      "<indexes length=\"60\">OSDev:30 OSDev:31 OSDev:32 OSDev:33 Package:2 Package:3 </indexes>";
  for (int a = 0; a < 6; ++a) {
    text += "<u64values length=\"40\">";
    for (int b = 0; b < 6; ++b) {
      const bool half = (a < 4 ? a / 2 : a - 4) == (b < 4 ? b / 2 : b - 4);
      text += a == b ? "1000000 " : half ? "40000 " : "0 ";
    }
    text += "</u64values>";
  }
  return text + "</distances2hetero></topology>";
}

}  // namespace

TEST_CASE("a matrix over GPUs and packages: two pairs, and NVLink to the processors") {
  const NodeFacts facts = read_hwloc_xml(power8(), "test");
  CHECK(facts.count(PartKind::socket) == 2);
  CHECK(facts.count(PartKind::gpu) == 4);
  CHECK(part(facts, PartKind::gpu, 0).name == "Tesla P100-SXM2-16GB");
  CHECK(part(facts, PartKind::gpu, 0).generation == 3);
  CHECK(part(facts, PartKind::gpu, 0).lanes == 16);
  REQUIRE(facts.cables.size() == 2);
  for (const NvlinkCable& cable : facts.cables) CHECK(cable.links == 2);  // 40 of 20 GB/s
  CHECK(facts.parts[static_cast<std::size_t>(facts.cables[0].a)].parent ==
        facts.parts[static_cast<std::size_t>(facts.cables[0].b)].parent);
  CHECK(says(facts.remarks, "NVLink to the processors: 40 GB/s"));
  CHECK(facts.memory_bytes == Approx(256 * std::pow(1024.0, 3)));
  const imports::ScratchFile file(power8());
  const Imported imported = import_files("topology", {file.path()});
  CHECK(imported.document.find("\"gpu\": \"p100-sxm2-16gb\"") != std::string::npos);
  CHECK(imported.document.find("\"memory\": \"256 GiB\"") != std::string::npos);
  CHECK(imported.document.find("\"link\": \"nvlink1\"") != std::string::npos);
}

TEST_CASE("version 1: sockets below NUMA nodes, three GPUs of 4 GB/s, sleeping cards, displays that are no GPUs") {
  std::string text = R"(<topology><object type="Machine">)";
  for (int n = 0; n < 2; ++n) {
    text += "<object type=\"NUMANode\" local_memory=\"1024\"><object type=\"Socket\"/>" + kHost +
            R"(<object type="Bridge" bridge_type="1-1" pci_busid="0000:00:03.0" pci_link_speed="4.000000">)" +
            device(n == 0 ? "0000:06:00.0" : "0000:14:00.0", "0302 [10de:06d2] [10de:0774] a3", "4.000000", "") +
            "</object>";
    if (n == 0)
      text += R"(<object type="Bridge" bridge_type="1-1" pci_busid="0000:00:07.0">)" +
              device("0000:11:00.0", "0302 [10de:06d2] [10de:0774] a3", "4.000000", "") + "</object>" +
              device("0000:01:00.0", "0200 [14e4:1639] [1028:0236] 20", "0.200000", system("eth0", 2, 50)) +
              device("0000:02:00.0", "0c06 [15b3:673c] [15b3:0017] b0", "0.000000", system("mlx4_0", 3, 51)) +
              device("0000:09:03.0", "0300 [102b:0532] [1028:0236] 0a", "0.000000", "") +
              device("0000:0a:03.0", "0300 [1002:515e] [003c:00fb] 02", "0.200000", "");  // a board's ATI display
    text += "</object></object>";
  }
  const NodeFacts facts = read_hwloc_xml(text + "</object></topology>", "test");
  CHECK(facts.format == "hwloc XML, version 1");
  CHECK(facts.count(PartKind::socket) == 2);
  CHECK(facts.count(PartKind::gpu) == 3);
  CHECK(facts.count(PartKind::nic) == 2);
  CHECK(facts.count(PartKind::pcie_switch) == 0);  // root ports are no switches
  for (std::size_t g = 0; g < 3; ++g) {
    // 4 GB/s: sixteen lanes of 0.25, as hwloc counts 2.5 GT/s with its code of 8 in 10 bits.
    CHECK(part(facts, PartKind::gpu, g).generation == 1);
    CHECK(part(facts, PartKind::gpu, g).lanes == 16);
  }
  CHECK(part(facts, PartKind::gpu, 0).parent == part(facts, PartKind::gpu, 1).parent);
  CHECK(part(facts, PartKind::gpu, 0).parent != part(facts, PartKind::gpu, 2).parent);
  CHECK(part(facts, PartKind::nic, 0).lanes == 1);
  CHECK_FALSE(part(facts, PartKind::nic, 1).lanes);  // 0 is unknown
  CHECK(part(facts, PartKind::nic, 1).infiniband);
}

TEST_CASE("osdev_type is a list up to version 2 and a mask of bits in version 3") {
  const auto with = [](const std::string& version, int cuda, int verbs, int disk) {
    return "<topology version=\"" + version + "\"><object type=\"Machine\"><object type=\"Package\">" + kHost +
           device("0000:01:00.0", "0380 [1a2b:0001] [1a2b:0001] 00", "31.507692", system("accel0", cuda, 1)) +
           device("0000:02:00.0", "0207 [15b3:1017] [15b3:0007] 00", "15.753846", system("mlx5_0", verbs, 2)) +
           device("0000:03:00.0", "0108 [144d:a808] [144d:a801] 00", "3.938462", system("nvme0n1", disk, 3)) +
           "</object></object></object></topology>";
  };
  for (const NodeFacts& facts :
       {read_hwloc_xml(with("2.0", 5, 3, 0), "test"), read_hwloc_xml(with("3.0", 12, 48, 3), "test")}) {
    CHECK(facts.count(PartKind::gpu) == 1);
    CHECK(part(facts, PartKind::gpu, 0).generation == 4);
    REQUIRE(facts.count(PartKind::nic) == 1);
    CHECK(part(facts, PartKind::nic, 0).name == "mlx5_0");
  }
  CHECK(fault_of([&] { read_hwloc_xml(with("3.0", 0, 48, 1), "test"); }).got == "none");  // 0: no kind at all
}

TEST_CASE("rates of slots: the generation and width that hwloc computed them from") {
  const auto slot = [](const std::string& speed) {
    const NodeFacts facts = read_hwloc_xml("<topology version=\"2.0\"><object type=\"Machine\">" +
                                               device("0000:01:00.0", "0302 [10de:2230] [10de:1459] a1", speed, "") +
                                               "</object></topology>",
                                           "test");
    const NodePart& gpu = part(facts, PartKind::gpu, 0);
    return gpu.generation ? std::to_string(*gpu.generation) + "x" + std::to_string(*gpu.lanes) : "unknown";
  };
  CHECK(slot("15.753846") == "3x16");
  CHECK(slot("7.876923") == "3x8");
  CHECK(slot("8.000000") == "2x16");
  CHECK(slot("31.507692") == "4x16");
  CHECK(slot("63.015385") == "5x16");
  CHECK(slot("0.250000") == "1x1");
  CHECK(slot("0") == "unknown");
  CHECK(slot("nan") == "unknown");
  CHECK(slot("-3") == "unknown");
  CHECK(slot("1e300") == "unknown");
}

TEST_CASE("an incomplete matrix is left out, and files without GPUs name the way to write them") {
  const std::string matrix = R"(<distances2 type="OSDev" nbobjs="2" name="NVLinkBandwidth"><indexes>1 2</indexes>
      <u64values>1 2 3</u64values></distances2>)";
  std::string text = power8();
  text.insert(text.find("<distances2hetero"), matrix);
  CHECK(says(read_hwloc_xml(text, "test").warnings, "incomplete"));
  CHECK(fault_of([] {
          read_hwloc_xml("<topology version=\"2.0\"><object type=\"Machine\"/></topology>", "test");
        }).hint.find("--whole-io") != std::string::npos);
}

TEST_CASE("slots of generations that the catalog leaves out are halves and doubles of those it has") {
  const auto node = [](const std::string& slot) {
    return read_scenario_text(R"({"clustersim": 1, "cluster": {"node": {"topology": {"clustersim_topology": 1,
        "gpu": "rtx-a6000", "gpus": 2, "slot": ")" +
                                  slot + R"("}}}, "job": {"model": "resnet-50"}})",
                              "test", {})
        .cluster.groups.at(0)
        .node.pcie.achievable.base();
  };
  CHECK(node("pcie1-x16") == Approx(node("pcie3-x16") / 4));
  CHECK(node("pcie2-x8") == Approx(node("pcie3-x16") / 4));
  CHECK(node("pcie6-x16") == Approx(node("pcie5-x16") * 2));
  CHECK(node("pcie4-x4") == Approx(node("pcie4-x16") / 4));
}

TEST_CASE("a matrix over GPUs and the bridges that NVSwitches are: links of each GPU to the switches") {
  // Two GPUs and three switches, a link of 25 GB/s from each GPU to each switch: three links of each GPU.
  std::string text = R"(<topology version="3.0"><object type="Machine"><object type="Package" gp_index="2">
      <object type="Bridge" bridge_type="0-1">)";
  for (int g = 0; g < 2; ++g)
    text += "<object type=\"PCIDev\" gp_index=\"" + std::to_string(10 + g) + "\" pci_busid=\"0000:0" +
            std::to_string(g + 1) + ":00.0\" pci_type=\"0302 [10de:1db5] [10de:1249] a1\" " +
            "pci_link_speed=\"15.753846\"><object type=\"OSDev\" gp_index=\"" + std::to_string(30 + g) +
            "\" name=\"nvml" + std::to_string(g) + "\" osdev_type=\"4\"/></object>";
  for (int s = 0; s < 3; ++s)
    text += "<object type=\"PCIDev\" gp_index=\"" + std::to_string(20 + s) + "\" pci_busid=\"0000:0" +
            std::to_string(s + 4) + ":00.0\" pci_type=\"0680 [10de:1ac2] [0000:0000] a1\"/>";
  text += R"(</object></object></object><distances2hetero nbobjs="5" name="NVLinkBandwidth">
      <indexes>OSDev:30 OSDev:31 PCIDev:20 PCIDev:21 PCIDev:22</indexes>
      <u64values>0 0 25000 25000 25000  0 0 25000 25000 25000  25000 25000 0 0 0</u64values>
      <u64values>25000 25000 0 0 0  25000 25000 0 0 0</u64values></distances2hetero></topology>)";
  const NodeFacts facts = read_hwloc_xml(text, "test");
  CHECK(facts.cables.empty());
  REQUIRE(facts.to_switch.size() == 2);
  for (const auto& [gpu, links] : facts.to_switch) CHECK(links == 3);
}

}  // namespace clustersim
