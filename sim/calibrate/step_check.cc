#include "sim/calibrate/step_check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "models/calibration/power_curve.h"
#include "models/compute/attention.h"
#include "models/compute/roofline.h"
#include "models/workload/layers.h"
#include "sim/calibrate/gpu_constants.h"

namespace clustersim {
namespace {

constexpr double half = 2;  // bytes

std::string text_of(const char* format, double a, double b = 0, double c = 0) {
  char text[200];
  std::snprintf(text, sizeof text, format, a, b, c);
  return text;
}

std::string ms(double seconds) { return text_of("%.4g ms", 1e3 * seconds); }
std::string off(double predicted, double measured) { return text_of("%+.1f %%", 100 * (predicted / measured - 1)); }

// The kernels of a chain; each runs again and again on tensors of its own, which the L2 keeps as far as it can.
class Chain {
 public:
  Chain(const GpuSpec& gpu, double share, bool graph) : device_(device_model(gpu, graph)) {
    device_.half_flop_per_s *= share;
  }

  void product(int times, double m, double n, double k, double batch = 1, double gain = 1) {
    const double bytes = batch * (m * n + n * k + m * k) * half;
    add(times, gemm_kernel(device_, MathFormat::half, {m, n, k, batch, kept(bytes), false, gain}));
  }
  void reduction(int times, double elements) { add(times, stream_kernel(device_, kept(2 * elements * half))); }
  void elementwise(int times, double elements) { add(times, elementwise_kernel(device_, kept(2 * elements * half))); }

  const DeviceModel& device() const { return device_; }
  double seconds() const { return work_seconds(work_, {}); }

 private:
  double kept(double bytes) const { return sweep_bytes(device_, bytes, 1, 1); }
  void add(int times, const Kernel& kernel) {
    for (int i = 0; i < times; ++i) work_.kernels.push_back(kernel);
  }

  DeviceModel device_;
  Work work_;
};

double bert_like_seconds(Chain chain, double batch) {
  constexpr int layers = 24;
  constexpr double width = 1024, heads = 16, sequence = 128, head = width / heads;
  const double tokens = batch * sequence;
  chain.product(layers, tokens, 3 * width, width);
  chain.product(layers, sequence, sequence, head, batch * heads);
  chain.reduction(layers, batch * heads * sequence * sequence);
  chain.product(layers, sequence, head, sequence, batch * heads);
  chain.product(layers, tokens, width, width);
  chain.product(layers, tokens, 4 * width, width);
  chain.product(layers, tokens, width, 4 * width);
  for (int i = 0; i < 2; ++i) {
    chain.elementwise(layers, tokens * width);
    chain.reduction(layers, tokens * width);
  }
  return chain.seconds();
}

double resnet_like_seconds(Chain chain, double batch) {
  for (const ConvLayer& layer : cnn_network("resnet-50").convolutions) {
    const double out = layer.out_size(), places = batch * out * out;
    const double depth = (layer.in_channels == 3 ? 4.0 : layer.in_channels) * layer.window * layer.window;
    chain.product(1, places, layer.out_channels, depth, 1, chain.device().convolution_forward);
    chain.elementwise(1, places * layer.out_channels);
  }
  return chain.seconds();
}

void check_chains(const std::vector<MeasuredFile>& files, const GpuSpec& gpu, std::vector<std::string>& said) {
  const double share = short_product_share(files, gpu);
  std::vector<double> errors;
  for (const SourcedKernel& k : kernels_of(files, "step_chain")) {
    const std::string network = k.record->word("network"), mode = k.record->word("mode");
    const double batch = std::clamp(k.record->number("batch"), 0.0, 1e5);
    const double predicted = batch > 0 ? chain_seconds(gpu, share, network, batch, mode == "graph") : 0;
    if (predicted <= 0) continue;
    std::string line = "step_chain " + network + ", batch " + text_of("%.0f", batch) + ", " + mode + ": " +
                       ms(predicted) + " predicted, " + ms(k.record->seconds) + " measured (" +
                       off(predicted, k.record->seconds) + ")";
    if (const double sum = k.record->number("sum_of_kernels_s"); sum > 0)
      line += "; its kernels alone add up to " + ms(sum) + " (" + off(sum, k.record->seconds) + ")";
    said.push_back(line);
    errors.push_back(std::fabs(predicted / k.record->seconds - 1));
  }
  if (!errors.empty())
    said.push_back(
        text_of("step_chain: off by %.1f %% in the median, %.1f %% at most; 3 %% is what a sum of kernels "
                "should hold",
                100 * median_of(errors), 100 * *std::max_element(errors.begin(), errors.end())));
}

// The model gives a product the SMs that are left.
void check_held(const std::vector<MeasuredFile>& files, const GpuSpec& gpu, std::vector<std::string>& said) {
  double alone = 0, worst = 0, at = 0;
  for (const SourcedKernel& k : kernels_of(files, "gemm_beside_held_sms"))
    if (k.record->number("held_sms") == 0) alone = k.record->seconds;
  for (const SourcedKernel& k : kernels_of(files, "gemm_beside_held_sms")) {
    const double held = k.record->number("held_sms");
    if (alone <= 0 || held <= 0 || held >= gpu.sm_count) continue;
    const double predicted = alone / (1 - held / gpu.sm_count);
    const double error = predicted / k.record->seconds - 1;
    if (std::fabs(error) >= std::fabs(worst)) worst = error, at = held;
  }
  if (at > 0)
    said.push_back(
        text_of("products beside held SMs: the model (time over the share of SMs left) is off by %+.1f %% at "
                "most, at %.0f SMs",
                100 * worst, at));
}

void check_attention(const std::vector<MeasuredFile>& files, const GpuSpec& gpu, std::vector<std::string>& said) {
  const DeviceModel device = device_model(gpu, false);
  const double rate = device.rate(MathFormat::half) * short_product_share(files, gpu);
  std::vector<double> ratios;
  for (const SourcedKernel& k : kernels_of(files, "attention_fused")) {
    const double s = k.record->number("sequence"), head = k.record->number("head_size");
    const double queries = k.record->number("batch") * k.record->number("heads") * s;
    if (!(queries > 0) || !(head > 0)) continue;
    const double predicted =
        device.fixed_s + attention_seconds(gpu, rate, usual_attention(gpu), {head, s, false, true}, queries);
    ratios.push_back(k.record->seconds / predicted);
  }
  if (ratios.empty()) return;
  const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
  said.push_back(
      text_of("attention_fused: cuDNN's kernel takes %.2f to %.2f times what the model gives to the kernel that "
              "frameworks use, %.2f in the median; theirs stays",
              *least, *most, median_of(ratios)));
}

void check_clocks(const std::vector<MeasuredFile>& files, std::vector<std::string>& said) {
  std::vector<std::pair<double, double>> streams;
  double highest = 0;
  for (const SourcedKernel& k : kernels_of(files, "clock_sweep")) {
    const double hz = k.record->number("sm_clock_mhz") * 1e6;
    if (k.record->word("work") == "gemm") highest = std::max(highest, hz);
    if (k.record->word("work") == "stream") streams.emplace_back(hz, k.record->seconds);
  }
  if (streams.size() < 4 || highest <= 0) return;
  const auto knee = memory_knee_hz(streams);
  said.push_back(
      knee ? text_of("streams under lower clocks: slower below %.0f %% of the clock that products hold; every "
                     "run has %.0f %%",
                     100 * *knee / highest, 100 * memory_knee)
           : "streams under lower clocks: as fast at all of them; every run has them slower below " +
                 text_of("%.0f %%", 100 * memory_knee));
}

void check_launches(const std::vector<MeasuredFile>& files, std::vector<std::string>& said) {
  std::vector<double> host;
  for (const SourcedKernel& k : kernels_of(files, "launch_back_to_back"))
    if (k.record->number("host_s") > 0) host.push_back(k.record->number("host_s"));
  if (!host.empty())
    said.push_back("a launch takes " + format_quantity(median_of(host), Dimension::time, "us") +
                   " of the host: a lower bound of the CPU's launch_overhead, which holds the framework's work, too");
}

}  // namespace

double chain_seconds(const GpuSpec& gpu, double share, const std::string& network, double batch, bool graph) {
  if (network == "bert_like") return bert_like_seconds(Chain(gpu, share, graph), batch);
  return network == "resnet_like" ? resnet_like_seconds(Chain(gpu, share, graph), batch) : 0;
}

std::vector<std::string> kernel_checks(const std::vector<MeasuredFile>& files, const GpuSpec& gpu) {
  std::vector<std::string> said;
  if (gpu.id.empty()) return said;
  check_chains(files, gpu, said);
  check_held(files, gpu, said);
  check_attention(files, gpu, said);
  check_clocks(files, said);
  check_launches(files, said);
  return said;
}

}  // namespace clustersim
