// Suite `storage`: rows of storage.csv that the models of storage and of the input pipeline answer, and cold first
// epochs. Rows whose drive, instance, processor or loader the catalog does not hold are shown, and so are rows from
// which a number of the catalog was taken: they would be compared with themselves.
#include <map>

#include "models/input_pipeline/storage_tier.h"
#include "sim/job.h"
#include "sim/projection.h"
#include "sim/validation/measurement_table.h"
#include "sim/validation/validate.h"

namespace clustersim {
namespace {

const char* const drives = "drives and volumes";
const char* const object_stores = "object stores";
const char* const loaders = "loaders in training";
const char* const cold = "cold first epoch";

bool starts(const std::string& text, const char* start) { return text.rfind(start, 0) == 0; }

std::string scenario_text(const std::string& cluster, const std::string& job) {
  return R"({"clustersim": 1, "name": "storage", "cluster": )" + cluster + R"(, "job": )" + job + "}";
}

// B/s of records from an array of one tier, a catalog id or an object.
double array_rate(const std::string& tier) {
  const Scenario s = read_scenario_text(
      scenario_text(R"({"node": {"gpu": "a10g", "storage": {"tier": )" + tier + R"(, "count": 1, "raid": "none"}}})",
                    R"({"model": "resnet-50", "target": {"steps": 1}})"),
      "storage", {});
  return array_read_rate(s.cluster.groups.front().node.storage, {Container::record, bytes(1e6), 1}).base();
}

// B/s that one node of a cloud instance draws from S3 with so many requests under way.
double s3_rate(const std::string& instance, double readers) {
  const Scenario s = read_scenario_text(
      scenario_text(R"({"node": {"server": ")" + instance + R"("}, "storage": {"tier": "s3-standard", "servers": 1000,
                       "nic": "eth-100g"}})",
                    R"({"model": "resnet-50", "data": {"from": "shared"}, "target": {"steps": 1}})"),
      "storage", {});
  const NodeSpec& node = s.cluster.groups.front().node;
  return client_read_rate(*s.cluster.storage, *node.nic, node.nics, node.single_flow_cap,
                          {Container::record, bytes(1e6), readers})
      .base();
}

Projection simulate(const Scenario& scenario) {
  const Assembly assembly(scenario.cluster, scenario.job);
  return project(assembly, run_job(assembly));
}

double training_rate(const std::string& job) {
  const Scenario s =
      read_scenario_text(scenario_text(R"({"node": {"gpu": "v100-sxm2-16gb", "gpus": 8, "gpu_fabric": "nvlink2",
                       "cpu": "xeon-gold-5118", "sockets": 2}})",
                                       job),
                         "storage", {});
  return simulate(s).throughput;
}

struct Answer {
  const char* group = drives;
  std::optional<double> predicted;  // in the row's unit
  std::string why_not;
  bool same_number = false;  // the catalog's number is this row's
};

Answer drive(const MeasurementRow& row) {
  static const std::map<std::string, const char*> tiers = {{"WD 8TB", "hdd-nearline"},
                                                           {"WD 6TB", "hdd-nearline"},
                                                           {"Samsung 870 QVO", "sata-ssd"},
                                                           {"Samsung 850 EVO", "sata-ssd"},
                                                           {"Samsung 960 Pro", "nvme-gen3"}};
  const auto found = tiers.find(row.text("system"));
  if (found == tiers.end()) return {drives, {}, "the drive is not in the catalog", false};
  return {drives, array_rate("\"" + std::string(found->second) + "\"") / 1e6, "", false};
}

// Model files of 15 GB read by as many threads as the row says.
Answer load(const MeasurementRow& row) {
  constexpr double file_bytes = 15e9;
  const std::string &system = row.text("system"), &access = row.text("access");
  const std::size_t at = access.find("concurrency ");
  if (at == std::string::npos) return {drives, {}, "one thread that also parses: no model of it", false};
  const double readers = std::stod(access.substr(at + 12));
  if (starts(system, "S3")) return {object_stores, file_bytes / s3_rate("aws-g5-12xlarge", readers), "", false};
  if (readers < 4) return {drives, {}, "one thread's page faults and copies bind it (0.3 GB/s), not the volume", false};
  const bool gp3 = starts(system, "EBS GP3");  // the volumes' limits as the row states them
  const char* tier =
      gp3 ? R"({"base": "ebs-gp3", "read": "1000 MiB/s"})" : R"({"base": "ebs-io2", "read": "4000 MiB/s"})";
  return {drives, file_bytes / array_rate(tier), "", false};
}

Answer s3(const MeasurementRow& row) {
  static const std::map<std::string, const char*> instances = {{"S3 from p3.2xlarge", "aws-p3-2xlarge"},
                                                               {"S3 from p3.8xlarge", "aws-p3-8xlarge"},
                                                               {"S3 from p3.16xlarge", "aws-p3-16xlarge"},
                                                               {"S3 from p3dn.24xlarge", "aws-p3dn-24xlarge"}};
  const auto found = instances.find(row.text("system"));
  if (found == instances.end()) return {object_stores, {}, "the instance or the service is not in the catalog", false};
  constexpr double enough = 1000;  // requests under way: the benchmark raises them until the rate stands still
  return {object_stores, s3_rate(found->second, enough) / 1e6, "", false};
}

Answer loader(const MeasurementRow& row) {
  const std::string &system = row.text("system"), &medium = row.text("medium");
  if (!starts(system, "2x Xeon Gold 5118")) return {loaders, {}, "the host or the loader is not in the catalog", false};
  const bool few = system.find(" 8 worker") != std::string::npos;
  if (system.find("TF1") == std::string::npos) {
    const char* loading = starts(medium, "DALI") ? "dali-gpu" : "pytorch";
    const std::string job = std::string(R"({"model": "resnet-50", "precision": "fp32", "stack": "pytorch-ddp",
      "batch_per_gpu": 128, "data": {"from": "page-cache", "first_epoch_cold": false, "container": "raw",
      "loader": ")") + loading +
                            R"(", "workers_per_gpu": )" + (few ? "1" : "6") + "}}";
    return {loaders, training_rate(job), "", few && !starts(medium, "DALI")};
  }
  const std::string data = starts(medium, "synthetic") ? R"({"from": "synthetic"})"
                           : starts(medium, "DALI")
                               ? R"({"from": "page-cache", "first_epoch_cold": false, "loader": "dali-gpu"})"
                               : R"({"from": "page-cache", "first_epoch_cold": false, "loader": "tf-data"})";
  return {loaders,
          training_rate(R"({"model": "resnet-50", "precision": "amp", "stack": "tensorflow-horovod",
            "batch_per_gpu": 224, "data": )" +
                        data + "}"),
          "", starts(medium, "tf.data")};
}

Answer answer(const MeasurementRow& row) {
  const std::string& category = row.text("category");
  if (row.text("quality") == "C") return {category.c_str(), {}, "a forum's number, conditions unknown", false};
  if (category == "local drive") return drive(row);
  if (category == "model/checkpoint load") return load(row);
  if (category == "object storage") return s3(row);
  if (category == "DataLoader in training") return loader(row);
  const char* why = category == "JPEG decode" || category == "DataLoader"
                        ? "the processor or loader is not in the catalog"
                    : category == "MLPerf Storage v1.0 workload" || category == "dataset size" ||
                            category == "checkpoint size" || category == "metadata latency"
                        ? "an input, not something to predict"
                    : category == "checkpoint save" ? "bound by serialisation in the framework, which is not modelled"
                                                    : "the drive, its number or its load is not stated";
  return {category.c_str(), {}, why, false};
}

void add_first_epochs(std::vector<ValidationRow>& rows) {
  for (const MeasurementRow& row : read_measurements(measurements_path("first_epoch.csv"))) {
    const Scenario s = read_scenario_text(
        scenario_text(R"({"nodes": )" + row.text("nodes") + R"(, "node": {"server": ")" + row.text("server") + R"("}})",
                      R"({"model": "resnet-50", "stack": "mlperf", "precision": "amp", "batch_per_gpu": )" +
                          row.text("batch_per_gpu") + R"(, "data": {"from": "node"}, "target": {"epochs": 2}})"),
        "storage", {});
    rows.push_back(compared(row.text("id"), cold, row.text("server") + " x " + row.text("nodes"),
                            simulate(s).time.first_epoch.base(), row.number("first_epoch_s"), "s"));
  }
}

}  // namespace

std::vector<ValidationRow> storage_rows(ValidationBench&) {
  std::vector<ValidationRow> rows;
  for (const MeasurementRow& row : read_measurements(measurements_path("storage.csv"))) {
    const Answer found = answer(row);
    const std::string family = row.text("system") + " " + row.text("access");
    const double measured = row.number("value");
    if (!found.predicted)
      rows.push_back(
          shown(row.text("id"), found.group, family, unpredicted(), measured, row.text("unit"), found.why_not));
    else if (found.same_number)
      rows.push_back(shown(row.text("id"), found.group, family, *found.predicted, measured, row.text("unit"),
                           "the loader's rate in the catalog comes from this row"));
    else
      rows.push_back(compared(row.text("id"), found.group, family, *found.predicted, measured, row.text("unit")));
  }
  add_first_epochs(rows);
  return rows;
}

std::vector<ValidationBound> storage_bounds(const std::vector<ValidationRow>&) { return {}; }

}  // namespace clustersim
