// Tables of machines as CSV, a line a machine.
//
//   sn,cpu_milli,memory_mib,gpu,model            Alibaba's openb node list: GPUs of a node and their name
//   machineId,number of GPUs,single GPU mem      Philly's machine list: GPUs and their memory, no name
// Source: READMEs of alibaba/clusterdata (cluster-trace-gpu-v2023) and msr-fiddle/philly-traces.
#include <algorithm>

#include "sim/import/csv_cells.h"
#include "sim/import/inventory.h"
#include "sim/import/measurement_text.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

constexpr double kMiB = 1048576;

std::optional<CsvHeader> header_of(const std::string& line) {
  if (line.size() > 1000) return std::nullopt;
  const auto cells = csv_cells(line, ',');
  if (!cells) return std::nullopt;
  const CsvHeader header(*cells);
  const bool openb = header.has({"sn"}) && header.has({"gpu"}) && header.has({"model"});
  const bool philly = header.has({"machineid"}) && header.has({"number of gpus"});
  if (!openb && !philly) return std::nullopt;
  return header;
}

// "24GB", of Philly's machines.
std::optional<double> gigabytes_of(const std::string& text) {
  const std::size_t end = text.find_first_not_of("0123456789.");
  const auto number = number_of(text.substr(0, end));
  if (!number || *number <= 0 || *number > 1e5 || end == std::string::npos) return std::nullopt;
  const std::string unit = trimmed(text.substr(end));
  if (unit == "GB" || unit == "GiB") return *number * (unit == "GB" ? 1e9 : 1024 * kMiB);
  return std::nullopt;
}

}  // namespace

bool is_machine_table(const std::string& text) {
  return header_of(trimmed(text.substr(0, std::min<std::size_t>(text.find('\n'), 2000)))).has_value();
}

Inventory read_machine_table(const std::string& text, const std::string& path) {
  const std::vector<std::string> lines = lines_of(text);
  const CsvHeader header = *header_of(trimmed(lines.front()));
  Inventory out;
  out.format = header.has({"sn"}) ? "Alibaba's node list (openb)" : "a table of machines (CSV)";
  NodeCounter counter;
  std::size_t odd = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::string line = trimmed(lines[i]);
    if (line.empty()) continue;
    const auto cells = csv_cells(line, ',');
    const auto gpus = cells ? integer_of(header.cell(*cells, {"gpu", "number of gpus"})) : std::nullopt;
    if (!gpus || *gpus < 0 || *gpus > NodeCounter::kMostGpus) {
      ++odd;
      continue;
    }
    std::optional<double> memory;
    if (const auto mib = number_of(header.cell(*cells, {"memory_mib"})); mib && *mib > 0 && *mib < 1e9)
      memory = *mib * kMiB;
    counter.add(1, static_cast<long long>(*gpus), header.cell(*cells, {"model"}),
                gigabytes_of(header.cell(*cells, {"single gpu mem"})), memory);
  }
  if (odd > 0) out.warnings.push_back(std::to_string(odd) + " lines without a number of GPUs: left out");
  counter.fill(out, path);
  return out;
}

}  // namespace clustersim
