#include "sim/training_suite.h"

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "clustersim/error.h"

namespace clustersim {
namespace {

using Json = nlohmann::ordered_json;
using Columns = std::map<std::string, std::string>;

// Splits a line at commas outside quotes.
std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else if (c != '\r')
      fields.back() += c;
  }
  return fields;
}

bool starts_with(const std::string& text, const std::string& start) { return text.rfind(start, 0) == 0; }
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

int integer(const Columns& row, const std::string& key, int otherwise) {
  const std::string& text = row.at(key);
  return text.empty() ? otherwise : std::stoi(text);
}

struct Host {
  const char* gpu_starts;
  const char* cpu;
  const char* nic;          // the usual port of its time
  int nic_gbps;
};

// Hosts of the published systems by generation: DGX-1 and DGX-2 (EDR), DGX A100 (HDR), DGX H100 and later (NDR).
constexpr Host hosts[] = {
    {"v100", "xeon-e5-2698-v4", "ib-edr", 100}, {"a100-pcie", "xeon-platinum-8358", "ib-edr", 100},
    {"a100", "epyc-7742", "ib-hdr", 200},       {"a30", "epyc-7742", "ib-edr", 100},
    {"h", "xeon-platinum-8480plus-8480c", "ib-ndr", 400}, {"l40s", "xeon-platinum-8480plus-8480c", "ib-hdr", 200},
    {"b200", "xeon-platinum-8480plus-8480c", "ib-ndr", 400}, {"", "epyc-7543", "ib-edr", 100},
};

const Host& host_of(const std::string& gpu) {
  for (const Host& host : hosts)
    if (starts_with(gpu, host.gpu_starts)) return host;
  return hosts[0];
}

Json node_of(const Columns& row) {
  const std::string& gpu = row.at("gpu");
  const Host& host = host_of(gpu);
  const bool dgx2 = starts_with(gpu, "v100") && integer(row, "gpus_per_node", 1) == 16;
  Json node = {{"gpu", gpu},
               {"gpus", integer(row, "gpus_per_node", 1)},
               {"cpu", dgx2 ? "xeon-platinum-8168" : host.cpu},
               {"sockets", 2}};
  if (!row.at("gpu_fabric").empty()) node["gpu_fabric"] = row.at("gpu_fabric");
  if (integer(row, "nodes", 1) > 1) {
    const int gbps = integer(row, "fabric_gbps_per_node", host.nic_gbps * integer(row, "gpus_per_node", 1));
    node["nic"] = host.nic;
    node["nics"] = std::max(1, gbps / host.nic_gbps);
  }
  return node;
}

// Rows of 512 tokens by what the runs fed: pre-training on Wikipedia in 64-token bins (DeepLearningExamples) or
// unpadded (MLPerf) has shorter sequences than the limit; mean and square ratio from the length statistics of the
// data set (mean 256 of 512, E[S^2]/E[S] about 380). Large MLPerf runs pack two sequences into a row.
void add_lengths(const Columns& row, Json& job) {
  const int limit = integer(row, "sequence_length", 0);
  if (limit == 0) return;
  job["sequence_length"] = limit;
  if (limit != 512) return;
  const std::string& stack = row.at("stack");
  if (stack == "mlperf") {
    job["tokens_per_sequence"] = 256;
    job["length_square_ratio"] = 1.48;
    const int nodes = integer(row, "nodes", 1), batch = integer(row, "batch_per_gpu", 1);
    if (nodes > 1 && batch <= 6) job["packing"] = true;
  } else if (stack == "pytorch-ddp") {
    job["tokens_per_sequence"] = 288;
    job["length_square_ratio"] = 1.25;
  }
}

Json job_of(const Columns& row) {
  Json job = {{"model", row.at("model")},
              {"precision", row.at("precision")},
              {"stack", row.at("stack")},
              {"batch_per_gpu", integer(row, "batch_per_gpu", 1)},
              {"accumulation", integer(row, "accumulation", 1)}};
  add_lengths(row, job);
  const std::string& software = row.at("software");
  if (row.at("layout") == "nchw") job["fusion"] = "nchw";
  // PyTorch 20.03 and older, and the pytorch/examples script, had no channels-last.
  const bool old_pytorch = contains(software, "20.03-py3") || contains(software, "PyTorch 1.6");
  if (row.at("stack") == "pytorch-ddp" && old_pytorch)
    job["fusion"] = starts_with(row.at("model"), "bert") ? "eager" : "nchw";
  if (row.at("data") == "synthetic") job["data"] = {{"from", "synthetic"}};
  else job["data"] = {{"from", "page-cache"}};
  job["target"] = {{"steps", 1}};
  return job;
}

TrainingRow row_of(const Columns& row) {
  const int nodes = integer(row, "nodes", 1);
  Json cluster = {{"nodes", nodes}, {"node", node_of(row)}};
  if (nodes > 1) cluster["fabric"] = {{"transport", "rdma"}};
  const Json scenario = {{"clustersim", 1}, {"name", row.at("row")}, {"cluster", cluster}, {"job", job_of(row)}};
  const std::string kind = starts_with(row.at("model"), "bert") ? "bert" : "resnet";
  TrainingRow result;
  result.id = row.at("row");
  result.family = row.at("gpu") + " " + row.at("model") + " " + row.at("stack") + " " + row.at("precision");
  result.group = row.at("stack") + " " + kind;
  result.scenario = scenario.dump();
  result.measured = std::stod(row.at("throughput"));
  result.gpus = nodes * integer(row, "gpus_per_node", 1);
  return result;
}

}  // namespace

std::vector<TrainingRow> training_suite(const std::string& csv_path) {
  std::ifstream file(csv_path);
  std::string line;
  if (!std::getline(file, line))
    throw InputError({{csv_path, "", "the training suite, a CSV file", "nothing readable", "set CLUSTERSIM_DATA"}});
  const std::vector<std::string> header = split(line);
  std::vector<TrainingRow> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = split(line);
    const std::string where = "/" + std::to_string(rows.size());
    if (fields.size() != header.size())
      throw InputError({{csv_path, where, std::to_string(header.size()) + " columns",
                         std::to_string(fields.size()) + " columns", ""}});
    Columns columns;
    for (std::size_t i = 0; i < header.size(); ++i) columns[header[i]] = fields[i];
    rows.push_back(row_of(columns));
  }
  return rows;
}

}  // namespace clustersim
