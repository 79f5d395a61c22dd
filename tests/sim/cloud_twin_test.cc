// The job of an owned cluster on rented instances: as many GPUs, the same samples a step.
#include <catch2/catch.hpp>

#include "clustersim/clustersim.h"
#include "models/workload/memory.h"

using namespace clustersim;

namespace {

const std::string two_dgx = R"({"nodes": 2, "node": {"server": "dgx-a100-80gb"}})";
const std::string two_dgx_with_storage =
    R"({"nodes": 2, "node": {"server": "dgx-a100-80gb"}, "storage": {"tier": "nfs-10g", "servers": 2}})";

std::string text(const std::string& cluster, const std::string& job, const std::string& instance) {
  return R"({"clustersim": 1, "cluster": )" + cluster + R"(, "job": )" + job + R"(, "cost": {"cloud": {"instance": ")" +
         instance + R"("}}})";
}

std::string resnet(const std::string& more = "", int batch = 64) {
  return R"({"model": "resnet-50", "precision": "amp", "batch_per_gpu": )" + std::to_string(batch) + more + "}";
}

Scenario read(const std::string& cluster, const std::string& job, const std::string& instance) {
  try {
    return read_scenario_text(text(cluster, job, instance), "test", {});
  } catch (const InputError& error) {
    FAIL(problems_text(error.problems()));
    throw;
  }
}

std::string refusal(const std::string& cluster, const std::string& job, const std::string& instance) {
  try {
    read_scenario_text(text(cluster, job, instance), "test", {});
  } catch (const InputError& error) {
    return problems_text(error.problems());
  }
  return "";
}

double global_batch(const Job& job, const Cluster& cluster) { return job.samples_per_step_and_gpu() * cluster.gpus(); }

bool assumes(const Scenario& s, const std::string& word) {
  for (const Assumption& a : s.assumptions)
    if (a.pointer == "/cost/cloud/instance" && (a.value + " " + a.why).find(word) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("cloud twin: as many instances as hold the GPUs, with the same samples a step") {
  const Scenario s = read(two_dgx, resnet(), "aws-p3-16xlarge");
  REQUIRE(s.cloud_cluster);
  CHECK(s.cloud_cluster->nodes() == 2);
  CHECK(s.cloud_cluster->gpus() == 16);
  CHECK(s.cost->cloud->instances == 2);
  CHECK(s.cloud_cluster->groups[0].node.gpu.id != s.cluster.groups[0].node.gpu.id);
  CHECK(global_batch(*s.cloud_job, *s.cloud_cluster) == global_batch(s.job, s.cluster));
  CHECK(s.cloud_cluster->region == s.cluster.region);
}

TEST_CASE("cloud twin: what does not fit in one pass is done in more") {
  const Scenario s = read(two_dgx, resnet("", 512), "aws-p3-16xlarge");  // 80 GB there, 16 GB here
  const GpuSpec& gpu = s.cloud_cluster->groups[0].node.gpu;
  CHECK(memory_fit(s.job, gpu, 16) == MemoryFit::exceeds);
  CHECK(memory_fit(*s.cloud_job, gpu, 16) != MemoryFit::exceeds);
  CHECK(s.cloud_job->accumulation > 1);
  CHECK(global_batch(*s.cloud_job, *s.cloud_cluster) == 512 * 16);
}

TEST_CASE("cloud twin: what cannot be rented is replaced, and that is said") {
  SECTION("a precision that the GPU lacks") {
    const std::string bf16 = R"({"model": "resnet-50", "precision": "bf16", "batch_per_gpu": 64})";
    const Scenario s = read(two_dgx, bf16, "aws-p3-16xlarge");  // Volta multiplies halves only
    CHECK(s.job.precision == Precision::bf16);
    CHECK(s.cloud_job->precision == Precision::amp);
    CHECK(assumes(s, "amp"));
  }
  SECTION("shared storage") {
    const Scenario s = read(two_dgx_with_storage, resnet(R"(, "data": {"from": "shared"})"), "aws-p3-16xlarge");
    CHECK(s.cloud_job->data.from == DataSource::node);
    CHECK(assumes(s, "data from node"));
  }
}

TEST_CASE("cloud twin: several instances need a network") {
  const std::string told = refusal(two_dgx, resnet(), "autodl-style-cn-marketplace-rtx-4090");
  CHECK(told.find("/cost/cloud/instance") != std::string::npos);
  CHECK(told.find("network card") != std::string::npos);
}
