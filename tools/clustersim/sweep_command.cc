// clustersim sweep: a study over a base scenario.
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iostream>

#include "tools/clustersim/command.h"
#include "tools/clustersim/ranks/ranks.h"

namespace clustersim {
namespace {

constexpr int most_jobs = 1024;

int jobs_of(const std::string& text) {
  int jobs = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, jobs);
  if (read.ec != std::errc() || read.ptr != end || jobs < 1 || jobs > most_jobs)
    throw UsageError("--jobs takes a whole number from 1 to " + std::to_string(most_jobs) + ", not \"" + text + "\"");
  return jobs;
}

std::string duration(double seconds) {
  const long whole = std::lround(seconds);
  if (whole < 120) return std::to_string(whole) + " s";
  return whole < 7200 ? std::to_string(whole / 60) + " min" : std::to_string(whole / 3600) + " h";
}

void show_progress(const SweepProgress& progress) {
  std::cerr << "\r\033[K" << progress.done << " of " << progress.total << " points, "
            << 100 * progress.done / std::max<std::size_t>(progress.total, 1) << " %";
  if (progress.done < progress.total) std::cerr << ", about " << duration(progress.remaining_s) << " left";
  if (progress.done == progress.total) std::cerr << ", " << duration(progress.elapsed_s) << "\n";
  std::cerr << std::flush;
}

std::string run_sweep(const Arguments& arguments) {
  const std::string format = format_of(arguments);
  SweepOptions options;
  if (arguments.has("jobs")) options.jobs = jobs_of(arguments.value("jobs", ""));
  options.database = arguments.value("db", "");
  if (arguments.has("db") && options.database.empty()) throw UsageError("--db takes a file name");
  if (isatty(STDERR_FILENO) != 0) options.progress = show_progress;
  const bool on_page = arguments.has("report");
  if (on_page) require_page_template();
  if (!under_launcher()) {
    const Sweep result = sweep(arguments.positional[0], options);
    std::string text = write(result, format);
    if (on_page) write_file(arguments.value("report", ""), page(result));
    return text;
  }
  if (arguments.has("jobs")) throw UsageError("under an MPI launcher each rank is one job: leave --jobs out");
  if (on_page)
    throw UsageError(
        "--report takes no MPI launcher: run the study again without one; what --db kept is not run twice");
  return sweep_across_ranks(arguments.positional[0], options, format);
}

// The ranks that a launcher's variable promises; 0 without one.
int ranks_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

}  // namespace

bool under_launcher() {
  // Open MPI; PMI (MPICH, srun --mpi=pmi2). srun --mpi=pmix gives only its own count.
  const bool pmix = std::getenv("PMIX_RANK") != nullptr && ranks_in("SLURM_STEP_NUM_TASKS") > 1;
  return ranks_in("OMPI_COMM_WORLD_SIZE") > 1 || ranks_in("PMI_SIZE") > 1 || pmix;
}

Command sweep_command() {
  return {"sweep",
          "STUDY.json",
          "Runs a study over a base scenario: best points, fronts, sensitivities; goes on where it was stopped.",
          {{"jobs", "N", "threads; default one a core. Under mpirun or srun each rank is one"},
           {"db", "FILE.sqlite", "keeps the rows; default beside the study, :memory: for nowhere", false,
            OptionState::offered, '\0', true},
           format_option(),
           report_option()},
          1,
          1,
          run_sweep,
          "",
          false,
          true};
}

}  // namespace clustersim
