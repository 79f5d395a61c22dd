#include "sim/import/step_trace_file.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <optional>

#include "clustersim/units_text.h"
#include "models/workload/operator_kind.h"
#include "sim/import/json_stream.h"
#include "sim/import/text_source.h"
#include "sim/read/did_you_mean.h"

namespace clustersim {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;
constexpr std::size_t most_operators = 4'000'000;
constexpr std::size_t most_problems = 20;
constexpr double longest_us = 1e11;  // a day and more
constexpr double most_streams = 30000;

class TraceReader {
 public:
  explicit TraceReader(const std::string& path) : path_(path) {}

  StepTrace read() {
    const auto source = open_source(path_, most_bytes);
    JsonStreamUser user;
    user.lists = {"operators"};
    user.element = [&](const std::string& list, JsonValue& value) {
      if (list.empty()) return;
      add_operator(value);
    };
    user.member = [&](const std::string& key, JsonValue& value) { add_member(key, value); };
    const JsonStreamEnd end = stream_json(*source, user);
    if (!end.complete) fault("", "a whole JSON file", end.trouble);
    check();
    if (!problems_.empty()) throw InputError(problems_);
    if (sort_operators(trace_) > 0) {
      fault("/operators", "in every \"after\" operators that begin no later and stand before",
            "some that begin later, or wait for each other");
      throw InputError(problems_);
    }
    return std::move(trace_);
  }

 private:
  void fault(const std::string& pointer, const std::string& expected, const std::string& got,
             const std::string& hint = "") {
    if (problems_.size() < most_problems) problems_.push_back({path_, pointer, expected, got, hint});
  }

  void add_member(const std::string& key, JsonValue& value) {
    const std::string pointer = "/" + pointer_step(key);
    const bool is_text = value.kind == JsonValue::Kind::text;
    if (key == "clustersim_step_trace") {
      versioned_ = true;
      if (value.kind != JsonValue::Kind::number || value.number != 1) fault(pointer, "version 1", to_text(value));
    } else if (key == "source" && is_text) {
      trace_.source = value.text;
    } else if (key == "gpu" && is_text) {
      trace_.gpu = value.text;
    } else if (key == "device" && is_text && (value.text == "cpu" || value.text == "gpu")) {
      trace_.on_cpu = value.text == "cpu";
    } else if (key == "ranks") {
      trace_.ranks = static_cast<int>(count(value, pointer, 1, 1e7));
    } else if (key == "batch") {
      trace_.batch = count(value, pointer, 1, 1e7);
    } else if (key == "parameters") {
      trace_.parameters = count(value, pointer, 1, 1e14);
    } else if (key == "step_time") {
      trace_.step = time(value, pointer);
    } else if (key == "steps" && value.kind == JsonValue::Kind::list) {
      for (std::size_t i = 0; i < value.items.size(); ++i)
        trace_.steps.push_back(time(value.items[i], pointer + "/" + std::to_string(i)));
    } else if (key == "dependencies" && value.kind == JsonValue::Kind::boolean) {
      trace_.dependencies = value.boolean;
    } else if (key == "estimated" && value.kind == JsonValue::Kind::object) {
      if (const std::string* why = text_at(value, "batch")) trace_.batch_guess = *why;
    } else if (key != "note") {
      const std::vector<std::string> known = {"source",    "gpu",        "device",   "ranks",
                                              "batch",     "parameters", "steps",    "dependencies",
                                              "operators", "estimated",  "step_time"};
      const bool is_known = std::find(known.begin(), known.end(), key) != known.end();
      fault(pointer, is_known ? "the value that this key has" : "a known key", to_text(value),
            is_known ? "" : did_you_mean(key, known));
    }
  }

  double count(const JsonValue& value, const std::string& pointer, double least, double most) {
    const bool good = value.kind == JsonValue::Kind::number && value.number >= least && value.number <= most &&
                      value.number == std::floor(value.number);
    if (good) return value.number;
    char range[60];
    std::snprintf(range, sizeof range, "a whole number from %.0f to %.3g", least, most);
    fault(pointer, range, to_text(value));
    return least;
  }

  SimTime time(const JsonValue& value, const std::string& pointer) {
    if (value.kind == JsonValue::Kind::text) {
      const auto parsed = parse_quantity(value.text, Dimension::time);
      if (parsed.base && *parsed.base >= 0 && *parsed.base < 1e5) return sim_time_from_seconds(*parsed.base);
    }
    fault(pointer, "a time with its unit, such as \"219.7 ms\"", to_text(value));
    return 0;
  }

  std::optional<double> us(const JsonValue& value, const std::string& pointer) {
    if (value.kind == JsonValue::Kind::number && value.number >= 0 && value.number <= longest_us) return value.number;
    fault(pointer, "microseconds, from 0 up", to_text(value));
    return std::nullopt;
  }

  static SimTime from_us(double us) { return static_cast<SimTime>(std::llround(us * 1e6)); }

  std::int32_t name_of(const std::string& name) {
    const auto [at, is_new] = name_ids_.try_emplace(name, static_cast<std::int32_t>(trace_.names.size()));
    if (is_new) trace_.names.push_back(name);
    return at->second;
  }

  void add_operator(const JsonValue& value) {
    const std::size_t index = trace_.operators.size();
    if (index == most_operators) {
      if (!too_many_) fault("/operators", "at most " + std::to_string(most_operators) + " operators", "more");
      too_many_ = true;
    }
    if (too_many_) return;
    const std::string pointer = "/operators/" + std::to_string(index);
    TraceOperator op;
    op.duration = -1;
    op.first_after = static_cast<std::int32_t>(trace_.after.size());
    bool kind_given = false;
    if (value.kind != JsonValue::Kind::object) fault(pointer, "an object", to_text(value));
    for (const auto& [key, member] : value.members) set(op, key, member, pointer + "/" + pointer_step(key), kind_given);
    op.after_count = static_cast<std::int32_t>(trace_.after.size()) - op.first_after;
    if (!kind_given && op.name >= 0) op.kind = operator_kind(trace_.names[static_cast<std::size_t>(op.name)]);
    if (op.collective >= 0) op.kind = OperatorKind::collective;
    if (op.kind == OperatorKind::collective && op.collective < 0)
      fault(pointer + "/collective", "what is exchanged, such as {\"op\": \"all_reduce\", \"bytes\": 1000}", "nothing");
    if (op.kind != OperatorKind::collective && op.duration < 0)
      fault(pointer + "/duration_us", "microseconds", "nothing");
    trace_.operators.push_back(op);
  }

  void set(TraceOperator& op, const std::string& key, const JsonValue& value, const std::string& pointer,
           bool& kind_given) {
    const bool is_text = value.kind == JsonValue::Kind::text;
    if (key == "name" && is_text) {
      op.name = name_of(value.text);
    } else if (key == "kind" && is_text) {
      const auto kind = operator_kind_of_word(value.text);
      if (!kind)
        fault(pointer,
              "a kind: matmul, convolution, attention, normalization, elementwise, optimizer, copy, "
              "host_copy, cpu, unknown or collective",
              to_text(value));
      op.kind = kind.value_or(OperatorKind::unknown);
      kind_given = true;
    } else if (key == "stream") {
      op.stream = static_cast<std::int16_t>(count(value, pointer, 0, most_streams));
    } else if (key == "start_us") {
      if (const auto t = us(value, pointer)) op.start = from_us(*t);
    } else if (key == "duration_us") {
      if (const auto t = us(value, pointer)) op.duration = from_us(*t);
    } else if (key == "flop" || key == "bytes") {
      const bool good = value.kind == JsonValue::Kind::number && value.number >= 0 && value.number < 1e30;
      if (!good) fault(pointer, "a number from 0 up", to_text(value));
      (key == "flop" ? op.flop : op.bytes) = good ? static_cast<float>(value.number) : 0;
    } else if (key == "launch" && is_text) {
      for (const Launch launch : {Launch::host, Launch::synchronized})
        if (value.text == launch_word(launch)) op.launch = launch;
      if (op.launch == Launch::unknown) fault(pointer, "host or synchronized", to_text(value));
    } else if (key == "after" && value.kind == JsonValue::Kind::list) {
      for (const JsonValue& item : value.items)
        trace_.after.push_back(static_cast<std::int32_t>(count(item, pointer, 0, most_operators)));
    } else if (key == "collective" && value.kind == JsonValue::Kind::object) {
      op.collective = static_cast<std::int32_t>(trace_.collectives.size());
      trace_.collectives.push_back(collective(value, pointer));
    } else {
      const std::vector<std::string> known = {"name", "kind",  "stream", "start_us", "duration_us",
                                              "flop", "bytes", "launch", "after",    "collective"};
      fault(pointer, "a known key with a value of its kind", to_text(value), did_you_mean(key, known));
    }
  }

  TraceCollective collective(const JsonValue& value, const std::string& pointer) {
    TraceCollective c;
    bool op_given = false;
    for (const auto& [key, member] : value.members) {
      const std::string at = pointer + "/" + pointer_step(key);
      if (key == "op" && member.kind == JsonValue::Kind::text) {
        const auto op = collective_op_of_name(member.text);
        if (!op) fault(at, "an operation, such as all_reduce", to_text(member));
        c.op = op.value_or(CollectiveOp::all_reduce);
        op_given = true;
      } else if (key == "bytes") {
        const bool good = member.kind == JsonValue::Kind::number && member.number >= 0 && member.number < 1e15;
        if (!good) fault(at, "bytes, from 0 up", to_text(member));
        if (good) c.bytes = member.number;
      } else if (key == "group") {
        c.group = static_cast<std::int32_t>(count(member, at, 1, 1e7));
      } else if (key == "stride") {
        c.stride = static_cast<std::int32_t>(count(member, at, 1, 1e7));
      } else if (key == "wire_us") {
        if (const auto t = us(member, at)) c.wire = from_us(*t);
      } else {
        fault(at, "op, bytes, group, stride or wire_us", to_text(member));
      }
    }
    if (!op_given) fault(pointer + "/op", "an operation, such as all_reduce", "nothing");
    return c;
  }

  void check() {
    if (!versioned_) fault("/clustersim_step_trace", "1, the version of this format", "nothing");
    if (trace_.operators.empty()) fault("/operators", "at least one operator", "none");
    for (const std::int32_t before : trace_.after)
      if (static_cast<std::size_t>(before) >= trace_.operators.size()) {
        fault("/operators", "positions of operators in every \"after\"", std::to_string(before));
        break;
      }
    SimTime end = 0;
    for (const TraceOperator& op : trace_.operators) end = std::max(end, op.start + std::max<SimTime>(0, op.duration));
    if (trace_.step == 0) trace_.step = end;
    if (trace_.step == 0 && trace_.collectives.empty())
      fault("/step_time", "a time above zero", "nothing", "or operators that last");
  }

  std::string path_;
  StepTrace trace_;
  std::vector<Problem> problems_;
  std::map<std::string, std::int32_t> name_ids_;
  bool versioned_ = false, too_many_ = false;
};

}  // namespace

StepTrace read_step_trace(const std::string& path) { return TraceReader(path).read(); }

bool is_step_trace(const std::string& path) {
  std::string start(400, '\0');
  try {
    const auto source = open_source(path, most_bytes);
    source->read(start.data(), static_cast<std::streamsize>(start.size()));
    start.resize(static_cast<std::size_t>(source->gcount()));
  } catch (const std::exception&) {
    return false;
  }
  return start.find("\"clustersim_step_trace\"") != std::string::npos;
}

int sort_operators(StepTrace& trace) {
  const std::size_t count = trace.operators.size();
  std::vector<std::int32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  const auto starts_before = [&](std::int32_t a, std::int32_t b) {
    return trace.operators[static_cast<std::size_t>(a)].start < trace.operators[static_cast<std::size_t>(b)].start;
  };
  const bool sorted = std::is_sorted(order.begin(), order.end(), starts_before);
  if (sorted && trace.after.empty()) return 0;
  std::vector<std::int32_t> place(count);
  if (!sorted) std::stable_sort(order.begin(), order.end(), starts_before);
  for (std::size_t i = 0; i < count; ++i) place[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
  std::vector<TraceOperator> operators;
  std::vector<std::int32_t> after;
  operators.reserve(count);
  after.reserve(trace.after.size());
  int dropped = 0;
  for (std::size_t i = 0; i < count; ++i) {
    TraceOperator op = trace.operators[static_cast<std::size_t>(order[i])];
    const std::int32_t first = op.first_after, number = op.after_count;
    op.first_after = static_cast<std::int32_t>(after.size());
    for (std::int32_t d = 0; d < number; ++d) {
      const std::int32_t before = place[static_cast<std::size_t>(trace.after[static_cast<std::size_t>(first + d)])];
      if (before < static_cast<std::int32_t>(i)) {
        after.push_back(before);
      } else {
        ++dropped;
      }
    }
    op.after_count = static_cast<std::int32_t>(after.size()) - op.first_after;
    operators.push_back(op);
  }
  trace.operators = std::move(operators);
  trace.after = std::move(after);
  return dropped;
}

}  // namespace clustersim
