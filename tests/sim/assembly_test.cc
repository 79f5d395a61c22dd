#include "sim/assembly.h"

#include <cmath>
#include <map>
#include <set>

#include "sim/engine/executor.h"
#include "tests/sim/small_scenarios.h"

using namespace clustersim;

namespace {

std::map<std::string, double> weights(const Assembly& assembly, const InputStage& stage) {
  std::map<std::string, double> sums;
  for (const Use& use : stage.uses) sums[assembly.resource_name(use.resource)] += use.weight;
  return sums;
}

std::vector<std::string> labels(const Assembly& assembly) {
  std::vector<std::string> found;
  const DataParallelSpec step = assembly.step(true);
  for (const InputStage& stage : step.ranks[0].stages) found.push_back(stage.label);
  return found;
}

const std::string nfs = R"(, "storage": {"tier": "nfs-10g", "servers": 2})";

}  // namespace

TEST_CASE("assembly: every GPU of a group's representative, standing for the group") {
  const Scenario s = small::read(
      R"({"groups": [{"nodes": 3, "node": {"server": "xe8545", "gpu": "a100-sxm4-40gb", "gpus": 4, "nic": "eth-100g"}},
                     {"nodes": 2, "node": {"server": "as-4124gs-tnr", "gpu": "rtx-3090", "gpus": 2, "nic": "eth-100g"}}],
          "fabric": {"transport": "rdma"}})",
      small::resnet(R"({"from": "synthetic"})"));
  const Assembly assembly(s.cluster, s.job);
  REQUIRE(assembly.gpus().size() == 6);
  CHECK(assembly.gpus()[0].name == "node0.gpu0");
  CHECK(assembly.gpus()[5].name == "node1.gpu1");
  double stands_for = 0;
  for (const SimulatedGpu& gpu : assembly.gpus()) stands_for += gpu.stands_for;
  CHECK(stands_for == s.cluster.gpus());

  const DataParallelSpec step = assembly.step(false);
  CHECK(step.world == 3 * 4 + 2 * 2);
  CHECK(step.gpus_per_node == 2);  // gradients are scattered over as many as every node has
  CHECK(step.models.size() == 2);
  CHECK(step.ranks[5].model == 1);
  // Groups of other GPUs have other kernels.
  CHECK(step.models[0].forward[0].math_s < step.models[1].forward[0].math_s);
}

TEST_CASE("assembly: a machine has the fabric's links and pools, three resources a node and the shared storage") {
  const Scenario s = small::read(small::servers(3, nfs), small::resnet(R"({"from": "shared"})"));
  const Assembly assembly(s.cluster, s.job);
  const MachineSpec machine = assembly.machine(true, std::vector<double>(4, 0.5));
  const FabricPlan& fabric = assembly.fabric();
  const std::size_t fabrics = fabric.links.size() + fabric.pools.size();
  REQUIRE(machine.resource_capacity.size() == fabrics + 3 + 1);
  for (const double capacity : machine.resource_capacity) CHECK(capacity > 0);
  CHECK(assembly.resource_name(0) == fabric.links[0].name);
  CHECK(assembly.resource_name(static_cast<ResourceId>(fabric.links.size())) == "node0.cores");
  CHECK(assembly.resource_name(static_cast<ResourceId>(fabrics)) == "node0.loader");
  CHECK(assembly.resource_name(static_cast<ResourceId>(fabrics + 1)) == "node0.storage");
  CHECK(assembly.resource_name(static_cast<ResourceId>(fabrics + 2)) == "node0.cache");
  CHECK(assembly.resource_name(static_cast<ResourceId>(fabrics + 3)) == "shared storage");
  CHECK(machine.resource_capacity[fabrics] == assembly.input(0, true).usable_cores);
  CHECK(machine.resource_capacity[fabrics + 3] == assembly.input(0, true).shared_rate.base());
  CHECK(machine.gpus == 4);
  CHECK(machine.gpu_clock == std::vector<double>(4, 0.5));
  // Every GPU has one compute stream; each stream of a rank exists and is used by that rank alone.
  CHECK(std::count_if(machine.stream_gpu.begin(), machine.stream_gpu.end(), [](GpuId g) { return g == 2; }) == 1);
  std::set<StreamId> streams;
  const DataParallelSpec step = assembly.step(true);
  for (const Rank& rank : step.ranks) {
    CHECK(machine.stream_gpu[static_cast<std::size_t>(rank.compute_stream)] == rank.gpu);
    CHECK(streams.insert(rank.compute_stream).second);
    CHECK(rank.stage_streams.size() == rank.stages.size());
    for (const StreamId stream : rank.stage_streams) {
      CHECK(machine.stream_gpu[static_cast<std::size_t>(stream)] == -1);
      CHECK(streams.insert(stream).second);
    }
  }
  CHECK(streams.insert(step.collective_stream).second);
  CHECK(static_cast<std::size_t>(step.collective_stream) < machine.stream_gpu.size());
}

TEST_CASE("assembly: a representative reads from shared storage for all its nodes, and over its own NIC for itself") {
  for (const int nodes : {1, 4}) {
    const Scenario s = small::read(small::servers(nodes, nfs), small::resnet(R"({"from": "shared"})"));
    const Assembly assembly(s.cluster, s.job);
    const InputStage read = assembly.step(true).ranks[0].stages.at(0);
    CHECK(read.label == "read");
    CHECK(read.amount == s.job.data.dataset.record_bytes.base() * 64);
    const std::map<std::string, double> sums = weights(assembly, read);
    CHECK(sums.at("shared storage") == nodes);
    double nic = 0, memory = 0;
    for (const auto& [name, weight] : sums) {
      if (name.find("node0.nic0>") == 0) nic += weight;
      if (name.find(">node0.mem") != std::string::npos) memory += weight;
    }
    CHECK(nic == 1);
    CHECK(memory == 1);
    // What one node may draw is divided among its GPUs.
    CHECK(read.rate_cap == Approx(assembly.input(0, true).shared_rate_per_node.base() / 4));
  }
}

TEST_CASE("assembly: n nodes on one storage take n times as long once it is the limit") {
  // The servers' rate R is far below what the nodes ask: step = n * 4 GPUs * 64 samples * bytes / R.
  for (const int nodes : {1, 2, 4}) {
    Scenario s = small::read(small::servers(nodes, nfs), small::resnet(R"({"from": "shared"})"));
    s.cluster.storage->servers.tier.read = bytes_per_second(20e6);
    const Assembly assembly(s.cluster, s.job);
    const double rate = assembly.input(0, true).shared_rate.base();
    CHECK(rate <= 2 * 20e6);
    const double expected_s = nodes * 4 * 64 * s.job.data.dataset.record_bytes.base() / rate;
    // Readers stop for less than a thousandth of a step where the GPUs take their batches up at other moments.
    CHECK(small::step_s(s, true) == Approx(expected_s).epsilon(1e-3));
  }
}

TEST_CASE("assembly: the cache tier takes its share of the reads from the servers") {
  const std::string cached = R"(, "storage": {"tier": "nfs-10g", "servers": 2,
                                  "cache": {"tier": "nvme-gen4-dc", "count": 1}})";
  Scenario s = small::read(small::servers(4, cached), small::resnet(R"({"from": "shared"})"));
  s.cluster.groups[0].node.memory = Bytes();  // no page cache
  s.cluster.storage->cache->capacity = s.job.data.dataset.record_bytes * (0.25 * s.job.data.dataset.samples / 4);
  const Assembly assembly(s.cluster, s.job);
  CHECK(weights(assembly, assembly.step(true).ranks[0].stages.at(0)).count("node0.cache") == 0);  // nothing in it yet
  // Each of 4 nodes draws from a quarter of the records and holds a quarter of those.
  const std::map<std::string, double> warm = weights(assembly, assembly.step(false).ranks[0].stages.at(0));
  CHECK(warm.at("node0.cache") == Approx(0.25));
  CHECK(warm.at("shared storage") == Approx(0.75 * 4));
}

TEST_CASE("assembly: a local array is charged once, and its devices share the way to memory") {
  Scenario s = small::read(small::servers(2), small::resnet(R"({"from": "node"})"));
  s.cluster.groups[0].node.storage.count = 4;
  const Assembly assembly(s.cluster, s.job);
  const std::map<std::string, double> sums = weights(assembly, assembly.step(true).ranks[1].stages.at(0));
  CHECK(sums.at("node0.storage") == 1);
  double from_devices = 0;
  for (const auto& [name, weight] : sums)
    if (name.find("nvme") == name.find('.') + 1 && name.find("nvme") < name.find('>')) from_devices += weight;
  CHECK(from_devices == Approx(1));
  CHECK(sums.count("shared storage") == 0);
}

TEST_CASE("assembly: what the page cache holds is not read") {
  const Scenario s = small::read(small::servers(1), small::resnet(R"({"from": "page-cache"})"));
  const Assembly assembly(s.cluster, s.job);
  const InputStage read = assembly.step(false).ranks[0].stages.at(0);
  CHECK(read.uses.empty());
}

TEST_CASE("assembly: each loader has its stages") {
  using Labels = std::vector<std::string>;
  const auto stages = [](const std::string& data, const char* model = "resnet-50") {
    Scenario s = small::read(small::servers(1), small::resnet(data));
    if (std::string(model) == "emulated") s.job.model = ModelKind::emulated, s.job.emulated_step = seconds(0.1);
    return labels(Assembly(s.cluster, s.job));
  };
  CHECK(stages(R"({"from": "synthetic"})").empty());
  CHECK(stages(R"({"loader": "pytorch"})") == Labels{"read", "decode", "collate", "copy"});
  CHECK(stages(R"({"loader": "tf-data"})") == Labels{"read", "decode", "copy"});
  CHECK(stages(R"({"loader": "dali-cpu"})") == Labels{"read", "decode", "copy"});
  CHECK(stages(R"({"loader": "dali-gpu"})") == Labels{"read", "decode", "decode in hardware", "copy"});
  CHECK(stages(R"({"loader": "tf-data"})", "emulated") == Labels{"read", "decode", "copy"});
}

TEST_CASE("assembly: the amounts of the stages are those of the step's samples") {
  Scenario s = small::read(small::servers(1), small::resnet(R"({"loader": "pytorch", "workers_per_gpu": 4})"));
  s.job.accumulation = 3;
  const Assembly assembly(s.cluster, s.job);
  const InputDemand& demand = assembly.input(0, true);
  const DataParallelSpec step = assembly.step(true);
  const std::vector<InputStage>& stages = step.ranks[2].stages;
  CHECK(stages[0].amount == Approx(3 * 64 * demand.stored_bytes));
  CHECK(stages[1].amount == Approx(3 * 64 * demand.decode_core_s));
  CHECK(stages[1].rate_cap == Approx(demand.usable_cores / 4));
  CHECK(stages[2].amount == Approx(3 * 64 * demand.collate_s));
  CHECK(stages[3].amount == Approx(3 * 64 * demand.copy_bytes));
  // Two batches a worker are ahead, at most as many as there are streams.
  CHECK(step.prefetch == 6);
  s.job.data.workers_per_gpu = 1;
  CHECK(Assembly(s.cluster, s.job).step(true).prefetch == 2);
}

TEST_CASE("assembly: the expected straggler grows with the ranks") {
  // Noise only: factor - 1 of rank_noise.h; sequences of one length.
  double before = 0;
  for (const int nodes : {1, 2, 8, 64}) {
    const Scenario s = small::read(small::servers(nodes), small::resnet(R"({"from": "synthetic"})"));
    const double share = Assembly(s.cluster, s.job).step(false).straggler_share;
    CHECK(share > before);
    before = share;
  }
  CHECK(before < 0.05);
}
