// The files of clustersim-gpubench and clustersim-hostbench (docs/MEASUREMENTS.md): records with benchmark, parameters,
// median and unit. What a benchmark is taken for stands in the table below; others are counted and left out.
#include <algorithm>
#include <cmath>

#include "models/workload/operator_kind.h"
#include "sim/import/measurement_formats.h"
#include "sim/import/measurement_text.h"
#include "sim/import/nccl_rows.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

constexpr double noisy_spread = 0.2;
constexpr double least_cpu_share = 0.8;      // of the cores' time that the program's threads got
constexpr double most_random_block = 16384;  // operations a second are of 4 KiB; larger blocks are bound by bytes

struct Record {
  const JsonValue& json;
  double median = 0;
  std::string benchmark;

  double parameter(const char* key) const {
    return std::clamp(number_at(json, std::string("parameters/") + key).value_or(0), 0.0, 1e18);
  }
  std::string word(const char* key) const { return text_at(json, std::string("parameters/") + key); }
  double derived(const char* key) const { return number_at(json, std::string("derived/") + key).value_or(0); }
};

std::optional<Subject> matmul_subject(const std::string& precision) {
  if (precision == "bf16") return Subject::matmul_bf16;
  if (precision == "fp16") return Subject::matmul_fp16;
  if (precision == "tf32") return Subject::matmul_tf32;
  if (precision == "fp32") return Subject::matmul_fp32;
  if (precision == "fp8") return Subject::matmul_fp8;
  return std::nullopt;
}

// What the record says, or nothing where the model has no use for it.
std::optional<Measured> measured_of(const Record& r) {
  Measured m;
  m.how = r.benchmark;
  const std::string& name = r.benchmark;
  if (name.starts_with("stream_")) {
    if (r.parameter("element_bytes") != 4 && r.parameter("element_bytes") != 2) return std::nullopt;
    m.subject = Subject::gpu_memory;
    m.bytes = r.parameter("bytes");
    m.value = m.bytes / r.median;
    m.streams = std::max(1.0, r.parameter("working_set_bytes"));
  } else if (name == "launch_back_to_back") {
    if (r.parameter("streams") > 1) return std::nullopt;
    m.subject = Subject::gpu_launch_gap;
    m.value = r.median;
  } else if (name == "launch_graph") {
    m.subject = Subject::gpu_graph_gap;
    m.value = r.median;
  } else if (name == "gemm" || name == "gemm_sustained") {
    const auto subject = matmul_subject(r.word("precision"));
    if (!subject || r.word("data") == "zero") return std::nullopt;
    m.subject = *subject;
    const double flop = 2 * r.parameter("m") * r.parameter("n") * r.parameter("k");
    m.value = r.derived("flop_per_s") > 0 ? r.derived("flop_per_s") : flop / r.median;
  } else if (name == "copy") {
    const std::string direction = r.word("direction");
    if (direction != "host_to_device" && direction != "device_to_host") return std::nullopt;
    if (r.word("memory") != "pinned") return std::nullopt;
    m.subject = direction == "host_to_device" ? Subject::host_to_gpu : Subject::gpu_to_host;
    m.bytes = r.parameter("bytes");
    m.value = m.bytes / r.median;
    m.how = "pinned";
  } else if (name == "jpeg_decode") {
    m.subject = Subject::decode_per_core;
    m.streams = std::max(1.0, r.parameter("threads"));
    m.value = r.derived("images_per_core_s") > 0 ? r.derived("images_per_core_s") : 1 / r.median;
    m.bytes = r.parameter("image_bytes");
  } else if (name == "memory_copy" || name == "memory_triad") {  // a read alone is faster than what STREAM calls a rate
    m.subject = name == "memory_copy" ? Subject::host_copy : Subject::host_memory;
    m.streams = std::max(1.0, r.parameter("threads"));
    m.bytes = r.parameter("bytes");
    m.value = r.derived("bytes_per_s");
  } else if (name == "read_sequential" || name == "read_random") {
    const bool direct = r.word("access") == "direct";
    if (name == "read_random" && r.parameter("block_bytes") > most_random_block) return std::nullopt;
    m.confidence = direct ? Confidence::high : Confidence::low;
    m.how = direct ? "direct" : "cached";
    m.streams = std::max(1.0, r.parameter("threads"));
    m.bytes = r.parameter("block_bytes");
    m.subject = name == "read_sequential" ? Subject::storage_read : Subject::storage_read_iops;
    m.value = name == "read_sequential" ? r.derived("bytes_per_s") : r.derived("reads_per_s");
  } else if (name == "file_open") {
    m.subject = Subject::file_open;
    m.streams = std::max(1.0, r.parameter("threads"));
    m.value = r.median;
  } else if (name == "tcp_loopback") {
    m.subject = Subject::loopback_rate;
    m.streams = std::max(1.0, r.parameter("connections"));
    m.bytes = r.parameter("message_bytes");
    m.value = r.derived("bytes_per_s");
  } else if (name == "tcp_round_trip") {
    m.subject = Subject::loopback_round_trip;
    m.bytes = r.parameter("message_bytes");
    m.value = r.median;
  } else {
    return std::nullopt;
  }
  return m;
}

std::optional<CollectiveOp> operation_named(const std::string& word) {
  for (const CollectiveOp op :
       {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::reduce,
        CollectiveOp::all_to_all, CollectiveOp::broadcast, CollectiveOp::send_recv})
    if (word == to_string(op)) return op;
  return std::nullopt;
}

// Records that sim/calibrate/gpu_constants.cc and step_check.cc know.
constexpr const char* kernel_benchmarks[] = {"stream_copy",
                                             "stream_triad",
                                             "stream_three_in_one_out",
                                             "launch_back_to_back",
                                             "launch_synchronised",
                                             "gemm",
                                             "attention_softmax",
                                             "attention_fused",
                                             "convolution",
                                             "batch_norm",
                                             "layer_norm",
                                             "softmax",
                                             "optimizer",
                                             "gemm_beside_held_sms",
                                             "amp_cast",
                                             "amp_unscale",
                                             "amp_step",
                                             "step_chain",
                                             "clock_sweep",
                                             "thermal_step"};

constexpr std::size_t most_kernels = 20000, most_members = 40, most_course = 4000, most_word = 60;

// False where it is not one of them.
bool take_kernel(const Record& record, int line, MeasuredFile& out) {
  if (std::none_of(std::begin(kernel_benchmarks), std::end(kernel_benchmarks),
                   [&](const char* name) { return record.benchmark == name; }))
    return false;
  if (out.kernels.size() >= most_kernels) return true;
  KernelRecord kernel;
  kernel.benchmark = record.benchmark;
  kernel.line = line;
  kernel.seconds = record.median;
  for (const char* group : {"parameters", "derived", "conditions"}) {
    const JsonValue* members = at_path(record.json, group);
    if (members == nullptr || members->members.size() > most_members) continue;
    for (const auto& [key, value] : members->members) {
      if (key.size() > most_word) continue;
      if (value.kind == JsonValue::Kind::number && std::isfinite(value.number))
        kernel.numbers.emplace_back(key, std::clamp(value.number, -1e18, 1e18));
      else if (value.kind == JsonValue::Kind::text && value.text.size() <= most_word)
        kernel.words.emplace_back(key, value.text);
    }
  }
  if (const JsonValue* series = at_path(record.json, "series"); series != nullptr && series->members.size() <= 8)
    for (const auto& [key, value] : series->members) {
      if (value.items.size() > most_course) continue;
      std::vector<double> column;
      for (const JsonValue& item : value.items) column.push_back(item.number);
      kernel.series.emplace_back(key, std::move(column));
    }
  out.kernels.push_back(std::move(kernel));
  return true;
}

void take(const Record& record, int line, MeasuredFile& out, int& unused) {
  if (record.benchmark == "nccl") {
    const auto op = operation_named(record.word("operation"));
    const double ranks = record.parameter("ranks"), bytes = record.parameter("bytes");
    if (op && ranks >= 2 && ranks <= 1e5 && bytes > 0)
      out.add(CollectiveTime{*op, static_cast<int>(ranks), 1, bytes, record.median, line});
    return;
  }
  const bool noisy = number_at(record.json, "spread").value_or(0) > noisy_spread;
  const bool kernel = !noisy && take_kernel(record, line, out);
  auto measured = measured_of(record);
  if (!measured) {
    unused += !kernel;
    if (noisy) out.warn(line, record.benchmark + " varied by more than 20 % from sample to sample: left out");
    return;
  }
  measured->line = line;
  if (noisy) {
    measured->confidence = Confidence::low;
    out.warn(line, record.benchmark + " varied by more than 20 % from sample to sample");
  }
  const auto cpu_share = number_at(record.json, "conditions/cpu_share");
  if (cpu_share && *cpu_share < least_cpu_share) {
    measured->confidence = Confidence::low;
    out.warn(line, record.benchmark + ": other programs took part of the cores");
  }
  out.add(*measured);
  // One thread that reads one block at a time: how long a read takes.
  if (record.benchmark == "read_random" && measured->streams <= 1) {
    measured->subject = Subject::storage_read_latency;
    measured->value = record.median;
    out.add(*measured);
  }
}

// The line of each record of a document: that of its "benchmark", where each has just one.
std::vector<int> record_lines(const std::string& text, int first_line, std::size_t records) {
  std::vector<int> lines;
  int number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    if (number < first_line) continue;
    for (std::size_t at = line.find("\"benchmark\""); at != std::string::npos; at = line.find("\"benchmark\"", at + 1))
      lines.push_back(number);
  }
  if (lines.size() < records) lines.assign(records, first_line);
  return lines;
}

}  // namespace

bool is_own_records(const std::string& text) {
  return contains(text, "\"clustersim_measurements\"") && contains(text, "\"records\"");
}

void read_own_records(const std::string& text, const ReaderOptions&, MeasuredFile& out) {
  int cut_off = 0;
  for (const FoundJson& found : json_documents(text, &cut_off)) {
    const JsonValue* records = at_path(found.value, "records");
    const double version = number_at(found.value, "clustersim_measurements").value_or(0);
    if (records == nullptr || version <= 0) continue;
    if (version != 1) {
      out.warn(found.line, "a later version of the format: left out");
      continue;
    }
    const std::string program = text_at(found.value, "program"), date = text_at(found.value, "date");
    if (program.size() < 60) out.program = program + " " + text_at(found.value, "version").substr(0, 20);
    if (date.size() <= 25) out.date = date;
    if (out.gpu.empty()) out.gpu = text_at(found.value, "machine/gpu").substr(0, 100);
    if (out.power_limit_w <= 0)
      out.power_limit_w = std::clamp(number_at(found.value, "machine/power_limit_w").value_or(0), 0.0, 1e5);
    const JsonValue* quick = at_path(found.value, "quick");
    if (quick != nullptr && quick->boolean) out.warn(found.line, "a quick run: fewer samples and sizes");
    const std::vector<int> lines = record_lines(text, found.line, records->items.size());
    int unused = 0, without = 0, place = 0;
    for (const JsonValue& json : records->items) {
      ++place;
      const double median = number_at(json, "median").value_or(0);
      if (at_path(json, "failed") != nullptr || at_path(json, "skipped") != nullptr) {
        ++without;
        continue;
      }
      if (!(median > 0)) continue;
      const std::string benchmark = text_at(json, "benchmark");
      if (benchmark.size() < 60)
        take({json, median, benchmark}, lines[static_cast<std::size_t>(place) - 1], out, unused);
    }
    if (without > 0) out.warn(found.line, std::to_string(without) + " records failed or were skipped");
    if (unused > 0)
      out.warn(found.line, std::to_string(unused) + " of " + std::to_string(place) +
                               " records have no constant of their own in a hardware file");
  }
  if (cut_off > 0) out.warn(cut_off, "this document is cut off: left out");
}

}  // namespace clustersim
