// Predicted against measured, in each format.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "sim/write/readable.h"
#include "sim/write/writers.h"

namespace clustersim {
namespace {

using Json = nlohmann::ordered_json;

std::string formatted(const char* format, auto... values) {
  char text[160];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

Json summary_json(const Validation::Summary& summary) {
  return {{"rows", summary.rows},
          {"median_abs_error", summary.median},
          {"p90_abs_error", summary.p90},
          {"worst_abs_error", summary.worst}};
}

}  // namespace

std::string validation_as_table(const Validation& validation) {
  std::string text = "suite " + validation.suite + "\n\n";
  text += formatted("%-7s %-44s %11s %11s %7s\n", "row", "family", "predicted", "measured", "error");
  for (const ValidationRow& row : validation.rows)
    text += formatted("%-7s %-44s %11.5g %11.5g %+6.1f%%\n", row.id.c_str(), row.family.substr(0, 44).c_str(),
                      row.predicted, row.measured, 100 * row.error);
  text += "\n" + formatted("%-28s %5s %8s %8s %8s\n", "absolute error of", "rows", "median", "p90", "worst");
  for (const Validation::Summary& s : validation.summaries)
    text += formatted("%-28s %5d %7.1f%% %7.1f%% %7.1f%%\n", s.group.c_str(), s.rows, 100 * s.median, 100 * s.p90,
                      100 * s.worst);
  return text;
}

std::string validation_as_json(const Validation& validation) {
  Json json;
  json["suite"] = validation.suite;
  json["rows"] = Json::array();
  for (const ValidationRow& row : validation.rows)
    json["rows"].push_back({{"id", row.id},
                            {"family", row.family},
                            {"predicted", row.predicted},
                            {"measured", row.measured},
                            {"unit", row.unit},
                            {"error", row.error}});
  json["summary"] = summary_json(validation.summaries.front());
  for (std::size_t i = 1; i < validation.summaries.size(); ++i)
    json["groups"][validation.summaries[i].group] = summary_json(validation.summaries[i]);
  return json.dump(2) + "\n";
}

std::string validation_as_csv(const Validation& validation) {
  std::string text = "id,family,predicted,measured,unit,error\n";
  for (const ValidationRow& row : validation.rows)
    text += row.id + "," + row.family + "," + shortest(row.predicted) + "," + shortest(row.measured) + "," + row.unit +
            "," + shortest(row.error) + "\n";
  return text;
}

}  // namespace clustersim
