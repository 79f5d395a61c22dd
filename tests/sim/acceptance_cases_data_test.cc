// Questions people asked about disks, loaders, checkpoints and money, as scenarios (docs/CASES.md).
#include <catch2/catch.hpp>

#include "tests/sim/acceptance.h"

using namespace clustersim;
using namespace clustersim::acceptance;

namespace {

constexpr double images = 1281167;  // ImageNet-1k

std::string dgx1(const std::string& memory) {
  return R"({"clustersim": 1, "cluster": {"node": {"server": "dgx-1", "memory": ")" + memory +
         R"(", "storage": {"tier": {"base": "hdd-nearline", "read": "94 MB/s"}, "count": 1}}},
    "job": {"model": "resnet-50", "stack": "mxnet-horovod", "batch_per_gpu": 128, "data": {"loader": "dali-gpu"}}})";
}

}  // namespace

TEST_CASE("a slow first epoch and fast later ones", "[acceptance][cases]") {
  // NVIDIA/DALI #1415: 25 minutes, then under two. 1.28 M images of 110 kB are 141 GB, at 94 MB/s 25 minutes; later
  // epochs come from the page cache. Without memory for it all 90 epochs take 25 minutes each: 37 h, not 3.4 h.
  const Report cached = run_text(dgx1("512 GB"));
  CHECK(metric(cached, "first_epoch_time") == Approx(25 * 60).epsilon(0.20));
  CHECK(images / metric(cached, "throughput") < 2.2 * 60);
  CHECK(metric(cached, "time_to_train") == Approx(3.4 * 3600).epsilon(0.20));
  CHECK(metric(run_text(dgx1("64 GB")), "time_to_train") == Approx(37 * 3600).epsilon(0.20));
}

TEST_CASE("throughput in hours and dollars of a rented machine", "[acceptance][cases]") {
  // aws-samples/deep-learning-models #2: 5,000 images/s on a p3.16xlarge: 90 epochs are 115.3 M images, 6.4 h, at
  // 24.48 USD/h 157 USD. A step of 256 images on each of eight GPUs takes 2048 / 5000 = 0.41 s.
  const Report report = run_text(R"({"clustersim": 1, "cluster": {"node": {"server": "aws-p3-16xlarge"}},
    "job": {"model": {"emulated_step": "0.4096 s", "batch": 256}, "data": {"from": "synthetic"}, "target": {"epochs": 90}},
    "cost": {"cloud": {"instance": "aws-p3-16xlarge"}}})");
  CHECK(metric(report, "time_to_train") == Approx(90 * images / 5000).epsilon(0.03));
  CHECK(metric(report, "cost_cloud") == Approx(157).epsilon(0.03));
}

TEST_CASE("own or rent: the share of the hours at which both cost the same", "[acceptance][cases]") {
  // Eight H100 owned for 455,000 USD over three years against 55.04 USD/h: 26,280 h cost 1.446 M USD, and
  // 455 / 1446 = 31 %. Electricity and residual value are left out of both.
  const Report report = run_text(R"({"clustersim": 1, "cluster": {"node": {"server": "aws-p5-48xlarge"}},
    "job": {"model": "resnet-50", "data": {"from": "synthetic"}},
    "cost": {"self_hosted": {"server_price": "455000 USD", "network_price": "0 USD", "residual": 0, "years": 3,
                             "electricity": "0 USD/kWh"}, "cloud": {"instance": "aws-p5-48xlarge"}}})");
  CHECK(metric(report, "break_even_utilization") == Approx(455000 / (26280 * 55.04)).epsilon(0.03));
}

TEST_CASE("loader workers: as many as the GPU needs, no more", "[acceptance][cases]") {
  // stas00/ml-engineering, a slow transform: 1.33, 0.84 and 0.88 s with 2, 3 and 4 workers. So a worker takes 2.66 s
  // for the whole, the GPU 0.84 s, and 2.66 / 3 = 0.89 s is the knee. As 100 batches of 32.
  const auto step = [](int workers) {
    return metric(run_text(R"({"clustersim": 1, "cluster": {"node": {"gpu": "a100-sxm4-80gb"}},
      "job": {"model": {"emulated_step": "8.4 ms", "batch": 32, "sample_bytes": "110 kB"},
              "data": {"from": "page-cache", "worker_time": "831 us", "workers_per_gpu": )" +
                           std::to_string(workers) + "}}}"),
                  "step_time");
  };
  for (const int workers : {1, 2, 3}) {
    INFO(workers);
    CHECK(step(workers) == Approx(32 * 831e-6 / workers).epsilon(0.01));
  }
  CHECK(step(4) == Approx(8.4e-3).epsilon(0.01));
  CHECK(step(8) == Approx(8.4e-3).epsilon(0.01));
}

TEST_CASE("a checkpoint holds the run up by a copy to the host, or by the disk", "[acceptance][cases]") {
  // NVIDIA-NeMo/Automodel PR #635: eight billion parameters on eight H100, 27.3 s held up when written in place, 0.54 s
  // when copied to the host first. 14 B a parameter are 112 GB; an eighth of it over a PCIe 5.0 slot takes
  // 14 GB / (25 to 55 GB/s) = 0.25 to 0.56 s, 112 GB to a disk of 4.1 GB/s 27.3 s.
  const auto report = [](const std::string& size, const char* asynchronous) {
    return run_text(R"({"clustersim": 1, "cluster": {"node": {"server": "dgx-h100",
        "storage": {"tier": {"base": "nvme-gen4-dc", "write": "4.1 GB/s"}, "count": 1}}},
      "job": {"model": {"emulated_step": "1 s", "batch": 1}, "data": {"from": "synthetic"}, "target": {"steps": 6000},
              "checkpoint": {"every": "10 min", "size": ")" +
                    size + R"(", "asynchronous": )" + asynchronous + "}}}");
  };
  const Report copied = report("14 GB", "true");
  CHECK(metric(copied, "checkpoint_blocking_time") > 0.25);
  CHECK(metric(copied, "checkpoint_blocking_time") < 0.70);
  const Report written = report("112 GB", "false");
  CHECK(metric(written, "checkpoint_blocking_time") == Approx(112 / 4.1).epsilon(0.001));
  // 6,000 s are ten intervals, or nine if the steps end a little before.
  CHECK(metric(written, "checkpoint_time") == Approx(10 * 112 / 4.1).epsilon(0.11));
  CHECK(metric(written, "time_to_train") - metric(copied, "time_to_train") ==
        Approx(metric(written, "checkpoint_time") - metric(copied, "checkpoint_time")).epsilon(0.001));
}
