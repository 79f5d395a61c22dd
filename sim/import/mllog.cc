#include "sim/import/mllog.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <set>

#include "clustersim/error.h"
#include "sim/import/csv_cells.h"
#include "sim/import/json_stream.h"
#include "sim/import/measured_rows.h"
#include "sim/import/mllog_lines.h"
#include "sim/import/text_source.h"
#include "sim/write/readable.h"

namespace clustersim {
namespace {

constexpr double ms_per_minute = 60000;

struct MlRun {
  double start_ms = -1, stop_ms = -1;
  bool stopped = false, success = false;
  double batch = -1, train_samples = -1, epochs = -1, samples = -1;
  std::set<std::pair<double, double>> evaluations;  // epoch or samples, accuracy
  std::vector<double> throughputs;
  std::map<std::string, std::string> texts;  // submission_benchmark, ...
  std::map<std::string, double> numbers;
  double minutes() const { return (stop_ms - start_ms) / ms_per_minute; }
};

std::optional<double> number_of(const JsonValue& value) {
  if (value.kind == JsonValue::Kind::number && std::isfinite(value.number)) return value.number;
  return std::nullopt;
}

// The first of these keys that the object has.
std::optional<double> first_number(const JsonValue& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys)
    if (const auto number = number_at(object, key)) return number;
  return std::nullopt;
}

class LogReader {
 public:
  std::vector<MlRun> runs;
  std::size_t lines = 0;  // with a marker

  void add(const std::string& line) {
    const auto entry = mllog_entry(line);
    if (!entry) return;
    ++lines;
    if (entry->key == "run_start" && (runs.empty() || runs.back().stopped) && !is_rank(*entry)) open();
    if (runs.empty()) open();
    set(runs.back(), *entry);
  }

 private:
  static constexpr double same_run_ms = 60000;

  // Keys such as the seed and the batch are told before run_start: they belong to the run that follows.
  void open() {
    if (!runs.empty() && runs.back().start_ms < 0) return;
    runs.emplace_back();
  }
  // Another rank's run_start, after the first rank has stopped already.
  bool is_rank(const MlLogEntry& entry) const {
    return !runs.empty() && runs.back().start_ms >= 0 && entry.time_ms >= 0 &&
           entry.time_ms - runs.back().start_ms < same_run_ms &&
           runs.back().stop_ms - runs.back().start_ms > 2 * same_run_ms;
  }

  void set(MlRun& run, const MlLogEntry& entry) {
    const std::string& key = entry.key;
    const auto number = number_of(entry.value);
    if (key == "run_start") {
      if (run.start_ms < 0) run.start_ms = entry.time_ms;
    } else if (key == "run_stop" || key == "run_final") {
      stop(run, entry);
    } else if (key == "global_batch_size" || key == "input_batch_size") {
      if (number && run.batch < 0) run.batch = *number;
    } else if (key == "train_samples" || key == "preproc_num_train_examples" || key == "input_size") {
      if (number && run.train_samples < 0) run.train_samples = *number;
    } else if (key == "eval_accuracy" || key == "eval_loss" || key == "eval_error") {
      evaluate(run, entry, number);
    } else if (key == "tracked_stats") {
      if (const auto rate = number_at(entry.value, "throughput"); rate && *rate > 0) run.throughputs.push_back(*rate);
    } else if (key.rfind("submission_", 0) == 0) {
      if (entry.value.kind == JsonValue::Kind::text) run.texts.try_emplace(key, entry.value.text.substr(0, 200));
    } else if (number && (key == "number_of_nodes" || key == "num_nodes" || key == "number_of_ranks")) {
      run.numbers.try_emplace(key == "num_nodes" ? "number_of_nodes" : key, *number);
    }
    note_progress(run, entry);
  }

  static void stop(MlRun& run, const MlLogEntry& entry) {
    const std::string* status = text_at(entry.metadata, "status");
    const JsonValue* flag = entry.metadata.find("success");
    bool good = status != nullptr && *status == "success";
    if (flag != nullptr && flag->kind == JsonValue::Kind::boolean) good = good || flag->boolean;
    if (run.success || (run.stopped && !good)) return;
    run.stopped = true;
    run.success = good;
    run.stop_ms = entry.time_ms;
  }

  static void evaluate(MlRun& run, const MlLogEntry& entry, const std::optional<double>& number) {
    const auto when = first_number(entry.metadata, {"samples_count", "epoch_num", "epoch", "step_num"});
    run.evaluations.emplace(when.value_or(entry.time_ms), number.value_or(0));
  }

  static void note_progress(MlRun& run, const MlLogEntry& entry) {
    if (run.start_ms < 0 || (run.success && entry.key != "run_stop")) return;
    const bool counts = entry.key == "run_stop" || entry.key == "eval_accuracy" || entry.key == "epoch_stop" ||
                        entry.key == "block_stop" || entry.key == "eval_stop" || entry.key == "train_samples_count";
    if (!counts) return;
    if (const auto epochs = first_number(entry.metadata, {"epoch_num", "epoch", "epoch_count"}))
      run.epochs = std::max(run.epochs, *epochs);
    if (const auto samples = first_number(entry.metadata, {"samples_count"}))
      run.samples = std::max(run.samples, *samples);
  }
};

// Two files of one run: its ranks.
bool same_run(const MlRun& a, const MlRun& b) {
  return a.start_ms >= 0 && b.start_ms >= 0 && std::abs(a.start_ms - b.start_ms) < ms_per_minute &&
         std::abs(a.stop_ms - b.stop_ms) < ms_per_minute;
}

struct Field {
  std::string name, value;
};

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

// The value that all runs that tell it share, -1 where none does or they differ.
double shared(const std::vector<MlRun>& runs, double MlRun::*member, const char* name,
              std::vector<std::string>& warnings) {
  double value = -1;
  for (const MlRun& run : runs) {
    if (run.*member < 0) continue;
    if (value >= 0 && value != run.*member) {
      warnings.push_back(std::string("runs differ in ") + name + ": " + number_cell(value) + " and " +
                         number_cell(run.*member));
      return -1;
    }
    value = run.*member;
  }
  return value;
}

class Row {
 public:
  Row(const std::vector<MlRun>& runs, const JsonValue& system) : runs_(runs), system_(system) {
    for (const MlRun& run : runs_)
      if (run.success && run.start_ms >= 0 && run.stop_ms > run.start_ms) minutes_.push_back(run.minutes());
    std::sort(minutes_.begin(), minutes_.end());
  }

  Imported make() {
    texts();
    machines();
    results();
    Imported imported;
    imported.format = "MLPerf training log";
    std::string head, row;
    for (const Field& field : fields_) {
      head += (head.empty() ? "" : ",") + field.name;
      row += (&field == &fields_.front() ? "" : ",") + csv_cell(field.value);
      if (field.value.empty()) {
        unknown_.push_back(field.name);
      } else {
        known_.push_back(field.name + ": " + field.value);
      }
    }
    imported.document = head + "\n" + row + "\n";
    imported.known = std::move(known_);
    imported.unknown = std::move(unknown_);
    imported.warnings = std::move(warnings_);
    return imported;
  }

 private:
  void add(const char* name, const std::string& value) { fields_.push_back({name, value}); }
  void add(const char* name, double value) { add(name, value < 0 || !std::isfinite(value) ? "" : number_cell(value)); }

  std::string text(const char* key) const {
    for (const MlRun& run : runs_)
      if (const auto found = run.texts.find(key); found != run.texts.end()) return found->second;
    return "";
  }
  std::string system_text(const char* key) const {
    const std::string* found = text_at(system_, key);
    return found ? found->substr(0, 200) : "";
  }
  double system_number(const char* key) const {
    if (const auto number = number_at(system_, key)) return *number;
    for (const MlRun& run : runs_)
      if (const auto found = run.numbers.find(key); found != run.numbers.end()) return found->second;
    return -1;
  }

  void texts() {
    const auto first = [](const std::string& a, const std::string& b) { return a.empty() ? b : a; };
    add("submitter", first(text("submission_org"), system_text("submitter")));
    add("system_name", first(text("submission_platform"), system_text("system_name")));
    add("benchmark", text("submission_benchmark"));
    add("division", text("submission_division"));
    add("framework", system_text("framework"));
    add("accelerator", system_text("accelerator_model_name"));
  }

  void machines() {
    const double nodes = system_number("number_of_nodes"), each = system_number("accelerators_per_node");
    add("accelerators_per_node", each);
    add("nodes", nodes);
    add("total_accelerators", nodes > 0 && each > 0 ? nodes * each : -1);
  }

  // The rules' score: without the best and the worst; a run without success is the worst, two leave no score.
  double score() {
    const std::size_t failed = runs_.size() - minutes_.size();
    if (minutes_.empty()) return -1;
    if (runs_.size() < 3) {
      if (failed > 0) warnings_.push_back(std::to_string(failed) + " runs without success: left out");
      warnings_.push_back("fewer than three runs: their mean, nothing dropped");
      return mean_of(minutes_);
    }
    if (failed > 1) {
      warnings_.push_back(std::to_string(failed) + " runs without success: the rules give no score");
      return -1;
    }
    const std::size_t last = failed == 1 ? minutes_.size() : minutes_.size() - 1;
    return mean_of({minutes_.begin() + 1, minutes_.begin() + static_cast<std::ptrdiff_t>(last)});
  }

  void results() {
    const double batch = shared(runs_, &MlRun::batch, "global_batch_size", warnings_);
    const double set = shared(runs_, &MlRun::train_samples, "train_samples", warnings_);
    std::vector<double> epochs, samples, evaluations, logged, derived;
    for (const MlRun& run : runs_) {
      if (!run.success) continue;
      const double seen = run.samples > 0 ? run.samples : run.epochs > 0 && set > 0 ? run.epochs * set : -1;
      if (run.epochs > 0) epochs.push_back(run.epochs);
      if (seen > 0) samples.push_back(seen);
      if (!run.evaluations.empty()) evaluations.push_back(static_cast<double>(run.evaluations.size()));
      if (!run.throughputs.empty()) {
        std::vector<double> sorted = run.throughputs;
        std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
        logged.push_back(sorted[sorted.size() / 2]);
      }
      if (seen > 0 && run.stop_ms > run.start_ms && run.start_ms >= 0) derived.push_back(seen / (run.minutes() * 60));
    }
    const auto mean = [](const std::vector<double>& values) { return values.empty() ? -1.0 : mean_of(values); };
    add("global_batch_size", batch);
    add("train_samples", set);
    add("samples_to_converge_mean", mean(samples));
    add("epochs", mean(epochs));
    add("evaluations", mean(evaluations));
    add("time_to_train_min", minutes_.empty() ? -1 : mean_of(minutes_));
    add("mlperf_score_min", score());
    add("n_runs", static_cast<double>(runs_.size()));
    add("n_converged", static_cast<double>(minutes_.size()));
    add("ttt_min_run", minutes_.empty() ? -1 : minutes_.front());
    add("ttt_max_run", minutes_.empty() ? -1 : minutes_.back());
    add("logged_throughput", mean(logged));
    add("derived_throughput", mean(derived));
    if (!derived.empty()) known_.push_back("derived_throughput: samples over the whole run, evaluations included");
  }

  const std::vector<MlRun>& runs_;
  const JsonValue& system_;
  std::vector<double> minutes_;  // of successful runs, ascending
  std::vector<Field> fields_;
  std::vector<std::string> known_, unknown_, warnings_;
};

}  // namespace

Imported import_mllog(const std::vector<std::string>& paths) {
  constexpr std::size_t enough = std::size_t{1} << 20;
  const std::string beginning = beginning_of(paths.front(), enough);
  if (is_storage_summary(beginning)) return import_storage_summaries(paths);
  std::vector<MlRun> runs;
  JsonValue system;
  std::size_t ranks = 0;
  for (const std::string& path : paths) {
    const std::string text = clean_text(read_source(path));
    LogReader reader;
    for (const std::string& line : lines_of(text)) reader.add(line);
    if (reader.lines == 0) {
      std::vector<Problem> ignored;
      JsonValue description = parse_json(text, path, ignored);
      const bool known = description.find("number_of_nodes") || description.find("system_name");
      if (!known && is_step_table(text)) return import_step_tables(paths);
      if (!known)
        throw InputError({{path, "",
                           "lines with :::MLLOG (or :::MLPv0.5.0, :::MLL), a system description, MLPerf "
                           "Storage's summary.json, or Markdown tables with seconds or TFLOP/s of steps",
                           "text that starts " + shown(trimmed(text.substr(0, 200))), ""}});
      system = std::move(description);
      continue;
    }
    for (MlRun& run : reader.runs) {
      const bool again =
          std::any_of(runs.begin(), runs.end(), [&](const MlRun& other) { return same_run(run, other); });
      if (again)
        ++ranks;
      else
        runs.push_back(std::move(run));
    }
  }
  if (runs.empty()) throw InputError({{paths.front(), "", "the log of a run", "a system description alone", ""}});
  Imported imported = Row(runs, system).make();
  if (ranks > 0)
    imported.warnings.push_back(std::to_string(ranks) + " files are of other ranks of the same runs: counted once");
  return imported;
}

}  // namespace clustersim
