// iperf3 --json: one document a run, several in a row in a server's log; --json-stream: a document an event, "start"
// and "end" among them. TCP: what the receiver got (end.sum_received, and end.sum_received_bidir_reverse as a
// measurement of its own); UDP: end.sum without what was lost. A sender or receiver whose processor was busy (90 % of a
// core) says something of the host, not of the link.
#include <algorithm>

#include "sim/import/measurement_formats.h"
#include "sim/import/measurement_text.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

constexpr double busy_core = 90, short_run_s = 3;

// A stream's end with its start, as one document has them.
JsonValue joined(const JsonValue& start, const JsonValue& end) {
  JsonValue run;
  run.kind = JsonValue::Kind::object;
  run.members.emplace_back("start", start);
  run.members.emplace_back("end", end);
  return run;
}

bool is_run(const JsonValue& value) { return at_path(value, "end") != nullptr && at_path(value, "start") != nullptr; }

void take(const FoundJson& found, const char* path, Measured measured, MeasuredFile& out) {
  const auto bits = number_at(found.value, std::string("end/") + path + "/bits_per_second");
  if (!bits || *bits == 0) return;
  measured.value = *bits / 8;
  if (const auto lost = number_at(found.value, std::string("end/") + path + "/lost_percent");
      lost && *lost > 0 && *lost < 100)
    measured.value *= 1 - *lost / 100;
  out.add(measured);
}

// An error of any kind, in the words it has.
std::string error_in(const JsonValue& run) {
  const JsonValue* error = at_path(run, "error");
  if (error == nullptr || error->kind == JsonValue::Kind::null) return "";
  return error->text.empty() ? "of no text" : error->text;
}

void read_run(const FoundJson& found, MeasuredFile& out) {
  const JsonValue& run = found.value;
  if (const std::string error = error_in(run); !error.empty()) {
    out.warn(found.line, "iperf3 reports an error, " + shown(error) + ": left out");
    return;
  }
  const std::string version = text_at(run, "start/version");
  if (!version.empty() && version.size() < 24) out.program = version;
  const bool udp = text_at(run, "start/test_start/protocol") == "UDP";
  Measured measured;
  measured.subject = udp ? Subject::udp_rate : Subject::tcp_rate;
  measured.streams = std::clamp(number_at(run, "start/test_start/num_streams").value_or(1), 1.0, 1e6);
  measured.line = found.line;
  measured.how = udp ? "UDP" : "TCP";
  const double busy = std::max(number_at(run, "end/cpu_utilization_percent/host_total").value_or(0),
                               number_at(run, "end/cpu_utilization_percent/remote_total").value_or(0));
  if (busy > busy_core && measured.streams < 2) {
    measured.how += ", a core busy on one end";
    out.warn(found.line, "a core was busy: the rate is the host's limit, not the link's");
  }
  const auto duration = number_at(run, "start/test_start/duration");
  if (duration && *duration > 0 && *duration < short_run_s) {
    measured.confidence = Confidence::low;
    out.warn(found.line, "shorter than 3 s");
  }
  const std::size_t before = out.values.size();
  if (udp) {
    take(found, "sum", measured, out);
  } else {
    take(found, "sum_received", measured, out);
    take(found, "sum_received_bidir_reverse", measured, out);
  }
  if (out.values.size() == before) out.warn(found.line, "a run without an end: left out");
}

}  // namespace

bool is_iperf3(const std::string& text) {
  return contains(text, "\"cpu_utilization_percent\"") || contains(text, "\"sum_received\"") ||
         (contains(text, "\"start\"") && contains(text, "\"iperf")) ||
         (contains(text, "\"connecting_to\"") && contains(text, "\"error\""));
}

void read_iperf3(const std::string& text, const ReaderOptions&, MeasuredFile& out) {
  out.program = "iperf3";
  int cut_off = 0;
  JsonValue start;
  bool broken = false;  // an error since the run's start
  for (const FoundJson& found : json_documents(text, &cut_off)) {
    const std::string event = text_at(found.value, "event");
    const JsonValue* data = at_path(found.value, "data");
    if (!event.empty() && data != nullptr) {
      if (event == "start") start = *data, broken = false;
      if (event == "end" && !broken) read_run({found.line, joined(start, *data)}, out);
      if (event == "error") {
        out.warn(found.line, "iperf3 reports an error, " + shown(data->text) + ": left out");
        broken = true;
      }
      continue;
    }
    if (is_run(found.value) || !error_in(found.value).empty()) read_run(found, out);
  }
  if (cut_off > 0) out.warn(cut_off, "this run is cut off: left out");
}

}  // namespace clustersim
