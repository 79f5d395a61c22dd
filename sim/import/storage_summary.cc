// summary.json of MLPerf Storage (DLIO): what an emulated training read, as a row.
//
//   {"num_accelerators": 64, "num_hosts": 16, "host_memory_GB": [503, 0, ...], "host_cpu_count": [96, 0, ...],
//    "metric": {"train_au_mean_percentage": 70.26, "train_au_meet_expectation": "success",
//               "train_throughput_mean_samples_per_second": 12557, "train_io_mean_MB_per_second": 33871}}
// The rate is in MiB/s, whatever its name says: DLIO divides by 1024 twice. Hosts that say 0 of themselves were not
// asked: they are none of those whose memory and cores are told.
// Source: DLIO's statscounter.py; rules of MLCommons Storage. Checked by: tests/sim/import_rows_test.cc
#include <algorithm>
#include <cmath>

#include "clustersim/error.h"
#include "sim/import/csv_cells.h"
#include "sim/import/measured_rows.h"
#include "sim/import/measurement_text.h"
#include "sim/import/text_source.h"
#include "sim/write/readable.h"

namespace clustersim {
namespace {

constexpr double kMiB = 1048576;

struct Cell {
  const char* name;
  std::string text;
};

std::optional<double> within(std::optional<double> value, double least, double most) {
  return value && *value >= least && *value <= most ? value : std::nullopt;
}

std::string cell(const std::optional<double>& value) { return value ? number_cell(*value) : ""; }

// Hosts whose number is above 0, and their mean.
struct Told {
  std::size_t hosts = 0, silent = 0;
  std::optional<double> mean;
};
Told told_by(const JsonValue& summary, const char* key) {
  Told told;
  const JsonValue* list = summary.find(key);
  if (list == nullptr || list->kind != JsonValue::Kind::list) return told;
  double sum = 0;
  for (const JsonValue& item : list->items) {
    const bool said = item.kind == JsonValue::Kind::number && item.number > 0 && item.number < 1e9;
    ++(said ? told.hosts : told.silent);
    if (said) sum += item.number;
  }
  if (told.hosts > 0) told.mean = sum / static_cast<double>(told.hosts);
  return told;
}

std::vector<Cell> row_of(const std::string& path, const JsonValue& summary, Imported& out) {
  const auto metric = [&](const char* key) { return number_at(summary, std::string("metric/") + key); };
  const auto hosts = within(number_at(summary, "num_hosts"), 1, 1e6);
  const auto accelerators = within(number_at(summary, "num_accelerators"), 1, 1e7);
  const auto use = within(metric("train_au_mean_percentage"), 0, 100);
  const auto samples = within(metric("train_throughput_mean_samples_per_second"), 1e-6, 1e12);
  const auto mib = within(metric("train_io_mean_MB_per_second"), 1e-6, 1e9);
  const Told memory = told_by(summary, "host_memory_GB"), cores = told_by(summary, "host_cpu_count");
  const std::size_t silent = std::max(memory.silent, cores.silent), described = std::max(memory.hosts, cores.hosts);
  if (silent > 0)
    out.warnings.push_back(path + ": " + std::to_string(silent) + " of " + std::to_string(silent + described) +
                           " hosts say 0 of their memory or cores: the others alone are counted there");
  const std::string met = text_at(summary, "metric/train_au_meet_expectation");
  if (met == "fail" || met == "failure")
    out.warnings.push_back(path + ": the accelerators waited more than the rules allow");
  std::optional<double> sample_bytes;
  if (samples && mib) sample_bytes = std::round(*mib * kMiB / *samples);
  return {{"hosts", cell(hosts)},
          {"hosts_described", described > 0 ? std::to_string(described) : ""},
          {"accelerators", cell(accelerators)},
          {"accelerator_use_percent", cell(use)},
          {"use_as_required", met == "success" ? "yes"
                              : met.empty()    ? ""
                                               : "no"},
          {"samples_per_s", cell(samples)},
          {"read_mib_per_s", cell(mib)},
          {"read_bytes_per_s", cell(mib ? std::optional(*mib * kMiB) : std::nullopt)},
          {"sample_bytes", cell(sample_bytes)},
          {"host_memory_gb", cell(memory.mean)},
          {"host_cpus", cell(cores.mean)},
          {"epochs", cell(within(number_at(summary, "epochs"), 1, 1e6))}};
}

}  // namespace

bool is_storage_summary(const std::string& text) {
  return contains(text, "\"metric\"") && contains(text, "train_au_mean_percentage") &&
         contains(text, "num_accelerators");
}

Imported import_storage_summaries(const std::vector<std::string>& paths) {
  Imported out;
  out.format = "MLPerf Storage summary";
  for (const std::string& path : paths) {
    std::vector<Problem> problems;
    const JsonValue summary = parse_json(clean_text(read_source(path, kMaxFileBytes)), path, problems);
    if (!problems.empty()) throw InputError(problems);
    if (summary.find("metric") == nullptr)
      throw InputError({{path, "", "a summary.json of MLPerf Storage, as the other files are", "another file", ""}});
    const std::vector<Cell> row = row_of(path, summary, out);
    std::string head, line;
    const bool first = &path == &paths.front();
    for (const Cell& each : row) {
      head += (head.empty() ? "" : ",") + std::string(each.name);
      line += (&each == &row.front() ? "" : ",") + each.text;
      const std::string where = paths.size() > 1 ? path + ": " : "";
      if (each.text.empty())
        out.unknown.push_back(where + each.name);
      else
        out.known.push_back(where + each.name + ": " + each.text);
    }
    out.document += (first ? head + "\n" : "") + line + "\n";
  }
  return out;
}

}  // namespace clustersim
