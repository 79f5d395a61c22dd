// Philly's cluster_job_log: a JSON list of jobs, each with the attempts to run it.
//
//   {"status": "Pass", "attempts": [{"start_time": "2017-10-07 01:12:09", "end_time": null,
//     "detail": [{"ip": "m47", "gpus": ["gpu0", "gpu1"]}]}], "submitted_time": "2017-10-07 01:11:39"}
// GPUs of a job: of its largest attempt; its hours are those of all attempts whose times are told. Times may be null or
// "None", a job may have no attempt.
// Source: README of msr-fiddle/philly-traces.
#include <algorithm>

#include "sim/import/import_jobs.h"
#include "sim/import/json_stream.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

std::optional<double> time_at(const JsonValue& object, const char* key) {
  const std::string* text = text_at(object, key);
  return text == nullptr ? std::nullopt : logged_time(*text);
}

double gpus_of(const JsonValue& attempt) {
  double gpus = 0;
  const JsonValue* detail = attempt.find("detail");
  if (detail == nullptr) return 0;
  for (const JsonValue& machine : detail->items)
    if (const JsonValue* list = machine.find("gpus")) gpus += static_cast<double>(list->items.size());
  return gpus;
}

void add_job(const JsonValue& json, JobTotals& out) {
  if (json.kind != JsonValue::Kind::object || json.find("attempts") == nullptr) return;
  LoggedJob job;
  std::vector<BusyGpus> stretches;
  bool all_told = true;
  double most = 0;
  std::optional<double> first;
  for (const JsonValue& attempt : json.find("attempts")->items) {
    const double gpus = gpus_of(attempt);
    const auto start = time_at(attempt, "start_time"), end = time_at(attempt, "end_time");
    most = std::max(most, gpus);
    if (start && (!first || *start < *first)) first = start;
    if (gpus <= 0) continue;
    if (start && end)
      stretches.push_back({gpus, *start, *end});
    else
      all_told = false;
  }
  // A job without an attempt says nothing of its GPUs.
  if (most > 0) job.gpus = most;
  if (const auto asked = time_at(json, "submitted_time"); asked && first) job.wait_s = *first - *asked;
  if (const std::string* status = text_at(json, "status")) job.state = lower_case(*status);
  out.add(job, stretches, all_told);
}

}  // namespace

bool is_philly_jobs(const std::string& beginning) {
  return trimmed(beginning).starts_with("[") && beginning.find("\"attempts\"") != std::string::npos;
}

void read_philly_jobs(std::istream& source, const std::string&, JobTotals& out) {
  out.format = "Philly's job log";
  JsonStreamUser user;
  user.element = [&](const std::string&, JsonValue& value) { add_job(value, out); };
  const JsonStreamEnd end = stream_json(source, user);
  if (!end.complete) out.warnings.push_back("the file breaks off: " + end.trouble);
}

}  // namespace clustersim
