// Suite `collectives`: rows of nccl.csv with a size and a time, on the systems whose topology is stated, run as
// `clustersim collective` runs them. Systems that nobody describes are shown, not scored.
#include <algorithm>
#include <map>

#include "sim/validation/measurement_table.h"
#include "sim/validation/validate.h"

namespace clustersim {
namespace {

constexpr double one_mib = 1048576;
const char* const from_one_mib = "from 1 MiB";
const char* const latency_group = "latency, below 1 MiB";
// A log found after every constant stood. Its all-gathers showed that the hops of EFA were counted several times over,
// and decided between two numbers that are published; by the others nothing was chosen.
const char* const unseen_group = "unseen, 16 to 256 H100 over EFA";
const char* const gathering_group = "all-gathers of 16 to 256 H100 over EFA";

// A system as a scenario's "cluster", or why it cannot be one.
struct System {
  const char* name;  // the start of the row's system
  const char* cluster;
  const char* why_not = "";
  bool noisy_latency = false;
  bool unseen = false;
};

// The first start that fits counts. Servers by their catalog entry; what the row says beyond it in place.
constexpr System systems[] = {
    {"8x A100", R"({"node": {"server": "dgx-a100-40gb"}})"},
    {"OCI 8x A100-40", R"({"node": {"server": "dgx-a100-40gb"}})"},
    {"8x H200 node", R"({"node": {"server": "hgx-h200-8-gpu-server"}})"},
    {"8x B200", R"({"node": {"server": "hgx-b200-8-gpu-server"}})"},
    {"8x H100 node", R"({"node": {"server": "dgx-h100"}})"},
    {"MI300X node", R"({"node": {"server": "mi300x-8-oam-server"}})"},
    {"8x V100-SXM2-16GB", R"({"node": {"server": "dgx-1"}})"},
    {"OCI 8x V100", R"({"node": {"server": "dgx-1"}})"},
    {"DGX-2", R"({"node": {"server": "dgx-2"}})"},
    {"2x A100-80GB same node", R"({"node": {"gpu": "a100-pcie-80gb", "gpus": 2,
      "gpu_fabric": {"link": "nvlink3", "shape": "pairs"}}})"},
    {"2x H100-PCIe with NVLink bridge", "", "how many of the three bridges are fitted is not stated"},
    {"8x RTX 4090 stock driver", R"({"node": {"server": "8x-rtx-4090-server"}})"},
    {"8x RTX 4090, P2P", R"({"node": {"server": "8x-rtx-4090-server", "p2p": true}})"},
    {"6x RTX 4090, P2P", R"({"node": {"gpu": "rtx-4090", "gpus": 6, "cpu": "epyc-7543", "sockets": 1, "p2p": true}})"},
    {"4x RTX 4090, P2P", R"({"node": {"server": "8x-rtx-4090-server", "gpus": 4, "p2p": true}})"},
    {"2x DGX A100", R"({"nodes": 2, "node": {"server": "dgx-a100-40gb"}})"},
    {"DGX A100 pair/quad", R"({"nodes": 4, "node": {"server": "dgx-a100-40gb"}})"},
    {"2x DGX-1", R"({"nodes": 2, "node": {"server": "dgx-1", "nic": "eth-100g", "nics": 2},
      "fabric": {"transport": "rdma"}})",
     "", true},
    {"2x Nebius", R"({"nodes": 2, "node": {"server": "dgx-h100"}})"},
    {"2x p4de", R"({"nodes": 2, "node": {"server": "aws-p4de-24xlarge"}})"},
    {"2x OCI BM.GPU.B4.8", R"({"nodes": 2, "node": {"server": "dgx-a100-40gb", "nic": "eth-100g", "nics": 16},
      "fabric": {"transport": "rdma"}})"},
    {"2x p5.48xlarge", R"({"nodes": 2, "node": {"server": "aws-p5-48xlarge"}})", "", false, true},
    {"4x p5.48xlarge", R"({"nodes": 4, "node": {"server": "aws-p5-48xlarge"}})", "", false, true},
    {"8x p5.48xlarge", R"({"nodes": 8, "node": {"server": "aws-p5-48xlarge"}})", "", false, true},
    {"16x p5.48xlarge", R"({"nodes": 16, "node": {"server": "aws-p5-48xlarge"}})", "", false, true},
    {"32x p5.48xlarge", R"({"nodes": 32, "node": {"server": "aws-p5-48xlarge"}})", "", false, true},
    {"2 nodes, V100", R"({"nodes": 2, "node": {"gpu": "v100-sxm2-16gb", "gpus": 1, "nic": "eth-10g", "nics": 1},
      "fabric": {"transport": "tcp"}})"},
    {"2x 1x L40S", "", "the source's flags do not say whether RDMA or sockets carried it"},
    {"4x A100-PCIe-40GB", "", "the placement under PCIe switches and sockets is not stated"},
    {"2x MI100", "", "the GPU and its placement are not in the catalog"},
    {"MI300A", "", "the GPU is not in the catalog"},
    {"8x H20 node", "", "the GPU is not in the catalog"},
    {"8x H800 node", "", "the GPU is not in the catalog"},
    {"2 nodes over 100 Gb/s", "", "the row states neither size nor time"},
};

const System& system_of(const std::string& name) {
  for (const System& system : systems)
    if (name.rfind(system.name, 0) == 0) return system;
  static constexpr System unknown = {"", "", "the topology is not stated"};
  return unknown;
}

std::string operation_of(const std::string& name) {
  if (name == "alltoall") return "all_to_all";
  return name == "sendrecv" ? "send_recv" : name;
}

bool nvls_off(const std::string& notes) {
  return notes == "Ring" || notes.find("NVLS off") != std::string::npos ||
         notes.find("NVLS_ENABLE=0") != std::string::npos;
}

Scenario scenario_of(const System& system) {
  const std::string text = std::string(R"({"clustersim": 1, "name": "collective", "cluster": )") + system.cluster +
                           R"(, "job": {"model": "resnet-50", "precision": "fp32", "batch_per_gpu": 1,
                               "data": {"from": "synthetic"}, "target": {"steps": 1}}})";
  return read_scenario_text(text, system.name, {});
}

}  // namespace

std::vector<ValidationRow> collectives_rows(ValidationBench&) {
  std::map<std::string, Scenario> scenarios;
  std::vector<ValidationRow> rows;
  for (const MeasurementRow& row : read_measurements(measurements_path("nccl.csv"))) {
    const System& system = system_of(row.text("system"));
    const std::string operation = operation_of(row.text("collective"));
    const std::string family = row.text("system") + ", " + operation;
    const double bytes = row.number("size_bytes", 0), measured = row.number("time_us", 0);
    const bool gathers = operation == "all_gather";
    const std::string group = system.unseen      ? (gathers ? gathering_group : unseen_group)
                              : bytes >= one_mib ? from_one_mib
                                                 : latency_group;
    if (system.noisy_latency && group == latency_group) {
      rows.push_back(shown(row.text("id"), group, family, unpredicted(), measured, "us",
                           "the log itself calls its small messages noisy: 2194 us at 8 B, 89 at 1 KiB"));
      continue;
    }
    if (*system.cluster == '\0' || bytes <= 0 || measured <= 0) {
      const char* why = *system.why_not ? system.why_not : "the row states neither size nor time";
      rows.push_back(shown(row.text("id"), group, family, unpredicted(), measured, "us", why));
      continue;
    }
    auto found = scenarios.find(system.name);
    if (found == scenarios.end()) found = scenarios.emplace(system.name, scenario_of(system)).first;
    const CollectiveTable table = collective(found->second, operation, {bytes}, static_cast<int>(row.number("ranks")),
                                             nvls_off(row.text("notes")) ? "ring" : "auto");
    rows.push_back(compared(row.text("id"), group, family, table.rows.front().time_us, measured, "us"));
  }
  return rows;
}

std::vector<ValidationBound> collectives_bounds(const std::vector<ValidationRow>& rows) {
  const std::vector<double> large = scored_errors(rows, from_one_mib), small = scored_errors(rows, latency_group);
  return {at_most("median error, from 1 MiB", median(large), 0.08),
          at_most("90th percentile, from 1 MiB", quantile(large, 0.9), 0.20),
          at_most("median error, latency rows", median(small), 0.30),
          at_most("worst of the latency rows", quantile(small, 1.0), 0.30)};
}

}  // namespace clustersim
