// rocm-smi and amd-smi: link types and weights, never hops.
#include "sim/import/rocm_smi.h"
#include "sim/import/text_source.h"
#include "tests/sim/import_files.h"

namespace clustersim {
namespace {

using imports::says;
using imports::ScratchFile;

std::string table(const std::string& title, const std::vector<std::vector<std::string>>& cells) {
  std::string text = "====== " + title + " ======\n      ";
  for (std::size_t i = 0; i < cells.size(); ++i) text += " GPU" + std::to_string(i) + "         ";
  for (std::size_t a = 0; a < cells.size(); ++a) {
    text += "\nGPU" + std::to_string(a) + "   ";
    for (const std::string& cell : cells[a]) text += cell + "            ";
  }
  return text + "\n\n";
}

// Four in a ring of xGMI: the ones across are two hops of 15 away, and the tool says one hop all the same.
const std::vector<std::vector<std::string>> weights = {
    {"0", "15", "30", "15"}, {"15", "0", "15", "30"}, {"30", "15", "0", "15"}, {"15", "30", "15", "0"}};
std::string ring(const std::string& type) {
  std::vector<std::vector<std::string>> types(4, std::vector<std::string>(4, type)),
      hops(4, std::vector<std::string>(4, "1"));
  for (std::size_t i = 0; i < 4; ++i) types[i][i] = hops[i][i] = "0";
  std::string text = table("Weight between two GPUs", weights) + table("Hops between two GPUs", hops) +
                     table("Link Type between two GPUs", types) + "====== Numa Nodes ======\n";
  for (int g = 0; g < 4; ++g)
    text += "GPU[" + std::to_string(g) + "]\t\t: (Topology) Numa Node: " + std::to_string(g / 2) + "\n";
  return text + "====== End of ROCm SMI Log ======\n";
}

}  // namespace

TEST_CASE("xGMI of the smallest weight is a cable, NUMA nodes are sockets, hops are not read") {
  const auto facts = read_rocm_smi(lines_of(ring("XGMI")), "test");
  REQUIRE(facts);
  CHECK(facts->count(PartKind::gpu) == 4);
  CHECK(facts->count(PartKind::socket) == 2);
  CHECK(facts->cables.size() == 4);
  CHECK(says(facts->remarks, "2 pairs of GPUs reach each other over others'"));
  CHECK(facts->parts[2].parent == 0);
  CHECK(facts->parts[5].parent == 1);
  const auto pcie = read_rocm_smi(lines_of(ring("PCIE")), "test");
  REQUIRE(pcie);
  CHECK(pcie->cables.empty());
}

TEST_CASE("amd-smi's tables by bus id, and the product that --showproductname names") {
  const auto facts = read_rocm_smi(lines_of("WEIGHT TABLE:\n             0000:c1:00.0 0000:c6:00.0\n"
                                            "0000:c1:00.0 0            15\n0000:c6:00.0 15           0\n\n"
                                            "LINK TYPE TABLE:\n             0000:c1:00.0 0000:c6:00.0\n"
                                            "0000:c1:00.0 SELF         XGMI\n0000:c6:00.0 XGMI         SELF\n"),
                                   "test");
  REQUIRE(facts);
  CHECK(facts->parts[1].bus_id == "0000:c6:00.0");
  CHECK(facts->cables.size() == 1);
  std::string named = ring("XGMI");
  for (int g = 0; g < 4; ++g) named += "GPU[" + std::to_string(g) + "]\t\t: Card Series: \t\tAMD Instinct MI300X OAM\n";
  const ScratchFile file(named);
  const Imported imported = import_files("topology", {file.path()});
  CHECK(imported.document.find("\"gpu\": \"mi300x\"") != std::string::npos);
  CHECK(imported.document.find("\"xgmi-gpu-mi300x\"") != std::string::npos);
  CHECK_FALSE(read_rocm_smi(lines_of("GPU0 GPU1\nGPU0 X NV12\n"), "test"));
  CHECK_FALSE(read_rocm_smi(lines_of("====== Weight between two GPUs ======\n"), "test"));
}

}  // namespace clustersim
