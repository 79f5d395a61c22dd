#include "sim/sweep/study.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "sim/read/catalog_files.h"
#include "sim/read/did_you_mean.h"
#include "sim/read/file_kind.h"
#include "sim/read/json_reader.h"
#include "sim/read/read_scenario.h"
#include "sim/sweep/axes.h"
#include "sim/sweep/study_keys.h"

namespace clustersim {

namespace {

using Kind = JsonValue::Kind;

// The base as a document: a file beside the study, or the object in place.
JsonValue read_base(const std::string& json, const std::string& study_file, std::string& base_name,
                    std::vector<Problem>& problems) {
  const JsonValue written = parse_json(json, study_file, problems);
  if (written.kind == Kind::object) {
    base_name = study_file + " /base";
    return written;
  }
  if (written.kind != Kind::text) {
    problems.push_back({study_file, "/base", "the path of a scenario, or a scenario in place", to_text(written), ""});
    return {};
  }
  base_name = (std::filesystem::path(study_file).parent_path() / written.text).lexically_normal().string();
  const std::size_t before = problems.size();
  JsonValue base = load_json(base_name, problems);
  if (problems.size() == before && base.kind != Kind::object)
    problems.push_back({base_name, "", "a scenario, {...}", to_text(base), ""});
  if (problems.size() == before) is_another_kind(base, FileKind::scenario, base_name, problems);
  for (std::size_t i = before; i < problems.size(); ++i)
    problems[i].hint = "asked for by " + study_file + " /base, a path from the study's folder";
  return base;
}

void unknown_metric(const std::string& name, const std::string& file, const std::string& pointer,
                    std::vector<Problem>& problems) {
  std::vector<std::string> names;
  std::string list;
  for (const KnownMetric& metric : known_metrics()) {
    names.emplace_back(metric.name);
    list += (list.empty() ? "" : ", ") + names.back();
  }
  const std::string near = did_you_mean(name, names);
  problems.push_back({file, pointer, "a metric of the report", "\"" + name + "\"", near.empty() ? list : near});
}

std::optional<SweepConstraint> constraint_of(const ConstraintKeys& keys, const std::string& file,
                                             std::vector<Problem>& problems) {
  const KnownMetric* metric = find_metric(keys.metric);
  if (metric == nullptr) {
    if (!keys.metric.empty()) unknown_metric(keys.metric, file, keys.where + "/metric", problems);
    return std::nullopt;
  }
  if (keys.at_most.has_value() == keys.at_least.has_value()) {
    problems.push_back({file, keys.where, "one of at_most and at_least", keys.at_most ? "both" : "neither",
                        "write two constraints for a range"});
    return std::nullopt;
  }
  const bool upper = keys.at_most.has_value();
  const std::string& json = upper ? *keys.at_most : *keys.at_least;
  const auto bound = read_bound(*metric, json, file, keys.where + (upper ? "/at_most" : "/at_least"), problems);
  if (!bound) return std::nullopt;
  return SweepConstraint{keys.metric + (upper ? " at most " : " at least ") + bound->text, keys.metric, bound->value,
                         bound->currency, upper};
}

}  // namespace

Catalog shared_catalog(std::uint64_t* fingerprint) {
  const std::string data = data_directory();
  auto files = std::make_shared<const CatalogFiles>(data);
  if (fingerprint != nullptr) *fingerprint = files->fingerprint();
  return Catalog(data, std::move(files));
}

Study::Study(const std::string& path) : file_(path), catalog_(shared_catalog(&catalog_fingerprint_)) {
  std::vector<Problem> problems;
  const JsonValue document = load_json(path, problems);
  if (problems.empty() && !is_another_kind(document, FileKind::study, path, problems)) read(document, problems);
  if (!problems.empty()) throw InputError(problems);
}

void Study::read(const JsonValue& document, std::vector<Problem>& problems) {
  StudyKeys keys;
  JsonReader reader(document, file_, problems);
  reader.name_manual("/study");
  reader.read([&](FieldVisitor& v) { visit_study(v, keys); });
  name_ = keys.name.value_or(std::filesystem::path(file_).stem().string());
  grid_ = keys.sampling == Sampling::grid;
  if (keys.base) base_ = read_base(*keys.base, file_, base_name_, problems);
  const JsonValue* axes = document.find("axes");
  if (axes != nullptr && axes->kind == Kind::list && axes->items.empty())
    problems.push_back({file_, "/axes", "at least one axis", "none", ""});
  axes_ = read_axes(keys.axes, base_, grid_, file_, problems);
  const std::vector<StudyFilter> filters = read_filters(keys.filters, axes_, file_, problems);
  for (const ConstraintKeys& constraint : keys.constraints)
    if (auto read = constraint_of(constraint, file_, problems)) constraints_.push_back(std::move(*read));
  if (keys.minimize && keys.maximize)
    problems.push_back({file_, "/objective", "one of minimize and maximize", "both", "a second goal is a constraint"});
  maximize_ = keys.maximize.has_value();
  objective_ = keys.maximize ? *keys.maximize : keys.minimize.value_or(objective_);
  if (find_metric(objective_) == nullptr)
    unknown_metric(objective_, file_, maximize_ ? "/objective/maximize" : "/objective/minimize", problems);
  if (problems.empty()) choose_points(filters, problems);
}

void Study::choose_points(const std::vector<StudyFilter>& filters, std::vector<Problem>& problems) {
  const std::size_t all = count_points(axes_, grid_);  // at most most_points: read_axes has seen to it
  for (std::size_t point = 0; point < all; ++point) {
    const std::vector<std::size_t> values = values_at(axes_, grid_, point);
    const bool kept =
        std::all_of(filters.begin(), filters.end(), [&](const StudyFilter& f) { return f.keeps(values); });
    if (kept) points_.push_back(point);
  }
  filtered_ = all - points_.size();
  if (points_.empty()) problems.push_back({file_, "/filters", "filters that leave a point", "none is left", ""});
  if (points_.size() > most_rows)
    problems.push_back({file_, "/axes", "at most " + std::to_string(most_rows) + " points",
                        std::to_string(points_.size()), "fewer values, or more filters"});
}

std::string Study::identity() const {
  std::string text = "program " CLUSTERSIM_VERSION ", catalog " + std::to_string(catalog_fingerprint_) + ", base " +
                     to_text(base_, 0) + (grid_ ? ", grid" : ", list");
  for (const StudyAxis& axis : axes_) {
    text += ", axis";
    for (const std::string& pointer : axis.pointers) text += " " + pointer;
    for (const auto& value : axis.values)
      for (const std::string& json : value) text += " " + (json.empty() ? "base" : json);
  }
  return text;
}

std::vector<Override> Study::overrides(std::size_t point) const {
  std::vector<Override> overrides;
  const std::vector<std::size_t> values = values_at(axes_, grid_, point);
  for (std::size_t a = 0; a < axes_.size(); ++a)
    for (std::size_t p = 0; p < axes_[a].pointers.size(); ++p) {
      const std::string& json = axes_[a].values[values[a]][p];
      if (!json.empty()) overrides.emplace_back(axes_[a].pointers[p], json);
    }
  return overrides;
}

SweepRow Study::run(std::size_t point) const {
  SweepRow row = run_row(base_, base_name_, overrides(point), catalog_);
  row.point = point;
  return row;
}

SweepRow run_row(const JsonValue& base, const std::string& name, const std::vector<Override>& overrides,
                 const Catalog& catalog) {
  SweepRow row;
  try {
    const Scenario scenario = read_scenario(base, name, overrides, catalog);
    RunOptions options;
    options.what_if = false;
    const Report report = clustersim::run(scenario, options);
    for (const Metric& metric : report.metrics) row.metrics.emplace_back(metric.name, metric.value);
    if (scenario.cost) row.currency = scenario.cost->currency;
    row.limit_kind = report.bottleneck.kind;
    row.limit_resource = report.bottleneck.resource;
    row.limit_share = report.bottleneck.share;
  } catch (const InputError& error) {
    row.status = SweepRow::Status::invalid;
    row.problems = error.problems();
  } catch (const std::exception& error) {
    row = {};
    row.status = SweepRow::Status::failed;
    row.problems = {{name, "", "an answer", error.what(), ""}};
  }
  return row;
}

}  // namespace clustersim
