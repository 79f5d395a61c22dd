// Rows of the training suite as scenarios: what the tables beside it add.
#include "sim/validation/training_suite.h"

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>

using namespace clustersim;

namespace {

const std::map<std::string, TrainingRow>& rows() {
  static const std::map<std::string, TrainingRow> table = [] {
    std::map<std::string, TrainingRow> by_id;
    for (TrainingRow& row :
         training_suite(std::string(CLUSTERSIM_SOURCE_DIR) + "/scenarios/measurements/training_suite.csv"))
      by_id[row.id] = std::move(row);
    return by_id;
  }();
  return table;
}

nlohmann::json job(const std::string& id) { return nlohmann::json::parse(rows().at(id).scenario).at("job"); }
nlohmann::json node(const std::string& id) {
  return nlohmann::json::parse(rows().at(id).scenario).at("cluster").at("node");
}

}  // namespace

TEST_CASE("training suite: the host is the one that the source names") {
  CHECK(node("T0005").at("cpu") == "epyc-7742");           // DGX A100
  CHECK(node("T0013").at("cpu") == "xeon-e5-2698-v4");     // DGX-1
  CHECK(node("T0023").at("cpu") == "xeon-platinum-8168");  // DGX-2
  CHECK(node("T0508").at("cpu") == "xeon-gold-5118");
  CHECK(node("T0221").at("gpu").at("tdp") == "450 W");  // DGX-2H
  CHECK(node("mlperf v1.1 Dell R750xax4A100-PCIE-80GB resnet").at("cpu") == "xeon-gold-6338");
  CHECK(node("mlperf v3.1 Clemson 8xR750-2xA100-PCIe-80GB bert").at("sockets") == 1);
}

TEST_CASE("training suite: loaders and workers as the notes say") {
  CHECK(job("T0076").at("data").at("loader") == "dali-cpu");
  CHECK(job("T0520").at("data").at("loader") == "dali-gpu");  // "with dali"
  CHECK(job("T0553").at("data").at("loader") == "pytorch");   // "worker=8; torch DataLoader" on 8 GPUs
  CHECK(job("T0553").at("data").at("workers_per_gpu") == 1);
  CHECK(job("T0558").at("data").at("workers_per_gpu") == 48 / 8);
  CHECK(job("T0568").at("data").at("loader") == "dali-cpu");       // "worker=48; DALI"
  CHECK(job("T0514").at("data").at("workers_per_gpu") == 48 / 8);  // tf.data on 48 threads
  CHECK(job("T0525").at("data").at("from") == "synthetic");
}

TEST_CASE("training suite: fusion, graphs and packing of the software's time") {
  CHECK(job("T0536").at("fusion") == "eager");   // "without xla"
  CHECK_FALSE(job("T0541").contains("fusion"));  // "with xla": the stack's default
  CHECK(job("T0489").at("fusion") == "nchw");    // PyTorch 20.03
  CHECK(job("T0473").at("fusion") == "nchw");    // its BERT
  CHECK(job("T2111").at("fusion") == "nchw");    // layout column
  CHECK(job("mlperf v0.6 NVIDIA dgx1_ngc19.05_mxnet resnet").at("cuda_graph") == false);
  CHECK_FALSE(job("mlperf v1.0 NVIDIA dgxa100_ngc21.05_mxnet resnet").contains("cuda_graph"));
  CHECK(job("mlperf v2.0 NVIDIA dgxa100_n128_ngc22.04_pytorch bert").at("packing") == true);
  CHECK_FALSE(job("mlperf v1.1 NVIDIA dgxa100_n128_ngc21.09_pytorch bert").contains("packing"));
}

// floor(0.05 * (230.23 * 448 + 3,000,000) / 25,000) * 25,000 = 150,000 samples between evaluations of 8 x 56.
TEST_CASE("training suite: rates from evaluation to evaluation include one") {
  const std::string with = "mlperf v2.0 NVIDIA dgxa100_ngc22.04_pytorch bert";
  CHECK(rows().at(with).evaluation_included);
  CHECK(job(with).at("evaluation").at("every_samples") == 150000.0);
  CHECK_FALSE(rows().at("mlperf v4.0 NVIDIA h200_ngc23.09_pytorch bert").evaluation_included);
  CHECK_FALSE(rows().at("mlperf v2.0 NVIDIA dgxa100_ngc22.04_mxnet resnet").evaluation_included);
  // 1000 samples/s, 10 s of steps and 1 s of evaluation for 10,000 samples.
  CHECK(rate_with_evaluations(1000, 10000, 1) == Approx(10000.0 / 11));
}

TEST_CASE("training suite: at most one row in twenty is set aside, each with its reason") {
  std::size_t set_aside = 0;
  for (const auto& [id, row] : rows()) set_aside += !row.set_aside.empty();
  CHECK(rows().size() == 367);
  CHECK(set_aside > 0);
  CHECK(20 * set_aside <= rows().size());
  CHECK(rows().at("T0001").set_aside.empty());
}
