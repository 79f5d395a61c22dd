#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "clustersim/clustersim.h"
#include "models/fabric/node_tree.h"
#include "models/workload/memory.h"

using namespace clustersim;
namespace fs = std::filesystem;

namespace {

// A scenario file that lives as long as the object.
class ScenarioFile {
 public:
  explicit ScenarioFile(const std::string& text) {
    static int number = 0;
    path_ = fs::temp_directory_path() /
            ("clustersim_read_" + std::to_string(::getpid()) + "_" + std::to_string(number++) + ".json");
    std::ofstream(path_) << text;
  }
  ~ScenarioFile() { fs::remove(path_); }
  ScenarioFile(const ScenarioFile&) = delete;
  ScenarioFile& operator=(const ScenarioFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

const char* kShortest =
    R"({"clustersim": 1, "cluster": {"node": {"server": "dgx-a100-80gb"}}, "job": {"model": "resnet-50"}})";

Scenario read(const std::string& text, const std::vector<Override>& overrides = {}) {
  const ScenarioFile file(text);
  try {
    return read_scenario(file.path(), overrides);
  } catch (const InputError& error) {
    INFO(problems_text(error.problems()));
    REQUIRE(error.problems().empty());
    throw;
  }
}

// The shortest scenario with changes.
Scenario changed(const std::vector<Override>& overrides) { return read(kShortest, overrides); }

std::vector<Problem> faults(const std::vector<Override>& overrides) {
  const ScenarioFile file(kShortest);
  try {
    read_scenario(file.path(), overrides);
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

bool assumed(const Scenario& s, const std::string& pointer, const std::string& value) {
  return std::any_of(s.assumptions.begin(), s.assumptions.end(),
                     [&](const Assumption& a) { return a.pointer == pointer && a.value == value; });
}

bool assumed(const Scenario& s, const std::string& pointer) {
  return std::any_of(s.assumptions.begin(), s.assumptions.end(),
                     [&](const Assumption& a) { return a.pointer == pointer; });
}

}  // namespace

TEST_CASE("a region by its country's name is told the id") {
  for (const auto& [said, id] : {std::pair{"France", "FRA"}, {"germany", "DEU"}, {"Germny", "DEU"}}) {
    const std::vector<Problem> found = faults({{"/cluster/region", '"' + std::string(said) + '"'}});
    REQUIRE(found.size() == 1);
    CHECK(found[0].hint.find("did you mean \"" + std::string(id) + "\"") != std::string::npos);
  }
  CHECK(faults({{"/cluster/region", "\"FR\""}}).front().hint.find("FRA") != std::string::npos);
}

TEST_CASE("the shortest scenario reads, with every default it used among its assumptions") {
  const Scenario s = read(kShortest);
  REQUIRE(s.cluster.groups.size() == 1);
  const NodeSpec& node = s.cluster.groups[0].node;
  CHECK(s.cluster.nodes() == 1);
  CHECK(s.cluster.gpus() == 8);
  CHECK(node.gpu.id == "a100-sxm4-80gb");
  CHECK(node.cores == 2 * 64);  // two EPYC 7742 of 64 cores
  CHECK(node.nic->id == "ib-hdr");
  CHECK(node.nics == 8);
  CHECK(node.gpu_fabric.shape == "switch");
  CHECK(node.gpu_fabric.links_per_gpu == 12);
  CHECK(node.storage.raid == Raid::raid0);
  CHECK(node.storage.capacity->base() == Approx(8 * 3.84e12));  // RAID 0 keeps the room of all eight
  CHECK_FALSE(node.pcie_tree.empty());
  CHECK(s.job.precision == Precision::amp);
  CHECK(s.job.batch_per_gpu == 256);
  CHECK(s.job.bucket.base() == 25.0 * 1024 * 1024);
  CHECK(s.job.optimizer == Optimizer::sgd);
  CHECK(s.job.target.value == 90);
  CHECK(s.cluster.grid.base() == Approx(369.5 / 3.6e6));  // g/kWh of the USA
  CHECK_FALSE(s.cost);
  for (const char* key : {"/seed",
                          "/cluster/nodes",
                          "/cluster/node",
                          "/cluster/region",
                          "/cluster/node/acs",
                          "/cluster/node/p2p",
                          "/cluster/node/cooling/inlet",
                          "/cluster/node/cooling/airflow",
                          "/cluster/node/cooling/arrangement",
                          "/cluster/node/cooling/host_heat",
                          "/cluster/node/gpu_power_limit",
                          "/cluster/node/gpu_clock_limit",
                          "/job/stack",
                          "/job/precision",
                          "/job/optimizer",
                          "/job/lr_rule",
                          "/job/fusion",
                          "/job/gradient_precision",
                          "/job/bucket",
                          "/job/overlap",
                          "/job/reduction",
                          "/job/cuda_graph",
                          "/job/collective_algorithm",
                          "/job/accumulation",
                          "/job/no_sync",
                          "/job/batch_per_gpu",
                          "/job/data/dataset",
                          "/job/data/from",
                          "/job/data/container",
                          "/job/data/loader",
                          "/job/data/workers_per_gpu",
                          "/job/data/first_epoch_cold",
                          "/job/evaluation",
                          "/job/checkpoint",
                          "/job/target"}) {
    INFO(key);
    CHECK(assumed(s, key));
  }
  CHECK(std::any_of(s.assumptions.begin(), s.assumptions.end(), [](const Assumption& a) {
    return a.kind == Assumption::Kind::estimate && a.pointer == "gpu/a100-sxm4-80gb/idle_power" && !a.value.empty();
  }));
}

TEST_CASE("what the file says is no assumption") {
  const Scenario s = changed({{"/job/bucket", "10 MiB"}, {"/job/overlap", "false"}, {"/cluster/nodes", "2"}});
  CHECK(s.job.bucket.base() == 10.0 * 1024 * 1024);
  CHECK_FALSE(s.job.overlap);
  CHECK(s.cluster.gpus() == 16);
  for (const char* key : {"/job/bucket", "/job/overlap", "/cluster/nodes"}) CHECK_FALSE(assumed(s, key));
}

TEST_CASE("overriding a part of a server keeps the rest") {
  const Scenario s = changed({{"/cluster/node/server", "xe8545"},
                              {"/cluster/node/gpu", "a100-sxm4-40gb"},
                              {"/cluster/node/nics", "1"},
                              {"/cluster/node/gpu_fabric", "nvlink3"}});
  const NodeSpec& node = s.cluster.groups[0].node;
  CHECK(node.gpu.id == "a100-sxm4-40gb");
  CHECK(node.gpus == 4);
  CHECK(node.cpu.id == "epyc-7763");
  CHECK(node.nic->id == "eth-100g");
  CHECK(node.nics == 1);
  CHECK(node.gpu_fabric.shape == "mesh");
}

TEST_CASE("a part in place starts from its base") {
  const Scenario s = changed({{"/cluster/node/gpu/base", "a100-sxm4-80gb"},
                              {"/cluster/node/gpu/tdp", "350 W"},
                              {"/cluster/node/server/price", "1000 USD"}});
  const NodeSpec& node = s.cluster.groups[0].node;
  CHECK(node.gpu.tdp.base() == 350);
  CHECK(node.gpu.sm_count == 108);
  CHECK(node.server_price->base() == 1000);
  CHECK(node.gpu_fabric.shape == "switch");
  CHECK(node.gpu_fabric.link.id == "nvlink3");
}

TEST_CASE("a node without a server takes the defaults of its kind of part") {
  const Scenario alone = read(R"({"clustersim": 1, "cluster": {"node": {"gpu": "rtx-4090", "gpus": 4}},
                                  "job": {"model": "resnet-50"}})");
  const NodeSpec& node = alone.cluster.groups[0].node;
  CHECK(node.cpu.id == "epyc-7543");
  CHECK(node.sockets == 1);
  CHECK(node.memory.base() == Approx(4 * 4 * 24e9));  // four times the memory of four 24 GB cards
  CHECK_FALSE(node.nic);
  CHECK(node.gpu_fabric.shape == "pcie");
  CHECK(node.storage.tier.id == "nvme-gen4-dc");
  CHECK(node.storage.count == 2);
  CHECK_FALSE(node.p2p);
  const Scenario two = read(R"({"clustersim": 1, "cluster": {"nodes": 2, "node": {"gpu": "h100-sxm5-80gb", "gpus": 8}},
                                "job": {"model": "resnet-50"}})");
  const NodeSpec& sxm = two.cluster.groups[0].node;
  CHECK(sxm.cpu.id == "epyc-7763");
  CHECK(sxm.sockets == 2);
  CHECK(sxm.nic->id == "eth-100g");
  CHECK(sxm.gpu_fabric.link.id == "nvlink4");
  CHECK(sxm.gpu_fabric.in_network_reduction);  // third generation of NVSwitch
  CHECK(two.cluster.fabric.transport == Transport::rdma);
}

TEST_CASE("a single switch up to its ports, a fat tree beyond") {
  // dgx-a100 has 8 HDR cards; the catalog's HDR switch has 40 ports: 5 nodes fill it.
  CHECK(changed({{"/cluster/nodes", "5"}}).cluster.fabric.shape == FabricShape::single_switch);
  CHECK(changed({{"/cluster/nodes", "6"}}).cluster.fabric.shape == FabricShape::fat_tree);
}

TEST_CASE("transport follows the card") {
  CHECK(changed({{"/cluster/nodes", "2"}}).cluster.fabric.transport == Transport::rdma);
  CHECK(changed({{"/cluster/nodes", "2"}, {"/cluster/node/nic", "eth-10g"}}).cluster.fabric.transport ==
        Transport::tcp);
  CHECK(changed({{"/cluster/nodes", "2"}, {"/cluster/node/server", "aws-p4d-24xlarge"}}).cluster.fabric.transport ==
        Transport::efa);
}

TEST_CASE("a rented instance brings its own cores, memory, cards and drives") {
  const Scenario s = changed({{"/cluster/node/server", "aws-p4d-24xlarge"}, {"/cluster/nodes", "2"}});
  const NodeSpec& node = s.cluster.groups[0].node;
  CHECK(node.cores == 96 / 2.0);  // 96 vCPU, two a core
  CHECK(node.memory.base() == Approx(1152.0 * 1024 * 1024 * 1024));
  CHECK(node.nics == 4);
  CHECK(node.nic->line_rate.base() == Approx(100e9 / 8));
  CHECK(node.single_flow_cap->base() == Approx(10e9 / 8));
  CHECK_FALSE(node.pcie_tree.empty());
  CHECK(node.storage.capacity->base() == Approx(8e12));
  const Scenario volume = changed({{"/cluster/node/server", "gcp-a2-highgpu-8g"}});
  CHECK(volume.cluster.groups[0].node.storage.tier.id == "ebs-gp3");
}

TEST_CASE("groups of different nodes") {
  const Scenario s = read(R"({"clustersim": 1, "cluster": {"groups": [
      {"nodes": 2, "node": {"server": "dgx-1"}}, {"node": {"server": "dgx-2"}}]}, "job": {"model": "resnet-50"}})");
  REQUIRE(s.cluster.groups.size() == 2);
  CHECK(s.cluster.gpus() == 2 * 8 + 16);
  CHECK(assumed(s, "/cluster/groups/1/nodes", "1"));
}

TEST_CASE("what a stack implies") {
  const auto job = [](const char* model, const char* stack) {
    return changed({{"/job/model", model}, {"/job/stack", stack}}).job;
  };
  const Job ddp = job("bert-large", "pytorch-ddp");
  CHECK(ddp.fusion == Fusion::jit);
  CHECK(ddp.bucket.base() == 0);
  CHECK_FALSE(ddp.overlap);
  CHECK(ddp.gradient_precision == GradientPrecision::fp16);
  CHECK(ddp.optimizer == Optimizer::lamb);
  CHECK(ddp.fused_optimizer);
  const Job horovod = job("resnet-50", "pytorch-horovod");
  CHECK(horovod.bucket.base() == 64.0 * 1024 * 1024);
  CHECK(horovod.horovod_cycle.base() == Approx(1e-3));
  CHECK(horovod.gradient_precision == GradientPrecision::fp32);
  const Job tensorflow = job("resnet-50", "tensorflow-horovod");
  CHECK(tensorflow.fusion == Fusion::fused);
  CHECK(tensorflow.bucket.base() == 128.0 * 1024 * 1024);
  const Job mxnet = job("resnet-50", "mxnet-horovod");
  CHECK(mxnet.gradient_precision == GradientPrecision::fp16);
  CHECK(mxnet.fused_optimizer);
  const Job tuned = job("resnet-50", "mlperf");
  CHECK(tuned.optimizer == Optimizer::lars);
  CHECK(tuned.cuda_graph);
  CHECK_FALSE(tuned.overlap);
  CHECK(tuned.data.from == DataSource::page_cache);
  const Job tuned_bert = job("bert-large", "mlperf");
  CHECK(tuned_bert.reduction == Reduction::rs_ar_ag);
  CHECK(tuned_bert.precision == Precision::amp);  // the A100 has no FP8 units
  CHECK(changed({{"/cluster/node/server", "dgx-h100"}, {"/job/model", "bert-large"}, {"/job/stack", "mlperf"}})
            .job.precision == Precision::fp8);
  // FP16 gradients go with half precision only.
  CHECK(changed({{"/job/model", "bert-large"}, {"/job/precision", "fp32"}}).job.gradient_precision ==
        GradientPrecision::fp32);
}

TEST_CASE("the default batch is the largest usual power of two that fits") {
  const Scenario s = read(R"({"clustersim": 1, "cluster": {"node": {"gpu": "v100-sxm2-16gb"}},
                              "job": {"model": "resnet-152", "precision": "fp32"}})");
  const GpuSpec& gpu = s.cluster.groups[0].node.gpu;
  Job job = s.job;
  CHECK(std::exp2(std::round(std::log2(job.batch_per_gpu))) == job.batch_per_gpu);
  CHECK(fits(job, gpu, 1));
  job.batch_per_gpu *= 2;
  CHECK((job.batch_per_gpu > 256 || !fits(job, gpu, 1)));
  CHECK(changed({{"/job/model", "bert-large"}}).job.batch_per_gpu == 64);
  CHECK(changed({{"/job/model", "bert-large"}, {"/job/sequence_length", "512"}}).job.batch_per_gpu == 16);
}

TEST_CASE("targets by default") {
  const auto target = [](const std::vector<Override>& o) { return changed(o).job.target; };
  CHECK(target({{"/job/model", "vgg16"}}).value == 74);
  CHECK(target({{"/job/model", "bert-large"}}).kind == Target::Kind::quality);
  const Scenario base = changed({{"/job/model", "bert-base"}});
  CHECK(base.job.target.kind == Target::Kind::epochs);
  CHECK(base.job.target.value == 1);
  CHECK(assumed(base, "/job/target", "1 epoch"));
  CHECK(target({{"/job/model", "bert-large"}, {"/job/optimizer", "adam"}}).value == 1);
  CHECK(target({{"/job/optimizer", "lars"}, {"/job/target", R"({"quality": "mlperf"})"}}).kind ==
        Target::Kind::quality);
}

TEST_CASE("an emulated step") {
  const Scenario s =
      changed({{"/job/model", R"({"emulated_step": "0.224 s", "batch": 400, "sample_bytes": "114660 B"})"}});
  CHECK(s.job.model == ModelKind::emulated);
  CHECK(s.job.batch_per_gpu == 400);
  CHECK(s.job.emulated_step.base() == Approx(0.224));
  CHECK(s.job.data.dataset.record_bytes.base() == 114660);
}

TEST_CASE("limits that change nothing are remarks, not faults") {
  const Scenario s = changed({{"/cluster/node/gpu_clock_limit", "5000 MHz"}});
  CHECK(std::any_of(s.assumptions.begin(), s.assumptions.end(), [](const Assumption& a) {
    return a.pointer == "/cluster/node/gpu_clock_limit" && a.why.find("changes nothing") != std::string::npos;
  }));
}

TEST_CASE("cost {} prices the server and the cheapest instance with its GPU") {
  const Scenario s = changed({{"/cost", "{}"}});
  REQUIRE(s.cost);
  REQUIRE(s.cost->self_hosted);
  CHECK(s.cost->self_hosted->server_price->base() == Approx(300000));
  CHECK(s.cost->self_hosted->electricity.base() == Approx(0.12 / 3.6e6));
  REQUIRE(s.cost->cloud);
  REQUIRE(s.cloud_cluster);
  REQUIRE(s.cloud_job);
  CHECK(s.cloud_cluster->groups[0].node.gpu.id == "a100-sxm4-80gb");
  CHECK(s.cloud_cluster->gpus() >= s.cluster.gpus());
  // The same global batch: 8 GPUs x 256.
  CHECK(s.cloud_job->samples_per_step_and_gpu() * s.cloud_cluster->gpus() == 8 * 256);
  CHECK(assumed(s, "/cost/cloud/instance", s.cost->cloud->instance_id));
}

TEST_CASE("an instance that the cluster is not gets a cluster of its own") {
  // 12 GPUs x 100 = 1200 samples on two instances of eight: 75 each.
  const Scenario even = changed({{"/cluster/nodes", "3"},
                                 {"/cluster/node/server", "xe8545"},
                                 {"/job/batch_per_gpu", "100"},
                                 {"/cost/cloud/instance", "aws-p4d-24xlarge"}});
  CHECK(even.cost->cloud->instances == 2);
  CHECK(even.cloud_cluster->gpus() == 16);
  CHECK(even.cloud_job->batch_per_gpu == 75);
  CHECK_FALSE(even.cost->self_hosted);
  // 12 x 101 = 1212 does not divide: 76 each, 1216 in all, and it is said.
  const Scenario odd = changed({{"/cluster/nodes", "3"},
                                {"/cluster/node/server", "xe8545"},
                                {"/job/batch_per_gpu", "101"},
                                {"/cost/cloud/instance", "aws-p4d-24xlarge"}});
  CHECK(odd.cloud_job->batch_per_gpu == 76);
  CHECK(assumed(odd, "/cost/cloud/instance", "global batch 1216"));
}

TEST_CASE("a cluster of that instance is priced itself") {
  const Scenario s = changed({{"/cluster/node/server", "aws-p4d-24xlarge"}, {"/cluster/nodes", "2"}, {"/cost", "{}"}});
  CHECK(s.cost->cloud->instance_id == "aws-p4d-24xlarge");
  CHECK(s.cost->cloud->instances == 2);
  CHECK_FALSE(s.cloud_cluster);
  CHECK(s.cost->cloud->price->base() == Approx(21.957642 / 3600));
}

TEST_CASE("prices in another currency are converted and said") {
  const Scenario s = changed({{"/cost/self_hosted/server_price", "100000 EUR"}, {"/cost/currency", "EUR"}});
  // The same rate both ways: 100000 EUR are 100000 EUR.
  CHECK(s.cost->self_hosted->server_price->base() * s.cost->currency_per_usd == Approx(100000));
  CHECK(assumed(s, "/cost/self_hosted/server_price", "100000 EUR"));
}

TEST_CASE("overrides are read like the file, and bad ones are faults") {
  const std::vector<Problem> found = faults({{"job/x", "1"}, {"/job/bathc", "1"}});
  REQUIRE(found.size() == 2);
  CHECK(found[0].expected.find("JSON pointer") != std::string::npos);
  CHECK(found[1].pointer == "/job/bathc");
}

TEST_CASE("every server and every instance of the catalog reads, or says what it lacks") {
  // Without a GPU; accelerators whose peaks or clocks are not known; one that has a spot price alone.
  const std::set<std::string> incomplete = {"cpu-only-server", "aws-dl1-24xlarge", "vast-ai-8x-h100-spot"};
  for (const char* kind : {"server", "cloud"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(data_directory()) / "hardware" / kind)) {
      const std::string id = entry.path().stem().string();
      INFO(id);
      CHECK(faults({{"/cluster/node/server", id}, {"/cost", "{}"}}).empty() == (incomplete.count(id) == 0));
    }
  }
}

TEST_CASE("cards share the lanes that one processor has, drives keep theirs") {
  // Core i9-13900K: 20 lanes, four of them for a drive. One card 16, two 8 each, four 4 each; a 100 Gbit/s network card
  // is a card more. PCIe 4.0: 25 GB/s over 16 lanes.
  const auto node_of = [](const std::string& gpus, const std::string& more) {
    return read(R"({"clustersim": 1, "cluster": {"node": {"gpu": "rtx-3090", "cpu": "core-i9-13900k", "gpus": )" +
                gpus + more + R"(}}, "job": {"model": "resnet-50"}})")
        .cluster.groups[0]
        .node;
  };
  CHECK(node_of("1", "").pcie.lanes == 16);
  CHECK(node_of("2", "").pcie.lanes == 8);
  CHECK(node_of("4", "").pcie.lanes == 4);
  CHECK(node_of("1", R"(, "nic": "eth-100g", "nics": 1)").pcie.lanes == 8);
  CHECK(node_of("1", R"(, "nic": "eth-10g", "nics": 1)").pcie.lanes == 16);
  CHECK(node_of("2", "").pcie.achievable.base() == Approx(node_of("1", "").pcie.achievable.base() / 2));
  const NodeSpec roomy = read(R"({"clustersim": 1, "cluster": {"node": {"gpu": "rtx-3090", "gpus": 4,
      "cpu": "ryzen-threadripper-pro-5975wx"}}, "job": {"model": "resnet-50"}})")
                             .cluster.groups[0]
                             .node;
  CHECK(roomy.pcie.lanes == 16);
  for (const PcieVertex& vertex : node_tree(node_of("4", "")))
    if (vertex.kind == "storage") CHECK(vertex.link.base() == Approx(node_of("1", "").pcie.achievable.base() / 4));
}
