#include "sim/validation/transformer_runs.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace clustersim {
namespace {

using Json = nlohmann::ordered_json;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

struct Shape {
  const char* source;
  const char* base;
  int layers, hidden, heads, vocabulary;  // 0: of the base
};
// [published: llm-foundry, scripts/train/yamls/mpt; DLPerf, reports/GPT, heads of 96 and 64; Narayanan et al. 2021]
constexpr Shape shapes[] = {{"MPT-125m", "gpt-3-small-125m", 12, 768, 12, 50368},
                            {"MPT-350m", "gpt-3-medium-350m", 24, 1024, 16, 50368},
                            {"MPT-760m", "gpt-3-large-760m", 24, 1536, 12, 50368},
                            {"MPT-1b", "gpt-3-xl-1-3b", 24, 2048, 16, 50368},
                            {"MPT-3b", "gpt-3-2-7b", 32, 2560, 20, 50368},
                            {"MPT-7b", "gpt-3-6-7b", 32, 4096, 32, 50368},
                            {"MPT-13b", "gpt-3-13b", 40, 5120, 40, 50368},
                            {"MPT-30b", "gpt-3-13b", 48, 7168, 56, 50368},
                            {"Llama-3.1-8B", "llama-3-8b", 0, 0, 0, 0},
                            {"GPT 498M (hidden 1536, 16 layers)", "gpt-3-large-760m", 16, 1536, 16, 51200},
                            {"GPT 117M (hidden 768, 12 layers)", "gpt-3-small-125m", 12, 768, 12, 51200},
                            {"GPT 1.7B (Megatron)", "gpt-3-175b", 24, 2304, 24, 51200},
                            {"GPT 3.6B (Megatron)", "gpt-3-175b", 30, 3072, 32, 51200},
                            {"GPT 7.5B (Megatron)", "gpt-3-175b", 36, 4096, 32, 51200},
                            {"GPT 18B (Megatron)", "gpt-3-175b", 40, 6144, 48, 51200},
                            {"GPT 39B (Megatron)", "gpt-3-175b", 48, 8192, 64, 51200},
                            {"GPT 76B (Megatron)", "gpt-3-175b", 60, 10240, 80, 51200},
                            {"GPT 145B (Megatron)", "gpt-3-175b", 80, 12288, 96, 51200},
                            {"GPT 310B (Megatron)", "gpt-3-175b", 96, 16384, 128, 51200},
                            {"GPT 530B (Megatron)", "gpt-3-175b", 105, 20480, 128, 51200},
                            {"GPT 1T (Megatron)", "gpt-3-175b", 128, 25600, 160, 51200},
                            {"GPT-3 175B", "gpt-3-175b", 0, 0, 0, 0},
                            {"GPT-2", "gpt-2-small", 0, 0, 0, 0},
                            {"GPT-2 medium", "gpt-2-medium", 0, 0, 0, 0},
                            {"Nemotron-3 Nano 30B-A3B", "", 0, 0, 0, 0},
                            {"ViT-B/16", "vit-b-16", 0, 0, 0, 0}};

const Shape* shape_of(const MeasurementRow& row) {
  for (const Shape& shape : shapes)
    if (row.text("model") == shape.source) return &shape;
  return nullptr;
}

Json model_of(const Shape& shape) {
  if (shape.layers == 0) return shape.base;
  return {{"base", shape.base},
          {"layers", shape.layers},
          {"hidden", shape.hidden},
          {"heads", shape.heads},
          {"vocabulary", shape.vocabulary}};
}

std::string reason_against(const MeasurementRow& row) {
  const std::string& notes = row.text("notes");
  if (row.text("model") == "Nemotron-3 Nano 30B-A3B") return "not modelled: a mixture of experts";
  if (row.text("unit") == "s") return "not modelled: the source is sure neither of the GPU nor of the batch";
  if (contains(notes, " CP") && !contains(notes, "CP1")) return "not modelled: context parallelism";
  if (notes.starts_with("CP")) return "not modelled: context parallelism";
  return "";
}

struct Machine {
  const char* gpu;
  double least_gb, most_gb;
  const char* server;
  const char* id;
};
constexpr Machine machines[] = {{"A100-SXM4", 79, 80, "dgx-a100-80gb", "a100-sxm4-80gb"},
                                {"A100-SXM4", 40, 40, "dgx-a100-40gb", "a100-sxm4-40gb"},
                                {"H100-SXM5", 80, 80, "dgx-h100", "h100-sxm5-80gb"},
                                {"H100-SXM5 (96GB, 500 W)", 96, 96, "dgx-h100", "h100-sxm5-80gb"},
                                {"V100-SXM2", 16, 16, "dgx-1", "v100-sxm2-16gb"},
                                {"RTX 3090", 24, 24, "", "rtx-3090"}};

const Machine* machine_of(const MeasurementRow& row) {
  for (const Machine& machine : machines)
    if (row.text("gpu") == machine.gpu && row.number("gpu_mem_gb", 0) >= machine.least_gb &&
        row.number("gpu_mem_gb", 0) <= machine.most_gb)
      return &machine;
  return nullptr;
}

Json node_of(const Machine& machine, int gpus) {
  Json node = {{"gpu", machine.id}, {"gpus", gpus}};
  if (*machine.server != '\0') node["server"] = machine.server;
  if (std::string(machine.gpu) == "H100-SXM5 (96GB, 500 W)") {
    node["gpu"] = {{"base", machine.id}, {"memory", "96 GB"}};
    node["gpu_power_limit"] = "500 W";
  }
  return node;
}

// FLOPs of a sequence by the formula that DLPerf states rates in [published: Narayanan et al. 2021].
double megatron_flop(const Shape& shape, double s) {
  const double h = shape.hidden, l = shape.layers;
  return 96 * s * l * h * h * (1 + s / (6 * h) + shape.vocabulary / (16 * l * h));
}

double samples_per_s(const MeasurementRow& row, const Shape& shape, int gpus) {
  const double rate = row.number("throughput"), tokens = row.number("seq_len", 1);
  const std::string& unit = row.text("unit");
  if (unit == "tokens/s") return rate / tokens;
  if (unit == "tokens/s per GPU") return rate * gpus / tokens;
  if (unit == "TFLOP/s per GPU") return rate * 1e12 * gpus / megatron_flop(shape, tokens);
  return rate;
}

// The whole number behind a word, `otherwise` where it is not there.
int after(const std::string& text, const std::string& word, int otherwise) {
  const std::size_t at = text.find(word);
  return at == std::string::npos ? otherwise : std::stoi(text.substr(at + word.size()));
}

int micro_batch(const MeasurementRow& row) {
  return after(row.text("notes"), "micro-batch ", static_cast<int>(row.number("batch_per_gpu", 1)));
}

void divide(const MeasurementRow& row, Json& job) {
  const std::string& framework = row.text("framework");
  const int copies = after(framework, " DP", 1), micro = micro_batch(row);
  job["tensor_parallel"] = after(framework, " TP", 1);
  job["pipeline_parallel"] = after(framework, " PP", 1);
  job["interleave"] = after(row.text("notes"), "interleave ", 1);
  job["accumulation"] = std::max(1, static_cast<int>(row.number("global_batch", 1)) / (copies * micro));
}

Json job_of(const MeasurementRow& row, const Shape& shape) {
  const std::string &source = row.text("source"), &notes = row.text("notes"), &precision = row.text("precision");
  Json job = {{"model", model_of(shape)},
              {"precision", precision == "BF16"  ? "bf16"
                            : precision == "FP8" ? "fp8"
                                                 : "amp"},
              {"batch_per_gpu", micro_batch(row)},
              {"accumulation", static_cast<int>(row.number("grad_accum", 1))}};
  if (row.has("seq_len")) job["sequence_length"] = static_cast<int>(row.number("seq_len"));
  if (source.starts_with("mosaicml/llm-foundry")) {
    job["sharding"] = "full";
    job["gradient_precision"] = "fp16";
    job["attention"] = "flash-1";
    job["activation_checkpointing"] = contains(notes, "act. ckpt True");
  } else if (source.starts_with("pytorch/torchtitan")) {
    job["sharding"] = "full";
    job["fusion"] = contains(notes, "compile") || contains(notes, "full AC") ? "jit" : "fused";
    job["activation_checkpointing"] = true;
  } else if (source.starts_with("Oneflow-Inc/DLPerf") || source.starts_with("Narayanan")) {
    job["fusion"] = "eager";
    job["activation_checkpointing"] = true;
    divide(row, job);
  } else if (source.starts_with("mlcommons/")) {
    job["fusion"] = "jit";
    job["attention"] = "flash-3";
    job["sharding"] = "optimizer";
    job["gradient_precision"] = "fp16";
    divide(row, job);
  } else {
    job["fusion"] = "eager";
  }
  job["data"] = {{"from", row.text("data") == "synthetic" ? "synthetic" : "page-cache"}};
  job["target"] = {{"steps", 1}};
  return job;
}

// What of a source's runs the model does not know.
std::string remark_on(const MeasurementRow& row) {
  const std::string &source = row.text("source"), &notes = row.text("notes");
  if (source.starts_with("mosaicml/llm-foundry"))
    return "attention by a Triton kernel, of which nobody published a rate on H100; metrics over all outputs after "
           "each "
           "pass are not modelled";
  if (source.starts_with("pytorch/torchtitan"))
    return contains(notes, "full AC") ? "attention in half precision"
                                      : "selective checkpointing computes half of the products again, here all";
  if (source.starts_with("mlcommons/"))
    return "the source overlaps the sums inside layers with their products, and joins casts to FP8 with other kernels";
  if (source.starts_with("Oneflow-Inc/DLPerf") || source.starts_with("Narayanan"))
    return "fused softmax and GELU of the source are kernels of their own here";
  return "";
}

}  // namespace

std::optional<TransformerRun> transformer_run(const MeasurementRow& row) {
  const Shape* shape = shape_of(row);
  if (shape == nullptr) return std::nullopt;
  TransformerRun run;
  const int gpus = static_cast<int>(row.number("gpus_total", 1));
  const int nodes = static_cast<int>(row.number("nodes", 1));
  run.row.id = row.text("id");
  run.row.gpus = gpus;
  run.row.group = std::string_view(shape->base).starts_with("vit") ? "vision transformers" : "decoders";
  run.row.family =
      row.text("gpu") + " " + row.text("model") + " " + row.text("framework") + " " + row.text("precision");
  run.not_modelled = reason_against(row);
  const Machine* machine = machine_of(row);
  if (run.not_modelled.empty() && machine == nullptr) run.not_modelled = "not modelled: the source names no GPU";
  if (!run.not_modelled.empty()) return run;
  run.row.measured = samples_per_s(row, *shape, gpus);
  const Json scenario = {{"clustersim", 1},
                         {"name", run.row.id},
                         {"cluster", {{"nodes", nodes}, {"node", node_of(*machine, gpus / nodes)}}},
                         {"job", job_of(row, *shape)}};
  run.row.scenario = scenario.dump();
  run.remark = remark_on(row);
  return run;
}

}  // namespace clustersim
