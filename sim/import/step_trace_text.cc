// Our own file of a recorded step, written; and what a step is in a few lines. (step_trace_file.h)
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "models/workload/operator_kind.h"
#include "sim/import/step_trace_file.h"
#include "sim/read/json_value.h"

namespace clustersim {
namespace {

void append_text(std::string& out, const std::string& text) {
  JsonValue value;
  value.kind = JsonValue::Kind::text;
  value.text = text;
  out += to_text(value, 0);
}

// Exact to the picosecond up to hours.
std::string us_text(SimTime t) {
  char text[40];
  const long long whole = t / 1000000, part = t % 1000000;
  int length = std::snprintf(text, sizeof text, "%lld.%06lld", whole, part);
  while (length > 0 && text[length - 1] == '0') --length;
  if (length > 0 && text[length - 1] == '.') --length;
  return std::string(text, static_cast<std::size_t>(length));
}

std::string number_text_of(double value) {
  char text[40];
  std::snprintf(text, sizeof text, value == std::floor(value) && value < 1e15 ? "%.0f" : "%.7g", value);
  return text;
}

std::string ms_text(SimTime t) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g ms", static_cast<double>(t) * 1e-9);
  return text;
}

void append_operator(std::string& out, const StepTrace& trace, const TraceOperator& op) {
  out += "{";
  if (op.name >= 0) {
    out += "\"name\": ";
    append_text(out, trace.names[static_cast<std::size_t>(op.name)]);
    out += ", ";
  }
  out += std::string("\"kind\": \"") + to_string(op.kind) + "\", \"stream\": " + std::to_string(op.stream) +
         ", \"start_us\": " + us_text(op.start);
  if (op.duration >= 0) out += ", \"duration_us\": " + us_text(op.duration);
  if (op.flop >= 0) out += ", \"flop\": " + number_text_of(op.flop);
  if (op.bytes >= 0) out += ", \"bytes\": " + number_text_of(op.bytes);
  if (const std::string launch = launch_word(op.launch); !launch.empty()) out += ", \"launch\": \"" + launch + "\"";
  if (op.collective >= 0) {
    const TraceCollective& c = trace.collectives[static_cast<std::size_t>(op.collective)];
    out += std::string(", \"collective\": {\"op\": \"") + to_string(c.op) + "\"";
    if (c.bytes >= 0) out += ", \"bytes\": " + number_text_of(c.bytes);
    if (c.group > 0) out += ", \"group\": " + std::to_string(c.group);
    if (c.stride > 0) out += ", \"stride\": " + std::to_string(c.stride);
    if (c.wire >= 0) out += ", \"wire_us\": " + us_text(c.wire);
    out += "}";
  }
  if (op.after_count > 0) {
    out += ", \"after\": [";
    for (std::int32_t i = 0; i < op.after_count; ++i)
      out += (i == 0 ? "" : ", ") + std::to_string(trace.after[static_cast<std::size_t>(op.first_after + i)]);
    out += "]";
  }
  out += "}";
}

}  // namespace

const char* launch_word(Launch launch) {
  return launch == Launch::host ? "host" : launch == Launch::synchronized ? "synchronized" : "";
}

std::string step_trace_text(const StepTrace& trace) {
  std::string out = "{\"clustersim_step_trace\": 1";
  const auto text = [&](const char* key, const std::string& value) {
    if (value.empty()) return;
    out += std::string(",\n \"") + key + "\": ";
    append_text(out, value);
  };
  const auto number = [&](const char* key, double value) {
    if (value > 0) out += std::string(",\n \"") + key + "\": " + number_text_of(value);
  };
  text("source", trace.source);
  if (trace.on_cpu) text("device", "cpu");
  text("gpu", trace.gpu);
  number("ranks", trace.ranks);
  number("batch", trace.batch);
  if (!trace.batch_guess.empty()) {
    out += ",\n \"estimated\": {\"batch\": ";
    append_text(out, trace.batch_guess);
    out += "}";
  }
  number("parameters", trace.parameters);
  text("step_time", ms_text(trace.step));
  if (!trace.steps.empty()) {
    out += ",\n \"steps\": [";
    for (std::size_t i = 0; i < trace.steps.size(); ++i) {
      if (i > 0) out += ", ";
      append_text(out, ms_text(trace.steps[i]));
    }
    out += "]";
  }
  if (trace.dependencies) out += ",\n \"dependencies\": true";
  out += ",\n \"operators\": [\n";
  for (std::size_t i = 0; i < trace.operators.size(); ++i) {
    if (i > 0) out += ",\n";
    out += "  ";
    append_operator(out, trace, trace.operators[i]);
  }
  return out + "\n ]\n}\n";
}

std::vector<std::string> collective_summary(const StepTrace& trace) {
  struct Sum {
    int count = 0, unknown = 0;
    double bytes = 0;
    SimTime wire = 0;
  };
  std::map<CollectiveOp, Sum> sums;
  for (const TraceOperator& op : trace.operators) {
    if (op.collective < 0) continue;
    const TraceCollective& c = trace.collectives[static_cast<std::size_t>(op.collective)];
    Sum& sum = sums[c.op];
    ++sum.count;
    if (c.bytes >= 0)
      sum.bytes += c.bytes;
    else
      ++sum.unknown;
    sum.wire += std::max<SimTime>(0, c.wire >= 0 ? c.wire : op.duration);
  }
  std::vector<std::string> lines;
  for (const auto& [op, sum] : sums) {
    char line[160];
    std::snprintf(line, sizeof line, "%d %s, %.7g MB, %.6g ms", sum.count, to_string(op), sum.bytes * 1e-6,
                  static_cast<double>(sum.wire) * 1e-9);
    lines.push_back(line);
    if (sum.unknown == sum.count)
      lines.back() = std::to_string(sum.count) + " " + to_string(op) + " of unknown size, " + ms_text(sum.wire);
    else if (sum.unknown > 0)
      lines.back() += ", " + std::to_string(sum.unknown) + " of unknown size";
  }
  return lines;
}

std::vector<std::string> trace_summary(const StepTrace& trace) {
  struct Sum {
    int count = 0;
    SimTime time = 0;
  };
  std::map<OperatorKind, Sum> kinds;
  std::map<int, int> streams;
  SimTime busy = 0, covered = 0;
  for (const TraceOperator& op : trace.operators) {
    const SimTime end = op.start + std::max<SimTime>(0, op.duration);
    busy += std::max<SimTime>(0, end - std::max(op.start, covered));
    covered = std::max(covered, end);
    ++streams[op.stream];
    Sum& sum = kinds[op.kind];
    ++sum.count;
    sum.time += std::max<SimTime>(0, op.duration);
  }
  char line[200];
  std::vector<std::string> lines;
  std::snprintf(line, sizeof line, "step time %.6g ms; %zu operators on %zu streams, busy %.6g ms (%.0f %%)",
                static_cast<double>(trace.step) * 1e-9, trace.operators.size(), streams.size(),
                static_cast<double>(busy) * 1e-9,
                trace.step > 0 ? 100 * static_cast<double>(busy) / static_cast<double>(trace.step) : 0.0);
  lines.push_back(line);
  for (const auto& [kind, sum] : kinds) {
    if (kind == OperatorKind::collective) continue;
    std::snprintf(line, sizeof line, "%s: %d, %.6g ms", to_string(kind), sum.count,
                  static_cast<double>(sum.time) * 1e-9);
    lines.push_back(line);
  }
  for (const std::string& text : collective_summary(trace)) lines.push_back("collectives: " + text);
  return lines;
}

}  // namespace clustersim
