// GPUs that monitoring and profiles list: DCGM's metrics, PyTorch's device properties.
#include "sim/import/dcgm.h"
#include "sim/import/device_properties.h"
#include "sim/import/import_topology.h"
#include "sim/import/text_source.h"
#include "tests/sim/import_files.h"

namespace clustersim {
namespace {

using imports::says;
using imports::ScratchFile;

std::optional<NodeFacts> read(const std::string& text) { return read_dcgm(lines_of(clean_text(text)), "test"); }

}  // namespace

TEST_CASE("item 116: DCGM's blank is unknown, never a temperature") {
  const auto facts = read(
      "# HELP DCGM_FI_DEV_SM_CLOCK SM clock frequency (in MHz).\n# TYPE DCGM_FI_DEV_SM_CLOCK gauge\n"
      "DCGM_FI_DEV_SM_CLOCK{gpu=\"0\", UUID=\"GPU-1\",container=\"\",namespace=\"\"} 139\n"
      "DCGM_FI_DEV_MEM_CLOCK{gpu=\"0\", UUID=\"GPU-1\"} 405\n"
      "DCGM_FI_DEV_MEMORY_TEMP{gpu=\"0\", UUID=\"GPU-1\"} 9223372036854775794\n"
      "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\", UUID=\"GPU-1\"} 2147483632\n");
  REQUIRE(facts);
  CHECK(facts->count(PartKind::gpu) == 1);
  CHECK(says(facts->remarks, "SM clock when it was asked: 139 MHz"));
  CHECK(says(facts->remarks, "left blank by DCGM, so unknown: \"DEV_MEMORY_TEMP\", \"DEV_POWER_USAGE\""));
  CHECK_FALSE(says(facts->remarks, "9.22"));
  CHECK_FALSE(says(facts->remarks, "power"));
  CHECK(facts->parts[0].name.empty());
  CHECK_FALSE(facts->parts[0].memory_bytes);
}

TEST_CASE("DCGM names products, bus ids and memory; slices and other hosts are none of a GPU's values") {
  std::string text;
  for (int g = 0; g < 2; ++g) {
    const std::string label = "gpu=\"" + std::to_string(g) + "\",pci_bus_id=\"00000000:" + std::to_string(g + 1) +
                              "D:00.0\",modelName=\"NVIDIA H100 80GB HBM3\",Hostname=\"a\"";
    text += "DCGM_FI_DEV_FB_USED{" + label + "} 1559\nDCGM_FI_DEV_FB_FREE{" + label + "} 80000\n" +
            "DCGM_FI_DEV_POWER_USAGE{" + label + "} " + std::to_string(310 + g) + ".5 1700000000\n" +
            "DCGM_FI_DEV_POWER_MGMT_LIMIT{" + label + "} 600\n";
  }
  text +=
      "DCGM_FI_DEV_FB_USED{gpu=\"0\",GPU_I_ID=\"1\",GPU_I_PROFILE=\"1g.10gb\",Hostname=\"a\"} 7\n"
      "DCGM_FI_DEV_SM_CLOCK{gpu=\"9\",Hostname=\"b\"} 1\nDCGM_FI_DEV_SM_CLOCK{gpu=\"x\"} 1\n"
      "DCGM_FI_DEV_SM_CLOCK{gpu=\"3\"\nDCGM_FI_DEV_SM_CLOCK{gpu=\"4\",UUID=\"open} 5\n";
  const ScratchFile file(text);
  const Imported imported = import_files("topology", {file.path()});
  CHECK(imported.format == "DCGM's metrics");
  CHECK(imported.document.find("\"gpu\": \"h100-sxm5-80gb\"") != std::string::npos);
  CHECK(says(imported.known, "power when it was asked: 310 to 312 W"));
  CHECK(says(imported.warnings, "GPUs of 2 hosts"));
  CHECK(says(imported.warnings, "MIG"));
  const NodeFacts facts = read_node_facts(file.path());
  REQUIRE(facts.parts.size() == 2);
  CHECK(*facts.parts[0].memory_bytes == Approx(81559.0 * 1048576));
  CHECK(*facts.parts[1].power_limit_w == 600);
  CHECK(facts.parts[1].bus_id == "0000:2d:00.0");
  CHECK_FALSE(read("DCGM_FI_DEV_SM_CLOCK\nnothing\n"));
}

TEST_CASE("item 41: a profile's device properties list GPUs where nothing better does") {
  const std::string gpu = R"("name": "NVIDIA A100-SXM4-80GB", "totalGlobalMem": 84974239744, "computeMajor": 8,
    "computeMinor": 0, "numSms": 108})";
  const std::string head = R"({"schemaVersion": 1, "deviceProperties": [{"id": 0, )" + gpu + R"(, {"id": 1, )" + gpu +
                           R"(], "traceEvents": [)";
  // A trace of hundreds of megabytes is read by its beginning.
  const ScratchFile file(head + std::string(20 << 20, ' '));
  const NodeFacts facts = read_node_facts(file.path());
  REQUIRE(facts.parts.size() == 2);
  CHECK(facts.parts[1].number == 1);
  CHECK(facts.parts[0].capability == 80);
  CHECK(*facts.parts[0].memory_bytes == Approx(84974239744.0));
  CHECK(import_files("topology", {file.path()}).document.find("\"gpu\": \"a100-sxm4-80gb\"") != std::string::npos);
  CHECK_FALSE(read_device_properties(R"({"deviceProperties": []})"));
  CHECK_FALSE(read_device_properties(R"({"deviceProperties": [{"name": "cut)"));
}

}  // namespace clustersim
