// Eight RTX 4090 that eat faster than they are fed: cores first, then the disk, then neither.
//
// At AMP and batch 128 a card computes a batch in about 0.09 s, eight of them 10 to 12 thousand images/s. A core
// decodes 230 images/s, so 8 cores give 1,840; a SATA SSD at 0.54 GB/s gives 540e6 / 110,000 B = 4,900. The page
// cache of 64 GB does not hold the 140 GB of ImageNet, and the first epoch is cold in any case.
#include <catch2/catch.hpp>

#include "tests/sim/acceptance.h"

using namespace clustersim;
using namespace clustersim::acceptance;

namespace {

std::string scenario(int cores, const std::string& storage) {
  return R"({"clustersim": 1,
    "cluster": {"node": {"server": "8x-rtx-4090-server", "sockets": 1, "memory": "64 GB",
                         "cpu": {"base": "epyc-7402", "cores": )" +
         std::to_string(cores) + R"(, "threads": )" + std::to_string(2 * cores) + R"(}, "storage": )" + storage + R"(}},
    "job": {"model": "resnet-50", "precision": "amp", "stack": "pytorch-ddp", "batch_per_gpu": 128,
            "data": {"container": "record", "loader": "pytorch", "workers_per_gpu": )" +
         std::to_string(cores / 8) + R"(, "first_epoch_cold": true}, "target": {"epochs": 1}}})";
}

const char* const sata = R"({"tier": "sata-ssd", "count": 1, "raid": "none"})";
const char* const four_nvme = R"({"tier": "nvme-gen4-dc", "count": 4, "raid": "raid0"})";
constexpr double images = 1281167;  // ImageNet-1k

}  // namespace

TEST_CASE("8 cores for 8 cards: busy under a fifth of the time, the loader is named", "[acceptance]") {
  const Report report = run_text(scenario(8, sata));
  CHECK(metric(report, "gpu_busy_share") < 0.20);
  CHECK(report.bottleneck.kind == "loader");
  CHECK(metric(report, "throughput") == Approx(8 * 230).epsilon(0.02));  // cores x images/s of a core
}

TEST_CASE("96 cores: the disk is named", "[acceptance]") {
  const Report report = run_text(scenario(96, sata));
  CHECK(report.bottleneck.kind == "storage");
  CHECK(has(report.bottleneck.resource, "storage"));
  // A cold epoch reads every record once: between the disk's rate for the stored size and twice it.
  CHECK(images / metric(report, "first_epoch_time") == Approx(540e6 / 110e3).epsilon(0.10));
}

TEST_CASE("96 cores with as many workers as by default: still the disk", "[acceptance]") {
  const Report report = run_text(scenario(96, sata), {{"/job/data/workers_per_gpu", "8"}});
  CHECK(report.bottleneck.kind == "storage");
}

TEST_CASE("96 cores and four NVMe: neither", "[acceptance]") {
  const Report report = run_text(scenario(96, four_nvme));
  CHECK(report.bottleneck.kind != "storage");
  CHECK(report.bottleneck.kind != "loader");
  CHECK(metric(report, "input_stall_time") < 0.01 * metric(report, "step_time"));
  CHECK(metric(report, "gpu_busy_share") > 0.8);
}
