// Files that are damaged or hostile: every reader of a node ends with facts or with an InputError, never otherwise.
// The mutations are the same on every run.
#include <cstdint>

#include "clustersim/clustersim.h"
#include "sim/import/import_topology.h"
#include "sim/import/inventory.h"
#include "sim/import/node_document.h"
#include "sim/import/slurm_topology.h"
#include "sim/import/text_source.h"
#include "tests/sim/fuzz_rounds.h"
#include "tests/sim/import_files.h"

namespace clustersim {
namespace {

class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return n == 0 ? 0 : static_cast<std::size_t>(state_ >> 33) % n;
  }

 private:
  std::uint64_t state_;
};

const std::vector<std::string>& oddities() {
  static const std::vector<std::string> list = {"99999999999999999999",
                                                "-1",
                                                "1e400",
                                                "nan",
                                                "0x7fffffffffffffff",
                                                "",
                                                "\xff\xfe",
                                                std::string(1, '\0'),
                                                "]]>",
                                                "<!--",
                                                "&lol;",
                                                "<pci>",
                                                "<a/>",
                                                "GPU0\tGPU0",
                                                "\t\t\t\t",
                                                "NV99",
                                                "ffff:ff:ff",
                                                "4294967296 MiB",
                                                "\n\n",
                                                "\x1b[",
                                                ", , ,"};
  return list;
}

std::string mutated(std::string text, Numbers& numbers) {
  const std::size_t changes = 1 + numbers.below(4);
  for (std::size_t i = 0; i < changes && !text.empty(); ++i) {
    const std::size_t at = numbers.below(text.size()), length = numbers.below(200);
    switch (numbers.below(6)) {
      case 0:
        text.resize(at);
        break;
      case 1:
        text[at] = static_cast<char>(text[at] ^ (1 << numbers.below(8)));
        break;
      case 2:
        text.insert(numbers.below(text.size()), text.substr(at, length));
        break;
      case 3:
        text.erase(at, length);
        break;
      case 4:
        text.insert(at, oddities()[numbers.below(oddities().size())]);
        break;
      default: {  // a value in quotes, or a word, becomes odd
        const std::size_t quote = text.find('"', at);
        const std::size_t end = quote == std::string::npos ? quote : text.find('"', quote + 1);
        if (end != std::string::npos) text.replace(quote + 1, end - quote - 1, oddities()[numbers.below(12)]);
      }
    }
  }
  return text;
}

std::vector<std::string> seeds() {
  std::vector<std::string> texts;
  for (const char* name : {"vm_8gpu.xml", "nvswitch_8xa100.xml", "cube_mesh_8xv100.xml", "hwloc_2gpu.xml",
                           "topo_4gpu.txt", "query_gpu.csv", "smi_report.txt"})
    texts.push_back(read_source(imports::example(name)));
  texts.push_back(
      "|   0  NVIDIA A100-SXM...  On   | 00000000:07:00.0 Off |                    0 |\n"
      "| N/A   35C    P0    52W / 400W |      0MiB / 40536MiB |      0%      Default |\n"
      "|                               |                      |              Enabled |\n");
  texts.push_back(
      "$ nvidia-smi --query-gpu=index,name,memory.total --format=csv,noheader,nounits\n0, Tesla T4, 15360\n"
      "GPU 0: Tesla T4 (UUID: GPU-0)\n\t Link 0: 25.781 GB/s\n\t Link 1: <inactive>\n");
  texts.push_back(
      "DCGM_FI_DEV_FB_USED{gpu=\"0\",pci_bus_id=\"00000000:0D:00.0\",modelName=\"NVIDIA L40S\",Hostname=\"a\"} 1000\n"
      "DCGM_FI_DEV_FB_FREE{gpu=\"0\",Hostname=\"a\"} 45000\nDCGM_FI_DEV_MEMORY_TEMP{gpu=\"0\"} 9223372036854775794\n");
  return texts;
}

// True where the text was read, false where it was refused.
bool survives(const std::string& text) {
  try {
    return find_node_facts(clean_text(text), "fuzz").has_value();
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

TEST_CASE("damaged files of a node are read or refused", "[fuzz]") {
  Numbers numbers(20240601);
  int read = 0, refused = 0;
  for (const std::string& seed : seeds()) {
    REQUIRE(survives(seed));
    for (int i = 0; i < fuzz_rounds(400); ++i) ++(survives(mutated(seed, numbers)) ? read : refused);
  }
  CHECK(read > 100);
  CHECK(refused > 100);
}

TEST_CASE("damaged descriptions of switches are read or refused", "[fuzz]") {
  Numbers numbers(11);
  const std::string seeds[] = {
      "SwitchName=s0 Nodes=dev[0-5,7] # a\nSwitchName=s1 Nodes=r[1-2]n[01-16],\\\n x\nSwitchName=top Switches=s[0-1]\n",
      "- topology: t\n  tree:\n    switches:\n      - switch: top\n        children: s[0-1]\n      - switch: s0\n"
      "        nodes: n[1-4]\n"};
  int read = 0;
  for (const std::string& seed : seeds)
    for (int i = 0; i < fuzz_rounds(400); ++i) {
      try {
        const SwitchTree tree = read_slurm_topology(clean_text(mutated(seed, numbers)), "fuzz");
        CHECK((tree.nodes > 0 && !tree.leaves.empty() && tree.levels > 0));
        ++read;
      } catch (const InputError&) {
      }
    }
  CHECK(read > 100);
  std::string chain;
  for (int i = 0; i < 15000; ++i)
    chain += "SwitchName=s" + std::to_string(i) + " Switches=s" + std::to_string(i + 1) + "\n";
  CHECK(read_slurm_topology(chain + "SwitchName=last Nodes=n[1-150000]\n", "fuzz").nodes == 150000);
}

TEST_CASE("damaged lists of nodes are read or refused", "[fuzz]") {
  Numbers numbers(17);
  const std::string seeds[] = {
      "NodeName=n1 Arch=x86_64 CPUTot=192 OS=Linux 5 #1 SMP\n  Gres=gpu:h100:8(S:0-1) GresUsed=gpu:h100:5(IDX:0-4) "
      "RealMemory=2000000\n  CfgTRES=cpu=192,gres/gpu=8 State=IDLE\nNodeName=n[2-9] Gres=gpu:l4:4\n",
      "NODELIST NODES GRES MEMORY\nn[01-16] 16 gpu:h100:8(S:0-1) 2000000\nx 1 gpu:t4 1\n",
      "Name=gpu Type=a100 File=/dev/nvidia[0-3] Links=-1,4,4,4\nNodeName=n[1-4] Name=gpu Type=a100 Count=4\n",
      "sn,cpu_milli,memory_mib,gpu,model\na,64000,262144,2,P100\nb,96000,524288,0,\nc,1,1,8,G2\n",
      "6 4 1 1 8 A100\n4 5\n0 4 2400Gbps 0.000025ms 0\n0 5 400Gbps 0.0005ms 0\n1 4 2400Gbps 0.000025ms 0\n"};
  int read = 0;
  for (const std::string& seed : seeds)
    for (int i = 0; i < fuzz_rounds(300); ++i) {
      try {
        const Inventory list = read_inventory(clean_text(mutated(seed, numbers)), "fuzz");
        CHECK((list.nodes() > 0 && list.gpus() >= list.nodes() && list.kinds.size() <= NodeCounter::kMostKinds));
        ++read;
      } catch (const InputError&) {
      }
    }
  CHECK(read > 300);
}

TEST_CASE("what is read of a damaged file becomes a document that a scenario takes or refuses", "[fuzz]") {
  Numbers numbers(7);
  const Catalog catalog(data_directory());
  for (const std::string& seed : seeds())
    for (int i = 0; i < fuzz_rounds(6); ++i) {
      try {
        auto facts = find_node_facts(clean_text(mutated(seed, numbers)), "fuzz");
        if (!facts) continue;
        const std::string document = node_document(catalog, std::move(*facts)).document;
        read_scenario_text(R"({"clustersim": 1, "cluster": {"node": {"topology": )" + document +
                               R"(, "gpu": "a100-sxm4-80gb"}}, "job": {"model": "resnet-50"}})",
                           "fuzz", {});
      } catch (const InputError&) {
      }
    }
}

TEST_CASE("in files of a node: entities that grow, elements without end and lines without end are bounded", "[fuzz]") {
  std::string laughs = "<?xml version=\"1.0\"?><!DOCTYPE system [<!ENTITY l0 \"ha\">";
  for (int i = 1; i < 20; ++i) {
    const std::string before = "&l" + std::to_string(i - 1) + ";";
    laughs += "<!ENTITY l" + std::to_string(i) + " \"" + before + before + before + before + "\">";
  }
  CHECK_FALSE(survives(laughs + "]><system version=\"&l19;\"><cpu>&l19;</cpu></system>"));
  for (const char* open : {"<system><cpu><pci>", "<topology><object type=\"Machine\">", "<nvidia_smi_log><gpu>"}) {
    std::string deep = open;
    for (int i = 0; i < 200000; ++i) deep += "<pci>";
    CHECK_FALSE(survives(deep));
    std::string closed = open;
    for (int i = 0; i < 50000; ++i) closed += "<object>";
    for (int i = 0; i < 50000; ++i) closed += "</object>";
    CHECK_FALSE(survives(closed + "</pci></cpu></system>"));
  }
  std::string many = "<system><cpu>";
  for (int i = 0; i < 20000; ++i) many += "<pci class=\"0x0300\"/>";
  CHECK_FALSE(survives(many + "</cpu></system>"));
  std::string columns;
  for (int i = 0; i < 200000; ++i) columns += "\tGPU" + std::to_string(i % 4096);
  CHECK_FALSE(survives(columns + "\nGPU0\tX\n"));
  std::string commas = "index, name";
  for (int i = 0; i < 500000; ++i) commas += ", x";
  CHECK_FALSE(survives(commas + "\n0, NVIDIA L4\n"));
  CHECK_FALSE(survives(std::string(1 << 20, 'G')));
  CHECK_FALSE(survives(std::string(1 << 20, '\n')));
}

}  // namespace clustersim
