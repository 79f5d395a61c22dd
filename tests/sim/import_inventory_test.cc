// Lists of a cluster's nodes: SLURM's, tables of machines, SimAI's topology; small ones of our own with the oddities of
// real ones.
#include "clustersim/clustersim.h"
#include "sim/import/inventory.h"
#include "tests/sim/import_files.h"

namespace clustersim {
namespace {

using imports::example;
using imports::fault_of;
using imports::says;
using imports::ScratchFile;

Inventory read(const std::string& text) { return read_inventory(text, "test"); }

const std::string scontrol =
    "NodeName=n1 Arch=x86_64 CoresPerSocket=96 \n   CPUAlloc=0 CPUEfctv=192 CPUTot=192 CPULoad=0.50\n"
    "   Gres=gpu:h100:8(S:0-1)\n   GresUsed=gpu:h100:5(IDX:0-4)\n   OS=Linux 5.15.0 #1 SMP Fri RealMemory=1\n"
    "   RealMemory=2000000 AllocMem=0 State=MIXED Reason=none [root@x]\n"
    "   CfgTRES=cpu=192,mem=2000000M,billing=192\n   AllocTRES=cpu=10,mem=1G\n";

// SimAI's: GPUs 0..7, their NVSwitch 8, eight switches of a rail each, and one above them.
std::string simai(const std::string& head) {
  std::string text = head + "\n8 9 10 11 12 13 14 15 16 17 \n";
  for (int g = 0; g < 8; ++g)
    text += std::to_string(g) + " 8 2400Gbps 0.000025ms 0\n" + std::to_string(g) + " " + std::to_string(9 + g) +
            " 400Gbps 0.0005ms 0\n";
  for (int s = 9; s < 17; ++s) text += std::to_string(s) + " 17 400Gbps 0.0005ms 0\n";
  return text;
}

}  // namespace

TEST_CASE("item 121: scontrol show node tells eight GPUs and five in use, though its TRES name none") {
  const Inventory list = read(scontrol);
  REQUIRE(list.kinds.size() == 1);
  CHECK(list.kinds[0].gpu == "h100");
  CHECK(list.gpus() == 8);
  CHECK(list.nodes() == 1);
  CHECK(says(list.known, "5 of the GPUs are in use"));
  CHECK(*list.kinds[0].memory_bytes == Approx(2000000.0 * 1048576));  // what stands after "#1" counts too
}

TEST_CASE("the other forms of SLURM's: one line a node, sinfo with a header and without, slurm.conf, gres.conf") {
  const Inventory lines = read(
      "NodeName=a1 Arch=x86_64 CPUTot=72 OS=Linux 5.14.0 #1 SMP RealMemory=491520 Gres=gpu:a100:4(S:0-1) "
      "GresUsed=gpu:a100:1(IDX:0) State=MIXED CfgTRES=cpu=72,gres/gpu=4\n"
      "NodeName=a2 CPUTot=72 RealMemory=491520 Gres=gpu:a100:4 State=IDLE+DRAIN\n"
      "NodeName=c1 CPUTot=128 RealMemory=262144 Gres=(null) State=ALLOCATED CfgTRES=cpu=128\n"
      "NodeName=t1 CPUTot=128 RealMemory=262144 Gres=(null) CfgTRES=cpu=128,gres/gpu=2,gres/gpu:t4=2 "
      "AllocTRES=cpu=1,gres/gpu=1\n");
  CHECK(lines.nodes() == 3);
  CHECK(lines.gpus() == 10);
  CHECK(lines.without_gpus == 1);
  CHECK(lines.kinds[1].gpu == "t4");
  CHECK(says(lines.known, "2 of the GPUs are in use"));
  CHECK(says(lines.warnings, "1 nodes are down, drained or in maintenance"));
  for (const char* text :
       {"NODELIST GRES\nn[01-16] gpu:h100:8(S:0-1)\n", "n[01-16] gpu:h100:8\n", "16 gpu:h100:8(S:0-1)\n",
        "HOSTNAMES STATE GRES GRES_USED MEMORY\nn[01-16] idle gpu:h100:8 gpu:h100:0(IDX:N/A) 2000000\n",
        "NodeName=DEFAULT Gres=gpu:h100:8 RealMemory=2000000\nNodeName=n[01-16] Sockets=2 # the new ones\n",
        "NodeName=n[01-16] Name=gpu Type=h100 File=/dev/nvidia[0-7] Cores=0-95\n",
        "nodename=n[01-08] name=gpu type=h100 count=8\nNodeName=n[09-16] \\\n Name=gpu Type=h100 Count=8\n"}) {
    INFO(text);
    const Inventory list = read(text);
    REQUIRE(list.kinds.size() == 1);
    CHECK(list.nodes() == 16);
    CHECK(list.kinds[0].gpus == 8);
    CHECK(list.kinds[0].gpu == "h100");
  }
  // A node of two partitions stands twice in sinfo -N.
  CHECK(read("NODELIST PARTITION GRES\nn1 a gpu:l4:2\nn1 b gpu:l4:2\n").nodes() == 1);
}

TEST_CASE("gres.conf of each node says how many GPUs and their NVLink, not how many nodes") {
  const Inventory list = read(
      "# two halves\nName=gpu Type=a100 File=/dev/nvidia[0-3] Cores=0-31 Links=-1,4,4,4\n"
      "Name=gpu Type=a100 File=/dev/nvidia[4-7] Cores=32-63\n");
  CHECK_FALSE(list.nodes_told);
  CHECK(list.kinds[0].gpus == 8);
  CHECK(says(list.known, "12 links of a GPU"));
  CHECK(says(list.unknown, "how many nodes have this gres.conf"));
  CHECK(fault_of([] { read("AutoDetect=nvml\n"); }).hint == "take scontrol show node");
}

TEST_CASE("slices of MIG, several kinds in a node, and nodes without GPUs are told") {
  CHECK(says(read("n1 gpu:a100_3g.20gb:4\n").warnings, "slices of MIG"));
  CHECK(read("n1 gpu:a100_3g.20gb:4\n").kinds[0].gpu.empty());
  CHECK(says(read("n1 gpu:a100:4,gpu:h200:4\n").warnings, "several kinds"));
  CHECK(fault_of([] { read("NodeName=c[1-4] CPUs=64 RealMemory=1000\n"); }).got == "4 nodes without");
}

TEST_CASE("item 125: Alibaba's list of nodes, GPUs by kind") {
  // 3 x 8 G2, 2 x 2 P100, 1 x 1 A10, and a node without.
  const ScratchFile file(
      "sn,cpu_milli,memory_mib,gpu,model\nopenb-node-0021,64000,262144,2,P100\nopenb-node-0022,64000,262144,2,P100\n"
      "openb-node-0234,96000,393216,8,G2\nopenb-node-0235,96000,393216,8,G2\nopenb-node-0236,96000,393216,8,G2\n"
      "openb-node-1480,96000,524288,0,\nopenb-node-1328,128000,1048576,1,A10\nopenb-node-9,x,y,z,A10\n");
  const Imported imported = import_files("node", {file.path()});
  CHECK(imported.format == "Alibaba's node list (openb)");
  CHECK(says(imported.known, "6 nodes with 29 GPUs together"));
  CHECK(says(imported.known, "24 GPUs \"G2\": 3 nodes of 8"));
  CHECK(says(imported.known, "4 GPUs \"P100\": 2 nodes of 2"));
  CHECK(says(imported.known, "1 node without a GPU: left out"));
  CHECK(says(imported.warnings, "1 lines without a number of GPUs"));
  // A10 is one product; two are called P100, and G2 hides what it is.
  CHECK(says(imported.unknown,
             "does not run before it names the GPU: /cluster/groups/0/node/gpu, /cluster/groups/1/node/gpu,"));
  CHECK(says(imported.unknown, "\"p100-pcie-16gb\" or \"p100-sxm2-16gb\""));
  const Scenario scenario =
      read_scenario_text(imported.document, "c.json",
                         {{"/cluster/groups/0/node/gpu", "t4"}, {"/cluster/groups/1/node/gpu", "p100-pcie-16gb"}});
  CHECK(scenario.cluster.nodes() == 6);
  CHECK(scenario.cluster.groups.at(2).node.gpu.id == "a10");
  CHECK(scenario.cluster.groups.at(0).node.memory.base() == Approx(393216.0 * 1048576));
  CHECK_THROWS_AS(read_scenario_text(imported.document, "c.json", {}), InputError);
}

TEST_CASE("item 125: the whole list has 1213 nodes with GPUs of seven kinds") {
  struct Kind {
    const char* name;
    int gpus, rest_nodes, rest_gpus;  // of a node; and so many nodes with fewer
    int nodes;
  };
  // 4392 G2, 842 T4, 312 G3, 265 P100, 204 V100M32, 195 V100M16 and 2 A10, spread so that 1213 nodes hold them.
  const Kind kinds[] = {{"G2", 8, 0, 0, 549},     {"T4", 2, 36, 1, 403},    {"G3", 8, 0, 0, 39}, {"P100", 2, 1, 1, 132},
                        {"V100M32", 8, 1, 4, 25}, {"V100M16", 8, 1, 3, 24}, {"A10", 1, 0, 0, 2}};
  std::string text = "sn,cpu_milli,memory_mib,gpu,model\n";
  int number = 0;
  for (const Kind& kind : kinds)
    for (int n = 0; n < kind.nodes + kind.rest_nodes; ++n)
      text += "openb-node-" + std::to_string(number++) + ",96000,393216," +
              std::to_string(n < kind.nodes ? kind.gpus : kind.rest_gpus) + "," + kind.name + "\n";
  const ScratchFile file(text);
  const Imported imported = import_files("node", {file.path()});
  CHECK(says(imported.known, "1213 nodes with 6212 GPUs together"));
  for (const char* line : {"4392 GPUs \"G2\"", "842 GPUs \"T4\"", "312 GPUs \"G3\"", "265 GPUs \"P100\"",
                           "204 GPUs \"V100M32\"", "195 GPUs \"V100M16\"", "2 GPUs \"A10\""})
    CHECK(says(imported.known, line));
}

TEST_CASE("Philly's machines tell the memory of a GPU, and names of SLURM's become products") {
  const Inventory philly = read("machineId,number of GPUs,single GPU mem\nm31,8, 24GB\nm32,2, 12GB\nm33,8, 24GB\n");
  CHECK(philly.nodes() == 3);
  CHECK(philly.gpus() == 18);
  CHECK(*philly.kinds[0].gpu_memory_bytes == Approx(24e9));
  const Catalog catalog(data_directory());
  const auto id = [&](const std::string& name) {
    NodeKind kind;
    kind.gpu = name;
    return gpu_id_of(catalog, kind);
  };
  CHECK(id("nvidia_h100_80gb_hbm3") == "h100-sxm5-80gb");
  CHECK(id("rtx_a6000") == "rtx-a6000");
  CHECK(id("t4") == "t4");
  CHECK(id("h100").empty());
  NodeKind v100;
  v100.gpu = "V100M32";
  CHECK(near_gpu(catalog, v100) == "did you mean \"v100-pcie-32gb\" or \"v100-sxm2-32gb\"?");
}

TEST_CASE("item 128: another simulator's topology whose numbers contradict each other is warned of or refused") {
  const ScratchFile file(simai("18 8 1 9 20 A100"));
  const Imported imported = import_files("node", {file.path()});
  CHECK(imported.format == "SimAI topology");
  CHECK(says(imported.known, "1 node with 8 GPUs"));
  CHECK(says(imported.known, "a GPU to its NVSwitch: 2400 Gbit/s"));
  CHECK(says(imported.known, "a GPU to the network: 400 Gbit/s"));
  CHECK(says(imported.warnings, "20 links are announced and 24 are there"));
  CHECK(read(simai("18 8 1 9 24 A100")).warnings.empty());
  CHECK(fault_of([] { read(simai("18 8 1 10 24 A100")); }).got == "18 - 1 - 10 = 7");
}

TEST_CASE("a list beside a node's own files says how many of them there are") {
  const ScratchFile list("n[1-16] gpu:a100:8\nx[1-4] gpu:l4:2\n"), switches("SwitchName=s Nodes=n[1-16],login\n");
  const Imported imported = import_files("node", {example("nvswitch_8xa100.xml"), list.path(), switches.path()});
  CHECK(says(imported.warnings, "4 nodes of the list have other than the 8 GPUs"));
  CHECK_FALSE(says(imported.unknown, "how many nodes"));
  const Scenario scenario = read_scenario_text(imported.document, "c.json", {});
  CHECK(scenario.cluster.nodes() == 16);
  CHECK(scenario.cluster.groups.at(0).node.gpu.id == "a100-sxm4-80gb");
  CHECK_THROWS_AS(import_files("node", {list.path(), list.path()}), InputError);
}

TEST_CASE("a scenario that does not run yet says which key it waits for, and the three things it needs beside") {
  const ScratchFile csv("index, name\n0, NVIDIA GeForce RTX 4080 Laptop GPU\n");
  const Imported imported = import_files("node", {csv.path()});
  for (const char* need : {"does not run before it names the GPU: /cluster/node/gpu, an id of `clustersim catalog gpu`",
                           "how many nodes", "how switches join them", "what it costs"})
    CHECK(says(imported.unknown, need));
  CHECK_THROWS_AS(read_scenario_text(imported.document, "c.json", {}), InputError);
  CHECK(read_scenario_text(imported.document, "c.json", {{"/cluster/node/gpu", "rtx-4080"}}).cluster.nodes() == 1);
}

TEST_CASE("item 66: iblinkinfo tells the rate of a lane; four of EDR's are 100 Gbit/s") {
  const auto link = [](const std::string& rate, const std::string& state) {
    return "   1   12[  ] ==( 4X " + rate + " Gbps " + state + ")==>   3   1[  ] \"secret HCA-1\" ( )\n";
  };
  const std::string edr = link("25.78125", "Active/  LinkUp"), down = link("2.5", "  Down/ Polling");
  const ScratchFile links("CA: secret mlx5_0:\n" + edr + edr + down), mixed(edr + link("53.125", "Active/  LinkUp")),
      none(down);
  const Imported imported = import_files("node", {example("nvswitch_8xa100.xml"), links.path()});
  CHECK(says(imported.known, "InfiniBand links: 2 of 4X 25.8 Gbit/s (EDR), 100 Gbit/s each"));
  CHECK(imported.document.find("secret") == std::string::npos);
  CHECK(read_scenario_text(imported.document, "c.json", {{"/cluster/nodes", "2"}}).cluster.fabric.link.base() ==
        Approx(100e9 / 8));
  CHECK(says(import_files("node", {example("nvswitch_8xa100.xml"), mixed.path()}).unknown, "/cluster/fabric/link"));
  CHECK_THROWS_AS(import_files("node", {example("nvswitch_8xa100.xml"), none.path()}), InputError);
  CHECK_THROWS_AS(import_files("node", {links.path()}), InputError);
}

TEST_CASE("lists without end are bounded") {
  std::string many;
  for (int i = 0; i < 30; ++i) many += "NodeName=n[1-150000] Gres=gpu:l4:1 RealMemory=1000\n";
  const Inventory list = read(many);
  CHECK(list.nodes() == 150000);
  CHECK(says(list.warnings, "cannot be read"));
  std::string kinds;
  for (int i = 0; i < 500; ++i) kinds += "n" + std::to_string(i) + " gpu:t" + std::to_string(i) + "x:2\n";
  CHECK(read(kinds).kinds.size() == NodeCounter::kMostKinds);
  CHECK(says(read(kinds).warnings, "436 nodes left out"));
  CHECK_THROWS_AS(read("99999999999999999999 gpu:h100:8\n"), InputError);
  CHECK_THROWS_AS(read("n1 gpu:h100:99999\n"), InputError);
}

}  // namespace clustersim
