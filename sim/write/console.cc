// The table one wants to read: what it takes, what limits it, where the step goes, what it costs, what it leans on.
#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "sim/write/readable.h"
#include "sim/write/writers.h"

namespace clustersim {
namespace {

constexpr int width = 80;
constexpr int label_width = 30;
constexpr int value_width = 18;
constexpr int bar_width = 24;

struct Line {
  const char* metric;
  const char* label;
};

// What each section shows, in order; a metric in none of them ends up under "Also".
const std::vector<Line> result_lines = {{"time_to_train", "time to train"},
                                        {"step_time", "time of a step"},
                                        {"throughput", "throughput"},
                                        {"throughput_per_gpu", "  per GPU"},
                                        {"tokens_per_s", "tokens"},
                                        {"epochs_to_target", "epochs to target"},
                                        {"samples_to_target", "samples to target"},
                                        {"steps_to_target", "steps to target"},
                                        {"first_epoch_time", "first epoch"},
                                        {"evaluation_time", "evaluation, in all"},
                                        {"checkpoint_blocking_time", "held up by a checkpoint"},
                                        {"checkpoint_time", "by all checkpoints"},
                                        {"gpu_busy_share", "GPU busy"},
                                        {"gpu_memory_required", "memory needed on a GPU"}};
const std::vector<Line> part_lines = {
    {"forward_backward_time", "forward and backward"}, {"exposed_communication_time", "exposed communication"},
    {"input_stall_time", "waiting for input"},         {"optimizer_time", "optimizer"},
    {"host_overhead_time", "host overhead"},           {"straggler_time", "waiting for the slowest"}};
const std::vector<Line> energy_lines = {{"sustained_gpu_clock", "sustained GPU clock"},
                                        {"peak_gpu_temperature", "hottest GPU"},
                                        {"average_gpu_power", "power of a GPU, average"},
                                        {"average_node_power", "power of a node, average"},
                                        {"energy", "energy"},
                                        {"carbon", "carbon"}};
const std::vector<Line> cost_lines = {{"cost_self_hosted", "on own servers"},
                                      {"cost_cloud", "in the cloud"},
                                      {"time_to_train_cloud", "time to train in the cloud"},
                                      {"spot_interruptions", "  interruptions expected"},
                                      {"spot_lost_time", "  lost to interruptions"},
                                      {"cost_self_hosted_per_month", "owning, a month"},
                                      {"cost_cloud_per_month", "renting as much, a month"},
                                      {"cost_self_hosted_over_years", "owning, over the years"},
                                      {"cost_cloud_over_years", "renting as much, over them"},
                                      {"break_even_utilization", "owning pays from a use of"},
                                      {"break_even_months", "owning has paid after"}};

const Metric* find(const Report& report, const std::string& name) {
  for (const Metric& metric : report.metrics)
    if (metric.name == name) return &metric;
  return nullptr;
}

std::string whole(double value) { return std::to_string(std::llround(value)); }

std::string section(const Report& report, const std::string& title, const std::vector<Line>& lines) {
  std::string text;
  const Metric* epochs = find(report, "epochs_to_target");
  for (const Line& line : lines) {
    if (std::string_view(line.metric) == "first_epoch_time" && epochs && epochs->value < 1) continue;  // none is whole
    if (const Metric* metric = find(report, line.metric))
      text += "  " + left(line.label, label_width) + right(metric_text(*metric), value_width) + "\n";
  }
  return text.empty() ? "" : "\n" + title + "\n" + text;
}

// The cost, each range below its likely value, what is not priced, and what to doubt.
std::string cost_section(const Report& report) {
  std::string text;
  for (const Line& line : cost_lines) {
    const Metric* metric = find(report, line.metric);
    if (metric) text += "  " + left(line.label, label_width) + right(metric_text(*metric), value_width) + "\n";
    const std::string name = line.metric;
    const std::string range = range_text(find(report, name + "_low"), find(report, name + "_high"));
    if (!range.empty()) text += "  " + left("  from .. to", label_width) + right(range, value_width) + "\n";
  }
  if (report.cost) {
    for (const std::string& part : report.cost->unpriced)
      text += folded("! no price is known for " + part + ": not priced", 2, width);
    for (const std::string& warning : report.cost->warnings) text += folded("! " + warning, 2, width);
  }
  return text.empty() ? "" : "\nCost\n" + text;
}

std::string step_section(const Report& report) {
  const Metric* step = find(report, "step_time");
  if (!step || step->value <= 0) return "";
  std::string text;
  for (const Line& line : part_lines) {
    const Metric* part = find(report, line.metric);
    if (!part) continue;
    const double share = part->value / step->value;
    const int filled = std::clamp(static_cast<int>(std::lround(share * bar_width)), 0, bar_width);
    text += "  " + left(line.label, 24) + right(metric_text(*part), 10) + right(percent(share), 8);
    text += filled > 0 ? "  " + std::string(static_cast<std::size_t>(filled), '#') + "\n" : "\n";
  }
  return text.empty() ? "" : "\nWhere the step goes\n" + text;
}

std::string limit_section(const Report& report) {
  const Bottleneck& limit = report.bottleneck;
  if (limit.kind.empty()) return "";
  std::string what = limit.kind;
  if (!limit.resource.empty()) what += " (" + limit.resource + ")";
  std::string text = "\nWhat limits it\n" + folded(what + ", " + percent(limit.share) + " of the step", 2, width);
  if (!limit.advice.empty()) text += folded("Try: " + limit.advice, 2, width);
  return text;
}

std::string other_section(const Report& report) {
  std::set<std::string> shown;
  for (const auto* lines : {&result_lines, &part_lines, &energy_lines, &cost_lines})
    for (const Line& line : *lines) shown.insert(line.metric);
  for (const Line& line : cost_lines)
    for (const char* end : {"_low", "_high"}) shown.insert(std::string(line.metric) + end);
  std::string text;
  for (const Metric& metric : report.metrics)
    if (!shown.count(metric.name))
      text += "  " + left(metric.name, label_width) + right(metric_text(metric), value_width) + "\n";
  return text.empty() ? "" : "\nAlso\n" + text;
}

std::string notes_section(const Report& report) {
  if (report.notes.empty()) return "";
  std::string text = "\nNotes\n";
  for (const Note& note : report.notes)
    text += folded(note.topic.empty() ? note.text : note.topic + ": " + note.text, 2, width);
  return text;
}

// Assumptions with one heading each, in the order in which the headings first appear: "heading: key value, key value".
std::string grouped(const std::vector<Assumption>& assumptions, Assumption::Kind kind,
                    std::string (*heading)(const Assumption&), std::string (*item)(const Assumption&)) {
  std::vector<std::pair<std::string, std::string>> groups;
  for (const Assumption& a : assumptions) {
    if (a.kind != kind) continue;
    const std::string name = heading(a);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == name; });
    if (group == groups.end()) group = groups.insert(groups.end(), {name, ""});
    const std::string text = item(a);  // the cloud's node often leans on the same as the own one
    if (group->second == text || group->second.find(", " + text) != std::string::npos ||
        group->second.rfind(text + ", ", 0) == 0)
      continue;
    group->second += (group->second.empty() ? "" : ", ") + text;
  }
  std::string text;
  for (const auto& [name, items] : groups) text += folded(name.empty() ? items : name + ": " + items, 4, width);
  return text;
}

std::string with_title(const std::string& title, const std::string& text) {
  return text.empty() ? "" : "  " + title + "\n" + text;
}

// "/cluster/node/gpu_power_limit" -> "gpu_power_limit": the last step of a pointer.
std::string last_step(const std::string& pointer) { return pointer.substr(pointer.rfind('/') + 1); }

std::string key_and_value(const Assumption& a) { return last_step(a.pointer) + (a.value.empty() ? "" : " " + a.value); }

// Of a catalog number "gpu/a100-sxm4-40gb/idle_power" the part, of a scenario key the object it belongs to.
std::string owner(const Assumption& a) { return a.pointer.substr(0, a.pointer.rfind('/')); }

std::string assumptions_section(const std::vector<Assumption>& assumptions) {
  const std::string text =
      with_title(
          "defaults, not stated in the scenario",
          grouped(
              assumptions, Assumption::Kind::default_value, [](const Assumption& a) { return a.why; }, key_and_value)) +
      with_title("guesses among the catalog's numbers (--format json says why)",
                 grouped(assumptions, Assumption::Kind::estimate, owner,
                         [](const Assumption& a) {
                           const bool short_value = a.value.size() <= 24;
                           return last_step(a.pointer) + (short_value && !a.value.empty() ? " " + a.value : "");
                         })) +
      with_title("the model's own",
                 grouped(
                     assumptions, Assumption::Kind::model, [](const Assumption& a) { return a.why; }, key_and_value));
  return text.empty() ? "" : "\nWhat this leans on\n" + text;
}

std::string provenance_line(const Provenance& p) {
  std::string text = "clustersim " + p.version + ", " + readable(static_cast<double>(p.events), "events") + " in " +
                     readable(p.wall_time_s, "s");
  if (!p.fingerprint.empty()) text += ", fingerprint " + p.fingerprint;
  return "\n" + folded(text, 0, width);
}

}  // namespace

std::string report_as_table(const Report& report) {
  std::string title = report.scenario;
  if (!report.headline.empty()) title += (title.empty() ? "" : ": ") + report.headline;
  return folded(title, 0, width) + section(report, "Result", result_lines) + limit_section(report) +
         step_section(report) + section(report, "Energy and heat", energy_lines) + cost_section(report) +
         other_section(report) + notes_section(report) + assumptions_section(report.assumptions) +
         provenance_line(report.provenance);
}

std::string collective_as_table(const CollectiveTable& table) {
  std::string text = table.operation + ", " + std::to_string(table.ranks) + " ranks\n";
  text += right("bytes", 12) + right("time", 12) + right("algbw GB/s", 14) + right("busbw GB/s", 14) + "  algorithm\n";
  for (const CollectiveRow& row : table.rows)
    text += right(whole(row.bytes), 12) + right(readable(row.time_us * 1e-6, "s"), 12) +
            right(readable(row.algbw_gb_per_s, ""), 14) + right(readable(row.busbw_gb_per_s, ""), 14) + "  " +
            row.algorithm + (row.measured == "beyond" ? "  beyond the sizes measured" : "") + "\n";
  return text + assumptions_section(table.assumptions);
}

}  // namespace clustersim
