#include "models/compute/attention.h"

#include <algorithm>

namespace clustersim {
namespace {

// [published: CUDA C++ programming guide, throughput of special functions, compute capability 7.0 to 9.0]
constexpr double exponentials_per_sm_cycle = 16;
constexpr double causal_block = 128;  // [published: Dao 2023, blocks of 64 to 128 tokens]
// Half of the rate is reached at as many keys. [published: FlashAttention-2 and 3, 512 against 16,384 tokens on A100
// and H100: 171 to 198]
constexpr double filling_keys = 180;

struct Shares {
  double forward, backward;
};
struct KernelShares {
  Attention kernel;
  Shares earlier, hopper, blackwell;
};
// flash_2: A100 73 and 63 % of the peak with heads of 128 [published: Dao 2023]; H100 370, 324 and 322, 291 TFLOP/s
// with heads of 128 and 64 [published: Shah et al. 2024]. flash_3: H100 648, 497 and 561, 474 TFLOP/s [published: the
// same]; B200 1,745 and 1,300 TFLOP/s by its successor [published: flash-attention, requests 2605 and 2280]. flash_1:
// A100 95 TFLOP/s both passes together, Triton's kernel of early 2023 [published: Dao 2023], the forward pass 1.4 times
// slower than flash_2's [assumed, published are 1.3 to 2.5 times]; H100 1.67 times as fast, as are both others that
// were measured on either.
// What a kernel for an earlier generation does on a later one it does at the same FLOP a cycle [assumed].
constexpr KernelShares kernels[] = {{Attention::flash_1, {0.597, 0.268}, {0.314, 0.142}, {0.157, 0.071}},
                                    {Attention::flash_2, {0.889, 0.670}, {0.46, 0.338}, {0.23, 0.169}},
                                    {Attention::flash_3, {0.889, 0.670}, {0.94, 0.61}, {0.775, 0.578}}};

bool is_hbm(const GpuSpec& gpu) { return gpu.memory_type.find("HBM") != std::string::npos; }
bool is_hopper(const GpuSpec& gpu) { return gpu.architecture == "Hopper"; }
bool is_large_blackwell(const GpuSpec& gpu) { return gpu.architecture == "Blackwell" && is_hbm(gpu); }

Shares shares(const GpuSpec& gpu, Attention kernel) {
  const KernelShares* found = &kernels[0];
  for (const KernelShares& k : kernels)
    if (k.kernel == kernel) found = &k;
  return is_large_blackwell(gpu) ? found->blackwell : is_hopper(gpu) ? found->hopper : found->earlier;
}

}  // namespace

Attention usual_attention(const GpuSpec& gpu) {
  return is_large_blackwell(gpu) ? Attention::flash_3 : Attention::flash_2;
}

bool can_run(const GpuSpec& gpu, Attention kernel) {
  return kernel != Attention::flash_3 || is_hopper(gpu) || is_large_blackwell(gpu);
}

double attention_seconds(const GpuSpec& gpu, double rate, Attention kernel, const AttentionPass& pass, double queries) {
  const Shares share = shares(gpu, kernel);
  const double peak = gpu.peak_fp16 ? gpu.peak_fp16->base() : gpu.peak_bf16 ? gpu.peak_bf16->base() : rate;
  const double reached = std::min(rate, (pass.forward ? share.forward : share.backward) * peak);
  const double keys =
      (pass.causal ? std::min(pass.length, (pass.length + causal_block) / 2) : pass.length) + filling_keys;
  const double clock_hz = gpu.boost_clock.base() > 0 ? gpu.boost_clock.base() : 1.5e9;
  const double product_s = (pass.forward ? 4 : 10) * pass.head / reached;
  const double exponential_s = 1 / (exponentials_per_sm_cycle * std::max(1, gpu.sm_count) * clock_hz);
  return queries * keys * (is_large_blackwell(gpu) ? std::max(product_s, exponential_s) : product_s + exponential_s);
}

}  // namespace clustersim
