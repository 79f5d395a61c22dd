// Scenarios side by side, in each format.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/write/readable.h"
#include "sim/write/writers.h"

namespace clustersim {
namespace {

using Json = nlohmann::ordered_json;

constexpr int width = 80;
constexpr int label_width = 24;
constexpr int column_width = 18;
constexpr std::size_t columns_a_block = 3;
constexpr int bar_width = 58;
constexpr std::size_t pairs_shown = 6;

struct Row {
  const char* metric;
  const char* label;
  char letter = ' ';  // of a part in bars
};

constexpr Row result_rows[] = {{"time_to_train", "time to train"},
                               {"step_time", "time of a step"},
                               {"throughput", "throughput"},
                               {"energy", "energy"},
                               {"carbon", "carbon"},
                               {"cost_self_hosted", "on own servers"},
                               {"cost_cloud", "in the cloud"},
                               {"cost_self_hosted_per_month", "  owning, a month"},
                               {"cost_cloud_per_month", "  renting, a month"},
                               {"break_even_utilization", "owning pays from"},
                               {"break_even_months", "  paid for after"}};
constexpr Row part_rows[] = {{"forward_backward_time", "forward and backward", 'f'},
                             {"optimizer_time", "optimizer", 'o'},
                             {"exposed_communication_time", "exposed communication", 'c'},
                             {"input_stall_time", "waiting for input", 'i'},
                             {"host_overhead_time", "host overhead", 'h'},
                             {"straggler_time", "waiting for the slowest", 'w'}};

const Metric* find(const Report& report, const std::string& name) {
  for (const Metric& metric : report.metrics)
    if (metric.name == name) return &metric;
  return nullptr;
}

bool is_unpriced(const ComparedRun& run, const std::string& metric) {
  return std::count(run.unpriced.begin(), run.unpriced.end(), metric) > 0;
}

bool is_best(const Comparison& comparison, std::size_t run, const std::string& metric) {
  if (metric == "time_to_train") return run == comparison.fastest;
  if (metric == "cost_self_hosted") return comparison.cheapest_self_hosted == run;
  return metric == "cost_cloud" && comparison.cheapest_cloud == run;
}

// A line of a block: the label and a cell for each of its runs; "" where every cell is a dash.
template <class Cell>
std::string line(const char* label, std::size_t begin, std::size_t end, const Cell& cell) {
  std::string text = left("  " + std::string(label), label_width);
  bool said = false;
  for (std::size_t i = begin; i < end; ++i) {
    const std::string value = cell(i);
    said = said || value != "-";
    text += right(cut(value, column_width - 1), column_width);
  }
  return said ? text + "\n" : "";
}

std::string result_cell(const Comparison& comparison, std::size_t i, const char* metric) {
  const ComparedRun& run = comparison.runs[i];
  if (is_unpriced(run, metric)) return "unpriced";
  const Metric* found = find(run.report, metric);
  if (!found) return "-";
  return (is_best(comparison, i, metric) ? "* " : "") + metric_text(*found);
}

// "46.1-56.0 USD" of a sum whose prices are ranges, else a dash.
std::string range_cell(const Comparison& comparison, std::size_t i, const std::string& metric) {
  const Report& report = comparison.runs[i].report;
  const std::string text = range_text(find(report, metric + "_low"), find(report, metric + "_high"));
  return text.empty() ? "-" : text;
}

std::string part_cell(const Report& report, const char* part) {
  const Metric *found = find(report, part), *step = find(report, "step_time");
  return found && step && step->value > 0 ? percent(found->value / step->value) : "-";
}

std::string block(const Comparison& comparison, std::size_t begin, std::size_t end) {
  const auto& runs = comparison.runs;
  std::string text = "\n" + line("", begin, end, [&](std::size_t i) { return runs[i].letter; });
  for (const Row& row : result_rows) {
    text += line(row.label, begin, end, [&](std::size_t i) { return result_cell(comparison, i, row.metric); });
    text += line("  or", begin, end, [&](std::size_t i) { return range_cell(comparison, i, row.metric); });
  }
  text += line("limited by", begin, end, [&](std::size_t i) {
    const Bottleneck& limit = runs[i].report.bottleneck;
    return limit.kind + " " + percent(limit.share);
  });
  text += line("", begin, end, [&](std::size_t i) { return runs[i].report.bottleneck.resource; });
  text += "  of a step\n";
  for (const Row& row : part_rows)
    text += line(row.label, begin, end, [&](std::size_t i) { return part_cell(runs[i].report, row.metric); });
  return text;
}

double step_s(const Report& report) {
  const Metric* step = find(report, "step_time");
  return step ? step->value : 0;
}

// A step of each run as a line of letters, all on one scale; the ends of parts are rounded, so that lengths add up.
std::string bars_section(const Comparison& comparison) {
  double longest = 0;
  for (const ComparedRun& run : comparison.runs) longest = std::max(longest, step_s(run.report));
  if (longest <= 0) return "";
  std::string text = "\nA step of each, on one scale\n", used;
  for (const ComparedRun& run : comparison.runs) {
    std::string bar;
    double until = 0;
    for (const Row& row : part_rows) {
      const Metric* part = find(run.report, row.metric);
      if (!part) continue;
      until += part->value;
      const auto end = static_cast<std::size_t>(std::lround(until / longest * bar_width));
      if (end > bar.size()) bar.append(end - bar.size(), row.letter);
    }
    used += bar;
    text += left("  " + run.letter, 6) + right(readable(step_s(run.report), "s"), 10) + "  " + bar + "\n";
  }
  std::string key;
  for (const Row& row : part_rows)
    if (used.find(row.letter) != std::string::npos)
      key += (key.empty() ? "" : ", ") + std::string(1, row.letter) + " " + row.label;
  return text + folded(key, 2, width);
}

std::string offer_text(const Comparison& comparison, const Offer& offer) {
  const std::string range = offer.low < offer.high ? " (" + readable(offer.low, offer.currency) + " to " +
                                                         readable(offer.high, offer.currency) + ")"
                                                   : "";
  return comparison.runs[offer.run].letter + (offer.rented ? " rented: " : " on own servers: ") +
         readable(offer.time_s, "s") + ", " + readable(offer.cost, offer.currency) + range;
}

std::string best_section(const Comparison& comparison) {
  const auto& runs = comparison.runs;
  std::string text = "\n* fastest: " + runs[comparison.fastest].letter;
  if (comparison.cheapest_self_hosted)
    text += "; cheapest on own servers: " + runs[*comparison.cheapest_self_hosted].letter;
  if (comparison.cheapest_cloud) text += "; cheapest in the cloud: " + runs[*comparison.cheapest_cloud].letter;
  text += "\n";
  if (comparison.offers.empty()) return text;
  text += "Front of time and cost (nothing else is both as fast and as cheap)\n";
  std::vector<const Offer*> front;
  for (const Offer& offer : comparison.offers)
    if (offer.on_front) front.push_back(&offer);
  std::stable_sort(front.begin(), front.end(), [](const Offer* x, const Offer* y) { return x->time_s < y->time_s; });
  for (const Offer* offer : front) text += "  " + offer_text(comparison, *offer) + "\n";
  return text;
}

// Each owned cluster against each rented one; against the cheapest where these are many.
std::string break_even_section(const Comparison& comparison) {
  std::string text;
  for (const OwnOrRent& pair : comparison.break_evens) {
    if (comparison.break_evens.size() > pairs_shown && pair.rented != comparison.cheapest_cloud) continue;
    const std::string what = "  owning " + comparison.runs[pair.owned].letter + " against renting for " +
                             comparison.runs[pair.rented].letter + ": ";
    const bool never = !pair.utilization || *pair.utilization > 1;
    text += what + (never ? "never cheaper" : "cheaper from a use of " + percent(*pair.utilization));
    if (pair.low || pair.high)
      text += " (" + (pair.low ? percent(*pair.low) : "?") + " to " + (pair.high ? percent(*pair.high) : "never") + ")";
    text += "\n";
  }
  return text.empty() ? "" : "Own or rent for the whole job, by the share of the year in use\n" + text;
}

}  // namespace

std::string comparison_as_table(const Comparison& comparison) {
  std::string text;
  for (const ComparedRun& run : comparison.runs)
    text += folded(run.letter + "  " + run.report.scenario + ": " + run.report.headline, 0, width);
  for (std::size_t begin = 0; begin < comparison.runs.size(); begin += columns_a_block)
    text += block(comparison, begin, std::min(begin + columns_a_block, comparison.runs.size()));
  text += bars_section(comparison) + best_section(comparison) + break_even_section(comparison);
  if (comparison.runs.size() > 1) text += "\nWhy they differ\n";
  for (const ComparedRun& run : comparison.runs)
    if (!run.difference.empty()) text += folded(run.difference, 2, width);
  if (!comparison.remarks.empty()) text += "\nRemarks\n";
  for (const std::string& remark : comparison.remarks) text += folded(remark, 2, width);
  return text;
}

std::string comparison_as_json(const Comparison& comparison) {
  const auto letter = [&](const std::optional<std::size_t>& run) {
    return run ? Json(comparison.runs[*run].letter) : Json();
  };
  Json json;
  json["runs"] = Json::array();
  for (const ComparedRun& run : comparison.runs) {
    Json entry = {{"letter", run.letter}, {"path", run.path}};
    entry.update(Json::parse(report_as_json(run.report)));
    entry["unpriced"] = run.unpriced;
    entry["difference"] = run.difference;
    json["runs"].push_back(std::move(entry));
  }
  json["offers"] = Json::array();
  for (const Offer& offer : comparison.offers)
    json["offers"].push_back({{"run", letter(offer.run)},
                              {"rented", offer.rented},
                              {"time", {{"value", offer.time_s}, {"unit", "s"}}},
                              {"cost", {{"value", offer.cost}, {"unit", offer.currency}}},
                              {"cost_low", {{"value", offer.low}, {"unit", offer.currency}}},
                              {"cost_high", {{"value", offer.high}, {"unit", offer.currency}}},
                              {"on_front", offer.on_front}});
  json["break_evens"] = Json::array();
  for (const OwnOrRent& pair : comparison.break_evens) {
    Json entry = {{"owned", letter(pair.owned)}, {"rented", letter(pair.rented)}};
    if (pair.utilization) entry["utilization"] = *pair.utilization;
    if (pair.low) entry["utilization_low"] = *pair.low;
    if (pair.high) entry["utilization_high"] = *pair.high;
    json["break_evens"].push_back(std::move(entry));
  }
  json["fastest"] = letter(comparison.fastest);
  json["cheapest_self_hosted"] = letter(comparison.cheapest_self_hosted);
  json["cheapest_cloud"] = letter(comparison.cheapest_cloud);
  json["remarks"] = comparison.remarks;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Columns are those of all runs, in the order in which they first appear; a run that lacks one leaves it empty.
std::string comparison_as_csv(const Comparison& comparison) {
  std::vector<std::string> columns;
  for (const ComparedRun& run : comparison.runs)
    for (const Metric& metric : run.report.metrics)
      if (const std::string column = csv_column(metric); !std::count(columns.begin(), columns.end(), column))
        columns.push_back(column);
  std::string text = "letter,scenario";
  for (const std::string& column : columns) text += "," + csv_cell(column);
  text += ",bottleneck_resource,bottleneck_kind,bottleneck_share,difference\n";
  for (const ComparedRun& run : comparison.runs) {
    text += run.letter + "," + csv_cell(run.report.scenario);
    for (const std::string& column : columns) {
      text += ",";
      for (const Metric& metric : run.report.metrics)
        if (csv_column(metric) == column) text += shortest(metric.value);
    }
    const Bottleneck& limit = run.report.bottleneck;
    text += "," + csv_cell(limit.resource) + "," + csv_cell(limit.kind) + "," + shortest(limit.share) + "," +
            csv_cell(run.difference) + "\n";
  }
  return text;
}

}  // namespace clustersim
