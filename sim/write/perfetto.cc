// The detail of a run in Chrome's Trace Event Format, for ui.perfetto.dev and chrome://tracing (docs/TIMELINES.md).
//
// A process of the file is a node, the cluster, the network or the warming-up; a thread is a track. Times are
// microseconds in whole nanoseconds: begin and end are rounded, not begin and length, so that neighbours still touch.
// Checked by: tests/sim/perfetto_test.cc
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "clustersim/clustersim.h"
#include "sim/write/readable.h"

namespace clustersim {
namespace {

constexpr std::size_t heat_gpus = 64;     // whose warming-up is shown
constexpr std::size_t heat_points = 200;  // of each of their curves

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::int64_t nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

// 12345 ns -> "12.345".
std::string microseconds(std::int64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(ns / 1000), static_cast<long long>(ns % 1000));
  return text;
}

class TraceWriter {
 public:
  TraceWriter(const RunDetail& detail, const Report& report) : detail_(detail), report_(report) {}

  std::string write() {
    number_tracks();
    if (!detail_.timeline.decimation.empty()) say_left_out();
    for (const TimelineSlice& slice : detail_.timeline.slices) add_slice(slice);
    add_flows();
    for (const TimelineCounter& counter : detail_.timeline.counters)
      for (std::size_t i = 0; i < counter.time_s.size(); ++i)
        add_counter(process(counter.process), counter.name, counter.unit, counter.time_s[i], counter.value[i]);
    add_heat();
    return "{\n\"displayTimeUnit\": \"ms\",\n\"otherData\": " + other_data() + ",\n\"traceEvents\": [\n" + events_ +
           "\n]\n}\n";
  }

 private:
  void event(const std::string& members) { events_ += (events_.empty() ? "{" : ",\n{") + members + "}"; }

  void metadata(int pid, int tid, const char* what, const std::string& argument) {
    event(R"("ph": "M", "pid": )" + std::to_string(pid) + (tid > 0 ? R"(, "tid": )" + std::to_string(tid) : "") +
          R"(, "name": ")" + what + R"(", "args": {)" + argument + "}");
  }

  // The number of a process; the first mention names it and gives it its place.
  int process(const std::string& name) {
    const auto [found, is_new] = processes_.emplace(name, static_cast<int>(processes_.size()) + 1);
    const int pid = found->second;
    if (is_new) {
      metadata(pid, 0, "process_name", R"("name": )" + quoted(name));
      metadata(pid, 0, "process_sort_index", R"("sort_index": )" + std::to_string(pid));
    }
    return pid;
  }

  void number_tracks() {
    int tid = 1000;  // no thread has the number of its process, which would make it the main thread
    for (const TimelineTrack& track : detail_.timeline.tracks) {
      const int pid = process(track.process);
      pids_.push_back(pid);
      tids_.push_back(++tid);
      metadata(pid, tid, "thread_name", R"("name": )" + quoted(track.name));
      metadata(pid, tid, "thread_sort_index", R"("sort_index": )" + std::to_string(tid));
    }
  }

  std::string place(int track) const {
    const auto t = static_cast<std::size_t>(track);
    return R"("pid": )" + std::to_string(pids_[t]) + R"(, "tid": )" + std::to_string(tids_[t]);
  }

  void say_left_out() {
    event(R"("ph": "i", "s": "g", "pid": 1, "tid": 1001, "ts": 0, "name": )" +
          quoted("left out: " + detail_.timeline.decimation));
  }

  void add_slice(const TimelineSlice& slice) {
    const std::int64_t begin = nanoseconds(slice.start_s), end = nanoseconds(slice.start_s + slice.duration_s);
    std::string arguments = R"("part": )" + quoted(slice.part);
    if (!slice.detail.empty()) arguments += R"(, "detail": )" + quoted(slice.detail);
    event(R"("ph": "X", )" + place(slice.track) + R"(, "ts": )" + microseconds(begin) + R"(, "dur": )" +
          microseconds(end - begin) + R"(, "name": )" + quoted(slice.name) + R"(, "cat": )" + quoted(slice.part) +
          R"(, "args": {)" + arguments + "}");
  }

  // An arrow leaves inside its first slice, in its last nanosecond, and arrives at the begin of the second.
  void add_flows() {
    int id = 0;
    for (const TimelineFlow& flow : detail_.timeline.flows) {
      const TimelineSlice& from = detail_.timeline.slices[static_cast<std::size_t>(flow.from_slice)];
      const TimelineSlice& to = detail_.timeline.slices[static_cast<std::size_t>(flow.to_slice)];
      const std::int64_t begin = nanoseconds(from.start_s);
      const std::int64_t leave = std::max(begin, nanoseconds(from.start_s + from.duration_s) - 1);
      const std::string rest = R"(, "id": )" + std::to_string(++id) + R"(, "name": "gradients", "cat": "gradients")";
      event(R"("ph": "s", )" + place(from.track) + R"(, "ts": )" + microseconds(leave) + rest);
      event(R"("ph": "f", "bp": "e", )" + place(to.track) + R"(, "ts": )" + microseconds(nanoseconds(to.start_s)) +
            rest);
    }
  }

  void add_counter(int pid, const std::string& name, const std::string& unit, double at_s, double value) {
    event(R"("ph": "C", "pid": )" + std::to_string(pid) + R"(, "ts": )" + microseconds(nanoseconds(at_s)) +
          R"(, "name": )" + quoted(name) + R"(, "args": {)" + quoted(unit) + ": " + shortest(value) + "}");
  }

  // Warming up takes minutes and a step a fraction of a second: the minutes are squeezed into the step's width.
  void add_heat() {
    double length_s = 0;
    for (const HeatHistory& heat : detail_.heat) length_s = std::max(length_s, heat.time_s.back());
    if (length_s <= 0) return;
    const double squeezed = detail_.timeline.window_s / length_s;
    const int pid = process("warming up from cold: the width of this window is " + readable(length_s, "s"));
    for (std::size_t g = 0; g < std::min(heat_gpus, detail_.heat.size()); ++g) {
      const HeatHistory& heat = detail_.heat[g];
      const std::size_t stride = (heat.time_s.size() + heat_points - 1) / heat_points;
      for (std::size_t i = 0; i < heat.time_s.size(); ++i) {
        if (i % stride != 0 && i + 1 != heat.time_s.size()) continue;
        const std::string gpu = heat.process + " " + heat.gpu;
        const double at_s = heat.time_s[i] * squeezed;
        add_counter(pid, gpu + " clock", "MHz", at_s, heat.clock_mhz[i]);
        add_counter(pid, gpu + " power", "W", at_s, heat.power_w[i]);
        add_counter(pid, gpu + " temperature", "degC", at_s, heat.temperature_c[i]);
      }
    }
  }

  std::string other_data() const {
    nlohmann::ordered_json data = {{"scenario", report_.scenario},
                                   {"headline", report_.headline},
                                   {"program", "clustersim " + report_.provenance.version},
                                   {"fingerprint", report_.provenance.fingerprint},
                                   {"step_time_s", detail_.timeline.step_s},
                                   {"window_s", detail_.timeline.window_s},
                                   {"left_out", detail_.timeline.decimation},
                                   {"simulated", "a prediction, not a measurement"}};
    return data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  const RunDetail& detail_;
  const Report& report_;
  std::map<std::string, int> processes_;
  std::vector<int> pids_, tids_;  // by track
  std::string events_;
};

}  // namespace

std::string trace_json(const RunDetail& detail, const Report& report) { return TraceWriter(detail, report).write(); }

}  // namespace clustersim
