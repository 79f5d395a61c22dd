// Predicted against measured, in each format.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "sim/write/readable.h"
#include "sim/write/writers.h"

namespace clustersim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t worst_shown = 12;
constexpr double worth_a_word = 0.15;  // an error above this has its line of physics beside it

std::string formatted(const char* format, auto... values) {
  char text[200];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

std::string number(double value) { return std::isnan(value) ? "-" : formatted("%.5g", value); }
std::string percent_text(double value) { return std::isnan(value) ? "-" : formatted("%.1f%%", 100 * value); }

void add_summaries(std::string& text, const char* title, const std::vector<Validation::Summary>& summaries) {
  if (summaries.empty()) return;
  text += formatted("\n%-60s %5s %8s %8s %8s\n", title, "rows", "median", "p90", "worst");
  for (const Validation::Summary& s : summaries)
    text += formatted("%-60s %5d %8s %8s %8s\n", s.group.substr(0, 60).c_str(), s.rows, percent_text(s.median).c_str(),
                      percent_text(s.p90).c_str(), percent_text(s.worst).c_str());
}

void add_row(std::string& text, const ValidationRow& row, bool with_note) {
  text +=
      formatted("%-26s %-36s %10s %10s %8s%s\n", row.id.substr(0, 26).c_str(), row.family.substr(0, 36).c_str(),
                number(row.predicted).c_str(), number(row.measured).c_str(),
                std::isnan(row.error) ? "-" : formatted("%+.1f%%", 100 * row.error).c_str(), row.scored ? "" : " *");
  if (with_note && !row.note.empty()) text += folded(row.note, 4, 98);
}

const char* const row_header_format = "\n%-26s %-36s %10s %10s %8s\n";

void add_rows(std::string& text, const Validation& validation) {
  text += formatted(row_header_format, "row", "family", "predicted", "measured", "error");
  for (const ValidationRow& row : validation.rows)
    add_row(text, row, !row.scored || std::abs(row.error) > worth_a_word);
  text += "* shown, not scored\n";
}

void add_worst(std::string& text, const Validation& validation) {
  std::vector<const ValidationRow*> scored;
  for (const ValidationRow& row : validation.rows)
    if (row.scored) scored.push_back(&row);
  std::stable_sort(scored.begin(), scored.end(), [](const ValidationRow* a, const ValidationRow* b) {
    return std::abs(a->error) > std::abs(b->error);
  });
  text += formatted(row_header_format, "worst rows", "family", "predicted", "measured", "error");
  for (std::size_t i = 0; i < std::min(worst_shown, scored.size()); ++i) add_row(text, *scored[i], true);
}

void add_bounds(std::string& text, const std::vector<ValidationBound>& bounds) {
  if (bounds.empty()) return;
  text += formatted("\n%-72s %8s %8s\n", "bound", "value", "limit");
  for (const ValidationBound& bound : bounds)
    text +=
        formatted("%-72s %8s %8s%s\n", (bound.suite + ": " + bound.what).substr(0, 72).c_str(),
                  percent_text(bound.value).c_str(), percent_text(bound.limit).c_str(), bound.met ? "" : "  MISSED");
}

Json summary_json(const Validation::Summary& summary) {
  return {{"rows", summary.rows},
          {"median_abs_error", summary.median},
          {"p90_abs_error", summary.p90},
          {"worst_abs_error", summary.worst}};
}

Json named(const std::vector<Validation::Summary>& summaries, std::size_t first) {
  Json json = Json::object();
  for (std::size_t i = first; i < summaries.size(); ++i) json[summaries[i].group] = summary_json(summaries[i]);
  return json;
}

}  // namespace

std::string validation_as_table(const Validation& validation) {
  std::string text = "suite " + validation.suite + ": predicted against published measurements\n";
  add_summaries(text, "absolute error, by group", validation.summaries);
  if (validation.suite != "all") add_summaries(text, "absolute error, by family", validation.families);
  add_summaries(text, "absolute error of left-out rows", validation.left_out);
  if (validation.show_rows)
    add_rows(text, validation);
  else
    add_worst(text, validation);
  add_bounds(text, validation.bounds);
  if (!validation.remarks.empty()) text += "\n";
  for (const std::string& remark : validation.remarks) text += folded(remark, 0, 98);
  return text;
}

std::string validation_as_json(const Validation& validation) {
  Json json;
  json["suite"] = validation.suite;
  json["rows"] = Json::array();
  for (const ValidationRow& row : validation.rows)  // what is not a number becomes null
    json["rows"].push_back({{"id", row.id},
                            {"suite", row.suite},
                            {"group", row.group},
                            {"family", row.family},
                            {"predicted", row.predicted},
                            {"measured", row.measured},
                            {"unit", row.unit},
                            {"error", row.error},
                            {"scored", row.scored},
                            {"note", row.note}});
  json["summary"] = summary_json(validation.summaries.front());
  json["groups"] = named(validation.summaries, 1);
  json["families"] = named(validation.families, 0);
  json["bounds"] = Json::array();
  for (const ValidationBound& bound : validation.bounds)
    json["bounds"].push_back({{"suite", bound.suite},
                              {"what", bound.what},
                              {"value", bound.value},
                              {"limit", bound.limit},
                              {"met", bound.met}});
  if (!validation.left_out.empty()) json["left_out"] = named(validation.left_out, 0);
  json["remarks"] = validation.remarks;
  return json.dump(2) + "\n";
}

std::string validation_as_csv(const Validation& validation) {
  std::string text = "id,suite,group,family,predicted,measured,unit,error,scored,note\n";
  const auto cell = [](double value) { return std::isnan(value) ? std::string() : shortest(value); };
  for (const ValidationRow& row : validation.rows)
    text += csv_cell(row.id) + "," + row.suite + "," + csv_cell(row.group) + "," + csv_cell(row.family) + "," +
            cell(row.predicted) + "," + cell(row.measured) + "," + csv_cell(row.unit) + "," + cell(row.error) + "," +
            (row.scored ? "1" : "0") + "," + csv_cell(row.note) + "\n";
  return text;
}

}  // namespace clustersim
