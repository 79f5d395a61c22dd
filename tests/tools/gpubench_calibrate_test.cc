// A run of clustersim-gpubench on a made-up GPU whose constants are known, with 1 % of noise: calibrate finds them, and
// a scenario computes with them. The GPU: 90 % of an H200's 4.8 TB/s, products sustained at 720, short ones at 780
// TFLOP/s.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>

#include "clustersim/calibrate.h"
#include "clustersim/clustersim.h"
#include "tools/measurement/record.h"

using namespace clustersim;
using measurement::Numbers;
using measurement::Parameters;

namespace {

constexpr double dram = 0.9 * 4.8e12, l2_rate = 9e12, l2_bytes = 50e6, kernel_s = 2.2e-6, node_s = 1.3e-6;
constexpr double sustained_fp16 = 720e12, short_product = 780e12, slot = 55e9, copy_s = 9e-6;

class MadeUpRun {
 public:
  void add(const char* benchmark, const Parameters& parameters, double seconds, const char* rate, double amount) {
    const double noisy = seconds * (1 + noise_(random_));
    measurement::Record record = measurement::measured(benchmark, parameters, {noisy});
    if (amount > 0) record.derived = {{rate, amount / noisy}};
    file_.records.push_back(record);
  }

  void add_streams() {
    for (const auto& [name, arrays] : {std::pair{"stream_copy", 2}, {"stream_read", 1}, {"stream_triad", 3}}) {
      for (std::int64_t array = 65536; array <= std::int64_t{1} << 31; array *= 2) {
        const auto bytes = static_cast<double>(arrays * array);
        add(name,
            {{"bytes", arrays * array}, {"working_set_bytes", arrays * array}, {"element_bytes", std::int64_t{4}}},
            kernel_s + bytes / (bytes < l2_bytes / 2 ? l2_rate : dram), "bytes_per_s", bytes);
      }
    }
  }

  void add_product(const char* benchmark, const char* precision, std::int64_t side, double rate, const char* data) {
    const double flop = 2.0 * static_cast<double>(side * side * side);
    Parameters parameters = {{"m", side}, {"n", side}, {"k", side}, {"precision", std::string(precision)}};
    if (*data != 0) parameters.emplace_back("data", std::string(data));
    add(benchmark, parameters, flop / rate, "flop_per_s", flop);
  }

  void add_copies() {
    for (const char* direction : {"host_to_device", "device_to_host"}) {
      for (std::int64_t bytes = 4096; bytes <= std::int64_t{512} << 20; bytes *= 8) {
        add("copy", {{"direction", std::string(direction)}, {"memory", std::string("pinned")}, {"bytes", bytes}},
            copy_s + static_cast<double>(bytes) / slot, "bytes_per_s", static_cast<double>(bytes));
      }
    }
  }

  std::string text() {
    file_.program = "clustersim-gpubench";
    file_.version = "0.1.0";
    file_.date = "2026-12-01";
    file_.machine = {{"gpu", std::string("NVIDIA H200")}};
    return measurement::to_json(file_);
  }

 private:
  std::mt19937 random_{7};
  std::uniform_real_distribution<double> noise_{-0.01, 0.01};
  measurement::MeasurementFile file_;
};

}  // namespace

TEST_CASE("a run of gpubench gives back the constants of its GPU, and a scenario takes them", "[calibrate][gpubench]") {
  MadeUpRun run;
  run.add_streams();
  for (std::int64_t arguments : {1, 16, 64}) {
    const Parameters parameters = {{"arguments", arguments}, {"streams", std::int64_t{1}}};
    run.add("launch_back_to_back", parameters, kernel_s, "", 0);
  }
  for (std::int64_t nodes : {100, 1000}) run.add("launch_graph", {{"nodes", nodes}}, node_s, "", 0);
  run.add_product("gemm", "bf16", 4096, short_product, "");
  run.add_product("gemm", "fp16", 4096, short_product, "");
  run.add_product("gemm_sustained", "fp16", 8192, sustained_fp16, "random");
  run.add_product("gemm_sustained", "fp16", 8192, 1.2 * sustained_fp16, "zero");  // cooler, and of no network
  run.add_copies();

  const auto folder = std::filesystem::temp_directory_path() / "clustersim_gpubench_calibrate_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "gpu.json") << run.text();
  CalibrateOptions options;
  options.bases = {"h200-sxm-141gb"};
  std::ofstream(folder / "mine.json") << calibrate({(folder / "gpu.json").string()}, options).document;
  std::ofstream(folder / "s.json") << R"({"clustersim": 1, "cluster": {"nodes": 1, "calibration": "mine.json",
      "node": {"gpu": "h200-sxm-141gb", "gpus": 1}}, "job": {"model": "resnet-50", "batch_per_gpu": 64}})";
  const Scenario scenario = read_scenario((folder / "s.json").string(), {});
  std::filesystem::remove_all(folder);

  // The noise is 1 % a record; a median or a fit of several is within that.
  const GpuSpec& gpu = scenario.cluster.groups[0].node.gpu;
  CHECK(gpu.measured_stream->base() == Approx(dram).epsilon(0.01));
  CHECK(gpu.launch_gap->base() == Approx(kernel_s).epsilon(0.01));
  CHECK(gpu.graph_gap->base() == Approx(node_s).epsilon(0.01));
  CHECK(gpu.measured_matmul_bf16->base() == Approx(sustained_fp16).epsilon(0.01));
  CHECK(scenario.cluster.groups[0].node.pcie.achievable.base() == Approx(slot).epsilon(0.01));
  CHECK(gpu.memory.base() == Approx(141e9));
}
