// Questions people asked about the step of several GPUs whose step on one they had measured (docs/CASES.md): an
// emulated step with the model's parameters exchanges their gradients.
#include <catch2/catch.hpp>

#include "tests/sim/acceptance.h"

using namespace clustersim;
using namespace clustersim::acceptance;

namespace {

Report scaled(const std::string& cluster, const std::string& model, const std::string& more = "") {
  return run_text(R"({"clustersim": 1, "cluster": )" + cluster + R"(, "job": {"model": )" + model +
                  R"(, "data": {"from": "synthetic"})" + more + "}}");
}

double step_s(const std::string& cluster, const std::string& model, const std::string& more = "") {
  return metric(scaled(cluster, model, more), "step_time");
}

double transfer_s(const std::string& cluster, double bytes, int ranks) {
  return 2.0 * (ranks - 1) / ranks * bytes / (all_reduce_busbw(cluster, bytes) * 1e9);
}

}  // namespace

TEST_CASE("an emulated step exchanges the gradients of its parameters", "[acceptance]") {
  // One bucket of 4 B a parameter after the backward pass: the step is its compute time and one all-reduce. 1 % of
  // compute time for the noise between ranks.
  const std::string pair = R"({"node": {"gpu": "h100-pcie-80gb", "gpus": 2, "gpu_fabric": "pcie"}})";
  const std::string model = R"({"emulated_step": "1.27 s", "batch": 4, "parameters": 2.6e9})";
  const Report after = scaled(pair, model, R"(, "overlap": false, "bucket": "0 B")");
  CHECK(metric(after, "exposed_communication_time") == Approx(transfer_s(pair, 4 * 2.6e9, 2)).epsilon(0.02));
  CHECK(metric(after, "forward_backward_time") == Approx(1.27).epsilon(0.02));
  CHECK(sum_of_parts(after) == Approx(metric(after, "step_time")).epsilon(1e-3));
  CHECK(has(notes(after, "gradients"), "10400 MB in 1 bucket"));
  // With overlap two thirds of the compute time cover it, but for the last bucket of 25 MiB.
  CHECK(metric(scaled(pair, model), "exposed_communication_time") < 0.1 * metric(after, "exposed_communication_time"));
  // Half the bytes, half the time.
  CHECK(metric(scaled(pair, model, R"(, "overlap": false, "bucket": "0 B", "gradient_precision": "fp16")"),
               "exposed_communication_time") == Approx(metric(after, "exposed_communication_time") / 2).epsilon(0.02));
  // Without parameters nothing is exchanged, and the report says so.
  const Report silent = scaled(pair, R"({"emulated_step": "1.27 s", "batch": 4})");
  CHECK(metric(silent, "exposed_communication_time") == 0);
  CHECK(find_assumption(silent, "/job/model/parameters") != nullptr);
  CHECK(step_s(R"({"node": {"gpu": "h100-pcie-80gb"}})", model) == Approx(1.27).epsilon(1e-3));
}

TEST_CASE("mixed GPUs: the slower ones set the step, and a smaller batch for them mends it", "[acceptance][cases]") {
  // huggingface/pytorch-image-models PR #580: two RTX A6000 and two RTX 2080 Ti, 200 images each: 2,000 images/s, so
  // 800 images in 0.40 s. With 300 on the A6000 the step stays that of the 2080 Ti, and 1,000 / 0.40 s = 2,500; with
  // 400, which an A6000 does in that time, 3,000.
  const auto rate = [](int batch, const char* step) {
    const std::string fast = R"({"node": {"gpu": "rtx-a6000", "gpus": 2, "nic": "eth-100g"}, "batch_per_gpu": )" +
                             std::to_string(batch) + R"(, "emulated_step": ")" + step + R"("})";
    return metric(
        scaled(R"({"groups": [)" + fast + R"(, {"node": {"gpu": "rtx-2080-ti", "gpus": 2, "nic": "eth-100g"}}]})",
               R"({"emulated_step": "0.4 s", "batch": 200, "parameters": 5.3e6})"),
        "throughput");
  };
  CHECK(rate(200, "0.2 s") == Approx(2000).epsilon(0.03));
  CHECK(rate(300, "0.3 s") == Approx(2500).epsilon(0.03));
  CHECK(rate(400, "0.4 s") == Approx(3000).epsilon(0.03));
  CHECK(rate(600, "0.6 s") == Approx(1600 / 0.6).epsilon(0.03));
}

TEST_CASE("a group's batch and step need an emulated model", "[acceptance]") {
  const std::string start = R"({"clustersim": 1, "cluster": {"groups": [{"node": {"gpu": "rtx-a6000"}, )";
  const std::string end = R"(}]}, "job": {"model": "resnet-50"}})";
  CHECK(faults_of(start + R"("emulated_step": "0.3 s")" + end).size() == 1);
  CHECK(faults_of(start + R"("batch_per_gpu": 32)" + end).empty());
  CHECK(
      faults_of(start + R"("batch_per_gpu": 32}]}, "job": {"model": {"emulated_step": "1 s", "batch": 64}}})").size() ==
      1);
}
