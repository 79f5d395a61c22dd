// The planner against scenarios/measurements/nccl.csv: published nccl-tests rows on systems whose topology is stated.
//
// Compared is the time of a row, |predicted / measured - 1|. Each set names how far it may be off, and why.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "tests/models/csv_line.h"
#include "tests/models/hand_clusters.h"

using namespace clustersim;
using namespace clustersim::hand;

namespace {

struct Row {
  std::string system, collective;
  int ranks = 0;
  double bytes = 0, seconds = 0;
  bool nvls_off = false;
};

std::vector<Row> rows() {
  std::ifstream file(std::string(CLUSTERSIM_SOURCE_DIR) + "/scenarios/measurements/nccl.csv");
  REQUIRE(file);
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = split_csv(line);
  const auto column = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  std::vector<Row> all;
  while (std::getline(file, line)) {
    const std::vector<std::string> f = split_csv(line);
    if (f.size() < names.size() || f[column("size_bytes")].empty() || f[column("time_us")].empty()) continue;
    Row row{f[column("system")],
            f[column("collective")],
            std::stoi(f[column("ranks")]),
            std::stod(f[column("size_bytes")]),
            std::stod(f[column("time_us")]) * 1e-6,
            false};
    row.nvls_off = f[column("notes")] == "Ring" || f[column("notes")].find("NVLS off") != std::string::npos ||
                   f[column("notes")].find("NVLS_ENABLE=0") != std::string::npos;
    if (row.seconds > 0) all.push_back(row);
  }
  return all;
}

const std::map<std::string, CollectiveOp> ops = {{"all_reduce", CollectiveOp::all_reduce},
                                                 {"all_gather", CollectiveOp::all_gather},
                                                 {"reduce_scatter", CollectiveOp::reduce_scatter},
                                                 {"alltoall", CollectiveOp::all_to_all},
                                                 {"reduce", CollectiveOp::reduce},
                                                 {"broadcast", CollectiveOp::broadcast},
                                                 {"sendrecv", CollectiveOp::send_recv}};

std::map<std::string, Cluster> systems() {
  NodeSpec stock = node(gpu("Ada", 128, 1008, false), 8, 4);
  stock.gpu_fabric.shape = "none";
  NodeSpec open = stock;
  open.p2p = true;
  NodeSpec open6 = open, open4 = open;
  open6.gpus = 6;
  open4.gpus = 4;
  open4.sockets = 1;
  NicSpec efa = rdma_nic(100);
  efa.rdma_efficiency = 0.85;
  efa.rdma_latency = microseconds(18);
  NodeSpec v100 = node(gpu("Volta", 80, 900), 1, 3, 1);
  NodeSpec dgx2 = with_nvlink(node(gpu("Volta", 80, 900), 12, 3, 2, 20), 2, "switch");
  NodeSpec pair = with_nvlink(node(gpu("Ampere", 108, 2039), 2, 4), 3, "pairs");
  NodeSpec mi300x = with_nvlink(node(gpu("CDNA3", 304, 5300), 8, 5, 2, 64), 4, "mesh", 7);
  mi300x.gpu_fabric.link.kind = "xgmi";
  mi300x.gpu_fabric.link.collective_per_link = gigabytes_per_second(47.7);
  return {
      {"MI300X node", cluster(mi300x)},
      {"8x A100-SXM4-40GB (Azure ND A100 v4)", cluster(a100_sxm())},
      {"8x A100 node", cluster(a100_sxm())},
      {"OCI 8x A100-40", cluster(a100_sxm())},
      {"8x H200 node", cluster(h200_sxm())},
      {"8x H100 node", cluster(h100_sxm())},
      {"8x B200 p6-b200 node", cluster(b200_sxm())},
      {"8x V100-SXM2-16GB", cluster(dgx1())},
      {"OCI 8x V100", cluster(dgx1())},
      {"DGX-2, 12 of 16 GPUs", cluster(dgx2)},
      {"2x A100-80GB same node", cluster(pair)},
      {"8x RTX 4090 stock driver", cluster(on_root_ports(stock))},
      {"8x RTX 4090, P2P-enabled driver", cluster(on_root_ports(open))},
      {"6x RTX 4090, P2P-enabled driver", cluster(on_root_ports(open6))},
      {"4x RTX 4090, P2P-enabled driver", cluster(on_root_ports(open4))},
      {"2x DGX A100", cluster(with_nics(a100_sxm(), rdma_nic(200), 8), 2)},
      {"DGX A100 pair/quad (Slurm)", cluster(with_nics(a100_sxm(), rdma_nic(200), 8), 4)},
      {"2x DGX-1", cluster(with_nics(dgx1(), rdma_nic(100), 2), 2)},
      {"2x Nebius (8x H100)", cluster(with_nics(h100_sxm(), rdma_nic(400), 8), 2)},
      {"2x p4de.24xlarge", cluster(with_nics(a100_sxm(), efa, 4), 2, Transport::efa)},
      {"2x OCI BM.GPU.B4.8 (8x A100-40)", cluster(with_nics(a100_sxm(), rdma_nic(100), 16), 2)},
      {"2 nodes, V100", cluster(with_nics(v100, tcp_nic(10, 9.0, 20), 1), 2, Transport::tcp)},
  };
}

// Systems from whose rows no constant was taken. All rows were in view when the others' were chosen, so neither
// median is a blind prediction; this one is the more telling.
const std::set<std::string> untouched = {"8x A100 node",
                                         "OCI 8x A100-40",
                                         "8x H100 node",
                                         "8x V100-SXM2-16GB",
                                         "8x RTX 4090, P2P-enabled driver",
                                         "6x RTX 4090, P2P-enabled driver",
                                         "2x OCI BM.GPU.B4.8 (8x A100-40)"};

// Pairs of nodes whose topology is stated whole: every row from 16 MiB up is met within a fifth, but one.
const std::set<std::string> stated_pairs = {
    "2x DGX A100",  "2x DGX-1", "2x Nebius (8x H100)", "2x p4de.24xlarge", "2x OCI BM.GPU.B4.8 (8x A100-40)",
    "2 nodes, V100"};

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.empty() ? 0.0 : v[v.size() / 2];
}

}  // namespace

TEST_CASE("published nccl-tests rows are met", "[collective]") {
  const bool show = std::getenv("CLUSTERSIM_SHOW_ROWS") != nullptr;
  std::map<std::string, std::unique_ptr<Built>> built;
  for (const auto& [name, c] : systems()) built[name] = std::make_unique<Built>(c);
  std::vector<double> large, small, other;
  std::map<std::string, std::vector<double>> by_set;
  for (const Row& row : rows()) {
    std::string name = row.system;
    for (const char* gpus : {", 2 GPUs", ", 4 GPUs", ", 5 GPUs", ", 6 GPUs", ", 7 GPUs", ", 8 GPUs"})
      if (name.find(gpus) != std::string::npos) name = name.substr(0, name.find(gpus));
    if (name == "8x B200 node") name = "8x B200 p6-b200 node";
    const auto found = built.find(name);
    if (found == built.end()) continue;
    const Built& b = *found->second;
    const int ranks = row.ranks == b.cluster.gpus() ? 0 : row.ranks;
    const CollectiveAlgorithm algorithm = row.nvls_off ? CollectiveAlgorithm::ring : CollectiveAlgorithm::automatic;
    const CollectivePlan plan = b.planner.plan({ops.at(row.collective), row.bytes, algorithm, Scope::world, ranks});
    const double error = plan.idle_time_s / row.seconds - 1;
    (row.bytes >= 1 << 20 ? large : small).push_back(std::fabs(error));
    if (row.bytes >= 1 << 20) by_set[name + " " + row.collective].push_back(std::fabs(error));
    if (row.bytes >= 1 << 24 && stated_pairs.count(name) > 0) {
      INFO(name << " at " << row.bytes << " B");
      // A known miss, 24 %: that log's rate falls from 17.3 GB/s at 8 MiB to 15.4 at 16 and is 22.1 at 64.
      const bool known_miss = name == "2x DGX-1" && row.bytes == 1 << 24;
      CHECK(std::fabs(error) < (known_miss ? 0.25 : 0.20));
    }
    if (row.bytes >= 1 << 20 && untouched.count(name) > 0) other.push_back(std::fabs(error));
    if (show)
      std::cout << name << ' ' << row.collective << ' ' << row.ranks << " S=" << row.bytes << " measured "
                << row.seconds * 1e6 << " us, predicted " << plan.idle_time_s * 1e6 << " (" << plan.algorithm << ", "
                << plan.limit << ") " << std::lround(1000 * error) / 10.0 << " %\n";
  }
  if (show) {
    for (const auto& [name, errors] : by_set)
      std::cout << name << ": " << errors.size() << " rows from 1 MiB, median " << 100 * median(errors) << " %\n";
    std::cout << "from 1 MiB: " << large.size() << " rows, median " << 100 * median(large)
              << " %; below: " << small.size() << " rows, median " << 100 * median(small)
              << " %; untouched from 1 MiB: " << other.size() << " rows, median " << 100 * median(other) << " %\n";
  }
  REQUIRE(large.size() > 150);
  CHECK(median(large) < 0.08);  // MODELS 3.5: 5 to 10 % above 1 MB on known platforms
  CHECK(median(other) < 0.10);
  CHECK(median(small) < 0.30);  // MODELS 3.5: 30 % below 256 kB
}
