// Names in users' files and the catalog entries they stand for.
#include "clustersim/clustersim.h"
#include "sim/import/product_names.h"
#include "tests/sim/import_files.h"

namespace clustersim {
namespace {

std::string id_of(const std::string& name, std::optional<double> mebibytes = std::nullopt) {
  const Catalog catalog(data_directory());
  NodePart gpu;
  gpu.name = name;
  if (mebibytes) gpu.memory_bytes = *mebibytes * 1048576;
  return gpu_id_of(catalog, gpu);
}

}  // namespace

TEST_CASE("a driver's names are the catalog's") {
  const std::pair<const char*, const char*> names[] = {
      {"NVIDIA A100-SXM4-80GB", "a100-sxm4-80gb"},
      {"A100-SXM4-40GB", "a100-sxm4-40gb"},
      {"A100-SXM-80GB", "a100-sxm4-80gb"},
      {"NVIDIA A100-PCIE-40GB", "a100-pcie-40gb"},
      {"NVIDIA A100 80GB PCIe", "a100-pcie-80gb"},
      {"NVIDIA H100 80GB HBM3", "h100-sxm5-80gb"},
      {"NVIDIA H100 PCIe", "h100-pcie-80gb"},
      {"NVIDIA H100 NVL", "h100-nvl-94gb"},
      {"NVIDIA H200", "h200-sxm-141gb"},
      {"NVIDIA B200", "b200-sxm-180gb"},
      {"Tesla V100-SXM2-16GB", "v100-sxm2-16gb"},
      {"Tesla V100-SXM2-32GB", "v100-sxm2-32gb"},
      {"Tesla V100-PCIE-16GB", "v100-pcie-16gb"},
      {"Tesla V100S-PCIE-32GB", "v100s-pcie-32gb"},
      {"Tesla P100-PCIE-16GB", "p100-pcie-16gb"},
      {"Tesla T4", "t4"},
      {"NVIDIA A10G", "a10g"},
      {"NVIDIA A10", "a10"},
      {"NVIDIA A30", "a30"},
      {"NVIDIA A40", "a40"},
      {"NVIDIA L4", "l4"},
      {"NVIDIA L40S", "l40s"},
      {"NVIDIA RTX A6000", "rtx-a6000"},
      {"NVIDIA RTX 6000 Ada Generation", "rtx-6000-ada-generation"},
      {"NVIDIA GeForce RTX 3090", "rtx-3090"},
      {"GeForce RTX 2080 Ti", "rtx-2080-ti"},
      {"NVIDIA GeForce RTX 4090", "rtx-4090"},
      {"NVIDIA GeForce RTX 5090", "rtx-5090"},
      {"NVIDIA GeForce RTX 3060", "rtx-3060-12gb"},
      {"NVIDIA GeForce RTX 4060 Ti", "rtx-4060-ti-16gb"},
      {"NVIDIA RTX A4000", "rtx-a4000"},
      {"NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "rtx-pro-6000-blackwell"},
      {"Quadro RTX 6000", "quadro-rtx-6000"},
      {"NVIDIA TITAN RTX", "titan-rtx"},
      {"AMD Instinct MI300X", "mi300x"},
      {"AMD Instinct MI210", "mi210"},
  };
  for (const auto& [name, id] : names) {
    INFO(name);
    CHECK(id_of(name) == id);
  }
}

TEST_CASE("capacity decides where the name does not, and contradicts where it differs") {
  CHECK(id_of("A100-SXM4").empty());
  CHECK(id_of("A100-SXM4", 81920) == "a100-sxm4-80gb");
  CHECK(id_of("A100-SXM4", 40960) == "a100-sxm4-40gb");
  CHECK(id_of("NVIDIA A100-SXM4-80GB", 40960).empty());
  CHECK(id_of("NVIDIA A100-SXM-64GB").empty());
}

TEST_CASE("a name that nvidia-smi cut off is what begins so and has the memory, if one part alone does") {
  CHECK(id_of("Tesla V100-SXM2...", 16160) == "v100-sxm2-16gb");
  CHECK(id_of("Tesla V100-SXM2...", 32510) == "v100-sxm2-32gb");
  CHECK(id_of("NVIDIA A100-SXM...", 81251) == "a100-sxm4-80gb");
  CHECK(id_of("GeForce RTX 208...", 11019) == "rtx-2080-ti");
  CHECK(id_of("Tesla V100-SXM2...").empty());  // no memory told
  // A 3090 would have been shown whole, so would a 2080.
  CHECK(id_of("NVIDIA GeForce RTX 3090 ...", 24576) == "rtx-3090-ti");
  CHECK(id_of("NVIDIA GeForce RTX 2080 ...", 8192) == "rtx-2080-super");
  CHECK(id_of("NVIDIA GeForce ...", 24576).empty());
}

TEST_CASE("names beyond the catalog stay unknown, with what is near") {
  const Catalog catalog(data_directory());
  for (const char* name :
       {"NVIDIA GeForce RTX 4080 Laptop GPU", "NVIDIA A800-SXM4-80GB", "NVIDIA H20", "Quadro RTX 4000",
        "NVIDIA TITAN Xp", "NVIDIA GeForce RTX 4090 Laptop GPU", "Tesla V100-SXM3-32GB", "", "???"})
    CHECK(id_of(name).empty());
  CHECK(near_gpu(catalog, "NVIDIA GeForce RTX 4080 Laptop GPU").find("rtx-4080") != std::string::npos);
  CHECK(near_gpu(catalog, "Tesla V100-SXM3-32GB").find("v100-sxm2-32gb") != std::string::npos);
}

TEST_CASE("PCI numbers, processors and cards have catalog entries too") {
  const Catalog catalog(data_directory());
  NodePart part;
  part.device = "10de:20b2";
  CHECK(gpu_id_of(catalog, part) == "a100-sxm4-80gb");
  part.device = "10de:ffff";
  CHECK(gpu_id_of(catalog, part).empty());
  // What the catalog does not have is named, not numbered.
  CHECK(name_of_device("10de:20f3") == "A800 SXM4 80GB");
  CHECK(name_of_device("10de:20b2").empty());
  for (const char* device : {"10de:2339", "10de:2336", "10de:232c", "10de:3182", "1002:74a5"}) {
    NodePart unknown;
    unknown.device = device;
    unknown.name = name_of_device(device);
    CHECK_FALSE(unknown.name.empty());
    CHECK(gpu_id_of(catalog, unknown).empty());
  }
  CHECK(cpu_id_of(catalog, "AMD EPYC 7742 64-Core Processor") == "epyc-7742");
  CHECK(cpu_id_of(catalog, "Intel(R) Xeon(R) Platinum 8275CL CPU @ 3.00GHz") == "xeon-platinum-8275cl");
  CHECK(cpu_id_of(catalog, "Intel(R) Xeon(R) CPU E5-2698 v4 @ 2.20GHz") == "xeon-e5-2698-v4");
  CHECK(cpu_id_of(catalog, "Intel(R) Xeon(R) Platinum 8480C") == "xeon-platinum-8480plus-8480c");
  CHECK(cpu_id_of(catalog, "13th Gen Intel(R) Core(TM) i9-13900K") == "core-i9-13900k");
  CHECK(cpu_id_of(catalog, "AMD EPYC 9999").empty());
  NodePart card;
  CHECK(nic_id_of(catalog, card).empty());
  card.rate_bytes_per_s = 200e9 / 8;
  CHECK(nic_id_of(catalog, card) == "eth-200g");
  card.infiniband = true;
  CHECK(nic_id_of(catalog, card) == "ib-hdr");
  card.rate_bytes_per_s = 123e9;
  CHECK(nic_id_of(catalog, card).empty());
  REQUIRE(family_of("GenuineIntel 6/143") != nullptr);
  CHECK(std::string(family_of("GenuineIntel 6/143")->socket_link) == "upi-spr");
  CHECK(family_of("GenuineIntel 6/1") == nullptr);
}

}  // namespace clustersim
