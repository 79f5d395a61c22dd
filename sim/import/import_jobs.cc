#include "sim/import/import_jobs.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "clustersim/error.h"
#include "sim/import/measurement_text.h"
#include "sim/import/node_facts.h"
#include "sim/import/text_source.h"
#include "sim/write/readable.h"

namespace clustersim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostBytes = std::size_t{64} << 30, kBeginning = 64 << 10;

struct Format {
  const char* name;
  bool (*is)(const std::string& beginning);
  void (*read)(std::istream& source, const std::string& path, JobTotals& out);
};
constexpr Format kFormats[] = {
    {"Philly's cluster_job_log", is_philly_jobs, read_philly_jobs},
    {"SLURM's accounting (sacct -P), Helios' cluster_log.csv, Alibaba's openb pod list", is_job_table, read_job_table},
};

// The upper bound of the class of a job: 0 for a part of a GPU, else the next power of two.
int class_of(double gpus) {
  if (gpus < 1) return 0;
  int bound = 1;
  while (bound < gpus) bound *= 2;
  return bound;
}

std::string class_name(int bound) {
  if (bound == 0) return "part of one";
  return bound <= 2 ? std::to_string(bound) : std::to_string(bound / 2 + 1) + " to " + std::to_string(bound);
}

// Days since 1970 of a date of our calendar. [published: H. Hinnant, chrono-compatible date algorithms]
long long days_of(int year, int month, int day) {
  const int y = year - (month <= 2);
  const int era = y / 400, of_era = y - era * 400;
  const int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097LL + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

// Whole numbers between the separators given, as many as there are; empty where the text is another.
std::optional<std::vector<int>> numbers_in(const std::string& text, const std::string& separators) {
  std::vector<int> numbers;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    const auto number = whole_number(text.substr(at, end - at));
    if (!number || numbers.size() >= 6) return std::nullopt;
    numbers.push_back(*number);
    at = end + 1;
  }
  return numbers;
}

double rounded_to(double value, double step) { return std::round(value / step) * step; }

}  // namespace

std::optional<double> logged_time(const std::string& text) {
  if (const auto number = number_of(text)) return number;
  std::string plain = trimmed(text);
  if (plain.size() > 19) plain.resize(19);  // parts of a second, a zone
  const auto numbers = numbers_in(plain, "-T: ");
  if (!numbers || numbers->size() != 6) return std::nullopt;
  const std::vector<int>& n = *numbers;
  const bool sound = n[0] >= 1970 && n[0] <= 2100 && n[1] >= 1 && n[1] <= 12 && n[2] >= 1 && n[2] <= 31 && n[3] < 24 &&
                     n[4] < 60 && n[5] <= 60;
  if (!sound) return std::nullopt;
  return 86400.0 * static_cast<double>(days_of(n[0], n[1], n[2])) + 3600.0 * n[3] + 60.0 * n[4] + n[5];
}

std::optional<double> logged_duration(const std::string& text) {
  if (const auto number = number_of(text)) return number;
  const std::string plain = trimmed(text);
  const std::size_t dash = plain.find('-');
  const auto days = dash == std::string::npos ? std::optional(0) : whole_number(plain.substr(0, dash), 100000);
  const std::string clock = dash == std::string::npos ? plain : plain.substr(dash + 1);
  const auto numbers = numbers_in(clock.substr(0, clock.find('.')), ":");
  if (!days || !numbers || numbers->size() < 2 || numbers->size() > 3) return std::nullopt;
  double seconds = 0;
  for (const int number : *numbers) seconds = seconds * 60 + number;
  return seconds + 86400.0 * *days;
}

void JobTotals::add(const LoggedJob& job) {
  std::vector<BusyGpus> stretches;
  if (job.gpus && job.start_s && job.end_s) stretches.push_back({*job.gpus, *job.start_s, *job.end_s});
  const bool told = !stretches.empty();
  add(job, stretches, told);
}

void JobTotals::add(const LoggedJob& job, const std::vector<BusyGpus>& stretches, bool all_told) {
  constexpr std::size_t most_states = 32;
  ++jobs_;
  const std::string state = job.state.substr(0, 40);
  if (!state.empty() && (states_.size() < most_states || states_.count(state) > 0)) ++states_[state];
  if (!job.gpus || *job.gpus < 0 || *job.gpus > kMostGpus) {
    ++without_gpus_told_;
    return;
  }
  if (*job.gpus == 0) {
    ++cpu_jobs_;
    return;
  }
  ++gpu_jobs_;
  if (job.wait_s && *job.wait_s >= 0 && *job.wait_s < kMostHours * kHour) {
    ++waits_;
    wait_s_ += *job.wait_s;
  }
  Share& share = by_gpus_[class_of(*job.gpus)];
  ++share.jobs;
  bool sound = all_told, any = false;
  for (const BusyGpus& stretch : stretches) {
    const double length = stretch.end_s - stretch.start_s;
    if (!(length >= 0) || !(length < kMostHours * kHour) || !(std::abs(stretch.start_s) < 1e11) ||
        !(stretch.gpus > 0) || !(stretch.gpus <= kMostGpus)) {
      sound = false;
      continue;
    }
    share.gpu_seconds += stretch.gpus * length;
    any = true;
    busy(stretch);
  }
  share.timed += any;
  without_times_ += !sound;
}

// Whole hours by where they begin and end, so that a job of a year costs as little as one of a minute.
void JobTotals::busy(const BusyGpus& stretch) {
  gpu_seconds_ += stretch.gpus * (stretch.end_s - stretch.start_s);
  first_s_ = std::min(first_s_.value_or(stretch.start_s), stretch.start_s);
  last_s_ = std::max(last_s_.value_or(stretch.end_s), stretch.end_s);
  const auto from = static_cast<long long>(std::floor(stretch.start_s / kHour));
  const auto to = static_cast<long long>(std::floor(stretch.end_s / kHour));
  if (busy_from_.size() + busy_in_.size() > static_cast<std::size_t>(4 * kMostHours)) {
    too_long_ = true;
    return;
  }
  if (from == to) {
    busy_in_[from] += stretch.gpus * (stretch.end_s - stretch.start_s);
    return;
  }
  busy_in_[from] += stretch.gpus * (static_cast<double>(from + 1) * kHour - stretch.start_s);
  busy_in_[to] += stretch.gpus * (stretch.end_s - static_cast<double>(to) * kHour);
  busy_from_[from + 1] += stretch.gpus;
  busy_from_[to] -= stretch.gpus;
}

// GPUs busy on average in the hour in which most were.
double JobTotals::busiest_hour() const {
  double most = 0, whole = 0;
  auto step = busy_from_.begin();
  auto part = busy_in_.begin();
  while (part != busy_in_.end() || step != busy_from_.end()) {
    const long long hour = part == busy_in_.end()     ? step->first
                           : step == busy_from_.end() ? part->first
                                                      : std::min(part->first, step->first);
    if (step != busy_from_.end() && step->first == hour) whole += (step++)->second;
    const double in_hour = part != busy_in_.end() && part->first == hour ? (part++)->second / kHour : 0;
    most = std::max(most, whole + in_hour);
  }
  return most;
}

void JobTotals::fill(Imported& out) const {
  Json json;
  json["clustersim_jobs"] = 1;
  json["format"] = format;
  json["jobs"] = jobs_;
  json["gpu_jobs"] = gpu_jobs_;
  out.known.push_back(whole_number(static_cast<double>(jobs_)) + " jobs, " +
                      whole_number(static_cast<double>(gpu_jobs_)) + " with GPUs");
  const double hours = gpu_seconds_ / kHour;
  if (gpu_seconds_ > 0) {
    json["gpu_hours"] = rounded_to(hours, 0.01);
    out.known.push_back(rounded(hours) + " GPU-hours");
  }
  if (first_s_ && *last_s_ > *first_s_) {
    const double span_h = (*last_s_ - *first_s_) / kHour;
    json["hours"] = rounded_to(span_h, 0.01);
    json["gpus_busy_mean"] = rounded_to(hours / span_h, 0.01);
    std::string busiest;
    if (!too_long_ && span_h >= 1) {
      json["gpus_busy_in_busiest_hour"] = rounded_to(busiest_hour(), 0.01);
      busiest = ", " + rounded(busiest_hour()) + " in the busiest hour";
    }
    out.known.push_back(rounded(hours / span_h) + " GPUs busy on average over " + rounded(span_h / 24) + " days" +
                        busiest);
  }
  if (waits_ > 0) {
    json["wait_mean_s"] = rounded_to(wait_s_ / static_cast<double>(waits_), 1);
    out.known.push_back("a job waited " + rounded(wait_s_ / static_cast<double>(waits_)) + " s on average");
  }
  for (const auto& [bound, share] : by_gpus_) {
    Json row;
    row["gpus"] = class_name(bound);
    row["jobs"] = share.jobs;
    std::string line = class_name(bound) +
                       (bound == 1   ? " GPU: "
                        : bound == 0 ? ": "
                                     : " GPUs: ") +
                       percent(static_cast<double>(share.jobs) / static_cast<double>(gpu_jobs_)) + " of the GPU jobs";
    if (share.timed > 0) {
      row["gpu_hours"] = rounded_to(share.gpu_seconds / kHour, 0.01);
      if (gpu_seconds_ > 0) line += ", " + percent(share.gpu_seconds / gpu_seconds_) + " of the GPU-hours";
    }
    json["by_gpus"].push_back(row);
    out.known.push_back(line);
  }
  for (const auto& [state, count] : states_) json["states"][state] = count;
  const auto missing = [&](long long count, const std::string& what, const char* key) {
    if (count == 0) return;
    json["unknown"][key] = count;
    out.unknown.push_back(whole_number(static_cast<double>(count)) + " " + what);
  };
  missing(without_times_, "GPU jobs without a start or an end: their hours are not counted, or not all of them",
          "gpu_jobs_without_times");
  missing(without_gpus_told_, "jobs that do not say how many GPUs they had: not counted among those with or without",
          "jobs_without_gpu_count");
  out.unknown.emplace_back("how many GPUs the cluster has, and so the share that was busy");
  out.known.insert(out.known.end(), remarks.begin(), remarks.end());
  out.warnings.insert(out.warnings.end(), warnings.begin(), warnings.end());
  if (too_long_) out.warnings.emplace_back("the log is of more hours than are kept: the busiest hour is not told");
  out.document = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Imported import_jobs(const std::vector<std::string>& paths) {
  JobTotals totals;
  for (const std::string& path : paths) {
    const std::string beginning = beginning_of(path, kBeginning);
    const auto format =
        std::find_if(std::begin(kFormats), std::end(kFormats), [&](const Format& f) { return f.is(beginning); });
    if (format == std::end(kFormats)) {
      std::string known;
      for (const Format& each : kFormats) known += (known.empty() ? "" : ", ") + std::string(each.name);
      throw InputError(
          {{path, "", "a log of jobs: " + known, "text that starts " + shown(trimmed(beginning.substr(0, 200))), ""}});
    }
    const long long before = totals.jobs();
    const std::string others = std::exchange(totals.format, "");
    const auto source = open_source(path, kMostBytes);
    try {
      format->read(*source, path, totals);
    } catch (const std::ios::failure&) {  // of gzip too
      totals.warnings.push_back("the file is damaged or cut off: what came before is counted");
    }
    if (!others.empty())
      totals.format = others.find(totals.format) == std::string::npos ? others + " and " + totals.format : others;
    if (totals.jobs() == before)
      throw InputError({{path, "", "a log with jobs", "none", totals.warnings.empty() ? "" : totals.warnings.back()}});
  }
  Imported out;
  out.format = totals.format;
  totals.fill(out);
  return out;
}

}  // namespace clustersim
