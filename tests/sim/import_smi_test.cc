// nvidia-smi's lists of GPUs: --query-gpu, -q, -q -x, nvlink -s, -L, as captures hold them; small ones of our own.
#include <algorithm>

#include "sim/import/import_topology.h"
#include "sim/import/smi_query.h"
#include "sim/import/smi_report.h"
#include "sim/import/text_source.h"
#include "tests/sim/import_files.h"

namespace clustersim {
namespace {

using imports::says;

NodeFacts query(const std::string& text) {
  const auto facts = read_smi_query(lines_of(clean_text(text)), "test");
  REQUIRE(facts);
  return *facts;
}

constexpr double kMiB = 1048576;

}  // namespace

TEST_CASE("units in the header, in every value, or in both are one number") {
  CHECK(smi_quantity("81559 MiB", "MiB") == Approx(81559 * kMiB));
  CHECK(smi_quantity("81559", "MiB") == Approx(81559 * kMiB));
  CHECK(smi_quantity("4799 MB", "") == Approx(4799 * kMiB));  // old drivers
  CHECK(smi_quantity("69.62 W", "") == Approx(69.62));
  CHECK(smi_quantity("1980 MHz", "MHz") == Approx(1.98e9));
  for (const char* none : {"[N/A]", "N/A", "[Not Supported]", "Requested functionality has been deprecated", "", "-1 W",
                           "nan W", "1e999 W", "12 apples"})
    CHECK_FALSE(smi_quantity(none, "W"));
}

TEST_CASE("columns are found by name, in any order; what is [N/A] is unknown") {
  const NodeFacts facts = query(
      "pcie.link.gen.hostmax, power.limit [W], name, pci.bus_id, memory.total [MiB], clocks.max.sm [MHz], "
      "pcie.link.gen.max, pcie.link.width.max, compute_cap, index\r\n"
      "[N/A], 700.00 W, NVIDIA H100 80GB HBM3, 00000000:01:00.0, 81559 MiB, 1980 MHz, 5, 16, 9.0, 0\r\n");
  REQUIRE(facts.parts.size() == 1);
  const NodePart& gpu = facts.parts[0];
  CHECK(gpu.name == "NVIDIA H100 80GB HBM3");
  CHECK(gpu.bus_id == "0000:01:00.0");
  CHECK(gpu.generation == 5);
  CHECK(gpu.lanes == 16);
  CHECK(gpu.power_limit_w == Approx(700));
  CHECK(gpu.clock_hz == Approx(1.98e9));
  CHECK(gpu.memory_bytes == Approx(81559 * kMiB));
  CHECK(gpu.capability == 90);
  const NodeFacts blank = query("index, name, power.limit [W]\n0, NVIDIA L4, [N/A]\n");
  CHECK_FALSE(blank.parts[0].power_limit_w);
  CHECK_FALSE(blank.parts[0].generation);
}

TEST_CASE("a link that sleeps when idle is not what the slot can do") {
  // Idle at Gen1, loaded at Gen4; the GPU can do 4 and the host 5: Gen4.
  const std::string header =
      "index, uuid, name, pcie.link.gen.current, pcie.link.gen.gpumax, pcie.link.gen.hostmax, pcie.link.width.current, "
      "pcie.link.width.max\n";
  const std::string gpu = "0, GPU-1, NVIDIA GeForce RTX 4080 SUPER, ";
  const NodeFacts facts =
      query("== idle\n" + header + gpu + "1, 4, 5, 16, 16\n\n== load\n" + header + gpu + "4, 4, 5, 16, 16\n");
  REQUIRE(facts.parts.size() == 1);
  CHECK(facts.parts[0].generation == 4);
  CHECK(facts.parts[0].lanes == 16);
  CHECK(facts.warnings.empty());
  const NodeFacts narrow = query(header + gpu + "4, 4, 5, 4, 16\n");
  CHECK(narrow.parts[0].lanes == 4);
  CHECK(says(narrow.warnings, "fewer lanes"));
}

TEST_CASE("newer and older drivers name fields otherwise, and values may be words") {
  const NodeFacts facts = query(
      "gpu_name, gpu_bus_id, clocks_throttle_reasons.active, enforced.power.limit, clocks.max.graphics, "
      "mig.mode.current\n"
      "Tesla V100-SXM2-16GB, 00000000:1A:00.0, 0x0000000000000040, 300.00, Requested functionality has been "
      "deprecated, "
      "[Not Supported]\n"
      "NVIDIA A100-SXM4-40GB, 00000000:1B:00.0, 0x0000000000000001, 400.00, 1410, Enabled\n");
  CHECK(facts.parts[0].power_limit_w == Approx(300));
  CHECK_FALSE(facts.parts[0].clock_hz);
  CHECK(says(facts.warnings, "1 GPU slowed down by the hardware"));
  CHECK(says(facts.warnings, "GPUs with MIG"));
}

TEST_CASE("nvidia-smi -q is read by the headings above its keys") {
  const std::string text = R"(
==============NVSMI LOG==============

Timestamp                                 : Mon Jan  1 00:00:00 2024
Driver Version                            : 550.54
Attached GPUs                             : 2

GPU 00000000:18:00.0
    Product Name                          : NVIDIA A100-SXM4-80GB
    PCI
        Bus                               : 0x18
        Bus Id                            : 00000000:18:00.0
        GPU Link Info
            PCIe Generation
                Max                       : 4
                Current                   : 1
                Device Current            : 1
                Device Max                : 4
                Host Max                  : 5
            Link Width
                Max                       : 16x
                Current                   : 8x
    Clocks Event Reasons
        HW Slowdown                       : Active
            HW Thermal Slowdown           : Not Active
        SW Power Cap                      : Active
    FB Memory Usage
        Total                             : 81920 MiB
        Used                              : 4 MiB
    BAR1 Memory Usage
        Total                             : 131072 MiB
    GPU Power Readings
        Power Draw                        : 62.11 W
        Current Power Limit               : 400.00 W
        Max Power Limit                   : 500.00 W
    Module Power Readings
        Current Power Limit               : 900.00 W
    Max Clocks
        Graphics                          : 1410 MHz
        SM                                : 1410 MHz
    Applications Clocks
        SM                                : 1155 MHz
GPU 00000000:19:00.0
    Product Name                          : NVIDIA A100-SXM4-80GB
)";
  const auto facts = read_smi_report(lines_of(text), "test");
  REQUIRE(facts);
  REQUIRE(facts->parts.size() == 2);
  const NodePart& gpu = facts->parts[0];
  CHECK(gpu.bus_id == "0000:18:00.0");
  CHECK(gpu.generation == 4);
  CHECK(gpu.lanes == 8);
  CHECK(gpu.memory_bytes == Approx(81920 * kMiB));
  CHECK(gpu.power_limit_w == Approx(400));
  CHECK(gpu.clock_hz == Approx(1.41e9));
  CHECK(says(facts->warnings, "8 of 16 lanes"));
  CHECK(says(facts->warnings, "HW Slowdown"));
  CHECK_FALSE(says(facts->warnings, "SW Power Cap"));
  CHECK_FALSE(facts->parts[1].generation);
}

TEST_CASE("nvidia-smi -q -x says the same in XML") {
  const NodeFacts facts = read_smi_xml(R"(<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">
<nvidia_smi_log><attached_gpus>1</attached_gpus><gpu id="00000000:18:00.0"><product_name>NVIDIA L40S</product_name>
<pci><pci_gpu_link_info><pcie_gen><max_link_gen>4</max_link_gen><current_link_gen>1</current_link_gen></pcie_gen>
<link_widths><max_link_width>16x</max_link_width><current_link_width>16x</current_link_width></link_widths>
</pci_gpu_link_info></pci><fb_memory_usage><total>46068 MiB</total></fb_memory_usage>
<gpu_power_readings><current_power_limit>350.00 W</current_power_limit></gpu_power_readings></gpu></nvidia_smi_log>)",
                                       "test");
  CHECK(facts.parts[0].name == "NVIDIA L40S");
  CHECK(facts.parts[0].generation == 4);
  CHECK(facts.parts[0].lanes == 16);
  CHECK(facts.parts[0].power_limit_w == Approx(350));
  CHECK(facts.parts[0].memory_bytes == Approx(46068 * kMiB));
}

TEST_CASE("nvlink -s counts the links that are up, -L names whole GPUs") {
  std::string text = "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-0)\n";
  for (int link = 0; link < 18; ++link) text += "\t Link " + std::to_string(link) + ": 26.562 GB/s\n";
  text += "GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\n\t Link 0: <inactive>\n\t Link 1: 26.562 GB/s\n";
  const auto facts = read_smi_links(lines_of(text), "test");
  REQUIRE(facts);
  CHECK(facts->parts[0].nvlinks == 18);
  CHECK(facts->parts[1].nvlinks == 1);
  CHECK(says(facts->remarks, "26.562 GB/s"));
  CHECK(read_smi_links(lines_of(text + text), "test")->parts[0].nvlinks == 18);  // idle and loaded
  const auto listed = read_smi_links(lines_of("GPU models and configuration: \nGPU 0: NVIDIA L4\nGPU 1,2: NVIDIA L4\n"
                                              "GPU 3,4 Compute Capability: 8.9\n"),
                                     "test");
  REQUIRE(listed);
  CHECK(listed->parts.size() == 3);
  CHECK(listed->parts[2].name == "NVIDIA L4");
  const auto list = read_smi_links(lines_of("GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-0)\n"
                                            "  MIG 1g.5gb      Device  0: (UUID: MIG-1)\n"),
                                   "test");
  REQUIRE(list);
  CHECK(list->parts.size() == 1);
  CHECK_FALSE(list->parts[0].nvlinks);
}

TEST_CASE("a list of fields is no table, and a command names the columns that noheader leaves out") {
  // As captures list what they are going to ask for: "name", and below it other fields.
  CHECK_FALSE(read_smi_query(lines_of("timestamp\nname\nserial\nuuid\npci.bus_id\n"), "test"));
  const NodeFacts one = query("name\nTesla T4\nTesla T4\nserial\nuuid\n");
  CHECK(one.parts.size() == 2);
  const NodeFacts bare = query(
      "$ nvidia-smi --query-gpu=index,gpu_name,memory.total,power.limit --format=csv,noheader,nounits\n"
      "0, NVIDIA A100-SXM4-40GB, 40960, 400.00\n1, NVIDIA A100-SXM4-40GB, 40960, [Not Supported]\n");
  REQUIRE(bare.parts.size() == 2);
  CHECK(bare.parts[0].memory_bytes == Approx(40960 * kMiB));
  CHECK(bare.parts[0].power_limit_w == Approx(400));
  CHECK_FALSE(bare.parts[1].power_limit_w);
}

TEST_CASE("reports of one GPU, idle and loaded, are one GPU; slices of MIG are none of its values") {
  const std::string gpu =
      "GPU 00000000:00:09.0\n    Product Name                      : NVIDIA H100 80GB HBM3\n    MIG Mode\n"
      "        Current                       : Enabled\n    MIG Device\n        Index                         : 0\n"
      "        Shared FB Memory Usage\n            Total                     : 9984 MiB\n    PCI\n"
      "        GPU Link Info\n            Link Width\n                Max                   : 16x\n"
      "                Current               : ";
  const auto facts = read_smi_report(lines_of(gpu + "8x\n" + gpu + "16x\n"), "test");
  REQUIRE(facts);
  REQUIRE(facts->parts.size() == 1);
  CHECK(facts->parts[0].lanes == 16);
  CHECK_FALSE(facts->parts[0].memory_bytes);
  CHECK(says(facts->warnings, "MIG enabled"));
}

TEST_CASE("the table that nvidia-smi prints without options, of old and new drivers") {
  const auto read = [](const std::string& text) { return read_smi_table(lines_of(clean_text(text)), "test"); };
  const auto facts = read(
      "Tue Jul 14 08:12:38 2026       \n+-----------------------------------------------------------+\n"
      "| NVIDIA-SMI 590.48.01      Driver Version: 590.48.01      CUDA Version: 13.1     |\n"
      "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n"
      "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |\n"
      "|=========================================+========================+======================|\n"
      "|   0  NVIDIA H100 80GB HBM3          On  |   00000000:00:09.0 Off |                    0 |\n"
      "| N/A   41C    P0             69W /  700W |       0MiB /  81559MiB |      0%      Default |\n"
      "|                                         |                        |              Enabled |\n"
      "+-----------------------------------------+------------------------+----------------------+\n"
      "|   1  Tesla V100-SXM2...  Off  | 00000000:07:00.0 Off |                    0 |\n"
      "| N/A   35C    P0    43W / 300W |      0MiB / 16160MiB |      0%      Default |\n"
      "+-----------------------------------------------------------------------------+\n"
      "| Processes:                                                       GPU Memory |\n"
      "|    0   N/A  N/A      2056    C+G   /usr/bin/X          | 00000000:07:00.0 Off | 12 |\n");
  REQUIRE(facts);
  REQUIRE(facts->parts.size() == 2);
  CHECK(facts->parts[0].name == "NVIDIA H100 80GB HBM3");
  CHECK(facts->parts[0].power_limit_w == Approx(700));
  CHECK(facts->parts[0].memory_bytes == Approx(81559 * kMiB));
  CHECK(facts->parts[1].name == "Tesla V100-SXM2...");
  CHECK(facts->parts[1].number == 1);
  CHECK(says(facts->warnings, "MIG enabled"));
  CHECK_FALSE(read("| GPU | Name | Bus |\n| --- | --- | --- |\n| 0 | A100 | 1 |\n"));
  // A name cut off is the product that another file names in full.
  const imports::ScratchFile table(
      "|   0  NVIDIA A100-SXM...  On   | 00000000:07:00.0 Off |                    0 |\n"
      "| N/A   35C    P0    52W / 400W |      0MiB / 40536MiB |      0%      Default |\n");
  const imports::ScratchFile csv("index, pci.bus_id, name\n0, 00000000:07:00.0, NVIDIA A100-SXM4-40GB\n");
  for (const auto& files :
       {std::vector<std::string>{table.path()}, {table.path(), csv.path()}, {csv.path(), table.path()}}) {
    const Imported imported = import_files("topology", files);
    CHECK(imported.document.find("\"gpu\": \"a100-sxm4-40gb\"") != std::string::npos);
    CHECK(imported.warnings.empty());
  }
}

TEST_CASE("a capture with several reports is one node") {
  const imports::ScratchFile file(
      "### nvidia-smi topo -m\n\t\x1b[4mGPU0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m\nGPU0\t X "
      "\t0-19\t0\t\tN/A\n\n"
      "### query-gpu, idle\nindex, name, memory.total [MiB], pcie.link.gen.max, pcie.link.width.max, power.limit [W]\n"
      "0, NVIDIA H100 80GB HBM3, 81559 MiB, 5, 16, 700.00 W\n\n"
      "### nvlink -s\nGPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-0)\n\t Link 0: 26.562 GB/s\n");
  const Imported imported = import_files("topology", {file.path()});
  CHECK(imported.format == "nvidia-smi topo -m and nvidia-smi --query-gpu and nvidia-smi nvlink -s");
  CHECK(imported.document.find("\"gpu\": \"h100-sxm5-80gb\"") != std::string::npos);
  CHECK(says(imported.known, "pcie5-x16"));
}

}  // namespace clustersim
