#include "models/compute/attention.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/models/csv_line.h"
#include "tests/models/hand_clusters.h"

using namespace clustersim;

namespace {

constexpr double no_other_limit = 1e18;

GpuSpec chip(const char* architecture, int sms, double peak_tflops, double mhz) {
  GpuSpec gpu = hand::gpu(architecture, sms, 3000);
  gpu.memory_type = "HBM3";
  gpu.peak_fp16 = teraflops(peak_tflops);
  gpu.boost_clock = megahertz(mhz);
  return gpu;
}
GpuSpec a100() { return chip("Ampere", 108, 312, 1410); }
GpuSpec h100() { return chip("Hopper", 132, 989, 1980); }
GpuSpec b200() { return chip("Blackwell", 148, 2250, 1860); }

// FLOP/s of one pass or of both, as benchmarks count them: the masked half is no work.
double rate(const GpuSpec& gpu, Attention kernel, double head, double length, bool causal, bool forward,
            bool backward) {
  double seconds = 0, flop = 0;
  for (const bool first : {true, false}) {
    if (first ? !forward : !backward) continue;
    seconds += attention_seconds(gpu, no_other_limit, kernel, {head, length, causal, first}, 1);
    flop += (first ? 4 : 10) * head * (causal ? length / 2 : length);
  }
  return flop / seconds;
}

struct Errors {
  std::vector<double> all;
  double at(double share) {
    std::sort(all.begin(), all.end());
    return all.at(static_cast<std::size_t>(share * static_cast<double>(all.size())));
  }
};

}  // namespace

TEST_CASE("attention: published micro-benchmarks are met") {
  const std::map<std::string, Attention> kernels = {{"FlashAttention 1", Attention::flash_1},
                                                    {"FlashAttention Triton", Attention::flash_1},
                                                    {"FlashAttention-2", Attention::flash_2},
                                                    {"FlashAttention-3", Attention::flash_3}};
  std::ifstream file(std::string(CLUSTERSIM_SOURCE_DIR) + "/scenarios/measurements/micro.csv");
  REQUIRE(file);
  Errors early, later;
  for (std::string line; std::getline(file, line);) {
    if (line.find(",attention ") == std::string::npos) continue;
    const std::vector<std::string> f = split_csv(line);
    const auto kernel = kernels.find(f.at(12));
    if (kernel == kernels.end()) continue;
    const std::string& size = f.at(7);  // "head 64 causal, 512 tokens, 32 sequences"
    const double head = std::stod(size.substr(5)), length = std::stod(size.substr(size.find(',') + 1));
    if (head > 128) continue;
    const bool causal = size.find("causal") != std::string::npos;
    const double predicted = rate(f.at(4) == "A100-SXM4" ? a100() : h100(), kernel->second, head, length, causal,
                                  f.at(5).find("fwd") != std::string::npos, f.at(5).find("bwd") != std::string::npos);
    (kernel->second == Attention::flash_1 ? early : later)
        .all.push_back(std::fabs(predicted / (std::stod(f.at(8)) * 1e12) - 1));
  }
  CHECK(early.all.size() == 72);
  CHECK(later.all.size() == 117);
  CHECK(later.at(0.5) < 0.04);  // as attention.h says
  CHECK(later.at(0.9) < 0.11);
  CHECK(early.at(0.5) < 0.13);
  CHECK(early.at(0.9) < 0.20);
}

TEST_CASE("attention: a long sequence takes the time of its products and exponentials") {
  // A100: 73 % of the peak forward with heads of 128 and no mask, of which exponentials take 512 / (16 x 312e12 /
  // 2048): 512 FLOP at 0.889 x 312 TFLOP/s are 1.846 ps, an exponential 1 / (16 x 108 x 1.41 GHz) = 0.410 ps.
  const AttentionPass pass{128, 1e6, false, true};
  const double score_s = 512 / (0.889 * 312e12) + 1 / (16 * 108 * 1.41e9);
  CHECK(attention_seconds(a100(), no_other_limit, Attention::flash_2, pass, 10) == Approx(10 * (1e6 + 180) * score_s));
  CHECK(rate(a100(), Attention::flash_2, 128, 1e6, false, true, false) == Approx(0.73 * 312e12).epsilon(0.01));
  CHECK(rate(a100(), Attention::flash_2, 128, 1e6, false, false, true) == Approx(0.63 * 312e12).epsilon(0.01));
}

TEST_CASE("attention: products that the chip does not sustain elsewhere are not sustained here") {
  const AttentionPass pass{128, 8192, true, true};
  const double cool = attention_seconds(h100(), 900e12, Attention::flash_3, pass, 1);
  const double hot = attention_seconds(h100(), 600e12, Attention::flash_3, pass, 1);
  // (8192 + 128) / 2 + 180 keys of 4 x 128 FLOP.
  CHECK(hot - cool == Approx(4340 * 512 * (1 / 600e12 - 1 / 900e12)));
  CHECK(attention_seconds(h100(), 900e12, Attention::flash_2, pass, 1) ==
        attention_seconds(h100(), 600e12, Attention::flash_2, pass, 1));
}

TEST_CASE("attention: newer kernels are faster, and kernels of a generation run on no earlier one") {
  const auto forward = [](const GpuSpec& gpu, Attention kernel) {
    return rate(gpu, kernel, 128, 8192, true, true, false);
  };
  CHECK(forward(h100(), Attention::flash_1) < forward(h100(), Attention::flash_2));
  CHECK(forward(h100(), Attention::flash_2) < forward(h100(), Attention::flash_3));
  CHECK(forward(h100(), Attention::flash_3) < forward(b200(), Attention::flash_3));
  CHECK_FALSE(can_run(a100(), Attention::flash_3));
  CHECK(can_run(h100(), Attention::flash_3));
  CHECK(usual_attention(h100()) == Attention::flash_2);
  CHECK(usual_attention(b200()) == Attention::flash_3);
  GpuSpec geforce = b200();
  geforce.memory_type = "GDDR7";
  CHECK(usual_attention(geforce) == Attention::flash_2);
  CHECK_FALSE(can_run(geforce, Attention::flash_3));
}
