#include "sim/calibrate/gpu_constants.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "clustersim/error.h"
#include "models/calibration/kernel_rates.h"
#include "models/compute/constants.h"
#include "sim/calibrate/document.h"
#include "sim/calibrate/gpu_power.h"
#include "sim/read/calibration_file.h"

namespace clustersim {
namespace {

using Kernels = std::vector<SourcedKernel>;
constexpr double most_bandwidth = 1e14;

using Wanted = std::function<bool(const KernelRecord&)>;

// A network's kernels follow each other in a graph or a stream; so do those of a record, by their length (session.h of
// gpubench).
constexpr double graph_below_s = 30e-6;

double half_bytes(const KernelRecord& r) { return r.word("precision") == "fp16" ? 2 : 4; }

double in_elements(const KernelRecord& r) {
  return r.number("batch") * r.number("in_channels") * r.number("height") * r.number("width");
}

double out_size(const KernelRecord& r) { return std::max(1.0, std::ceil(r.number("height") / r.number("stride"))); }

double out_elements(const KernelRecord& r) {
  return r.number("batch") * r.number("out_channels") * out_size(r) * out_size(r);
}

std::vector<TimedProduct> products_of(const Kernels& from) {
  std::vector<TimedProduct> out;
  for (const SourcedKernel& k : from) {
    const KernelRecord& r = *k.record;
    const double m = r.number("m"), n = r.number("n"), depth = r.number("k"), element = half_bytes(r);
    if (m > 0 && n > 0 && depth > 0)
      out.push_back({{m, n, depth, 1, (m * n + n * depth + m * depth) * element, false, 1}, r.seconds});
  }
  return out;
}

// Short products over the model's rate under load.
std::optional<Middle> product_share(const std::vector<MeasuredFile>& files, const DeviceModel& device,
                                    MathFormat format, const char* precision) {
  Kernels found = kernels_of(files, "gemm");
  std::erase_if(found, [&](const SourcedKernel& k) {
    const std::string purpose = k.record->word("purpose"), epilogue = k.record->word("epilogue");
    return k.record->word("precision") != precision || (epilogue != "none" && !epilogue.empty()) ||
           purpose == "m_sweep" || purpose == "k_sweep";
  });
  return fit_share(device, format, products_of(found));
}

class Fitter {
 public:
  Fitter(const std::vector<MeasuredFile>& files, const GpuSpec& base, std::vector<Constant>& constants,
         std::vector<std::string>& notes)
      : files_(files), base_(base), constants_(constants), notes_(notes) {}

  void run() {
    add_cache();
    add_reductions();
    add_updates();
    add_prologue();
    add_convolutions();
    add_winograd();
    add_transposes();
    add_norms();
  }

 private:
  Kernels rows(const char* benchmark, const Wanted& wanted) const {
    Kernels found = kernels_of(files_, benchmark);
    std::erase_if(found, [&](const SourcedKernel& k) { return !wanted(*k.record); });
    return found;
  }
  Kernels joined(const std::vector<const char*>& benchmarks) const {
    Kernels all;
    for (const char* name : benchmarks)
      for (const SourcedKernel& kernel : kernels_of(files_, name)) all.push_back(kernel);
    return all;
  }

  // With what was found so far.
  const DeviceModel& device(bool graph) const {
    if (known_ != constants_.size()) {
      const GpuSpec gpu = calibrated_gpu(base_, constants_);
      in_stream_ = device_model(gpu, false), in_graph_ = device_model(gpu, true);
      known_ = constants_.size();
    }
    return graph ? in_graph_ : in_stream_;
  }

  void add(const char* key, std::optional<Dimension> dimension, double value, const FitQuality& quality,
           const char* swept, const Kernels& from, const std::string& doubt = "") {
    constants_.push_back(kernel_constant(key, dimension, value, quality, swept, from, doubt));
  }

  // ---- Memory

  double l2_bytes() const { return base_.l2_cache.base(); }

  void add_cache() {
    const Kernels streams = joined({"stream_copy", "stream_triad", "stream_three_in_one_out"});
    if (streams.empty()) return;
    std::vector<TimedSize> sets;
    for (const SourcedKernel& k : streams)
      if (k.record->number("element_bytes") == 4 && k.record->number("working_set_bytes") > 0)
        sets.push_back({k.record->number("working_set_bytes"), k.record->seconds});
    const DeviceModel now = device(true);
    const auto fit = fit_cache(l2_bytes(), now.elementwise_bytes_per_s, sets);
    if (!fit) {
      notes_.push_back("streams through the L2: no rate above that of memory; l2_usable and measured_l2_stream stay");
      return;
    }
    add("measured_l2_stream", Dimension::bandwidth, fit->bytes_per_s, fit->quality, "B", streams);
    if (fit->usable_bytes > 0)
      add("l2_usable", std::nullopt, std::min(1.0, fit->usable_bytes / l2_bytes()), fit->quality, "B", streams);
    notes_.push_back("small kernels: " + format_quantity(fit->fixed_s, Dimension::time, "us") +
                     " beside their bytes; the model has " + format_quantity(now.fixed_s, Dimension::time, "us") +
                     ", which is of kernels within networks and stays");
  }

  // Of tensors beyond the cache.
  bool beyond_cache(double bytes) const { return bytes > 2 * device(false).l2_usable; }

  void add_reductions() {
    const Kernels all = joined({"layer_norm", "softmax", "attention_softmax"});
    std::vector<TimedSize> sizes;
    Kernels used;
    for (const SourcedKernel& k : all) {
      const double bytes = k.record->number("bytes_per_s") * k.record->seconds;
      if (!beyond_cache(bytes)) continue;
      sizes.push_back({bytes, k.record->seconds});
      used.push_back(k);
    }
    if (const auto fit = fit_rate(sizes))
      add("measured_reduce_stream", Dimension::bandwidth, fit->per_s, fit->quality, "B", used);
    else if (!all.empty())
      notes_.push_back("layer_norm and softmax: fewer than two sizes beyond the L2, so measured_reduce_stream stays");
  }

  void add_updates() {
    Kernels used = rows("optimizer", [](const KernelRecord& r) {
      return r.word("method") == "multi_tensor" && r.number("bytes_per_element") > 0 && r.number("elements") > 0;
    });
    double most = 0;
    for (const SourcedKernel& k : used) most = std::max(most, k.record->number("elements"));
    std::erase_if(used, [&](const SourcedKernel& k) { return k.record->number("elements") < most; });
    if (used.empty()) return;
    std::vector<double> at, rates;
    for (const SourcedKernel& k : used) {
      at.push_back(k.record->number("bytes_per_element") * k.record->number("elements"));
      rates.push_back(at.back() / std::max(1e-9, k.record->seconds - device(false).fixed_s));
    }
    const Middle middle = middle_of(at, rates);
    add("measured_update_stream", Dimension::bandwidth, middle.value, middle.quality, "B", used);
  }

  // ---- Products and convolutions

  void add_prologue() {
    const Kernels sweeps = rows("gemm", [](const KernelRecord& r) {
      const std::string purpose = r.word("purpose");
      return r.word("precision") == "fp16" && r.word("epilogue") == "none" &&
             (purpose == "m_sweep" || (purpose == "k_sweep" && r.word("split_k") == "off"));
    });
    if (sweeps.empty()) return;
    if (const auto fit = fit_prologue(base_.sm_count, products_of(sweeps)))
      add("tile_prologue", Dimension::time, fit->prologue_s, fit->quality, "of K", sweeps);
    else
      notes_.push_back(
          "sweeps of m and k: the library's tiles are not those of the model (256 x 128), so the prologue "
          "of a tile stays");
  }

  // Rows of convolutions against products: the share of the first over that of the second.
  void add_over_products(const char* key, MathFormat format, const Kernels& convolutions,
                         const std::optional<Middle>& product) {
    if (convolutions.empty()) return;
    if (!product) {
      notes_.push_back(std::string(key) + ": no product of the same format beside the convolutions");
      return;
    }
    const DeviceModel now = device(false);
    std::vector<TimedProduct> timed;
    for (const SourcedKernel& k : convolutions) timed.push_back({convolution_shape(*k.record, now), k.record->seconds});
    auto share = fit_share(now, format, timed);
    if (!share) {
      notes_.push_back(std::string(key) + ": no convolution that arithmetic binds");
      return;
    }
    add(key, std::nullopt, share->value / product->value, share->quality, "FLOP", convolutions);
  }

  void add_convolutions() {
    const auto product = product_share(files_, device(false), MathFormat::half, "fp16");
    for (const auto& [key, direction] : {std::pair{"convolution_forward", "forward"},
                                         {"convolution_data_gradient", "data_gradient"},
                                         {"convolution_weight_gradient", "weight_gradient"}})
      add_over_products(key, MathFormat::half,
                        rows("convolution",
                             [&, wanted = direction](const KernelRecord& r) {
                               return r.word("direction") == wanted && r.word("precision") == "fp16" &&
                                      r.word("layout") == "nhwc";
                             }),
                        product);
  }

  void add_winograd() {
    add_over_products("winograd_gain", MathFormat::simt,
                      rows("convolution",
                           [](const KernelRecord& r) {
                             return r.word("precision") == "fp32" && r.number("kernel") == 3 && r.number("stride") == 1;
                           }),
                      product_share(files_, device(false), MathFormat::simt, "fp32"));
  }

  // A convolution in NCHW is one in NHWC between changes of the layout.
  void add_transposes() {
    const auto name = [](const KernelRecord& r) {
      std::string text = r.word("direction");
      for (const char* key : {"batch", "in_channels", "out_channels", "height", "kernel", "stride"})
        text += "/" + std::to_string(static_cast<long long>(r.number(key)));
      return text;
    };
    std::map<std::string, double> channels_last;
    const auto half = [](const char* layout) {
      return [layout](const KernelRecord& r) { return r.word("precision") == "fp16" && r.word("layout") == layout; };
    };
    for (const SourcedKernel& k : rows("convolution", half("nhwc"))) channels_last[name(*k.record)] = k.record->seconds;
    const Kernels all = rows("convolution", half("nchw"));
    const DeviceModel now = device(false);
    std::vector<double> at, rates;
    Kernels used;
    int pairs = 0;
    for (const SourcedKernel& k : all) {
      const auto found = channels_last.find(name(*k.record));
      if (found == channels_last.end()) continue;
      ++pairs;
      const double moved = compute::layout_change_passes * (in_elements(*k.record) + out_elements(*k.record));
      const double longer_s = k.record->seconds - found->second - now.fixed_s;
      if (longer_s < 0.1 * found->second) continue;  // less than the noise of both
      at.push_back(2 * moved);
      rates.push_back(moved / longer_s);
      used.push_back(k);
    }
    if (pairs == 0) return;
    if (2 * used.size() <= static_cast<std::size_t>(pairs)) {
      notes_.push_back("convolutions in NCHW: most are no slower than in NHWC; transpose_rate stays");
      return;
    }
    const Middle middle = middle_of(at, rates);
    add("transpose_rate", std::nullopt, middle.value, middle.quality, "B", used);
  }

  // ---- Normalisation

  // Passes with which normalisation_kernel lasts as long as was measured.
  std::optional<Middle> passes(const Kernels& from) const {
    std::vector<double> at, found;
    for (const SourcedKernel& k : from) {
      const DeviceModel now = device(k.record->seconds < graph_below_s);
      const double bytes = k.record->number("tensor_bytes");
      const double moved_s = k.record->seconds - now.fixed_s - now.ramp_s;
      if (!beyond_cache(bytes) || moved_s <= 0.5 * k.record->seconds) continue;
      at.push_back(bytes);
      found.push_back(moved_s * now.dram_bytes_per_s / bytes);
    }
    return found.empty() ? std::nullopt : std::optional<Middle>(middle_of(at, found));
  }

  void add_norms() {
    const auto of = [&](const char* direction, const char* fused) {
      return rows("batch_norm",
                  [=](const KernelRecord& r) { return r.word("direction") == direction && r.word("fused") == fused; });
    };
    for (const auto& [direction, plain, joint, added] :
         {std::tuple{"forward", "norm_passes", "fused_norm_passes", "fused_add_passes"},
          std::tuple{"backward", "norm_back_passes", "fused_norm_back_passes", "fused_add_back_passes"}}) {
      const Kernels alone = of(direction, "none"), relu = of(direction, "relu"), add_relu = of(direction, "add_relu");
      const auto a = passes(alone), r = passes(relu), s = passes(add_relu);
      if (a) add(plain, std::nullopt, a->value, a->quality, "B", alone);
      if (r) add(joint, std::nullopt, r->value, r->quality, "B", relu);
      if (r && s && s->value > r->value) add(added, std::nullopt, s->value - r->value, s->quality, "B", add_relu);
      if (!a && !alone.empty())
        notes_.push_back(std::string("batch normalisation, ") + direction +
                         ": no tensor beyond the L2; its passes stay");
    }
  }

  mutable DeviceModel in_stream_, in_graph_;
  mutable std::size_t known_ = static_cast<std::size_t>(-1);
  const std::vector<MeasuredFile>& files_;
  const GpuSpec& base_;
  std::vector<Constant>& constants_;
  std::vector<std::string>& notes_;
};

// What the key does not allow is left out: a file of ours must be readable.
void leave_out_impossible(std::size_t first, std::vector<Constant>& constants, std::vector<std::string>& notes) {
  for (std::size_t i = first; i < constants.size();) {
    std::vector<Problem> problems;
    if (constants[i].dimension == Dimension::bandwidth && !(constants[i].value <= most_bandwidth))
      problems.push_back({"", "", "at most 100 TB/s", "", ""});
    CalibrationFile(parse_json(calibration_document({constants[i]}, {}, {}), "", problems), "").check(problems);
    if (problems.empty()) {
      ++i;
      continue;
    }
    notes.push_back(constants[i].key + " came out as " + constant_text(constants[i]) + ", which is not " +
                    problems.front().expected + ": left out");
    constants.erase(constants.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace

Constant kernel_constant(const char* key, std::optional<Dimension> dimension, double value, const FitQuality& quality,
                         const char* swept, const std::vector<SourcedKernel>& from, const std::string& doubt) {
  std::vector<const MeasuredFile*> files;
  std::map<std::string, std::pair<int, int>> lines;
  for (const SourcedKernel& row : from) {
    if (std::find(files.begin(), files.end(), row.file) == files.end()) files.push_back(row.file);
    auto [found, first] = lines.try_emplace(base_name(row.file->file), row.record->line, row.record->line);
    found->second.first = std::min(found->second.first, row.record->line);
    found->second.second = std::max(found->second.second, row.record->line);
  }
  Constant c{"gpu", key, value, dimension, quality, swept, source_text(files), "", doubt};
  for (const auto& [name, range] : lines)
    c.where +=
        (c.where.empty() ? "" : "; ") + name + ", line" +
        (range.first == range.second ? " " + std::to_string(range.first)
                                     : "s " + std::to_string(range.first) + " to " + std::to_string(range.second));
  return c;
}

std::vector<SourcedKernel> kernels_of(const std::vector<MeasuredFile>& files, const std::string& benchmark) {
  std::vector<SourcedKernel> found;
  for (const MeasuredFile& file : files)
    for (const KernelRecord& record : file.kernels)
      if (record.benchmark == benchmark) found.push_back({&record, &file});
  return found;
}

GpuSpec calibrated_gpu(const GpuSpec& gpu, const std::vector<Constant>& constants) {
  std::vector<Problem> problems;
  GpuSpec out = gpu;
  CalibrationFile(parse_json(calibration_document(constants, {}, {}), "", problems), "").apply(out);
  require(problems.empty(), "a document of ours can be read");
  return out;
}

double short_product_share(const std::vector<MeasuredFile>& files, const GpuSpec& calibrated) {
  const auto share = product_share(files, device_model(calibrated, false), MathFormat::half, "fp16");
  return share ? share->value : 1;
}

GemmShape convolution_shape(const KernelRecord& r, const DeviceModel& device) {
  const double element = half_bytes(r), taps = r.number("kernel") * r.number("kernel");
  const double in = in_elements(r) * element, out = out_elements(r) * element;
  const double weights = r.number("in_channels") * r.number("out_channels") * taps * element;
  const double places = r.number("batch") * out_size(r) * out_size(r);
  const double channels = r.number("in_channels") == 3 ? 4 : r.number("in_channels");  // padded
  const double in_places = r.number("batch") * r.number("height") * r.number("width");
  const double strides = std::max(1.0, r.number("stride") * r.number("stride"));
  const std::string direction = r.word("direction");
  if (direction == "data_gradient")
    return {in_places,
            r.number("in_channels"),
            r.number("out_channels") * taps / strides,
            1,
            in + sweep_bytes(device, out, 1, 1) + weights,
            false,
            1};
  if (direction == "weight_gradient")
    return {
        r.number("out_channels"), channels * taps, places, 1, in + sweep_bytes(device, out, 1, 1) + weights, true, 1};
  return {places, r.number("out_channels"), channels * taps, 1, sweep_bytes(device, in, 1, 1) + out + weights, false,
          1};
}

void add_kernel_constants(const std::vector<MeasuredFile>& files, const GpuSpec& gpu, std::vector<Constant>& constants,
                          std::vector<std::string>& notes) {
  const bool any = std::any_of(files.begin(), files.end(), [](const MeasuredFile& f) { return !f.kernels.empty(); });
  if (!any) return;
  if (gpu.id.empty() || gpu.sm_count <= 0 || gpu.l2_cache.base() <= 0) {
    notes.push_back(
        "convolutions, normalisation, updates and power of the GPU are fitted against the model of it: name it with "
        "--base, as its data sheet is needed");
    return;
  }
  const std::size_t first = constants.size();
  Fitter(files, gpu, constants, notes).run();
  add_power_constants(files, gpu, constants, notes);
  leave_out_impossible(first, constants, notes);
}

}  // namespace clustersim
