// clustersim calibrate: read every file, fit, write one document.
#include "clustersim/calibrate.h"

#include <algorithm>
#include <map>

#include "clustersim/clustersim.h"
#include "models/workload/operator_kind.h"
#include "sim/calibrate/document.h"
#include "sim/calibrate/gpu_constants.h"
#include "sim/calibrate/step_check.h"
#include "sim/import/measurement_formats.h"
#include "sim/import/nccl_rows.h"
#include "sim/import/product_names.h"
#include "sim/import/text_source.h"
#include "sim/read/did_you_mean.h"

namespace clustersim {
namespace {

constexpr std::size_t most_files = 1000;

std::optional<CollectiveOp> operation_named(const std::string& name, std::vector<Problem>& problems) {
  std::vector<std::string> known;
  for (const CollectiveOp op :
       {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::reduce,
        CollectiveOp::all_to_all, CollectiveOp::broadcast, CollectiveOp::send_recv}) {
    if (name == to_string(op)) return op;
    known.emplace_back(to_string(op));
  }
  if (name.empty()) return std::nullopt;
  std::string words;
  for (const std::string& word : known) words += (words.empty() ? "" : ", ") + word;
  problems.push_back({"command line", "--op", "one of: " + words, "\"" + name + "\"", did_you_mean(name, known)});
  return std::nullopt;
}

// The catalog entry of a base by its kind; a kind may be named once.
void take_base(const Catalog& catalog, const std::string& id, MeasuredParts& parts,
               std::map<std::string, std::string>& bases, std::vector<Problem>& problems) {
  const Asked by{"command line", "--base", problems};
  const auto name = [&](const char* part) {
    if (!bases.try_emplace(part, id).second)
      problems.push_back({"command line", "--base", "one base for the " + std::string(part),
                          "\"" + bases[part] + "\" and \"" + id + "\"", ""});
  };
  if (catalog.has("gpu", id)) {
    parts.gpu = catalog.gpu(id, by);
    name("gpu");
  } else if (catalog.has("nic", id)) {
    parts.nic = catalog.nic(id, by);
    name("nic");
  } else if (catalog.has("cpu", id)) {
    parts.cpu = catalog.cpu(id, by);
    name("cpu");
  } else if (catalog.has("storage", id)) {
    parts.storage = catalog.storage(id, by);
    name("storage");
  } else if (catalog.has("link", id)) {
    parts.link = catalog.link(id, by);
    if (parts.link.kind == "pcie") name("pcie");
  } else {
    std::vector<std::string> known;
    for (const char* kind : {"gpu", "nic", "cpu", "storage", "link"})
      for (const std::string& one : catalog.ids(kind)) known.push_back(one);
    problems.push_back({"command line", "--base", "an id of a gpu, nic, cpu, storage or link of the catalog",
                        "\"" + id + "\"", did_you_mean(id, known)});
  }
}

// The GPU that the files name, if they name one and the catalog knows it.
void find_gpu(const Catalog& catalog, const std::vector<MeasuredFile>& files, MeasuredParts& parts,
              std::map<std::string, std::string>& bases, std::vector<std::string>& notes) {
  if (!parts.gpu.id.empty()) return;
  std::vector<std::string> names, ids;
  for (const MeasuredFile& file : files) {
    if (file.gpu.empty() || std::find(names.begin(), names.end(), file.gpu) != names.end()) continue;
    names.push_back(file.gpu);
    NodePart part;
    part.name = file.gpu;
    const std::string id = gpu_id_of(catalog, part);
    const std::string near = id.empty() ? near_gpu(catalog, file.gpu) : "";
    if (id.empty())
      notes.push_back("the catalog has no GPU " + shown(file.gpu) + (near.empty() ? "" : "; " + near));
    else if (std::find(ids.begin(), ids.end(), id) == ids.end())
      ids.push_back(id);
  }
  if (ids.size() > 1) notes.push_back("the files are of different GPUs; name one with --base");
  if (ids.size() != 1) return;
  std::vector<Problem> ignored;
  parts.gpu = catalog.gpu(ids.front(), {"", "", ignored});
  bases["gpu"] = ids.front();
}

RecognisedFile recognised(const MeasuredFile& file) {
  RecognisedFile out{
      file.file, file.format, file.gpu, static_cast<int>(file.values.size()), static_cast<int>(file.collectives.size()),
      {}};
  for (const Warning& warning : file.warnings) out.warnings.emplace_back(warning.line, warning.text);
  return out;
}

FittedNumber number_of_constant(const Constant& c) {
  FittedNumber number{c.part,
                      c.key,
                      constant_text(c),
                      c.quality.rows,
                      c.quality.median_residual,
                      c.quality.worst_residual,
                      "",
                      "",
                      c.source + " (" + c.where + ")",
                      c.doubt};
  if (!c.swept.empty()) {
    number.from = swept_text(c.swept, c.quality.from);
    number.to = swept_text(c.swept, c.quality.to);
  }
  return number;
}

std::string factor_text(double factor) {
  return number_text(static_cast<double>(static_cast<long long>(factor * 1000 + 0.5)) / 1000);
}

FittedNumber number_of_sweep(const SweepEntry& entry) {
  FittedNumber number;
  number.part = "collectives";
  number.key = entry.sweep.name;
  number.source = source_text(entry.sweep.files);
  const FitQuality* quality = nullptr;
  if (entry.correction) {
    const CollectiveCorrection& c = entry.correction->correction;
    number.value = "latency x " + factor_text(c.small) + ", rate of " + c.limit + " x " + factor_text(c.rate);
    quality = &entry.correction->quality;
    number.doubt = entry.correction->doubt;
  } else if (entry.curve) {
    // Its residuals follow; how well a run's own model meets the points is said by its report.
    number.value =
        "its own curve: " + format_quantity(entry.curve->small_s, Dimension::time, "us") + " + S / " +
        (entry.curve->bytes_per_s > 0 ? format_quantity(entry.curve->bytes_per_s, Dimension::bandwidth, "GB/s")
                                      : std::string("unknown"));
    if (entry.curve->fill_s > 0)
      number.value += ", filling " + format_quantity(entry.curve->fill_s, Dimension::time, "us");
    quality = &entry.curve->quality;
  }
  if (quality == nullptr) return number;
  number.rows = quality->rows;
  number.median_residual = quality->median_residual;
  number.worst_residual = quality->worst_residual;
  number.from = swept_text("B", quality->from);
  number.to = swept_text("B", quality->to);
  return number;
}

// All sweeps of an operation inside, or between, nodes are corrected together.
void correct(const Cluster& cluster, std::vector<SweepEntry>& entries, std::vector<std::string>& notes) {
  std::map<std::pair<CollectiveOp, bool>, std::vector<SweepEntry*>> groups;
  for (SweepEntry& entry : entries) groups[{entry.sweep.sweep.op, entry.sweep.sweep.nodes > 1}].push_back(&entry);
  for (auto& [of, group] : groups) {
    std::vector<MeasuredSweep> sweeps;
    for (const SweepEntry* entry : group) sweeps.push_back(entry->sweep.sweep);
    const auto fitted = fit_correction(cluster, sweeps);
    if (fitted)
      group.front()->correction = fitted;
    else
      notes.push_back(group.front()->sweep.name +
                      ": the scenario's nodes cannot have run it, or its times fit no such "
                      "cluster; its points are in the file all the same");
  }
  std::vector<SweepEntry> kept;  // the others of a group are in the first one's factors
  for (SweepEntry& entry : entries) {
    const auto& group = groups[{entry.sweep.sweep.op, entry.sweep.sweep.nodes > 1}];
    if (&entry == group.front() || !group.front()->correction) kept.push_back(entry);
  }
  entries = std::move(kept);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> measurement_kinds() {
  std::vector<std::pair<std::string, std::string>> kinds;
  for (const MeasurementFormat& format : measurement_formats()) kinds.emplace_back(format.name, format.meaning);
  return kinds;
}

Calibrated calibrate(const std::vector<std::string>& paths, const CalibrateOptions& options) {
  std::vector<Problem> problems;
  const ReaderOptions reader{operation_named(options.operation, problems)};
  const Catalog catalog(data_directory());
  MeasuredParts parts;
  std::map<std::string, std::string> bases;
  for (const std::string& id : options.bases) take_base(catalog, id, parts, bases, problems);
  if (paths.size() > most_files)
    problems.push_back(
        {"command line", "", "at most " + std::to_string(most_files) + " files", std::to_string(paths.size()), ""});
  if (!problems.empty()) throw InputError(problems);

  Calibrated result;
  std::vector<MeasuredFile> files;
  for (const std::string& path : paths) {
    try {
      MeasuredFile file = read_measurements(path, clean_text(read_source(path)), reader);
      if (file.format.empty())
        problems.push_back({path, "", "the output of a benchmark that is known", "something else",
                            "clustersim calibrate --help lists what is read"});
      else if (file.empty())
        problems.push_back({path, "", "measurements in this " + file.format, "none that can be used",
                            file.warnings.empty() ? "" : file.warnings.front().text});
      warn_of_repeats(file);
      result.files.push_back(recognised(file));
      files.push_back(std::move(file));
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
  if (!problems.empty()) throw InputError(problems);

  find_gpu(catalog, files, parts, bases, result.notes);
  std::vector<Constant> constants = constants_of(files, parts, result.notes);
  add_kernel_constants(files, parts.gpu, constants, result.notes);
  result.checks = kernel_checks(files, calibrated_gpu(parts.gpu, constants));
  std::vector<SweepEntry> entries;
  for (SourcedSweep& sweep : sweeps_of(files)) {
    if (sweep.sweep.points.size() < 2) {
      result.notes.push_back(sweep.name + ": one size only; two or more are needed");
      continue;
    }
    if (const std::string advice = advice_on_sizes(sweep); !advice.empty()) result.checks.push_back(advice);
    const auto curve = fit_curve(sweep.sweep.points);
    entries.push_back({std::move(sweep), curve, std::nullopt});
  }
  if (!options.scenario.empty()) correct(read_scenario(options.scenario, {}).cluster, entries, result.notes);
  for (const Constant& c : constants) result.numbers.push_back(number_of_constant(c));
  for (const SweepEntry& entry : entries) result.numbers.push_back(number_of_sweep(entry));
  if (result.numbers.empty()) {
    std::string hint;
    for (const std::string& note : result.notes) hint += (hint.empty() ? "" : "; ") + note;
    throw InputError({{paths.front(), "", "measurements that a scenario has a key for", "none", hint}});
  }
  result.document = calibration_document(constants, bases, entries);
  return result;
}

}  // namespace clustersim
