// Several files of one node: joined by bus id, checked against each other, written as a scenario that runs.
#include "sim/import/import_node.h"

#include "clustersim/clustersim.h"
#include "sim/import/join_facts.h"
#include "tests/sim/import_files.h"

namespace clustersim {
namespace {

using imports::example;
using imports::fault_of;
using imports::says;
using imports::ScratchFile;

// The list of the GPUs of nvswitch_8xa100.xml: bus ids 07, 17, ... 77.
std::string gpu_csv(const std::string& name, double limit_w, int count = 8, int first_bus = 0x07) {
  std::string text =
      "index, pci.bus_id, name, memory.total [MiB], pcie.link.gen.max, pcie.link.width.max, power.limit [W]\n";
  for (int g = 0; g < count; ++g) {
    char bus[20];
    std::snprintf(bus, sizeof bus, "00000000:%02X:00.0", first_bus + 0x10 * g);
    text += std::to_string(g) + ", " + bus + ", " + name + ", 81920 MiB, 4, 16, " + std::to_string(limit_w) + " W\n";
  }
  return text;
}

}  // namespace

TEST_CASE("a topology and a list of GPUs make a scenario that runs, and say what it still needs") {
  const ScratchFile csv(gpu_csv("NVIDIA A100-SXM4-80GB", 300));
  const Imported imported = import_files("node", {csv.path(), example("nvswitch_8xa100.xml")});
  CHECK(imported.format == "NCCL topology XML, version 1 and nvidia-smi --query-gpu");
  CHECK(imported.warnings.empty());
  CHECK(says(imported.known, "power limit of the GPUs: 300 W"));
  CHECK(says(imported.unknown, "how many nodes"));
  CHECK(says(imported.unknown, "how switches join them"));
  CHECK(says(imported.unknown, "what it costs"));
  const Scenario scenario = read_scenario_text(imported.document, "my-node.json", {});
  const NodeSpec& node = scenario.cluster.groups.at(0).node;
  CHECK(node.gpu.id == "a100-sxm4-80gb");
  CHECK(node.gpus == 8);
  CHECK(node.gpu_power_limit->base() == Approx(300));
  CHECK(run(scenario, {}).metrics.size() > 10);
}

TEST_CASE("a log of nccl-tests and a fio file calibrate the node that the topology describes") {
  // 8 GPUs, busbw = 2 (n - 1) / n S / t: 8 GiB in 70 ms = 122.7 GB/s of algbw, 214.7 GB/s of busbw.
  std::string log = "# Using devices\n";
  for (int g = 0; g < 8; ++g)
    log += "#  Rank  " + std::to_string(g) + " Group  0 Pid 1 on h device  " + std::to_string(g) +
           " [0x07] NVIDIA A100-SXM4-80GB\n";
  log +=
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw "
      "#wrong\n"
      "        1024           256     float     sum      -1    36.00    0.03    0.05      0    36.00    0.03    0.05   "
      "   0\n"
      "  8589934592    2147483648     float     sum      -1  70000.0  122.71  214.75      0  70000.0  122.71  214.75   "
      "   0\n";
  const ScratchFile nccl(log);
  const ScratchFile fio(
      R"({"fio version": "fio-3.33", "jobs": [{"jobname": "seq", "error": 0, "job options": {"rw": "read", "bs": "1m",
          "iodepth": "32", "direct": "1"}, "read": {"io_bytes": 96636764160, "bw_bytes": 3000000000, "bw": 2929687,
          "iops": 2861, "runtime": 32212, "total_ios": 92160}, "write": {"io_bytes": 0, "bw_bytes": 0, "bw": 0,
          "iops": 0, "runtime": 0, "total_ios": 0}}]})");
  const Imported imported = import_files("node", {nccl.path(), example("nvswitch_8xa100.xml"), fio.path()});
  const Scenario scenario = read_scenario_text(imported.document, "my-node.json", {});
  CHECK(scenario.cluster.groups.at(0).node.storage.tier.read.base() == Approx(3e9).epsilon(1e-3));
  const CollectiveTable table = collective(scenario, "all_reduce", {8589934592.0}, std::nullopt, "auto");
  CHECK(table.rows.at(0).time_us == Approx(70000).epsilon(0.02));
  // Measurements alone describe no node.
  CHECK_THROWS_AS(import_files("node", {nccl.path()}), InputError);
}

TEST_CASE("a power limit that is the board's own, or differs between GPUs, is not written") {
  const ScratchFile own(gpu_csv("NVIDIA A100-SXM4-80GB", 400));
  CHECK(import_files("node", {example("nvswitch_8xa100.xml"), own.path()}).document.find("gpu_power_limit") ==
        std::string::npos);
}

TEST_CASE(
    "slots and power limits that differ between GPUs: each keeps its slot, no limit is taken, and both are said") {
  const std::string head =
      "index, name, pcie.link.gen.max, pcie.link.width.max, pcie.link.width.current, power.limit [W]\n";
  const std::string slow = "0, NVIDIA GeForce RTX 3090, 4, 16, 4, 350 W\n";
  const ScratchFile csv(head + slow + "1, NVIDIA GeForce RTX 3090, 4, 16, 16, 280 W\n");
  const Imported imported = import_files("node", {csv.path()});
  CHECK(says(imported.warnings, "each keeps its own"));
  CHECK(says(imported.warnings, "power limits differ"));
  const Scenario scenario = read_scenario_text(imported.document, "my-node.json", {});
  const NodeSpec& node = scenario.cluster.groups.at(0).node;
  CHECK_FALSE(node.gpu_power_limit);
  REQUIRE(node.pcie_tree.size() == 3);
  CHECK(node.pcie_tree[2].link / node.pcie_tree[1].link == Approx(4).epsilon(0.05));  // 16 lanes over 4
  // A ring of two sends through the slow slot: the pair is as slow as with two such slots.
  const auto time_us = [](const Scenario& s) {
    return collective(s, "all_reduce", {1e9}, 2, "auto").rows.at(0).time_us;
  };
  const ScratchFile both(head + slow + "1, NVIDIA GeForce RTX 3090, 4, 16, 4, 350 W\n");
  const Imported narrow = import_files("node", {both.path()});
  CHECK(time_us(scenario) == Approx(time_us(read_scenario_text(narrow.document, "b.json", {}))).epsilon(0.1));
  // Where one slot is not told, the slowest that is counts for all.
  const ScratchFile unknown(
      head + slow +
      "1, NVIDIA GeForce RTX 3090, 4, 16, 16, 350 W\n2, NVIDIA GeForce RTX 3090, [N/A], [N/A], [N/A], 350 W\n");
  CHECK(says(import_files("node", {unknown.path()}).warnings, "the slowest, pcie4-x4, is taken for all"));
}

TEST_CASE("a list names the product that a topology leaves open") {
  const ScratchFile matrix(
      "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV4\t0-15\t0\nGPU1\tNV4\t X \t0-15\t0\n");
  const Imported bare = import_files("topology", {matrix.path()});
  CHECK(says(bare.unknown, "the GPU (the file does not name it)"));
  const ScratchFile csv(
      "index, name, pcie.link.gen.max, pcie.link.width.max\n0, NVIDIA GeForce RTX 3090, 4, 8\n"
      "1, NVIDIA GeForce RTX 3090, 4, 8\n");
  const Imported joined = import_files("topology", {matrix.path(), csv.path()});
  CHECK(joined.document.find("\"gpu\": \"rtx-3090\"") != std::string::npos);
  CHECK(joined.document.find("\"link\": \"nvlink3\"") != std::string::npos);
  CHECK(joined.document.find("\"link\": \"pcie4-x8\"") != std::string::npos);
}

TEST_CASE("a matrix without products runs once the scenario names the GPU") {
  const ScratchFile matrix(
      "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV12\t0-15\t0\nGPU1\tNV12\t X \t0-15\t0\n");
  const auto text = [&](const std::string& gpu) {
    return R"({"clustersim": 1, "cluster": {"node": {"topology": ")" + matrix.path() + "\"" + gpu +
           R"(}}, "job": {"model": "resnet-50"}})";
  };
  const Scenario scenario = read_scenario_text(text(R"(, "gpu": "a100-pcie-80gb")"), "test", {});
  CHECK(scenario.cluster.groups.at(0).node.gpu_fabric.link.id == "nvlink3");
  const double gib = 1024.0 * 1024 * 1024;
  // Bridged pairs of A100: 200 to 208 GB/s published.
  CHECK(collective(scenario, "all_reduce", {8 * gib}, 2, "auto").rows.at(0).busbw_gb_per_s > 190);
  CHECK(fault_of([&] { read_scenario_text(text(""), "test", {}); }).pointer == "/cluster/node/gpu");
  CHECK(fault_of([&] { read_scenario_text(text(R"(, "gpu": "l4")"), "test", {}); }).expected.find("NVLink") !=
        std::string::npos);
}

TEST_CASE("files that contradict each other are joined with a warning") {
  const std::string xml = example("nvswitch_8xa100.xml");
  const ScratchFile seven(gpu_csv("NVIDIA A100-SXM4-80GB", 400, 7));
  CHECK(says(import_files("topology", {xml, seven.path()}).warnings, "7 GPUs where another file has 8"));
  const ScratchFile elsewhere(gpu_csv("NVIDIA A100-SXM4-80GB", 400, 8, 0x08));
  CHECK(says(import_files("topology", {xml, elsewhere.path()}).warnings, "bus ids differ"));
  const ScratchFile nine(gpu_csv("NVIDIA A100-SXM4-80GB", 400, 9));
  CHECK(says(import_files("topology", {xml, nine.path()}).warnings, "not in the tree of another file are left out"));
  const ScratchFile a(gpu_csv("NVIDIA A100-SXM4-80GB", 400)), b(gpu_csv("NVIDIA H100 80GB HBM3", 700));
  CHECK(says(import_files("topology", {a.path(), b.path()}).warnings, "where another file has"));
}

TEST_CASE("slots as the driver knows them count before what a link happened to run at") {
  const ScratchFile xml(
      R"(<system version="1"><cpu numaid="0"><pci busid="0000:07:00.0" class="0x030000" vendor="0x10de"
      device="0x2204" link_speed="2.5 GT/s PCIe" link_width="16"><gpu dev="0" sm="86"/></pci></cpu></system>)");
  const Imported alone = import_files("topology", {xml.path()});
  CHECK(says(alone.warnings, "sleeping link"));
  CHECK(alone.document.find("pcie4-x16") != std::string::npos);
  const ScratchFile csv(
      "index, pci.bus_id, name, pcie.link.gen.max, pcie.link.width.max, pcie.link.width.current\n"
      "0, 00000000:07:00.0, NVIDIA GeForce RTX 3090, 3, 16, 4\n");
  const Imported both = import_files("topology", {xml.path(), csv.path()});
  CHECK(both.document.find("pcie3-x4") != std::string::npos);
}

TEST_CASE("mixed GPUs are told, and unknown ones are named with what is near") {
  const ScratchFile mixed(
      "index, name, memory.total [MiB]\n0, NVIDIA RTX A6000, 49140\n1, NVIDIA RTX A6000, 49140\n"
      "2, NVIDIA GeForce RTX 2080 Ti, 11264\n");
  const Imported imported = import_files("topology", {mixed.path()});
  CHECK(says(imported.warnings, "the GPUs differ"));
  CHECK(imported.document.find("\"gpu\": \"rtx-a6000\"") != std::string::npos);
  const ScratchFile unknown("index, name\n0, NVIDIA GeForce RTX 4080 Laptop GPU\n");
  const Imported near = import_files("topology", {unknown.path()});
  CHECK(says(near.unknown, "did you mean \"rtx-4080\"?"));
  CHECK(near.document.find("\"gpu\":") == std::string::npos);
}

TEST_CASE("generations and widths that PCI Express does not have are unknown") {
  const ScratchFile csv("index, name, pcie.link.gen.max, pcie.link.width.max\n0, NVIDIA L4, 7, 5\n");
  const Imported imported = import_files("topology", {csv.path()});
  CHECK(says(imported.unknown, "PCIe generation and width"));
  CHECK(imported.document.find("pcie") == std::string::npos);
}

TEST_CASE("faults of all files come together") {
  const ScratchFile text("not a topology\n"), cut("<system><cpu>");
  try {
    import_files("node", {text.path(), cut.path(), "/nowhere"});
    FAIL("no fault");
  } catch (const InputError& error) {
    CHECK(error.problems().size() == 3);
  }
}

}  // namespace clustersim
