// A run of clustersim-gpubench on a made-up GPU, an H200 whose kernels, power and cooling are known, with 1 % of noise
// a record: calibrate finds them, a scenario computes with them, and what cannot be seen becomes no number.
#include <catch2/catch.hpp>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "clustersim/calibrate.h"
#include "clustersim/clustersim.h"
#include "models/compute/roofline.h"
#include "sim/calibrate/cooling_fit.h"
#include "sim/calibrate/step_check.h"
#include "sim/read/catalog.h"
#include "tools/gpubench/sizes.h"
#include "tools/measurement/record.h"

using namespace clustersim;
using measurement::Numbers;
using measurement::Parameters;

namespace {

constexpr double noise_share = 0.01, short_product = 1.08;

GpuSpec h200() {
  std::vector<Problem> problems;
  return Catalog(data_directory()).gpu("h200-sxm-141gb", {"", "", problems});
}

GpuSpec truth() {
  GpuSpec gpu = h200();
  gpu.measured_stream = Bandwidth::from_base(4.1e12);
  gpu.launch_gap = seconds(2.5e-6), gpu.graph_gap = seconds(1.3e-6);
  gpu.measured_matmul_bf16 = FlopRate::from_base(680e12);
  MeasuredKernels& m = gpu.measured;
  m.reduce_stream = Bandwidth::from_base(3.2e12), m.update_stream = Bandwidth::from_base(3.6e12);
  m.l2_stream = Bandwidth::from_base(9e12), m.l2_usable = 0.5;
  m.convolution_forward = 0.8, m.convolution_data_gradient = 0.7, m.convolution_weight_gradient = 0.6;
  m.winograd_gain = 1.9, m.transpose_rate = 4e11;
  m.norm_passes = 3.4, m.norm_back_passes = 5.5, m.fused_norm_passes = 3.1, m.fused_norm_back_passes = 5.2;
  m.fused_add_passes = 1.2, m.fused_add_back_passes = 1.3;
  m.device_sync = seconds(15e-6);
  return gpu;
}

std::int64_t whole(double number) { return static_cast<std::int64_t>(number); }

class MadeUpRun {
 public:
  explicit MadeUpRun(const GpuSpec& gpu) : gpu_(gpu), stream_(device_model(gpu, false)) {
    fast_ = stream_;
    fast_.half_flop_per_s *= short_product;
  }

  void add(const std::string& benchmark, const Parameters& parameters, double seconds, Numbers derived = {},
           const Numbers& conditions = {}) {
    const double noisy = seconds * (1 + noise_(random_));
    measurement::Record record = measurement::measured(benchmark, parameters, {noisy});
    for (auto& [name, amount] : derived)
      if (name.ends_with("_per_s")) amount /= noisy;
    record.derived = std::move(derived);
    record.conditions = conditions;
    file_.records.push_back(record);
  }

  // As the model has it: what the L2 keeps comes at its rate.
  void add_streams() {
    const double usable = *gpu_.measured.l2_usable * gpu_.l2_cache.base();
    for (double array = 65536; array <= 2147483648.0; array *= 2) {
      const double bytes = 3 * array, kept = std::clamp(2 - bytes / usable, 0.0, 1.0);
      const double t =
          2e-6 + bytes * (kept / gpu_.measured.l2_stream->base() + (1 - kept) / gpu_.measured_stream->base());
      add("stream_triad", {{"bytes", whole(bytes)}, {"working_set_bytes", whole(bytes)}, {"element_bytes", whole(4)}},
          t, {{"bytes_per_s", bytes}});
    }
  }

  void add_launches() {
    add("launch_back_to_back", {{"arguments", whole(1)}, {"streams", whole(1)}}, gpu_.launch_gap->base(),
        {{"host_s", 2e-6}});
    add("launch_graph", {{"nodes", whole(1000)}}, gpu_.graph_gap->base());
    add("gemm_sustained",
        {{"m", whole(8192)},
         {"n", whole(8192)},
         {"k", whole(8192)},
         {"precision", std::string("fp16")},
         {"data", std::string("random")}},
        2 * std::pow(8192.0, 3) / gpu_.measured_matmul_bf16->base(), {{"flop_per_s", 2 * std::pow(8192.0, 3)}});
  }

  void add_products() {
    for (const char* precision : {"fp16", "fp32"}) {
      const bool half = std::string(precision) == "fp16";
      for (const double side : {2048.0, 3072.0, 4096.0, 6144.0, 8192.0}) {
        const GemmShape shape{side, side, side, 1, 3 * side * side * (half ? 2 : 4), false, 1};
        add("gemm",
            {{"m", whole(side)},
             {"n", whole(side)},
             {"k", whole(side)},
             {"precision", std::string(precision)},
             {"epilogue", std::string("none")},
             {"purpose", std::string("transformer")}},
            seconds_of(gemm_kernel(fast_, half ? MathFormat::half : MathFormat::simt, shape)));
      }
    }
  }

  void add_convolutions() {
    const MeasuredKernels& m = gpu_.measured;
    for (const gpubench::ConvShape& s : gpubench::resnet_convolutions())
      for (const auto& [direction, share] : {std::pair{"forward", *m.convolution_forward},
                                             {"data_gradient", *m.convolution_data_gradient},
                                             {"weight_gradient", *m.convolution_weight_gradient}}) {
        add_convolution(s, direction, "fp16", "nhwc", share, 0);
        const double out = gpubench::output_size(s);
        const double moved = 2 * 256.0 * (s.channels_in * s.size * s.size + s.channels_out * out * out);
        add_convolution(s, direction, "fp16", "nchw", share, stream_.fixed_s + moved / *m.transpose_rate);
        if (s.kernel == 3 && s.stride == 1) add_convolution(s, direction, "fp32", "nchw", *m.winograd_gain, 0);
      }
  }

  void add_norms() {
    const MeasuredKernels& m = gpu_.measured;
    for (const auto& [channels, size] : {std::pair{64, 112}, {256, 56}, {512, 28}, {1024, 14}, {2048, 7}}) {
      const double bytes = 2.0 * 256 * channels * size * size;
      const auto one = [&](const char* direction, const char* fused, double passes) {
        add("batch_norm", {{"direction", std::string(direction)}, {"fused", std::string(fused)}},
            stream_.fixed_s + stream_.ramp_s + passes * bytes / m.reduce_stream->base(), {{"tensor_bytes", bytes}});
      };
      one("forward", "none", *m.norm_passes);
      one("forward", "relu", *m.fused_norm_passes);
      one("forward", "add_relu", *m.fused_norm_passes + *m.fused_add_passes);
      one("backward", "none", *m.norm_back_passes);
      one("backward", "relu", *m.fused_norm_back_passes);
      one("backward", "add_relu", *m.fused_norm_back_passes + *m.fused_add_back_passes);
    }
    for (const char* name : {"layer_norm", "softmax"})
      for (const double columns : {512.0, 1024.0, 4096.0}) {
        const double bytes = 4 * 65536 * columns;
        add(name, {{"rows", whole(65536)}, {"columns", whole(columns)}}, 3e-6 + bytes / m.reduce_stream->base(),
            {{"bytes_per_s", bytes}});
      }
  }

  void add_updates() {
    for (const auto& [rule, bytes] : {std::pair{"sgd", 22.0}, {"adam", 30.0}, {"lamb", 42.0}})
      for (const double elements : {25.6e6, 336e6})
        add("optimizer",
            {{"rule", std::string(rule)}, {"method", std::string("multi_tensor")}, {"elements", whole(elements)}},
            stream_.fixed_s + bytes * elements / gpu_.measured.update_stream->base(), {{"bytes_per_element", bytes}});
    const Parameters elements = {{"elements", whole(25.6e6)}};
    const double cast = 6 * 25.6e6 / 4e12, test = 8 * 25.6e6 / 4e12;
    add("amp_cast", elements, cast);
    add("amp_unscale", elements, test);
    add("amp_step", elements, cast + test + gpu_.measured.device_sync->base());
  }

  void add_clocks() {
    for (const double f : {1.0, 0.9, 0.8, 0.7, 0.6, 0.5})
      for (const char* work : {"gemm", "convolution", "stream"}) {
        const bool stream = std::string(work) == "stream";
        const double v = std::max(0.7, 1 - 0.8 * (1 - f)), activity = std::string(work) == "gemm" ? 1 : 0.8;
        const double watts = 690 * (0.2 + 0.8 * f * v * v * activity);
        add("clock_sweep", {{"work", std::string(work)}, {"clock_limit_mhz", whole(1980 * f)}},
            stream ? 1e-3 * std::max(1.0, 0.7 / f) : 1e-3 / f, {},
            {{"sm_clock_mhz", 1700 * f}, {"power_w", watts * (1 + noise_(random_))}});
      }
  }

  void add_chains() {
    for (const char* network : {"bert_like", "resnet_like"})
      for (const std::int64_t batch : {16, 51, 256})
        for (const char* mode : {"eager", "graph"})
          add("step_chain", {{"network", std::string(network)}, {"batch", batch}, {"mode", std::string(mode)}},
              chain_seconds(gpu_, short_product, network, static_cast<double>(batch), std::string(mode) == "graph"));
  }

  void limit_power(double watts) { power_limit_w_ = watts; }

  std::string text() {
    file_.program = "clustersim-gpubench";
    file_.version = "0.1.0";
    file_.date = "2026-12-01";
    file_.machine = {{"gpu", std::string("NVIDIA H200")}, {"power_limit_w", power_limit_w_}};
    return measurement::to_json(file_);
  }

 private:
  static double seconds_of(const Kernel& kernel) { return kernel_seconds(kernel, {}); }

  void add_convolution(const gpubench::ConvShape& s, const char* direction, const char* precision, const char* layout,
                       double share, double longer_s) {
    const Parameters parameters = {{"direction", std::string(direction)},
                                   {"batch", whole(256)},
                                   {"in_channels", whole(s.channels_in)},
                                   {"out_channels", whole(s.channels_out)},
                                   {"height", whole(s.size)},
                                   {"width", whole(s.size)},
                                   {"kernel", whole(s.kernel)},
                                   {"stride", whole(s.stride)},
                                   {"precision", std::string(precision)},
                                   {"layout", std::string(layout)}};
    KernelRecord record;
    for (const auto& [name, value] : parameters) {
      if (const auto* number = std::get_if<std::int64_t>(&value))
        record.numbers.emplace_back(name, static_cast<double>(*number));
      else
        record.words.emplace_back(name, std::get<std::string>(value));
    }
    GemmShape shape = convolution_shape(record, stream_);
    shape.math_gain = share;
    const bool half = std::string(precision) == "fp16";
    const double t = seconds_of(gemm_kernel(fast_, half ? MathFormat::half : MathFormat::simt, shape)) + longer_s;
    add("convolution", parameters, t);
  }

  std::mt19937 random_{7};
  std::uniform_real_distribution<double> noise_{-noise_share, noise_share};
  GpuSpec gpu_;
  DeviceModel stream_, fast_;
  double power_limit_w_ = 700;
  measurement::MeasurementFile file_;
};

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / "clustersim_gpubench_kernels_test") {
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const char* name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

Calibrated calibrated(const Folder& folder, MadeUpRun& run) {
  CalibrateOptions options;
  options.bases = {"h200-sxm-141gb"};
  return calibrate({folder.file("gpu.json", run.text())}, options);
}

std::string scenario(const std::string& calibration) {
  return R"({"clustersim": 1, "cluster": {"nodes": 1, )" + calibration +
         R"("node": {"gpu": "h200-sxm-141gb", "gpus": 1}}, "job": {"model": "resnet-50", "batch_per_gpu": 128,
         "precision": "amp", "data": {"from": "synthetic"}}})";
}

bool has(const std::vector<std::string>& lines, const std::string& part) {
  for (const std::string& line : lines)
    if (line.find(part) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("gpubench's kernels give back what they were made of, and a run computes with it", "[calibrate][gpubench]") {
  const GpuSpec made_of = truth();
  MadeUpRun run(made_of);
  run.add_streams();
  run.add_launches();
  run.add_products();
  run.add_convolutions();
  run.add_norms();
  run.add_updates();
  run.add_clocks();
  run.add_chains();
  const Folder folder;
  const Calibrated c = calibrated(folder, run);
  folder.file("mine.json", c.document);
  const Scenario with = read_scenario(folder.file("s.json", scenario(R"("calibration": "mine.json", )")), {});
  const GpuSpec& gpu = with.cluster.groups[0].node.gpu;
  const MeasuredKernels &found = gpu.measured, &made = made_of.measured;

  // A record is off by 1 % at most. What is a median or a fit of records is off by no more; a median of what a share is
  // worked out of by 1 % / (1 - 1/5) twice, of the convolution and of the product.
  CHECK(found.reduce_stream->base() == Approx(made.reduce_stream->base()).epsilon(0.015));
  CHECK(found.update_stream->base() == Approx(made.update_stream->base()).epsilon(0.01));
  CHECK(*found.convolution_forward == Approx(*made.convolution_forward).epsilon(0.025));
  CHECK(*found.convolution_data_gradient == Approx(*made.convolution_data_gradient).epsilon(0.025));
  CHECK(*found.convolution_weight_gradient == Approx(*made.convolution_weight_gradient).epsilon(0.025));
  CHECK(*found.winograd_gain == Approx(*made.winograd_gain).epsilon(0.025));
  // In small sets of bytes 2 us are as long as the bytes: 2 %. The edge lies between two sizes.
  CHECK(found.l2_stream->base() == Approx(made.l2_stream->base()).epsilon(0.03));
  CHECK(*found.l2_usable == Approx(*made.l2_usable).epsilon(0.15));
  // Passes are over the fitted rate: both their errors. An addition is a difference of 4.3 and 3.1 passes, so 1 % of
  // either is 6 % of it.
  CHECK(*found.norm_passes == Approx(*made.norm_passes).epsilon(0.025));
  CHECK(*found.norm_back_passes == Approx(*made.norm_back_passes).epsilon(0.025));
  CHECK(*found.fused_norm_passes == Approx(*made.fused_norm_passes).epsilon(0.025));
  CHECK(*found.fused_norm_back_passes == Approx(*made.fused_norm_back_passes).epsilon(0.025));
  CHECK(*found.fused_add_passes == Approx(*made.fused_add_passes).epsilon(0.08));
  CHECK(*found.fused_add_back_passes == Approx(*made.fused_add_back_passes).epsilon(0.12));
  // Differences that are a tenth of their terms or more: 1 % of each is a fifth; the median of many is nearer.
  CHECK(*found.transpose_rate == Approx(*made.transpose_rate).epsilon(0.08));
  // 90 us of cast and test, 105 of the step: 1.95 of 15 us.
  CHECK(found.device_sync->base() == Approx(made.device_sync->base()).epsilon(0.13));
  // The watts of both works are off by 1 %; the share that is static is less certain than the curve.
  REQUIRE(gpu.measured_power.whole());
  CHECK(gpu.measured_power.full->base() == Approx(690).epsilon(0.015));
  CHECK(*gpu.measured_power.lowest == Approx(0.5).epsilon(1e-3));
  CHECK_FALSE(found.tile_prologue);  // no sweeps of m and k
  CHECK_FALSE(gpu.thermal_resistance);

  // Times of the chain are the model's own: what is predicted of them is as far off as the constants.
  CHECK((has(c.checks, "step_chain: off by 0.") || has(c.checks, "step_chain: off by 1.")));
  CHECK(has(c.checks, "slower below 70 %"));
  CHECK(has(c.checks, "launch_overhead"));

  // A run takes them: as fast as with the truth, not as without. Its parts are off by 2.5 % at most.
  const auto throughput = [](const Scenario& s) {
    for (const Metric& metric : clustersim::run(s, {}).metrics)
      if (metric.name == "throughput") return metric.value;
    return 0.0;
  };
  const Scenario without = read_scenario(folder.file("u.json", scenario("")), {});
  Scenario right = without;
  GpuSpec& exact = right.cluster.groups[0].node.gpu;
  exact = made_of;
  exact.measured_power = gpu.measured_power;
  CHECK(throughput(with) == Approx(throughput(right)).epsilon(0.025));
  CHECK(std::fabs(throughput(without) / throughput(right) - 1) > 0.05);
  bool told = false, ranged = false;
  for (const Assumption& a : with.assumptions) {
    told = told || a.why.find("calibrated from clustersim-gpubench 0.1.0, 2026-12-01") != std::string::npos;
    ranged = ranged || a.why.find("carried on beyond it") != std::string::npos;
  }
  CHECK(told);
  CHECK(ranged);
}

TEST_CASE("what gpubench's records cannot show becomes a note", "[calibrate][gpubench]") {
  const Folder folder;
  MadeUpRun capped(truth());
  capped.add_launches();
  capped.add_clocks();
  capped.limit_power(400);
  const Calibrated c = calibrated(folder, capped);
  CHECK(has(c.notes, "power limit was below"));
  CHECK(c.document.find("power_full") == std::string::npos);

  MadeUpRun alone(truth());
  alone.add_launches();
  alone.add_convolutions();
  CHECK(has(calibrated(folder, alone).notes, "no product of the same format"));

  // Passes that no kernel makes.
  GpuSpec odd = truth();
  odd.measured.norm_passes = 40;
  MadeUpRun slow(odd);
  slow.add_launches();
  slow.add_norms();
  const Calibrated s = calibrated(folder, slow);
  CHECK(has(s.notes, "norm_passes came out as"));
  CHECK(s.document.find("\"norm_passes\"") == std::string::npos);
}

TEST_CASE("damaged records of gpubench never become a file that cannot be read", "[calibrate][gpubench]") {
  MadeUpRun run(truth());
  run.add_streams();
  run.add_launches();
  run.add_products();
  run.add_norms();
  run.add_updates();
  run.add_clocks();
  const std::string whole_text = run.text();
  std::vector<std::size_t> numbers;  // where one begins
  for (std::size_t i = whole_text.find("records"); i + 1 < whole_text.size(); ++i)
    if ((whole_text[i] == ' ' || whole_text[i] == ':') && std::isdigit(static_cast<unsigned char>(whole_text[i + 1])))
      numbers.push_back(i + 1);
  REQUIRE(numbers.size() > 300);
  std::mt19937 random(11);
  const Folder folder;
  CalibrateOptions options;
  options.bases = {"h200-sxm-141gb"};
  for (int round = 0; round < 25; ++round) {
    std::string text = whole_text;
    for (int change = 0; change < 20; ++change) {
      const std::size_t at = numbers[random() % numbers.size()];
      if (!std::isdigit(static_cast<unsigned char>(text[at]))) continue;
      // As long as what stood there, so that the other places stay.
      const std::size_t length = text.find_first_not_of("0123456789.e-+", at) - at;
      const char* const odd[] = {"0", "-1", "9e99", "1e18", "1e-9"};
      std::string other = odd[random() % std::size(odd)];
      if (other.size() > length) other = "0";
      other.resize(length, ' ');
      text.replace(at, length, other);
    }
    try {
      const Calibrated c = calibrate({folder.file("gpu.json", text)}, options);
      folder.file("mine.json", c.document);
      const Scenario s = read_scenario(folder.file("s.json", scenario(R"("calibration": "mine.json", )")), {});
      CHECK(s.cluster.groups[0].node.gpus == 1);
    } catch (const InputError& error) {
      // Refused as a whole, for want of a number that can be used; its own file is never at fault.
      for (const Problem& p : error.problems()) FAIL_CHECK(p.file << " " << p.pointer << " " << p.expected);
    }
  }
}

TEST_CASE("a convolution is the product that the model makes of it", "[calibrate][gpubench]") {
  // 64 to 128 channels, 3 x 3 of stride 2 on 56 x 56, two images: 28 x 28 places.
  KernelRecord record;
  record.numbers = {{"batch", 2},  {"in_channels", 64}, {"out_channels", 128}, {"height", 56},
                    {"width", 56}, {"kernel", 3},       {"stride", 2}};
  record.words = {{"direction", "forward"}, {"precision", "fp16"}};
  DeviceModel device;
  device.l2_usable = 1;  // keeps nothing
  const GemmShape forward = convolution_shape(record, device);
  CHECK(forward.m == 2 * 28 * 28);
  CHECK(forward.n == 128);
  CHECK(forward.k == 64 * 9);
  CHECK(forward.bytes == 2.0 * (2 * 64 * 56 * 56 + 2 * 128 * 28 * 28 + 64 * 128 * 9));
  record.words[0].second = "data_gradient";
  const GemmShape data = convolution_shape(record, device);
  CHECK(data.m * data.n * data.k == forward.m * forward.n * forward.k);  // the same FLOP
  record.words[0].second = "weight_gradient";
  const GemmShape weights = convolution_shape(record, device);
  CHECK(weights.k == forward.m);
  CHECK(weights.split_k);
}

TEST_CASE("the resistance to the air is found where the heat sink was seen to settle", "[calibrate][gpubench]") {
  // 0.02 K/W and 2 s to the sink, 0.05 K/W and 15 s to the air of 30 degC; 600 W for `heating` s, then 80 W.
  const auto course = [](double heating) {
    std::vector<double> time, celsius, watts;
    double die = 0, sink = 0, before = 0;
    for (double t = 0; t < heating + 10; t += 0.5) {
      const double step = time.empty() ? 0 : 0.5;
      die += (before - die) * (1 - std::exp(-step / 2));
      sink += (before - sink) * (1 - std::exp(-step / 15));
      before = t < heating ? 600 : 80;
      time.push_back(t);
      watts.push_back(before);
      celsius.push_back(std::round(30 + 0.02 * die + 0.05 * sink));  // whole degrees, as the sensor has them
    }
    return fit_cooling(time, celsius, watts);
  };
  const CoolingFit fit = course(60);
  REQUIRE(fit.found);
  CHECK(fit.k_per_w == Approx(0.07).epsilon(0.05));  // half a degree of 36 K is 1.4 %, at both ends
  CHECK(fit.sink_s == Approx(15).epsilon(0.2));
  const CoolingFit cut_short = course(12);
  CHECK_FALSE(cut_short.found);
  CHECK(cut_short.reason.find("too short") != std::string::npos);
  CHECK_FALSE(fit_cooling({0, 1}, {30, 40}, {500, 500}).found);
}
