// Suite `throughput`: the other training rows of throughput.csv, those that are not in training_suite.csv, as far as a
// model of their network, software and GPU exists; and unseen_training.csv, rows found after the models stood,
// predicted once before any of them was looked at ("unseen" before their group). Shown, never scored: nobody chose a
// constant by them, and they were not picked for how well they state their conditions.
#include <set>

#include "sim/validation/measurement_table.h"
#include "sim/validation/transformer_runs.h"
#include "sim/validation/validate.h"

namespace clustersim {
namespace {

struct Named {
  const char* source;
  const char* id;
};

constexpr Named models[] = {{"ResNet-50", "resnet-50"}, {"ResNet-50 v1.5", "resnet-50"}, {"ResNet-152", "resnet-152"},
                            {"VGG16", "vgg16"},         {"BERT-base", "bert-base"},      {"BERT-large", "bert-large"}};

constexpr Named stacks[] = {{"PyTorch DDP", "pytorch-ddp"},
                            {"PyTorch DDP (DLE scripts)", "pytorch-ddp"},
                            {"PyTorch (NVIDIA BERT)", "pytorch-ddp"},
                            {"TensorFlow1+Horovod", "tensorflow-horovod"},
                            {"TensorFlow2+Horovod", "tensorflow-horovod"},
                            {"TensorFlow + Horovod", "tensorflow-horovod"},
                            {"MXNet+Horovod", "mxnet-horovod"}};

constexpr Named precisions[] = {{"AMP", "amp"}, {"FP32", "fp32"}, {"TF32", "tf32"}, {"BF16", "bf16"}};

// GPUs by name and, where it decides, memory in GB as the source gives it.
struct NamedGpu {
  const char* source;
  int least_gb, most_gb;
  const char* id;
};
constexpr NamedGpu gpus[] = {{"A100-SXM4", 79, 80, "a100-sxm4-80gb"},
                             {"A100-SXM", 80, 80, "a100-sxm4-80gb"},
                             {"A100-SXM4", 40, 40, "a100-sxm4-40gb"},
                             {"A100-SXM", 40, 40, "a100-sxm4-40gb"},
                             {"A100-PCIe", 40, 40, "a100-pcie-40gb"},
                             {"A100-PCIe", 79, 80, "a100-pcie-80gb"},
                             {"H100-SXM5", 80, 80, "h100-sxm5-80gb"},
                             {"H100-PCIe", 80, 80, "h100-pcie-80gb"},
                             {"H200-SXM", 141, 141, "h200-sxm-141gb"},
                             {"B200-SXM", 180, 180, "b200-sxm-180gb"},
                             {"V100-SXM2", 16, 16, "v100-sxm2-16gb"},
                             {"V100-SXM2", 32, 32, "v100-sxm2-32gb"},
                             {"V100-SXM", 16, 16, "v100-sxm2-16gb"},
                             {"V100-SXM", 32, 32, "v100-sxm2-32gb"},
                             {"V100-SXM3", 32, 32, "v100-sxm2-32gb"},
                             {"P100-SXM2", 16, 16, "p100-sxm2-16gb"},
                             {"RTX 3090", 24, 24, "rtx-3090"},
                             {"RTX 4090", 24, 24, "rtx-4090"},
                             {"RTX 2080 Ti", 11, 11, "rtx-2080-ti"},
                             {"RTX A6000", 48, 48, "rtx-a6000"},
                             {"RTX 6000 Ada", 48, 48, "rtx-6000-ada-generation"},
                             {"RTX A5500", 24, 24, "rtx-a5500"},
                             {"RTX A5000", 24, 24, "rtx-a5000"},
                             {"RTX A4500", 20, 20, "rtx-a4500"},
                             {"RTX A4000", 16, 16, "rtx-a4000"},
                             {"RTX 3080", 10, 10, "rtx-3080"},
                             {"RTX 3070", 8, 8, "rtx-3070"},
                             {"Quadro RTX 8000", 48, 48, "quadro-rtx-8000"},
                             {"Quadro RTX 6000", 24, 24, "quadro-rtx-6000"},
                             {"Quadro RTX 5000", 16, 16, "quadro-rtx-5000"},
                             {"Titan RTX", 24, 24, "titan-rtx"},
                             {"Titan V", 12, 12, "titan-v"},
                             {"GTX 1080 Ti", 11, 11, "gtx-1080-ti"},
                             {"A40", 45, 48, "a40"},
                             {"A10", 24, 24, "a10"}};

template <std::size_t N>
std::string id_of(const Named (&table)[N], const std::string& source) {
  for (const Named& entry : table)
    if (source == entry.source) return entry.id;
  return "";
}

std::string gpu_id(const MeasurementRow& row) {
  for (const NamedGpu& entry : gpus)
    if (row.text("gpu") == entry.source && row.number("gpu_mem_gb", 0) >= entry.least_gb &&
        row.number("gpu_mem_gb", 0) <= entry.most_gb)
      return entry.id;
  return "";
}

// Links between the GPUs of a node, of those that the sources name.
std::string gpu_fabric(const MeasurementRow& row, const std::string& gpu) {
  if (row.number("gpus_per_node", 1) < 2) return "";
  const std::string& intra = row.text("intra_node");
  for (const char* generation : {"NVLink5", "NVLink4", "NVLink3", "NVLink2", "NVLink1"})
    if (intra.find(generation) != std::string::npos) return "nvlink" + std::string(1, generation[6]);
  return gpu.find("-sxm") == std::string::npos ? "pcie" : "";
}

// The columns of training_suite.csv for a row of throughput.csv; an empty id where no model answers.
std::map<std::string, std::string> suite_columns(const MeasurementRow& row) {
  const std::string gpu = gpu_id(row), model = id_of(models, row.text("model"));
  const std::string& notes = row.text("notes");
  const bool nchw = notes.find("NCHW") != std::string::npos;
  return {{"row", row.text("id")},
          {"model", model},
          {"gpu", gpu},
          {"nodes", row.text("nodes")},
          {"gpus_per_node", row.text("gpus_per_node")},
          {"gpu_fabric", gpu_fabric(row, gpu)},
          {"fabric_gbps_per_node", ""},
          {"precision", id_of(precisions, row.text("precision"))},
          {"stack", id_of(stacks, row.text("framework"))},
          {"layout", nchw ? "nchw" : ""},
          {"batch_per_gpu", row.text("batch_per_gpu")},
          {"accumulation", row.has("grad_accum") ? row.text("grad_accum") : "1"},
          {"sequence_length", row.text("seq_len")},
          {"data", row.text("data")},
          {"throughput", row.text("throughput")},
          {"unit", row.text("unit")},
          {"software", row.text("framework") + " " + row.text("sw_version")},
          {"source", row.text("source")}};
}

ValidationRow shown_row(const TrainingRow& row, const MeasurementRow& source) {
  std::string why = source.text("source").substr(0, source.text("source").find('@'));
  if (source.has("notes")) why += ": " + source.text("notes");
  double throughput = unpredicted();
  try {
    throughput = predict(row).throughput;
  } catch (const InputError& error) {
    why += "; refused: " + error.problems().front().expected + ", got " + error.problems().front().got;
  }
  return shown(row.id, row.group, row.family, throughput, row.measured, "samples/s", why);
}

ValidationRow unanswered_row(const TransformerRun& run, const MeasurementRow& source) {
  return shown(run.row.id, run.row.group, run.row.family, unpredicted(), source.number("throughput"),
               source.text("unit"), run.not_modelled);
}

// Rows of unseen_training.csv state everything themselves: columns of training_suite.csv and of the tables beside it.
void add_unseen(std::vector<ValidationRow>& rows) {
  for (const MeasurementRow& source : read_measurements(measurements_path("unseen_training.csv"))) {
    TrainingRow row = training_row(source, &source);
    row.group = "unseen " + row.group;
    rows.push_back(shown_row(row, source));
  }
}

}  // namespace

std::vector<ValidationBound> no_bounds(const std::vector<ValidationRow>&) { return {}; }

std::vector<ValidationRow> throughput_rows(ValidationBench&) {
  std::set<std::string> scored;
  for (const MeasurementRow& row : read_measurements(measurements_path("training_suite.csv")))
    scored.insert(row.text("row"));
  std::vector<ValidationRow> rows;
  for (const MeasurementRow& source : read_measurements(measurements_path("throughput.csv"))) {
    if (scored.count(source.text("id"))) continue;
    if (const std::optional<TransformerRun> run = transformer_run(source)) {
      rows.push_back(run->not_modelled.empty() ? shown_row(run->row, source) : unanswered_row(*run, source));
      if (!run->remark.empty()) rows.back().note += "; " + run->remark;
      continue;
    }
    std::map<std::string, std::string> columns = suite_columns(source);
    bool answered = columns["model"].rfind("bert", 0) != 0 || source.has("seq_len");
    for (const char* needed : {"model", "gpu", "precision", "stack", "batch_per_gpu", "throughput"})
      answered = answered && !columns[needed].empty();
    if (!answered) continue;
    const std::string where = "throughput.csv " + source.text("id");
    rows.push_back(shown_row(training_row(MeasurementRow(std::move(columns), where), &source), source));
  }
  add_unseen(rows);
  return rows;
}

}  // namespace clustersim
