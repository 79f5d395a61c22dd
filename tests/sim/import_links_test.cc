// NVLink that files cannot be right about: numbers that no GPU has, links that are down. One rule for all formats:
// the warning says what is impossible, it stays unknown, and what is then assumed is said.
#include "sim/import/import_topology.h"
#include "tests/sim/import_files.h"

namespace clustersim {
namespace {

using imports::says;
using imports::ScratchFile;

// `n` GPUs on one NUMA node, `cell` between all of them.
std::string matrix(int n, const std::string& cell) {
  std::string text;
  for (int i = 0; i < n; ++i) text += "\tGPU" + std::to_string(i);
  text += "\tCPU Affinity\tNUMA Affinity\n";
  for (int a = 0; a < n; ++a) {
    text += "GPU" + std::to_string(a);
    for (int b = 0; b < n; ++b) text += a == b ? "\t X " : "\t" + cell;
    text += "\t0-63\t0\n";
  }
  return text;
}

std::string products(int n, const std::string& name) {
  std::string text = "index, name\n";
  for (int i = 0; i < n; ++i) text += std::to_string(i) + ", " + name + "\n";
  return "\n" + text;
}

// nvidia-smi nvlink -s with so many of `all` links up, by GPU.
std::string links_up(const std::vector<int>& up, int all, const std::string& name) {
  std::string text;
  for (std::size_t g = 0; g < up.size(); ++g) {
    text += "GPU " + std::to_string(g) + ": " + name + " (UUID: GPU-" + std::to_string(g) + ")\n";
    for (int link = 0; link < all; ++link)
      text += "\t Link " + std::to_string(link) + (link < up[g] ? ": 26.562 GB/s\n" : ": <inactive>\n");
  }
  return text;
}

Imported topology(const std::string& text) { return import_files("topology", {ScratchFile(text).path()}); }

bool writes(const Imported& imported, const std::string& part) {
  return imported.document.find(part) != std::string::npos;
}

const std::string a100 = "NVIDIA A100-SXM4-80GB", h100 = "NVIDIA H100 80GB HBM3";

// Two GPUs with an NVLink entry each; `target` is the other, or an address of no device: a switch.
std::string xml(const std::string& count, bool to_switch) {
  std::string text = "<system version=\"1\"><cpu numaid=\"0\">";
  for (int g = 0; g < 2; ++g)
    text += "<pci busid=\"0000:0" + std::to_string(g + 1) +
            ":00.0\" class=\"0x030200\" vendor=\"0x10de\" device=\"0x20b2\" link_speed=\"16 GT/s\" link_width=\"16\">"
            "<gpu dev=\"" +
            std::to_string(g) + "\" sm=\"80\"><nvlink target=\"" +
            (to_switch ? "fffffff:ffff:ff" : "0000:0" + std::to_string(2 - g) + ":00.0") + "\" count=\"" + count +
            "\" tclass=\"" + (to_switch ? "0x068000" : "0x030200") + "\"/></gpu></pci>";
  return text + "</cpu></system>";
}

}  // namespace

TEST_CASE("a matrix whose numbers of NVLinks no GPU has: told, unknown, and the product's board assumed") {
  for (const char* cell : {"NV999", "NV-3", "NV0", "NV19", "NVx"}) {
    const Imported named = topology(matrix(8, cell) + products(8, a100));
    CHECK(says(named.warnings, "56 cells of the matrix name a number of NVLinks that no GPU has, \"" +
                                   std::string(cell) + "\" for one"));
    CHECK_FALSE(says(named.warnings, "empty"));
    CHECK(says(named.unknown, "NVLink: the file's number of links is impossible; the table of \"a100-sxm4-80gb\""));
    CHECK(writes(named, R"("shape": "switch")"));
    CHECK(writes(named, R"("links_per_gpu": 12)"));
    CHECK(writes(named, "the file's number of NVLinks is impossible"));  // among what is assumed
    const Imported unnamed = topology(matrix(8, cell));
    CHECK(says(unnamed.unknown, "NVLink between the GPUs: that of the GPU, once it is named, is assumed"));
    CHECK_FALSE(writes(unnamed, "gpu_fabric"));  // never plain PCIe
  }
  const Imported cards = topology(matrix(2, "NV999") + products(2, "NVIDIA A100 80GB PCIe"));
  CHECK(says(cards.unknown, "so PCIe alone is assumed"));
  CHECK(writes(cards, R"("shape": "pcie")"));
}

TEST_CASE("what stands in neither row is told, with a word that is no relation") {
  const Imported found = topology(matrix(2, "fast") + products(2, "NVIDIA A100 80GB PCIe"));
  CHECK(says(found.warnings, "2 cells of the matrix are empty, or hold no relation as \"fast\" does"));
  CHECK(says(found.warnings, "1 pairs of GPUs are told in neither row"));
}

TEST_CASE("an impossible cell is the mirrored one, else as many links as the fewest of another pair") {
  std::string one = matrix(8, "NV12"), both = one;
  one.replace(one.find("NV12"), 4, "NV99");  // row of GPU0, column of GPU1
  const Imported mirrored = topology(one + products(8, a100));
  CHECK(says(mirrored.warnings, "1 cells of the matrix name a number"));
  CHECK(writes(mirrored, R"("links_per_gpu": 12)"));
  CHECK_FALSE(says(mirrored.unknown, "NVLink"));
  both.replace(both.find("NV12"), 4, "NV99");
  both.replace(both.find("NV12", both.find("\nGPU1")), 4, "NV99");
  const Imported assumed = topology(both + products(8, a100));
  CHECK(says(assumed.unknown, "NVLink of 1 pair of GPUs: 12, the fewest of another pair, is assumed"));
  CHECK(writes(assumed, R"("shape": "switch")"));
  CHECK(writes(assumed, R"("links_per_gpu": 12)"));
}

TEST_CASE("the same rule for NCCL's XML: 19 and more links, none, and words are no number of links") {
  for (const char* count : {"999", "19", "0", "-1", "many"})
    for (const bool to_switch : {true, false}) {
      const Imported found = topology(xml(count, to_switch));
      CHECK(says(found.warnings, "2 NVLink entries name a number of links that no GPU has, \"" + std::string(count)));
      CHECK(says(found.unknown, "NVLink: the file's number of links is impossible"));
      CHECK(writes(found, R"("links_per_gpu": 12)"));
    }
  // A number that other GPUs have, and this product has not: the product's, and said.
  const Imported more = topology(xml("18", true));
  CHECK(says(more.warnings, "18 links are more than the 12 of \"a100-sxm4-80gb\""));
  CHECK(writes(more, R"("links_per_gpu": 12)"));
  CHECK(writes(more, "the product's number is taken"));
}

TEST_CASE("a GPU with links down: all have as few, since what goes to all GPUs passes that one") {
  const std::vector<int> one_down = {18, 18, 18, 17, 18, 18, 18, 18};
  // Alone, the board is the product's; beside a matrix too.
  for (const std::string& before : {std::string(), matrix(8, "NV18")}) {
    const Imported found = topology(before + links_up(one_down, 18, h100));
    CHECK(says(found.warnings, "GPU 3: 1 of 18 NVLinks are down"));
    CHECK(says(found.warnings, "GPU 3 has 17 of 18 NVLinks up: the fewest are taken for each"));
    CHECK(writes(found, R"("links_per_gpu": 17)"));
    CHECK(writes(found, R"("shape": "switch")"));
  }
  const Imported whole = topology(links_up(std::vector<int>(8, 18), 18, h100));
  CHECK(writes(whole, R"("links_per_gpu": 18)"));
  CHECK(whole.warnings.empty());
  const Imported none = topology(links_up(std::vector<int>(8, 0), 18, h100));
  CHECK(says(none.warnings, "no NVLink of the GPUs is up: PCIe alone counts"));
  CHECK(writes(none, R"("shape": "pcie")"));
  const Imported lame = topology(links_up({18, 18, 0, 18}, 18, h100));
  CHECK(says(lame.warnings, "GPU 2 has 0 of 18 NVLinks up: what goes to all GPUs then takes PCIe"));
  CHECK(writes(lame, R"("shape": "pcie")"));
  const Imported odd = topology(links_up({24, 24}, 24, h100));
  CHECK(says(odd.warnings, "GPU 0: 24 NVLinks are more than any GPU has: unknown"));
}

TEST_CASE("links of slots and of lists keep to the same bounds") {
  // Four of four links up on two cards: bridged, though no file says which GPUs.
  const Imported cards = topology(links_up({4, 4}, 4, "NVIDIA GeForce RTX 3090"));
  CHECK(writes(cards, R"("shape": "pairs")"));
  CHECK(writes(cards, R"("links_per_gpu": 4)"));
  CHECK(says(cards.unknown, "which GPUs it joins is not told"));
  const ScratchFile gres("NodeName=n[1-2] Name=gpu Type=a100 File=/dev/nvidia[0-3] Links=-1,400,400,400\n");
  const Imported list = import_files("node", {gres.path()});
  CHECK(says(list.warnings, "Links of gres.conf"));
  CHECK_FALSE(says(list.known, "NVLink"));
}

TEST_CASE("GPUs that do not answer the driver are told in every report of nvidia-smi") {
  const std::string row = ", NVIDIA A100-SXM4-80GB, 81920 MiB\n";
  const Imported table = topology("index, name, memory.total [MiB]\n0" + row + "1, [GPU is lost], [GPU is lost]\n2" +
                                  row + "3, [Unknown Error], [Unknown Error]\n");
  CHECK(says(table.warnings, "GPU 1, 3 do not answer the driver"));
  CHECK(writes(table, R"("gpus": 4)"));
  CHECK(writes(table, R"("gpu": "a100-sxm4-80gb")"));
  const std::string good = "    Product Name                          : NVIDIA A100-SXM4-80GB\n";
  const Imported report =
      topology("GPU 00000000:18:00.0\n" + good + "GPU 00000000:19:00.0\n    Product Name   : GPU is lost\n");
  CHECK(says(report.warnings, "GPU 1 does not answer the driver (\"GPU is lost\")"));
  CHECK(writes(report, R"("gpus": 2)"));
  const Imported list = topology(
      "|   0  NVIDIA A100-SXM4-80GB  On   | 00000000:07:00.0 Off |                    0 |\n"
      "| N/A   35C    P0    52W / 400W |      0MiB / 81920MiB |      0%      Default |\n"
      "|   1  ERR!                On   | 00000000:08:00.0 Off |                 ERR! |\n"
      "| ERR!  ERR! ERR!    ERR! / ERR! |      GPU is lost |    ERR!      ERR! |\n");
  CHECK(says(list.warnings, "GPU 1 does not answer the driver (\"ERR!\")"));
  CHECK(writes(list, R"("gpu": "a100-sxm4-80gb")"));
  const Imported silent =
      topology("Unable to determine the device handle for GPU0000:19:00.0: GPU is lost. Reboot\n" + products(2, a100));
  CHECK(says(silent.warnings, "left out of its reports"));
}

TEST_CASE("a list alone claims no sockets, though unequal slots need some to hang on") {
  const std::string gpu =
      "\n    Product Name                          : NVIDIA A100-SXM4-80GB\n    PCI\n"
      "        GPU Link Info\n            PCIe Generation\n                Max : 4\n"
      "            Link Width\n                Max : 16x\n                Current : ";
  const Imported found = topology("GPU 00000000:18:00.0" + gpu + "16x\nGPU 00000000:19:00.0" + gpu + "8x\n");
  CHECK_FALSE(says(found.known, "socket"));
  CHECK(says(found.unknown, "where the slots hang: on two sockets, without switches, is assumed"));
  CHECK(writes(found, "the list tells none; two sockets are usual"));
}

TEST_CASE("cards of an impossible speed are of unknown speed, and no slower than the others") {
  std::string node = "<system version=\"1\"><cpu numaid=\"0\">";
  for (int g = 0; g < 2; ++g)
    node += "<pci busid=\"0000:" + std::to_string(g + 1) +
            "0:00.0\" class=\"0x060400\" link_speed=\"16 GT/s\" link_width=\"16\">"
            "<pci busid=\"0000:" +
            std::to_string(g + 1) +
            "1:00.0\" class=\"0x030200\" vendor=\"0x10de\" device=\"0x20b2\" link_speed=\"16 GT/s\" link_width=\"16\">"
            "<gpu dev=\"" +
            std::to_string(g) + "\"/></pci><pci busid=\"0000:" + std::to_string(g + 1) +
            "2:00.0\" class=\"0x020700\" link_speed=\"16 GT/s\" link_width=\"16\"><nic><net name=\"mlx5_" +
            std::to_string(g) + "\" speed=\"SPEED\"/></nic></pci></pci>";
  node +=
      "<pci busid=\"0000:30:00.0\" class=\"0x020000\" link_speed=\"8 GT/s\" link_width=\"8\"><nic>"
      "<net name=\"eth0\" speed=\"25000\"/></nic></pci></cpu></system>";
  const auto with = [&](const std::string& speed) {
    std::string text = node;
    for (std::size_t at; (at = text.find("SPEED")) != std::string::npos;) text.replace(at, 5, speed);
    return topology(text);
  };
  const auto roles = [](const Imported& imported, const std::string& role) {
    int count = 0;
    for (std::size_t at = 0; (at = imported.document.find("\"role\": \"" + role, at)) != std::string::npos; ++at)
      ++count;
    return count;
  };
  const Imported odd = with("100000000"), sane = with("200000");
  CHECK(says(odd.warnings, "2 ports of network cards with a speed that none has, \"100000000\" Mbit/s for one"));
  CHECK(says(odd.unknown, "rate of 2 of the network cards"));
  CHECK(roles(odd, "compute") == 2);
  CHECK(roles(odd, "storage") == 1);
  CHECK(says(odd.warnings, "1 network card is taken to serve storage: others, whose rate is not told, are beside"));
  CHECK(roles(sane, "compute") == 2);
  CHECK(says(sane.known, "2 x ib-hdr for training"));
}

}  // namespace clustersim
