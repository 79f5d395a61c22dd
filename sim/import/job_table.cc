// Logs of jobs as tables with a header, a line a job; columns are found by name.
//
//   sacct -X -P --format=JobID,State,Submit,Start,End,ElapsedRaw,NNodes,AllocTRES     separated by |
//   job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue      Helios
//   name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time openb
// Of sacct's lines those of steps (123.batch, 123.0) are of a job that has a line of its own. GPUs are those allocated
// (AllocTRES, not ReqTRES); gres/gpu and gres/gpu:h100 are the same ones. Where a line has a duration and a start, the
// end is their sum. gpu_milli is of a GPU that is shared: 250 is a quarter.
// Source: SLURM's sacct(1); READMEs of S-Lab-System-Group/HeliosData and alibaba/clusterdata.
#include <algorithm>

#include "sim/import/csv_cells.h"
#include "sim/import/import_jobs.h"
#include "sim/import/measurement_text.h"
#include "sim/import/node_facts.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

constexpr std::size_t kLongestLine = 1 << 16, kMostColumns = 400;

struct Table {
  CsvHeader header;
  char separator = ',';
  const char* format = "";
};

std::optional<Table> table_of(const std::string& line) {
  for (const char separator : {'|', ',', '\t'}) {
    const auto cells = csv_cells(line, separator);
    if (!cells || cells->size() < 2 || cells->size() > kMostColumns) continue;
    const CsvHeader header(*cells);
    if (header.has({"jobid", "jobidraw"}) && (header.has({"alloctres", "allocgres"}) || header.has({"reqtres"})))
      return Table{header, separator, "SLURM's accounting (sacct)"};
    if (header.has({"gpu_num"}) && header.has({"start_time"}) && header.has({"state"}))
      return Table{header, separator, "Helios' job log"};
    if (header.has({"num_gpu"}) && header.has({"gpu_milli"}))
      return Table{header, separator, "Alibaba's pod list (openb)"};
  }
  return std::nullopt;
}

// Of "billing=8,cpu=96,gres/gpu:h100=8,gres/gpu=8,node=1"; 0 where there are none.
double gpus_of_tres(const std::string& tres) {
  double plain = 0, typed = 0;
  for (std::size_t at = 0; at < tres.size();) {
    const std::size_t end = std::min(tres.find(',', at), tres.size());
    const std::string part = lower_case(tres.substr(at, end - at));
    const std::size_t last = part.find_last_of("=:");
    const auto count = last == std::string::npos ? std::nullopt : whole_number(part.substr(last + 1), 1000000);
    if (count && part.starts_with("gres/gpu=")) plain += *count;
    if (count && part.starts_with("gres/gpu:")) typed += *count;
    if (count && part.starts_with("gpu:")) plain += *count;  // AllocGRES of old versions
    at = end + 1;
  }
  return typed > 0 ? typed : plain;
}

std::optional<double> gpus_of(const Table& table, const std::vector<std::string>& cells) {
  const CsvHeader& header = table.header;
  if (header.has({"alloctres", "allocgres", "reqtres"})) {
    const std::string tres = header.cell(cells, {"alloctres", "allocgres", "reqtres"});
    return tres.empty() ? std::nullopt : std::optional(gpus_of_tres(tres));  // empty: it never ran
  }
  const auto gpus = number_of(header.cell(cells, {"gpu_num", "num_gpu"}));
  const auto milli = number_of(header.cell(cells, {"gpu_milli"}));
  if (gpus && milli && *gpus == 1 && *milli > 0 && *milli <= 1000) return *milli / 1000;
  return gpus;
}

std::optional<LoggedJob> job_of(const Table& table, const std::vector<std::string>& cells) {
  const CsvHeader& header = table.header;
  LoggedJob job;
  job.gpus = gpus_of(table, cells);
  job.start_s = logged_time(header.cell(cells, {"start", "start_time", "scheduled_time"}));
  job.end_s = logged_time(header.cell(cells, {"end", "end_time", "deletion_time"}));
  auto lasted = logged_duration(header.cell(cells, {"elapsedraw", "elapsed", "duration"}));
  if (!job.end_s && job.start_s && lasted) job.end_s = *job.start_s + *lasted;
  const auto asked = logged_time(header.cell(cells, {"submit", "submit_time", "creation_time"}));
  if (asked && job.start_s) job.wait_s = *job.start_s - *asked;
  const std::string state = lower_case(header.cell(cells, {"state", "pod_phase"}));
  job.state = state.substr(0, state.find(' '));  // "CANCELLED by 1000"
  return job;
}

}  // namespace

bool is_job_table(const std::string& beginning) {
  const std::vector<std::string> lines = lines_of(beginning);
  return !lines.empty() && table_of(lines.front()).has_value();
}

void read_job_table(std::istream& source, const std::string&, JobTotals& out) {
  std::string line;
  bool cut = false;
  if (!next_line(source, line, kLongestLine, cut)) return;
  const auto table = table_of(clean_text(line));
  if (!table) return;
  out.format = table->format;
  long long odd = 0, steps = 0;
  const bool requested = !table->header.has({"alloctres", "allocgres"}) && table->header.has({"reqtres"});
  while (next_line(source, line, kLongestLine, cut)) {
    if (line.empty()) continue;
    const auto cells = cut ? std::nullopt : csv_cells(line, table->separator);
    // "-p" ends each line with a separator, "-P" does not.
    const bool whole = cells && (cells->size() == table->header.size() ||
                                 (cells->size() == table->header.size() + 1 && cells->back().empty()));
    if (!whole) {
      ++odd;
      continue;
    }
    if (table->header.cell(*cells, {"jobid", "jobidraw"}).find('.') != std::string::npos) {
      ++steps;
      continue;
    }
    if (const auto job = job_of(*table, *cells)) out.add(*job);
  }
  if (steps > 0)
    out.remarks.push_back(std::to_string(steps) + " lines of steps: their jobs count (sacct -X leaves them out)");
  if (odd > 0)
    out.warnings.push_back(std::to_string(odd) + " lines with more or fewer cells than the header: left out");
  if (requested) out.warnings.emplace_back("GPUs as they were requested: take AllocTRES, which tells what a job had");
}

}  // namespace clustersim
