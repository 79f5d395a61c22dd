// CSV (RFC 4180, line feed): a header line, then rows. A metric's column is its name and its unit: step_time_s.
#include "sim/write/readable.h"
#include "sim/write/writers.h"

namespace clustersim {
std::string report_as_csv(const Report& report) {
  std::string header = "scenario", row = csv_cell(report.scenario);
  for (const Metric& metric : report.metrics) {
    header += "," + csv_cell(csv_column(metric));
    row += "," + shortest(metric.value);
  }
  header += ",bottleneck_resource,bottleneck_kind,bottleneck_share,version,fingerprint";
  row += "," + csv_cell(report.bottleneck.resource) + "," + csv_cell(report.bottleneck.kind) + "," +
         shortest(report.bottleneck.share) + "," + csv_cell(report.provenance.version) + "," +
         csv_cell(report.provenance.fingerprint);
  return header + "\n" + row + "\n";
}

std::string collective_as_csv(const CollectiveTable& table) {
  std::string text = "op,ranks,bytes,time_us,algbw_gb_per_s,busbw_gb_per_s,algorithm\n";
  for (const CollectiveRow& row : table.rows)
    text += csv_cell(table.operation) + "," + std::to_string(table.ranks) + "," + shortest(row.bytes) + "," +
            shortest(row.time_us) + "," + shortest(row.algbw_gb_per_s) + "," + shortest(row.busbw_gb_per_s) + "," +
            csv_cell(row.algorithm) + "\n";
  return text;
}

}  // namespace clustersim
