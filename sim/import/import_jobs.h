// `import jobs`: the log of a scheduler, or a published trace of one, as what a planner of capacity asks of it.
//
// How many jobs, how many with GPUs, their GPU-hours, by GPUs of a job; GPUs busy on average and in the busiest hour.
//   GPU-hours = sum of GPUs x (end - start) over the jobs whose GPUs and times are told
//   busy on average = GPU-hours / hours from the first start to the last end
// Formats: SLURM's accounting (sacct -P), Helios' cluster_log.csv, Alibaba's openb pod list (job_table.cc), Philly's
// cluster_job_log (philly_jobs.cc). Read as a stream, in memory that does not grow with the file; names are not kept.
// Checked by: tests/sim/import_jobs_test.cc
#pragma once

#include <istream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "clustersim/import.h"

namespace clustersim {

// One job, as far as its log tells.
struct LoggedJob {
  std::optional<double> gpus;                    // may be a part of one
  std::optional<double> start_s, end_s, wait_s;  // from any origin
  std::string state;                             // in small letters, "" where it is not told
};

// A stretch of time with GPUs busy.
struct BusyGpus {
  double gpus = 0, start_s = 0, end_s = 0;
};

class JobTotals {
 public:
  std::string format;
  std::vector<std::string> warnings, remarks;

  void add(const LoggedJob& job);
  // A job that ran in several stretches: what add() would count of its times, piece by piece.
  void add(const LoggedJob& job, const std::vector<BusyGpus>& stretches, bool all_told);

  long long jobs() const { return jobs_; }
  void fill(Imported& out) const;

 private:
  struct Share {
    long long jobs = 0, timed = 0;
    double gpu_seconds = 0;
  };

  void busy(const BusyGpus& stretch);
  double busiest_hour() const;

  static constexpr double kMostGpus = 1e6, kHour = 3600, kMostHours = 24 * 366 * 30;
  long long jobs_ = 0, gpu_jobs_ = 0, cpu_jobs_ = 0, without_gpus_told_ = 0, without_times_ = 0, waits_ = 0;
  double gpu_seconds_ = 0, wait_s_ = 0;
  std::optional<double> first_s_, last_s_;
  std::map<int, Share> by_gpus_;                     // by the upper bound of a class: 0 (parts of one), 1, 2, 4, 8, ...
  std::map<std::string, long long> states_;          // at most 32
  std::map<long long, double> busy_from_, busy_in_;  // by hour: whole hours from there on, and parts of that hour
  bool too_long_ = false;
};

// Seconds since 1970 of "2020-06-09 18:41:01", "2020-06-09T18:41:01"; a number as it is; empty for others.
std::optional<double> logged_time(const std::string& text);
// "1-02:03:04", "02:03:04", "03:04" or seconds.
std::optional<double> logged_duration(const std::string& text);

// The beginning of the file tells.
bool is_job_table(const std::string& beginning);
void read_job_table(std::istream& source, const std::string& path, JobTotals& out);
bool is_philly_jobs(const std::string& beginning);
void read_philly_jobs(std::istream& source, const std::string& path, JobTotals& out);

Imported import_jobs(const std::vector<std::string>& paths);

}  // namespace clustersim
