// `nvidia-smi topo -m`: the shapes and oddities of pasted matrices, on small ones of our own.
#include <map>

#include "sim/import/import_topology.h"
#include "sim/import/text_source.h"
#include "sim/import/topo_matrix.h"
#include "tests/sim/import_files.h"

namespace clustersim {
namespace {

using imports::says;

NodeFacts read(const std::string& text) {
  const auto facts = read_topo_matrix(lines_of(clean_text(text)), "test");
  REQUIRE(facts);
  return *facts;
}

const NodePart& gpu(const NodeFacts& facts, int number) {
  return facts.parts.at(static_cast<std::size_t>(facts.of(PartKind::gpu).at(static_cast<std::size_t>(number))));
}

// The socket above a part.
int socket_of(const NodeFacts& facts, const NodePart& part) {
  int parent = part.parent.value();
  while (facts.parts.at(static_cast<std::size_t>(parent)).parent)
    parent = *facts.parts.at(static_cast<std::size_t>(parent)).parent;
  return parent;
}

std::map<std::pair<int, int>, int> cables(const NodeFacts& facts) {
  std::map<int, int> number;
  for (int i : facts.of(PartKind::gpu)) number[i] = *facts.parts[static_cast<std::size_t>(i)].number;
  std::map<std::pair<int, int>, int> links;
  for (const NvlinkCable& cable : facts.cables) links[std::minmax(number[cable.a], number[cable.b])] = cable.links;
  return links;
}

}  // namespace

TEST_CASE("a terminal's capture with underlined header, padded cells and an extra empty cell") {
  const NodeFacts facts = read(
      "$ nvidia-smi topo -m\n\t\x1b[4mGPU0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m\n"
      "GPU0\t X \t0-19\t0\t\tN/A\n\nLegend:\n\n  X    = Self\n");
  CHECK(facts.count(PartKind::gpu) == 1);
  CHECK(facts.count(PartKind::nic) == 0);
  REQUIRE(facts.count(PartKind::socket) == 1);
  CHECK(facts.parts[0].number == 0);
}

TEST_CASE("NVLink bridges inside pairs, NODE within a socket and SYS across") {
  std::string text = "\tGPU0\tGPU1\tGPU2\tGPU3\tGPU4\tGPU5\tGPU6\tGPU7\tCPU Affinity\tNUMA Affinity\n";
  for (int a = 0; a < 8; ++a) {
    text += "GPU" + std::to_string(a);
    for (int b = 0; b < 8; ++b)
      text += a == b ? "\t X" : a / 2 == b / 2 ? "\tNV12" : a / 4 == b / 4 ? "\tNODE" : "\tSYS";
    text += a < 4 ? "\t0-31,64-95\t0\n" : "\t32-63,96-127\t1\n";
  }
  const NodeFacts facts = read(text);
  CHECK(facts.count(PartKind::socket) == 2);
  CHECK(facts.count(PartKind::pcie_switch) == 0);
  CHECK(cables(facts) == std::map<std::pair<int, int>, int>{{{0, 1}, 12}, {{2, 3}, 12}, {{4, 5}, 12}, {{6, 7}, 12}});
  CHECK(socket_of(facts, gpu(facts, 0)) == socket_of(facts, gpu(facts, 3)));
  CHECK(socket_of(facts, gpu(facts, 3)) != socket_of(facts, gpu(facts, 4)));
}

TEST_CASE("old NIC columns by adapter name; two GPUs share a switch with two cards") {
  // Eight GPUs, NV12 everywhere; cards 2k and 2k+1 are PXB to GPUs 2k and 2k+1; NUMA nodes 3, 1, 7, 5.
  std::string text = "\t";
  for (int g = 0; g < 8; ++g) text += "GPU" + std::to_string(g) + "\t";
  for (int n = 0; n < 8; ++n) text += "mlx5_" + std::to_string(n) + "\t";
  text += "CPU Affinity\tNUMA Affinity\n";
  const int numa[] = {3, 1, 7, 5};
  for (int a = 0; a < 16; ++a) {
    text += a < 8 ? "GPU" + std::to_string(a) : "mlx5_" + std::to_string(a - 8);
    for (int b = 0; b < 16; ++b)
      text += a == b ? "\tX" : (a < 8 && b < 8) ? "\tNV12" : a % 8 / 2 == b % 8 / 2 ? "\tPXB" : "\tSYS";
    text += a < 8 ? "\t48-63,176-191\t" + std::to_string(numa[a / 2]) + "\n" : "\t\t\n";
  }
  const NodeFacts facts = read(text);
  CHECK(facts.count(PartKind::gpu) == 8);
  CHECK(facts.count(PartKind::nic) == 8);
  CHECK(facts.count(PartKind::pcie_switch) == 4);
  CHECK(facts.count(PartKind::socket) == 4);
  CHECK(gpu(facts, 0).parent == gpu(facts, 1).parent);
  CHECK(facts.parts[0].number == 1);  // NUMA nodes in their order
  CHECK(facts.cables.size() == 28);
  CHECK(facts.cables[0].links == 12);
}

TEST_CASE("ranges of NUMA nodes, four links for each pair") {
  std::string text = "        GPU0    GPU1    GPU2    GPU3    CPU Affinity    NUMA Affinity\n";
  for (int a = 0; a < 4; ++a) {
    text += "GPU" + std::to_string(a) + "    ";
    for (int b = 0; b < 4; ++b) text += a == b ? " X      " : "NV4     ";
    text += "0       0-1\n";
  }
  const NodeFacts facts = read(text);
  CHECK(facts.cables.size() == 6);
  for (const NvlinkCable& cable : facts.cables) CHECK(cable.links == 4);
}

TEST_CASE("NIC rows without affinity, a trailing blank, all SYS") {
  std::string text = "\tGPU0\tGPU1\tGPU2\tGPU3\tmlx5_0\tCPU Affinity\tNUMA Affinity\n";
  for (int a = 0; a < 4; ++a) {
    text += "GPU" + std::to_string(a);
    for (int b = 0; b < 5; ++b) text += a == b ? "\t X " : "\tSYS";
    text += "\t0-63\t0-1\n";
  }
  text += "mlx5_0\tSYS\tSYS\tSYS\tSYS\t X \t \n";
  const NodeFacts facts = read(text);
  CHECK(facts.count(PartKind::gpu) == 4);
  CHECK(facts.count(PartKind::nic) == 1);
  CHECK(facts.cables.empty());
  CHECK(socket_of(facts, gpu(facts, 0)) != socket_of(facts, gpu(facts, 1)));
}

TEST_CASE("the old form without a NUMA column; SOC and PSB are old words") {
  const NodeFacts facts = read(
      "\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\n"
      "GPU0\t X \tPSB\tNODE\tSOC\t0-11,24-35\n"
      "GPU1\tPSB\t X \tNODE\tSOC\t0-11,24-35\n"
      "GPU2\tNODE\tNODE\t X \tSOC\t0-11,24-35\n"
      "GPU3\tSOC\tSOC\tSOC\t X \t12-23,36-47\n");
  CHECK(facts.count(PartKind::pcie_switch) == 1);
  CHECK(facts.count(PartKind::socket) == 2);
  CHECK(socket_of(facts, gpu(facts, 0)) == socket_of(facts, gpu(facts, 2)));
  CHECK(socket_of(facts, gpu(facts, 0)) != socket_of(facts, gpu(facts, 3)));
}

TEST_CASE("a cube mesh is an asymmetric graph of one and two links, and its card hangs beside two GPUs") {
  const int links[8][8] = {{0, 1, 1, 2, 2, 0, 0, 0}, {1, 0, 2, 1, 0, 2, 0, 0}, {1, 2, 0, 2, 0, 0, 1, 0},
                           {2, 1, 2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 1, 1, 2}, {0, 2, 0, 0, 1, 0, 2, 1},
                           {0, 0, 1, 0, 1, 2, 0, 2}, {0, 0, 0, 1, 2, 1, 2, 0}};
  std::string text = "       GPU0   GPU1   GPU2   GPU3   GPU4   GPU5   GPU6   GPU7   mlx5_0  CPU Affinity\n";
  for (int a = 0; a < 8; ++a) {
    text += "GPU" + std::to_string(a) + "   ";
    for (int b = 0; b < 8; ++b)
      text += a == b ? " X     " : links[a][b] ? "NV" + std::to_string(links[a][b]) + "    " : "SYS    ";
    text += a == 2 || a == 3 ? "PIX" : a < 4 ? "PHB" : "SYS";
    text += a < 4 ? "     0-11,24-35\n" : "     12-23,36-47\n";
  }
  text += "mlx5_0 PHB    PHB    PIX    PIX    SYS    SYS    SYS    SYS     X \n";
  const NodeFacts facts = read(text);
  CHECK(facts.cables.size() == 16);
  std::map<int, int> total;
  for (const NvlinkCable& cable : facts.cables) {
    total[cable.a] += cable.links;
    total[cable.b] += cable.links;
  }
  for (const auto& [part, count] : total) CHECK(count == 6);
  CHECK(facts.count(PartKind::nic) == 1);
  CHECK(gpu(facts, 2).parent == gpu(facts, 3).parent);
  CHECK(socket_of(facts, gpu(facts, 0)) == socket_of(facts, gpu(facts, 2)));
}

TEST_CASE("two matrices in one paste: where parts are, and that the driver refuses peers") {
  const NodeFacts facts = read(
      "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
      "GPU0\t X \tPHB\t0-31\t0\t\tN/A\nGPU1\tPHB\t X \t0-31\t0\t\tN/A\n\n"
      "Legend:\n  X = Self\n  PHB = host bridge\n\n"
      " \tGPU0\tGPU1\t\n GPU0\tX\tGNS\t\n GPU1\tGNS\tX\t\n\n"
      "Legend:\n  X    = Self\n  OK   = Status Ok\n  GNS  = GPU not supported\n");
  CHECK(facts.count(PartKind::gpu) == 2);
  CHECK(facts.peer_access == false);
  CHECK(says(facts.remarks, "GNS"));
  CHECK(socket_of(facts, gpu(facts, 0)) == socket_of(facts, gpu(facts, 1)));
}

TEST_CASE("the NIC legend names the cards, and a missing cell is taken from its mirror") {
  const NodeFacts facts = read(
      "\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\n"
      "GPU0\t X \tNV4\t\t0-15\t0\nGPU1\tNV4\t X \tSYS\t16-31\t1\n"
      "NIC0\tPIX\tSYS\t X \n\nNIC Legend:\n\n  NIC0: mlx5_bond_0\n");
  CHECK(says(facts.warnings, "cells of the matrix are empty"));
  REQUIRE(facts.count(PartKind::nic) == 1);
  const NodePart& card = facts.parts[static_cast<std::size_t>(facts.of(PartKind::nic)[0])];
  CHECK(card.name == "mlx5_bond_0");
  CHECK(card.parent == gpu(facts, 0).parent);
  CHECK(socket_of(facts, gpu(facts, 1)) != socket_of(facts, card));
}

TEST_CASE("cards that are far from every GPU make no socket; NUMA nodes keep their order") {
  // As on a DGX A100 of four NUMA nodes with GPUs (3, 1, 7, 5) and a card for storage that no GPU is near.
  std::string text = "\tGPU0\tGPU1\tGPU2\tGPU3\tmlx5_0\tCPU Affinity\tNUMA Affinity\n";
  const int numa[] = {3, 1, 7, 5};
  for (int g = 0; g < 4; ++g) {
    text += "GPU" + std::to_string(g);
    for (int other = 0; other < 4; ++other) text += g == other ? "\t X " : "\tNV12";
    text += "\tSYS\t0-15\t" + std::to_string(numa[g]) + "\n";
  }
  const NodeFacts facts = read(text + "mlx5_0\tSYS\tSYS\tSYS\tSYS\t X \t\t\n");
  const auto sockets = facts.of(PartKind::socket);
  REQUIRE(sockets.size() == 4);
  for (std::size_t s = 0; s < 4; ++s)
    CHECK(facts.parts[static_cast<std::size_t>(sockets[s])].number == static_cast<int>(1 + 2 * s));
  CHECK(says(facts.warnings, "1 network cards are far from every GPU"));
}

TEST_CASE("blank-separated rows with a missing cell keep their columns; launchers' prefixes are taken off") {
  const NodeFacts facts = read(
      "0:         GPU0   GPU1   GPU2   CPU Affinity\n"
      "0: GPU0    X             SYS    0-7\n"
      "0: GPU1   NV2     X     SYS    0-7\n"
      "0: GPU2   SYS    SYS     X     8-15\n");
  CHECK(cables(facts) == std::map<std::pair<int, int>, int>{{{0, 1}, 2}});
  CHECK(socket_of(facts, gpu(facts, 0)) != socket_of(facts, gpu(facts, 2)));
}

TEST_CASE("NVLink leads from GPU to GPU, whatever a cell says of a card") {
  const NodeFacts facts =
      read("\tGPU0\tGPU1\tNIC0\tCPU Affinity\nGPU0\t X \tNV4\tNV9\t0-15\nGPU1\tNV4\t X \tSYS\t0-15\n");
  REQUIRE(facts.cables.size() == 1);
  CHECK(facts.cables[0].links == 4);
}

TEST_CASE("texts without a matrix are none") {
  for (const char* text : {"", "GPU0", "\tGPU0\n", "GPU 0: NVIDIA A10 (UUID: GPU-1)\n", "a\tb\n1\t2\n"})
    CHECK_FALSE(read_topo_matrix(lines_of(text), "test"));
}

TEST_CASE("eight GPUs with twelve links to every other one are on a switch, four with four are a mesh") {
  const auto matrix = [](int n, const std::string& cell) {
    std::string text;
    for (int g = 0; g < n; ++g) text += "\tGPU" + std::to_string(g);
    text += "\tCPU Affinity\tNUMA Affinity\n";
    for (int a = 0; a < n; ++a) {
      text += "GPU" + std::to_string(a);
      for (int b = 0; b < n; ++b) text += a == b ? "\t X " : "\t" + cell;
      text += "\t0-63\t0\n";
    }
    return text;
  };
  const auto document = [](const std::string& text) {
    const imports::ScratchFile file(text);
    return import_files("topology", {file.path()}).document;
  };
  const std::string eight = document(matrix(8, "NV12")), four = document(matrix(4, "NV4"));
  CHECK(eight.find("\"shape\": \"switch\"") != std::string::npos);
  CHECK(eight.find("\"links_per_gpu\": 12") != std::string::npos);
  CHECK(four.find("\"shape\": \"cables\"") != std::string::npos);
  CHECK(document(matrix(4, "NV6")).find("\"shape\": \"cables\"") != std::string::npos);
  CHECK(document(matrix(8, "NV18")).find("\"links_per_gpu\": 18") != std::string::npos);
  // A link of one GPU is down: its pairs show 17. 18 + 18 + ... of the others are still more than any GPU has. What
  // goes to all GPUs passes that one.
  std::string down = matrix(8, "NV18");
  const std::size_t row = down.find("\nGPU0") + 1, end = down.find('\n', row);
  for (std::size_t at = row; (at = down.find("NV18", at)) < end;) down.replace(at, 4, "NV17");
  for (std::size_t at = end; (at = down.find("\nGPU", at)) != std::string::npos; ++at)
    down.replace(down.find("NV18", at), 4, "NV17");
  const imports::ScratchFile file(down);
  const Imported found = import_files("topology", {file.path()});
  CHECK(found.document.find("\"shape\": \"switch\"") != std::string::npos);
  CHECK(found.document.find("\"links_per_gpu\": 17") != std::string::npos);
  CHECK(says(found.warnings, "17 to 18 links to NVSwitch: the fewest are taken"));
  CHECK(document(matrix(2, "SYS")).find("\"shape\": \"pcie\"") != std::string::npos);
}

}  // namespace clustersim
