// `clustersim sweep`, as a straight line: read the study, open its database, run what is missing, look at all of it.
#include "clustersim/sweep.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>

#include "sim/store/sweep_store.h"
#include "sim/sweep/analysis.h"
#include "sim/sweep/run_points.h"
#include "sim/sweep/study.h"
#include "sim/sweep/study_keys.h"

namespace clustersim {

namespace {

constexpr const char* keep_nothing = ":memory:";

std::string database_of(const std::string& study, const SweepOptions& options) {
  if (options.database == keep_nothing) return "";
  return options.database.empty() ? default_database(study) : options.database;
}

StudyIdentity identity_of(const Study& study) {
  StudyIdentity identity{study.name(), study.identity(), study.axes(), study.grid(), {}};
  for (const KnownMetric& metric : known_metrics()) identity.metrics.emplace_back(metric.name);
  return identity;
}

// Rows that earlier starts left, by their point; those that failed are tried again.
std::map<std::size_t, SweepRow> kept_rows(SweepStore* store, const Study& study) {
  std::map<std::size_t, SweepRow> rows;
  if (store == nullptr) return rows;
  for (SweepRow& row : store->rows()) {
    const bool asked = std::binary_search(study.points().begin(), study.points().end(), row.point);
    if (asked && row.status != SweepRow::Status::failed) rows.emplace(row.point, std::move(row));
  }
  return rows;
}

class Progress {
 public:
  Progress(const SweepOptions& options, std::size_t kept, std::size_t total)
      : options_(options), kept_(kept), done_(kept), total_(total), began_(std::chrono::steady_clock::now()) {}

  void add(std::size_t rows) {
    done_ += rows;
    if (!options_.progress) return;
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    const double each = elapsed / static_cast<double>(std::max<std::size_t>(done_ - kept_, 1));
    options_.progress({done_, total_, elapsed, each * static_cast<double>(total_ - done_)});
  }

 private:
  const SweepOptions& options_;
  std::size_t kept_, done_, total_;
  std::chrono::steady_clock::time_point began_;
};

}  // namespace

Sweep sweep(const std::string& path, const SweepOptions& options) {
  const Study study(path);
  const std::string database = database_of(path, options);
  std::unique_ptr<SweepStore> store;
  if (!database.empty()) store = open_sweep_store(database, identity_of(study));

  std::map<std::size_t, SweepRow> rows = kept_rows(store.get(), study);
  std::vector<std::size_t> missing;
  for (const std::size_t point : study.points())
    if (rows.count(point) == 0) missing.push_back(point);
  const std::size_t kept = rows.size();
  if (kept > 0 && options.resumed) options.resumed(kept, study.points().size());
  Progress progress(options, kept, study.points().size());
  const PointRunner runner = options.runner ? options.runner : threads_runner(options.jobs);
  runner(
      missing, [&](std::size_t point) { return study.run(point); },
      [&](std::vector<SweepRow> batch) {
        if (store) store->keep(batch);
        progress.add(batch.size());
        for (SweepRow& row : batch) rows.insert_or_assign(row.point, std::move(row));
      });

  Sweep result;
  result.name = study.name();
  result.database = database;
  result.resumed = kept;
  result.axes = study.axes();
  result.grid = study.grid();
  result.filtered = study.filtered();
  for (auto& [point, row] : rows) result.rows.push_back(std::move(row));
  require(result.rows.size() == study.points().size(), "every point of a study has its row");
  result.objective = study.objective();
  result.maximize = study.maximize();
  result.constraints = study.constraints();
  std::vector<Problem> problems;
  analyse(result, study.catalog().rates({path, "", problems}));
  if (!problems.empty()) throw InputError(problems);
  return result;
}

std::string default_database(const std::string& study) {
  return has_sweep_store() ? std::filesystem::path(study).replace_extension(".sqlite").string() : "";
}

SweepWorker::SweepWorker(const std::string& path) : study_(std::make_shared<const Study>(path)) {}

SweepRow SweepWorker::run(std::size_t point) const { return study_->run(point); }

}  // namespace clustersim
