// A study's answer, in each format.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "sim/sweep/study_keys.h"
#include "sim/write/readable.h"
#include "sim/write/writers.h"

namespace clustersim {
namespace {

using Json = nlohmann::ordered_json;

constexpr int width = 100;
constexpr int number_width = 12;
constexpr std::size_t widest_label = 28;
constexpr std::size_t front_shown = 12;
constexpr std::size_t faults_shown = 5;

// At most a column's width, cut between characters.
std::string label(const std::string& text) {
  if (text.size() <= widest_label) return text;
  std::size_t end = widest_label - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

std::string value_label(const StudyAxis& axis, std::size_t value) { return label(axis.labels[value]); }

std::string shown_metric(const SweepRow& row, const std::string& name) {
  const auto value = row.metric(name);
  if (!value) return "-";
  const KnownMetric* known = find_metric(name);
  const std::string unit = known == nullptr ? "1" : known->dimension == Dimension::money ? row.currency : known->unit;
  return metric_text({name, *value, unit, ""});
}

// Rows of points: a column for each axis, then some metrics.
class PointTable {
 public:
  explicit PointTable(const Sweep& sweep) : sweep_(sweep) {
    for (const StudyAxis& axis : sweep.axes) {
      std::size_t columns = label(axis.name).size();
      for (std::size_t v = 0; v < axis.values.size(); ++v) columns = std::max(columns, value_label(axis, v).size());
      widths_.push_back(static_cast<int>(columns) + 2);
    }
  }

  std::string header(const std::string& first, const std::vector<std::string>& columns) const {
    std::string text = left(first, 8);
    for (std::size_t a = 0; a < sweep_.axes.size(); ++a) text += left(label(sweep_.axes[a].name), widths_[a]);
    for (const std::string& column : columns) text += right(column, number_width);
    return text + "\n";
  }

  std::string row(const std::string& first, const SweepRow& row, const std::vector<std::string>& cells) const {
    std::string text = left(first, 8);
    const std::vector<std::size_t> values = sweep_.values_at(row.point);
    for (std::size_t a = 0; a < sweep_.axes.size(); ++a)
      text += left(value_label(sweep_.axes[a], values[a]), widths_[a]);
    for (const std::string& cell : cells) text += right(cell, number_width);
    return text + "\n";
  }

 private:
  const Sweep& sweep_;
  std::vector<int> widths_;
};

bool has(const Sweep& sweep, const std::string& metric) {
  return std::any_of(sweep.rows.begin(), sweep.rows.end(), [&](const SweepRow& row) { return row.metric(metric); });
}

std::string head(const Sweep& sweep) {
  std::string text = sweep.name + ": " + std::to_string(sweep.rows.size()) + " points";
  if (sweep.filtered > 0) text += ", " + std::to_string(sweep.filtered) + " left out by filters";
  if (sweep.invalid > 0) text += ", " + std::to_string(sweep.invalid) + " invalid";
  if (sweep.failed > 0) text += ", " + std::to_string(sweep.failed) + " failed by a fault of the program";
  text += "\n";
  if (sweep.resumed > 0)
    text += "resumed: " + whole_number(static_cast<double>(sweep.resumed)) + " of " +
            whole_number(static_cast<double>(sweep.rows.size())) + " points were there\n";
  if (!sweep.database.empty()) text += "rows: " + sweep.database + " (SQLite, view results)\n";
  return text + "\n";
}

std::string axes_section(const Sweep& sweep) {
  std::string text = sweep.grid ? "Axes, every combination\n" : "Axes, moved together\n";
  for (const StudyAxis& axis : sweep.axes) {
    std::string values;
    for (std::size_t v = 0; v < axis.values.size(); ++v) values += (v == 0 ? "" : ", ") + value_label(axis, v);
    text += folded(axis.name + ": " + values, 2, width);
  }
  return text + "\n";
}

std::string best_section(const Sweep& sweep) {
  std::string text = (sweep.maximize ? "Most " : "Least ") + sweep.objective;
  for (std::size_t c = 0; c < sweep.constraints.size(); ++c)
    text += (c == 0 ? ", with " : ", ") + sweep.constraints[c].text;
  text += ": " + std::to_string(sweep.feasible) + (sweep.feasible == 1 ? " point\n" : " points\n");
  if (sweep.invalid + sweep.failed == sweep.rows.size()) return text + "  no point is valid\n\n";
  if (sweep.best.empty()) return text + "  none keeps the constraints\n\n";
  std::vector<std::pair<std::string, std::string>> columns = {{"time_to_train", "time"}};
  if (has(sweep, "cost_self_hosted")) columns.push_back({"cost_self_hosted", "owned"});
  if (has(sweep, "cost_cloud")) columns.push_back({"cost_cloud", "rented"});
  columns.push_back({"energy", "energy"});
  const bool own_column =
      std::none_of(columns.begin(), columns.end(), [&](const auto& c) { return c.first == sweep.objective; });
  if (own_column) columns.insert(columns.begin(), {sweep.objective, "objective"});
  const PointTable table(sweep);
  std::vector<std::string> names, cells;
  for (const auto& column : columns) names.push_back(column.second);
  names.emplace_back("limit");
  text += table.header("  point", names);
  for (const std::size_t r : sweep.best) {
    const SweepRow& row = sweep.rows[r];
    cells.clear();
    for (const auto& column : columns) cells.push_back(shown_metric(row, column.first));
    cells.push_back(row.limit_kind);
    text += table.row("  " + std::to_string(row.point), row, cells);
  }
  return text + "\n";
}

// At most front_shown of `count`, both ends among them.
std::vector<std::size_t> spread(std::size_t count) {
  std::vector<std::size_t> chosen;
  if (count <= front_shown) {
    for (std::size_t i = 0; i < count; ++i) chosen.push_back(i);
    return chosen;
  }
  for (std::size_t i = 0; i < front_shown; ++i) chosen.push_back(i * (count - 1) / (front_shown - 1));
  return chosen;
}

std::string front_title(const std::string& what, std::size_t count) {
  std::string text = what;
  if (count > front_shown)
    text += ", " + std::to_string(front_shown) + " of " + std::to_string(count) + " (all: --format json)";
  return text + "\n";
}

std::string front_sections(const Sweep& sweep) {
  std::string text;
  const PointTable table(sweep);
  if (!sweep.cost_front.empty()) {
    text += front_title("Front of time and cost: nothing else is both as fast and as cheap", sweep.cost_front.size());
    text += table.header("  point", {"time", "cost", ""});
    for (const std::size_t i : spread(sweep.cost_front.size())) {
      const SweepOffer& offer = sweep.cost_front[i];
      const SweepRow& row = sweep.rows[offer.row];
      text += table.row(
          "  " + std::to_string(row.point), row,
          {readable(offer.time_s, "s"), readable(offer.cost, row.currency), offer.rented ? "rented" : "owned"});
    }
    text += "\n";
  }
  if (sweep.energy_front.empty()) return text;
  text += front_title("Front of time and energy", sweep.energy_front.size());
  text += table.header("  point", {"time", "energy"});
  for (const std::size_t i : spread(sweep.energy_front.size())) {
    const SweepRow& row = sweep.rows[sweep.energy_front[i]];
    text += table.row("  " + std::to_string(row.point), row,
                      {shown_metric(row, "time_to_train"), shown_metric(row, "energy")});
  }
  return text + "\n";
}

std::string signed_number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%+.2f", value);
  return text;
}

std::string times(double ratio) {
  char text[40];
  std::snprintf(text, sizeof text, "x %.3g", ratio);
  return text;
}

std::string sensitivity_section(const Sweep& sweep) {
  if (sweep.sensitivities.empty()) return "";
  std::string text =
      "Sensitivity: per cent of change for one per cent more on the axis (median; least to most); for words,\n"
      "times the first value (geometric mean)\n";
  for (const Sensitivity& s : sweep.sensitivities) {
    text += "  " + left(label(s.axis), 24) + left(s.metric, 20);
    if (s.elasticity) {
      text += right(signed_number(*s.elasticity), 7) + "   (" + signed_number(*s.least) + " to " +
              signed_number(*s.most) + ")\n";
      continue;
    }
    std::string values;
    for (const auto& [value, ratio] : s.relative)
      values += (values.empty() ? "" : ", ") + label(value) + " " + times(ratio);
    const std::string lines = folded(values, 46, width);
    text += lines.substr(std::min<std::size_t>(46, lines.size()));
  }
  return text + "\n";
}

std::string fault_section(const Sweep& sweep) {
  if (sweep.faults.empty()) return "";
  std::string text = "Why points are invalid\n";
  for (std::size_t f = 0; f < std::min(faults_shown, sweep.faults.size()); ++f) {
    const CommonFault& fault = sweep.faults[f];
    text += folded(std::to_string(fault.points) + (fault.points == 1 ? " point: " : " points: ") + fault.pointer +
                       ", expected " + fault.example.expected + ", got such as " + fault.example.got,
                   2, width);
  }
  return text;
}

Json values_json(const Sweep& sweep, const SweepRow& row) {
  Json json = Json::object();
  const std::vector<std::size_t> values = sweep.values_at(row.point);
  for (std::size_t a = 0; a < sweep.axes.size(); ++a)
    for (std::size_t p = 0; p < sweep.axes[a].pointers.size(); ++p) {
      const std::string& text = sweep.axes[a].values[values[a]][p];
      json[sweep.axes[a].pointers[p]] = text.empty() ? Json(nullptr) : Json::parse(text);
    }
  return json;
}

Json row_json(const Sweep& sweep, const SweepRow& row) {
  Json json = {{"point", row.point}, {"values", values_json(sweep, row)}, {"metrics", Json::object()}};
  for (const auto& [name, value] : row.metrics) json["metrics"][name] = value;
  if (!row.currency.empty()) json["currency"] = row.currency;
  json["bottleneck"] = {{"kind", row.limit_kind}, {"resource", row.limit_resource}, {"share", row.limit_share}};
  return json;
}

Json problem_json(const Problem& p) {
  return {{"pointer", p.pointer}, {"expected", p.expected}, {"got", p.got}, {"hint", p.hint}};
}

const char* status_word(SweepRow::Status status) {
  return status == SweepRow::Status::done ? "done" : status == SweepRow::Status::invalid ? "invalid" : "failed";
}

}  // namespace

std::string sweep_as_table(const Sweep& sweep) {
  return head(sweep) + axes_section(sweep) + best_section(sweep) + front_sections(sweep) + sensitivity_section(sweep) +
         fault_section(sweep);
}

std::string sweep_as_json(const Sweep& sweep) {
  Json json = {{"study", sweep.name},
               {"points", sweep.rows.size()},
               {"invalid", sweep.invalid},
               {"failed", sweep.failed},
               {"filtered", sweep.filtered},
               {"objective", {{sweep.maximize ? "maximize" : "minimize", sweep.objective}}},
               {"feasible", sweep.feasible},
               {"constraints", Json::array()},
               {"best", Json::array()},
               {"front_time_cost", Json::array()},
               {"front_time_energy", Json::array()},
               {"sensitivity", Json::array()},
               {"faults", Json::array()}};
  for (const SweepConstraint& constraint : sweep.constraints) json["constraints"].push_back(constraint.text);
  for (const std::size_t r : sweep.best) json["best"].push_back(row_json(sweep, sweep.rows[r]));
  for (const SweepOffer& offer : sweep.cost_front) {
    Json item = row_json(sweep, sweep.rows[offer.row]);
    item["rented"] = offer.rented;
    item["time_s"] = offer.time_s;
    item["cost"] = offer.cost;
    json["front_time_cost"].push_back(std::move(item));
  }
  for (const std::size_t r : sweep.energy_front) json["front_time_energy"].push_back(row_json(sweep, sweep.rows[r]));
  for (const Sensitivity& s : sweep.sensitivities) {
    Json item = {{"axis", s.axis}, {"metric", s.metric}, {"pairs", s.pairs}};
    if (s.elasticity) item.update({{"elasticity", *s.elasticity}, {"least", *s.least}, {"most", *s.most}});
    for (const auto& [value, ratio] : s.relative) item["times_the_first"][value] = ratio;
    json["sensitivity"].push_back(std::move(item));
  }
  for (const CommonFault& fault : sweep.faults)
    json["faults"].push_back({{"points", fault.points}, {"example", problem_json(fault.example)}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string sweep_as_csv(const Sweep& sweep) {
  std::vector<std::string> names;  // of every metric that some row has, as the first to have it orders them
  for (const SweepRow& row : sweep.rows)
    for (const auto& [name, value] : row.metrics)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  std::string text = "point,status";
  for (const StudyAxis& axis : sweep.axes)
    for (const std::string& pointer : axis.pointers) text += "," + csv_cell(pointer);
  for (const std::string& name : names) {
    const KnownMetric* known = find_metric(name);
    const bool plain = known == nullptr || known->dimension == Dimension::money;
    text += "," + csv_cell(plain ? name : csv_column({name, 0, known->unit, ""}));
  }
  text += ",currency,bottleneck_kind,bottleneck_resource,bottleneck_share,problems\n";
  for (const SweepRow& row : sweep.rows) {
    text += std::to_string(row.point) + "," + status_word(row.status);
    const std::vector<std::size_t> values = sweep.values_at(row.point);
    for (std::size_t a = 0; a < sweep.axes.size(); ++a)
      for (const std::string& json : sweep.axes[a].values[values[a]]) {
        const bool word = json.size() > 1 && json.front() == '"';
        text += "," + csv_cell(word ? Json::parse(json).get<std::string>() : json);
      }
    for (const std::string& name : names) {
      const auto value = row.metric(name);
      text += "," + (value ? shortest(*value) : "");
    }
    std::string problems;
    for (const Problem& p : row.problems)
      problems += (problems.empty() ? "" : "; ") + p.pointer + ": expected " + p.expected + ", got " + p.got;
    text += "," + row.currency + "," + csv_cell(row.limit_kind) + "," + csv_cell(row.limit_resource) + "," +
            (row.status == SweepRow::Status::done ? shortest(row.limit_share) : "") + "," + csv_cell(problems) + "\n";
  }
  return text;
}

}  // namespace clustersim
