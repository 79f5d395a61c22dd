// Scenarios as text, run whole, and their reports read by name: for the tests of what the program promises.
#pragma once

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "clustersim/clustersim.h"

namespace clustersim::acceptance {

inline Report run_text(const std::string& text, const std::vector<Override>& overrides = {}) {
  return run(read_scenario_text(text, "test", overrides), {});
}

inline const Metric* find_metric(const Report& report, const std::string& name) {
  for (const Metric& metric : report.metrics)
    if (metric.name == name) return &metric;
  return nullptr;
}

// The value of a metric that must be there.
inline double metric(const Report& report, const std::string& name) {
  const Metric* found = find_metric(report, name);
  if (found == nullptr) throw std::runtime_error("no metric " + name);
  return found->value;
}

// All notes of a topic, a line each.
inline std::string notes(const Report& report, const std::string& topic) {
  std::string text;
  for (const Note& note : report.notes)
    if (note.topic == topic) text += note.text + "\n";
  return text;
}

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The assumption about a key, or nullptr.
inline const Assumption* find_assumption(const Report& report, const std::string& pointer) {
  for (const Assumption& assumption : report.assumptions)
    if (assumption.pointer == pointer) return &assumption;
  return nullptr;
}

// What nccl-tests would print for an all-reduce, in GB/s; `cluster` is the text of its object.
inline double all_reduce_busbw(const std::string& cluster, double bytes, std::optional<int> ranks = {},
                               const std::string& algorithm = "auto") {
  const std::string text = R"({"clustersim": 1, "cluster": )" + cluster + R"(, "job": {"model": "resnet-50"}})";
  return collective(read_scenario_text(text, "test", {}), "all_reduce", {bytes}, ranks, algorithm)
      .rows[0]
      .busbw_gb_per_s;
}

// The faults of reading and running a text; empty where there are none.
inline std::vector<Problem> faults_of(const std::string& text) {
  try {
    run_text(text);
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

// The forward and backward pass, the waits and the update: what a step consists of, by the report's names.
inline double sum_of_parts(const Report& report) {
  double sum = 0;
  for (const char* part : {"forward_backward_time", "exposed_communication_time", "input_stall_time", "optimizer_time",
                           "host_overhead_time", "straggler_time"})
    sum += metric(report, part);
  return sum;
}

// Names without suffix of the JSON files of a folder, in order.
inline std::vector<std::string> json_files(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

inline std::filesystem::path scenarios() { return std::filesystem::path(CLUSTERSIM_SOURCE_DIR) / "scenarios"; }

}  // namespace clustersim::acceptance
