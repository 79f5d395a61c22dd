#include "sim/claims/claim_values.h"

#include "models/input_pipeline/storage_tier.h"
#include "models/workload/decoder_kernels.h"
#include "models/workload/layers.h"
#include "sim/read/catalog.h"

namespace clustersim {
namespace {

const NodeSpec& node_of(const Scenario& s) { return s.cluster.groups.front().node; }

template <class Q>
std::optional<double> base(const std::optional<Q>& value) {
  return value ? std::optional<double>(value->base()) : std::nullopt;
}

// The catalog's server, where the scenario names one; its sums are of the machine as sold.
std::optional<ServerSpec> server_of(const Scenario& s) {
  const Catalog catalog(data_directory());
  if (!catalog.has("server", node_of(s).server_id)) return std::nullopt;
  std::vector<Problem> problems;
  ServerSpec server = catalog.server(node_of(s).server_id, {s.file, "/cluster/node/server", problems});
  if (!problems.empty()) throw InputError(problems);
  return server;
}

std::optional<double> parameters_of(const Scenario& s) {
  if (s.job.model == ModelKind::bert) return bert_network(s.job.model_id).parameters();
  if (s.job.model == ModelKind::decoder || s.job.model == ModelKind::vit) return parameters(s.job.shape);
  if (s.job.model == ModelKind::resnet || s.job.model == ModelKind::vgg)
    return cnn_network(s.job.model_id).parameters();
  return std::nullopt;
}

// Convolutions and matrix products do 2 FLOP a weight and output; what stands between them is counted per element of
// its output: normalisation 4 (subtract, divide, scale, shift), addition and activation 1 each.
std::optional<double> matrix_share_of(const Scenario& s) {
  if (s.job.model != ModelKind::resnet && s.job.model != ModelKind::vgg) return std::nullopt;
  const CnnNetwork network = cnn_network(s.job.model_id);
  double elementwise = 0;
  for (const ConvLayer& layer : network.convolutions) {
    const double a_element[] = {4, 5, 6, 2};  // in the order of After: norm, and ReLU, and addition; bias and ReLU
    elementwise += a_element[static_cast<int>(layer.after)] * layer.output_elements();
  }
  return network.forward_flop() / (network.forward_flop() + elementwise);
}

std::optional<double> storage_read_of(const Scenario& s) {
  return array_read_rate(node_of(s).storage, {Container::record, s.job.data.dataset.record_bytes, 64}).base();
}

struct KnownValue {
  const char* name;
  std::optional<double> (*of)(const Scenario&);
};

constexpr KnownValue known_values[] = {
    // GPUs of the cluster
    {"gpus", [](const Scenario& s) { return std::optional<double>(s.cluster.gpus()); }},
    // B, of one GPU
    {"gpu_memory", [](const Scenario& s) { return std::optional(node_of(s).gpu.memory.base()); }},
    // W
    {"gpu_tdp", [](const Scenario& s) { return std::optional(node_of(s).gpu.tdp.base()); }},
    // FLOP/s
    {"gpu_peak_fp32", [](const Scenario& s) { return std::optional(node_of(s).gpu.peak_fp32.base()); }},
    // FLOP/s of the matrix units
    {"gpu_peak_fp16", [](const Scenario& s) { return base(node_of(s).gpu.peak_fp16); }},
    // FLOP/s of the matrix units
    {"gpu_peak_fp8", [](const Scenario& s) { return base(node_of(s).gpu.peak_fp8); }},
    // FLOP/s, measured
    {"gpu_matmul_bf16", [](const Scenario& s) { return base(node_of(s).gpu.measured_matmul_bf16); }},
    // FLOP/s, measured
    {"gpu_matmul_fp8", [](const Scenario& s) { return base(node_of(s).gpu.measured_matmul_fp8); }},
    // USD, one card
    {"gpu_price", [](const Scenario& s) { return base(node_of(s).gpu.street_price); }},
    // FLOP/s of a node's sockets
    {"cpu_peak_fp32",
     [](const Scenario& s) { return std::optional(node_of(s).cpu.peak_fp32.base() * node_of(s).sockets); }},
    // B, of a node
    {"memory", [](const Scenario& s) { return std::optional(node_of(s).memory.base()); }},
    // B/s, of a node's array, in sequence
    {"storage_read", storage_read_of},
    // B, in records
    {"dataset_bytes",
     [](const Scenario& s) {
       return std::optional(s.job.data.dataset.samples * s.job.data.dataset.record_bytes.base());
     }},
    // of the model
    {"parameters", parameters_of},
    // share of the arithmetic in convolutions and matrix products
    {"matrix_flop_share", matrix_share_of},
    // B, of one bucket or fusion buffer; 0: all gradients at once
    {"gradient_bucket", [](const Scenario& s) { return std::optional(s.job.bucket.base()); }},
    // USD, one whole server
    {"server_price", [](const Scenario& s) { return base(node_of(s).server_price); }},
    // GPUs of the server as sold
    {"server_gpus",
     [](const Scenario& s) {
       const auto server = server_of(s);
       return server ? std::optional<double>(server->gpu_count) : std::nullopt;
     }},
    // height
    {"server_rack_units",
     [](const Scenario& s) {
       const auto server = server_of(s);
       return server && server->rack_units > 0 ? std::optional<double>(server->rack_units) : std::nullopt;
     }},
    // W
    {"server_max_power", [](const Scenario& s) { return base(node_of(s).server_max_power); }},
    // W, of all power supplies
    {"server_psu_power",
     [](const Scenario& s) {
       const auto server = server_of(s);
       return server && server->psu_count > 0 ? std::optional(server->psu_count * server->psu_watts_each)
                                              : std::nullopt;
     }},
    // exchange rate of the catalog
    {"cny_per_usd",
     [](const Scenario& s) -> std::optional<double> {
       std::vector<Problem> problems;
       const ExchangeRates rates = Catalog(data_directory()).rates({s.file, "", problems});
       const auto one_cny = in_usd(1, "CNY", rates);
       return one_cny ? std::optional(1 / *one_cny) : std::nullopt;
     }},
};

const KnownValue* known_value(const std::string& name) {
  for (const KnownValue& known : known_values)
    if (name == known.name) return &known;
  return nullptr;
}

std::map<std::string, double> collective_values(const ClaimRun& run, const Scenario& scenario) {
  const CollectiveTable table = collective(scenario, run.operation, {run.bytes}, run.ranks, run.algorithm);
  const CollectiveRow& row = table.rows.front();
  return {{"time_us", row.time_us}, {"algbw_gb_per_s", row.algbw_gb_per_s}, {"busbw_gb_per_s", row.busbw_gb_per_s}};
}

std::map<std::string, double> run_values(const Scenario& scenario) {
  RunOptions options;
  options.what_if = false;
  std::map<std::string, double> values;
  for (const Metric& metric : run(scenario, options).metrics) values[metric.name] = metric.value;
  return values;
}

}  // namespace

const Scenario& ClaimValues::scenario_of(const std::string& key, const ClaimRun& run,
                                         const std::vector<Override>& overrides) {
  const auto found = scenarios_.find(key);
  if (found != scenarios_.end()) return found->second;
  return scenarios_.emplace(key, read_scenario(folder_ + "/" + run.scenario, overrides)).first->second;
}

std::optional<double> ClaimValues::get(const ClaimRun& run, const std::vector<Override>& overrides,
                                       const std::string& value) {
  std::string key = run.scenario;
  for (const auto& [pointer, text] : overrides) key += "\n" + pointer + "=" + text;
  const Scenario& scenario = scenario_of(key, run, overrides);
  if (const KnownValue* known = known_value(value)) return known->of(scenario);
  if (!run.operation.empty())
    key += "\n" + run.operation + " " + run.algorithm + " " + std::to_string(run.bytes) + " " +
           std::to_string(run.ranks.value_or(0));
  auto result = results_.find(key);
  if (result == results_.end())
    result =
        results_.emplace(key, run.operation.empty() ? run_values(scenario) : collective_values(run, scenario)).first;
  const auto found = result->second.find(value);
  return found == result->second.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace clustersim
