#include "sim/validation/training_suite.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
namespace clustersim {
namespace {

using Json = nlohmann::ordered_json;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// A row with what its source says beyond the suite's columns; empty where the source says nothing.
struct SuiteRow {
  const MeasurementRow& columns;
  std::string system, notes;  // throughput.csv
  std::string task;
  std::string host_cpu, rate_method;  // mlperf_training.csv
  double global_batch = 0;

  const std::string& text(const std::string& column) const { return columns.text(column); }
  int integer(const std::string& column, int otherwise) const {
    return static_cast<int>(columns.number(column, otherwise));
  }
  bool is_bert() const { return text("model").starts_with("bert"); }
  bool is_fine_tuning() const { return contains(task, "SQuAD"); }
  bool is_mlperf() const { return text("stack") == "mlperf"; }
  // Round of an MLPerf row, "v1.1": as text, rounds compare in order.
  std::string round() const { return text("row").substr(7, 4); }
};

// ---- the machine

struct Host {
  const char* named;  // what the source calls it
  const char* cpu;
};

// Systems and processors as the sources name them. Processors that the catalog lacks stand as their nearest relative
// of equal generation (same PCIe) and similar clock.
constexpr Host hosts[] = {
    {"DGX-2H", "xeon-platinum-8174"},
    {"DGX-2", "xeon-platinum-8168"},
    {"DGX-1", "xeon-e5-2698-v4"},
    {"DGX A100", "epyc-7742"},
    {"Gold 5118", "xeon-gold-5118"},
    {"E5-2698 v4", "xeon-e5-2698-v4"},
    {"8168", "xeon-platinum-8168"},
    {"8174", "xeon-platinum-8174"},
    {"Gold 6148", "xeon-platinum-8168"},
    {"Gold 6248", "xeon-platinum-8275cl"},
    {"EPYC 7742", "epyc-7742"},
    {"EPYC 7763", "epyc-7763"},
    {"EPYC 7543", "epyc-7543"},
    {"Gold 6338", "xeon-gold-6338"},
    {"Platinum 8368", "xeon-platinum-8358"},
    {"Platinum 8358", "xeon-platinum-8358"},
    {"Platinum 8462Y+", "xeon-platinum-8462yplus"},
    {"Platinum 8562Y+", "xeon-platinum-8462yplus"},
};

struct Port {
  const char* gpu_starts;
  const char* cpu;  // where the source names none
  const char* nic;  // the usual port of its time
  int nic_gbps;
};

constexpr Port ports[] = {
    {"v100", "xeon-e5-2698-v4", "ib-edr", 100},
    {"a100-pcie", "xeon-platinum-8358", "ib-edr", 100},
    {"a100", "epyc-7742", "ib-hdr", 200},
    {"a30", "epyc-7742", "ib-edr", 100},
    {"h", "xeon-platinum-8480plus-8480c", "ib-ndr", 400},
    {"l40s", "xeon-platinum-8480plus-8480c", "ib-hdr", 200},
    {"b200", "xeon-platinum-8480plus-8480c", "ib-ndr", 400},
    {"", "epyc-7543", "ib-edr", 100},
};

const Port& port_of(const std::string& gpu) {
  return *std::find_if(std::begin(ports), std::end(ports),
                       [&](const Port& p) { return gpu.starts_with(p.gpu_starts); });
}

std::string cpu_of(const SuiteRow& row) {
  for (const Host& host : hosts)
    if (contains(row.system, host.named) || contains(row.host_cpu, host.named)) return host.cpu;
  return port_of(row.text("gpu")).cpu;
}

Json gpu_of(const SuiteRow& row) {
  const std::string& gpu = row.text("gpu");
  // DGX-2H: V100 of 450 W that clock 5 % higher [published: DGX-2H data sheet, 2.1 PFLOP/s of 16].
  if (row.system != "DGX-2H" && !contains(row.host_cpu, "8174")) return gpu;
  return {{"base", gpu},
          {"boost_clock", "1606 MHz"},
          {"peak_fp16", "131 TFLOP/s"},
          {"peak_fp32", "16.5 TFLOP/s"},
          {"tdp", "450 W"}};
}

Json node_of(const SuiteRow& row) {
  const int gpus = row.integer("gpus_per_node", 1);
  Json node = {
      {"gpu", gpu_of(row)}, {"gpus", gpus}, {"cpu", cpu_of(row)}, {"sockets", row.host_cpu.starts_with("1x") ? 1 : 2}};
  if (!row.text("gpu_fabric").empty()) node["gpu_fabric"] = row.text("gpu_fabric");
  // NCCL goes through host memory between GPUs that Intel's root complexes join [published: its graph search]. Nodes of
  // more than four GPUs and NVIDIA's L40S nodes have PCIe switches.
  const bool switched = gpus > 4 || row.text("gpu") == "l40s";
  if (row.text("gpu_fabric") == "pcie" && !switched && contains(cpu_of(row), "xeon")) node["p2p"] = false;
  if (row.integer("nodes", 1) > 1) {
    const Port& port = port_of(row.text("gpu"));
    const int gbps = row.integer("fabric_gbps_per_node", port.nic_gbps * gpus);
    node["nic"] = port.nic;
    node["nics"] = std::max(1, gbps / port.nic_gbps);
  }
  return node;
}

// ---- the job

// DeepLearningExamples' BERT before the loader and the compiled model of 2021.
bool before_2021(const std::string& software) {
  return contains(software, "pytorch-19.") || contains(software, "pytorch-20.");
}

// Rows of 512 tokens by what the runs fed: pre-training on Wikipedia in 64-token bins (DeepLearningExamples, PyTorch,
// since its loader of 2021; before it padded to the limit [published: README and its history]) or unpadded (MLPerf) has
// shorter sequences than the limit; mean and square ratio from the length statistics of the data set (mean 256 of 512,
// E[S^2]/E[S] about 380). Large MLPerf runs pack two sequences into a row from round 2.0 on.
void add_lengths(const SuiteRow& row, Json& job) {
  const int limit = row.integer("sequence_length", 0);
  if (limit == 0) return;
  job["sequence_length"] = limit;
  if (limit != 512) return;
  if (row.is_mlperf()) {
    job["tokens_per_sequence"] = 256;
    job["length_square_ratio"] = 1.48;
    const int nodes = row.integer("nodes", 1), batch = row.integer("batch_per_gpu", 1);
    if (nodes > 1 && batch <= 6 && row.round() >= "v2.0") job["packing"] = true;
  } else if (row.text("stack") == "pytorch-ddp" && !before_2021(row.text("software"))) {
    job["tokens_per_sequence"] = 288;
    job["length_square_ratio"] = 1.25;
  }
}

// What the software of its time fused, where it differs from the stack's usual.
void add_fusion(const SuiteRow& row, Json& job) {
  const std::string &software = row.text("software"), &stack = row.text("stack");
  if (row.text("layout") == "nchw") job["fusion"] = "nchw";
  // PyTorch 20.03 and older, and the pytorch/examples script, had no channels-last; its BERT wrote out GELU.
  const bool old_pytorch =
      contains(software, "20.03-py3") || contains(software, "PyTorch 1.6") || contains(row.notes, "older harness");
  if (stack == "pytorch-ddp" && old_pytorch) job["fusion"] = "nchw";
  // DeepLearningExamples' BERT was compiled as a whole with its loader of 2021; before, only bias and GELU were
  // [published: its history].
  else if (stack == "pytorch-ddp" && row.is_bert() && before_2021(software))
    job["fusion"] = "eager";
  // TensorFlow 1 compiles nothing unless told.
  if (stack == "tensorflow-horovod" && contains(row.notes, "without xla")) job["fusion"] = "eager";
  // MXNet's automatic mixed precision puts casts between convolution and normalisation, where the joint kernels would
  // be.
  if (stack == "mxnet-horovod" && contains(row.notes, "with amp")) job["fusion"] = "eager";
  if (!row.is_mlperf()) return;
  // MXNet 18.11 normalised and added in kernels of their own.
  if (row.round() == "v0.5") job["fusion"] = "eager";
  // MLPerf submissions captured their steps in CUDA graphs from round 1.0 on.
  if (!row.is_bert() && row.round() < "v1.0") job["cuda_graph"] = false;
}

// Fine-tuning on SQuAD: sequences padded to their limit, two outputs a token, Adam; PyTorch's script runs its operators
// one by one. [published: DeepLearningExamples, run_squad.py] TensorFlow's in full precision runs without XLA, as in
// the command that its guide prints for FP32; its configuration files say otherwise, and the rates of TensorFlow 1 in
// TF32 follow them. [assumed for the others]
void add_fine_tuning(const SuiteRow& row, Json& job) {
  if (!row.is_fine_tuning()) return;
  job["head"] = "span";
  job["optimizer"] = "adam";
  const bool with_xla = row.text("precision") == "amp" ||
                        (row.text("precision") == "tf32" && contains(row.text("software"), "TensorFlow1"));
  if (row.text("stack") == "pytorch-ddp" ? !job.contains("fusion") : !with_xla) job["fusion"] = "eager";
}

// "real (ImageNet, DALI)" and notes such as "worker=8; DALI" or "with dali" name the loader.
Json data_of(const SuiteRow& row) {
  if (row.text("data") == "synthetic") return {{"from", "synthetic"}};
  Json data = {{"from", "page-cache"}};
  if (row.is_bert()) return data;
  const std::string& stack = row.text("stack");
  const bool dali =
      contains(row.text("data"), "DALI") || contains(row.notes, "DALI") || contains(row.notes, "with dali");
  if (stack == "pytorch-ddp") {
    // DeepLearningExamples' PyTorch script decodes with DALI on the CPU by default, ten threads a GPU on DGX A100.
    const bool examples = contains(row.text("software"), "pytorch/examples");
    data["loader"] = dali || !examples ? "dali-cpu" : "pytorch";
    data["workers_per_gpu"] = row.text("gpu").starts_with("a100") ? 10 : 8;
    // pytorch/examples divides its workers among the processes of a node.
    const std::size_t at = row.notes.find("worker=");
    if (examples && at != std::string::npos) {
      const int workers = std::stoi(row.notes.substr(at + 7));
      data["workers_per_gpu"] = std::max(1, workers / row.integer("gpus_per_node", 1));
    }
  } else if (stack == "tensorflow-horovod" && dali) {
    data["loader"] = "dali-gpu";
  } else if (const std::size_t at = row.system.find(" threads)");
             stack == "tensorflow-horovod" && at != row.system.npos) {
    // tf.data works on every hardware thread of the node.
    const std::size_t open = row.system.rfind('(', at) + 1;
    data["workers_per_gpu"] = std::stoi(row.system.substr(open, at - open)) / row.integer("gpus_per_node", 1);
  }
  return data;
}

// MLPerf's BERT evaluates every 0.05 (230.23 B + 3,000,000) samples, rounded down to 25,000, on 10,000 sequences
// [published: training rules]. These are padded to 512 tokens: twice the mean length of training.
void add_evaluation(const SuiteRow& row, Json& job) {
  const double every = std::floor(0.05 * (230.23 * row.global_batch + 3e6) / 25000) * 25000;
  job["evaluation"] = {{"every_samples", every}, {"samples", 2 * 10000}};
}

bool evaluation_included(const SuiteRow& row) {
  return row.is_mlperf() && row.is_bert() && contains(row.rate_method, "includes evaluation");
}

Json job_of(const SuiteRow& row) {
  Json job = {{"model", row.text("model")},
              {"precision", row.text("precision")},
              {"stack", row.text("stack")},
              {"batch_per_gpu", row.integer("batch_per_gpu", 1)},
              {"accumulation", row.integer("accumulation", 1)}};
  add_lengths(row, job);
  add_fusion(row, job);
  add_fine_tuning(row, job);
  job["data"] = data_of(row);
  if (evaluation_included(row)) add_evaluation(row, job);
  job["target"] = {{"steps", 1}};
  return job;
}

TrainingRow scenario_row(const SuiteRow& row) {
  const int nodes = row.integer("nodes", 1);
  Json cluster = {{"nodes", nodes}, {"node", node_of(row)}};
  if (nodes > 1) cluster["fabric"] = {{"transport", "rdma"}};
  const Json scenario = {{"clustersim", 1}, {"name", row.text("row")}, {"cluster", cluster}, {"job", job_of(row)}};
  TrainingRow result;
  result.id = row.text("row");
  result.family = row.text("gpu") + " " + row.text("model") + " " + row.text("stack") + " " + row.text("precision");
  result.group = row.text("stack") + (row.is_bert() ? " bert" : " resnet");
  result.scenario = scenario.dump();
  result.measured = row.columns.number("throughput");
  result.gpus = nodes * row.integer("gpus_per_node", 1);
  result.evaluation_included = evaluation_included(row);
  return result;
}

// ---- the tables

std::string mlperf_id(const MeasurementRow& row) {
  return "mlperf " + row.text("round") + " " + row.text("submitter") + " " + row.text("system_name") + " " +
         row.text("benchmark");
}

std::string reason_to_set_aside(const std::vector<MeasurementRow>& set_aside, const std::string& id) {
  for (const MeasurementRow& entry : set_aside)
    if (id.starts_with(entry.text("row_starts"))) return entry.text("reason");
  return "";
}

}  // namespace

TrainingRow training_row(const MeasurementRow& columns, const MeasurementRow* source) {
  SuiteRow row{columns, "", "", "", "", "", 0};
  if (source && row.is_mlperf()) {
    row.host_cpu = source->text("host_cpu");
    row.rate_method = source->text("steady_method");
    row.global_batch = source->number("global_batch_size");
  } else if (source) {
    row.system = source->text("system");
    row.notes = source->text("notes");
    row.task = source->text("task");
  }
  return scenario_row(row);
}

std::vector<TrainingRow> training_suite(const std::string& csv_path) {
  const std::vector<MeasurementRow> suite = read_measurements(csv_path);
  const std::vector<MeasurementRow> throughput = read_measurements(measurements_path("throughput.csv"));
  const std::vector<MeasurementRow> mlperf = read_measurements(measurements_path("mlperf_training.csv"));
  const std::vector<MeasurementRow> set_aside = read_measurements(measurements_path("set_aside.csv"));
  std::map<std::string, const MeasurementRow*> sources;
  for (const MeasurementRow& row : throughput) sources[row.text("id")] = &row;
  for (const MeasurementRow& row : mlperf) sources[mlperf_id(row)] = &row;
  std::vector<TrainingRow> rows;
  for (const MeasurementRow& columns : suite) {
    const auto source = sources.find(columns.text("row"));
    rows.push_back(training_row(columns, source == sources.end() ? nullptr : source->second));
    rows.back().set_aside = reason_to_set_aside(set_aside, rows.back().id);
  }
  return rows;
}

double rate_with_evaluations(double samples_per_s, double every_samples, double evaluation_s) {
  return every_samples / (every_samples / samples_per_s + evaluation_s);
}

}  // namespace clustersim
