// The data of each kind of page: the result's own JSON, and what only the page shows.
#include "sim/write/html_pages.h"

#include <nlohmann/json.hpp>

#include "clustersim/page.h"
#include "sim/write/html.h"
#include "sim/write/html_detail.h"
#include "sim/write/writers.h"

namespace clustersim {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json like_json(const std::vector<ValidationRow>& rows) {
  Json json = Json::array();
  for (const ValidationRow& row : rows)
    json.push_back({{"id", row.id},
                    {"family", row.family},
                    {"predicted", row.predicted},
                    {"measured", row.measured},
                    {"unit", row.unit},
                    {"error", row.error},
                    {"scored", row.scored}});
  return json;
}

}  // namespace

std::string run_page_data(const RunPage& run) {
  const Report& report = run.report;
  Json data = {{"page", "run"}, {"report", Json::parse(report_as_json(report))}};
  data["what_if"] = Json::array();
  for (const WhatIf& change : report.what_ifs)
    data["what_if"].push_back({{"change", change.change}, {"step_s", change.step_s}, {"now_s", change.now_s}});
  if (const auto& error = report.expected_error)
    data["expected_error"] = {
        {"median", error->median}, {"p90", error->p90}, {"rows", error->rows}, {"like", error->like}};
  data["like"] = like_json(run.like);
  if (report.cost) data["money"] = data["report"]["cost"];
  data["timeline"] = Json::parse(timeline_as_json(run.detail.timeline));
  data["heat"] = Json::parse(heat_as_json(run.detail.heat));
  data["picture"] = Json::parse(picture_as_json(run.detail.picture));
  data["sources"] = Json::array();
  for (const PartSources& part : run.sources) data["sources"].push_back({{"id", part.id}, {"text", part.text}});
  return text_of(data);
}

std::string page(const RunPage& run) {
  const std::string& name = run.report.scenario.empty() ? run.report.headline : run.report.scenario;
  return page_of(name + " - clustersim", run_page_data(run), report_as_table(run.report));
}

std::string page(const Comparison& comparison) {
  Json data = Json::parse(comparison_as_json(comparison));
  data["page"] = "comparison";
  std::string names;
  for (const ComparedRun& run : comparison.runs) names += (names.empty() ? "" : ", ") + run.report.scenario;
  return page_of(names + " - clustersim", text_of(data), comparison_as_table(comparison));
}

std::string page(const Validation& validation) {
  Json data = Json::parse(validation_as_json(validation));
  data["page"] = "validation";
  data["version"] = CLUSTERSIM_VERSION;
  return page_of("Validation, " + validation.suite + " - clustersim", text_of(data), validation_as_table(validation));
}

}  // namespace clustersim
