// JSON, in a stable order of keys. Doubles are written with the fewest digits that read back to the same bits.
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/write/writers.h"

namespace clustersim {
namespace {

using Json = nlohmann::ordered_json;

const char* kind_name(Assumption::Kind kind) {
  switch (kind) {
    case Assumption::Kind::default_value:
      return "default";
    case Assumption::Kind::estimate:
      return "estimate";
    case Assumption::Kind::model:
      return "model";
  }
  throw InternalError("this is a bug: an assumption of no kind");
}

Json assumption_json(const Assumption& a) {
  return {{"kind", kind_name(a.kind)}, {"pointer", a.pointer}, {"value", a.value}, {"why", a.why}};
}

// A name that is no UTF-8 is the user's; it is shown with replacement characters.
std::string json_text(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

double finite(double value) {
  require(std::isfinite(value), "a reported number is finite");
  return value;
}

Json metrics_json(const Report& report) {
  Json metrics = Json::object();
  for (const Metric& metric : report.metrics) {
    require(!metrics.contains(metric.name), "a metric is reported once");
    metrics[metric.name] = {{"value", finite(metric.value)}, {"unit", metric.unit}, {"meaning", metric.meaning}};
  }
  return metrics;
}

Json parts_json(const std::vector<CostPart>& parts) {
  Json json = Json::array();
  for (const CostPart& part : parts)
    json.push_back({{"what", part.what},
                    {"amount", finite(part.amount)},
                    {"low", finite(part.low)},
                    {"high", finite(part.high)},
                    {"basis", part.basis},
                    {"formula", part.formula},
                    {"source", part.source}});
  return json;
}

Json cost_json(const CostBreakdown& cost) {
  Json json = {{"currency", cost.currency},         {"date", cost.date},         {"own", parts_json(cost.owned)},
               {"rented", parts_json(cost.rented)}, {"unpriced", cost.unpriced}, {"warnings", cost.warnings}};
  if (const auto& both = cost.own_or_rent)
    json["own_or_rent"] = {{"purchase", both->purchase},
                           {"residual", both->residual},
                           {"years", both->years},
                           {"utilization", both->utilization},
                           {"fixed_per_year", both->fixed_per_year},
                           {"electricity_per_hour", both->electricity_per_hour},
                           {"rented_per_hour", both->rented_per_hour}};
  return json;
}

}  // namespace

std::string report_as_json(const Report& report) {
  Json json;
  json["scenario"] = report.scenario;
  json["headline"] = report.headline;
  json["metrics"] = metrics_json(report);
  json["bottleneck"] = {{"resource", report.bottleneck.resource},
                        {"kind", report.bottleneck.kind},
                        {"share", finite(report.bottleneck.share)},
                        {"advice", report.bottleneck.advice}};
  json["assumptions"] = Json::array();
  for (const Assumption& a : report.assumptions) json["assumptions"].push_back(assumption_json(a));
  json["notes"] = Json::array();
  for (const Note& note : report.notes) json["notes"].push_back({{"topic", note.topic}, {"text", note.text}});
  if (report.cost) json["cost"] = cost_json(*report.cost);
  json["provenance"] = {{"version", report.provenance.version},
                        {"wall_time_s", finite(report.provenance.wall_time_s)},
                        {"events", report.provenance.events},
                        {"fingerprint", report.provenance.fingerprint}};
  return json_text(json);
}

std::string collective_as_json(const CollectiveTable& table) {
  Json json;
  json["op"] = table.operation;
  json["ranks"] = table.ranks;
  json["rows"] = Json::array();
  for (const CollectiveRow& row : table.rows) {
    json["rows"].push_back({{"bytes", finite(row.bytes)},
                            {"time_us", finite(row.time_us)},
                            {"algbw_gb_per_s", finite(row.algbw_gb_per_s)},
                            {"busbw_gb_per_s", finite(row.busbw_gb_per_s)},
                            {"algorithm", row.algorithm}});
    if (!row.measured.empty()) json["rows"].back()["measured"] = row.measured;
  }
  json["assumptions"] = Json::array();
  for (const Assumption& a : table.assumptions) json["assumptions"].push_back(assumption_json(a));
  return json_text(json);
}

}  // namespace clustersim
