// The keys of a study, for the reader and for the manual.
#include <algorithm>

#include "clustersim/error.h"
#include "sim/read/json_value.h"
#include "sim/sweep/study_keys.h"

namespace clustersim {

namespace {

constexpr Choice<Sampling> kSamplingWords[] = {
    {"grid", Sampling::grid, "every combination of the axes' values"},
    {"list", Sampling::list, "the axes move together: point i has value i of each"},
};

void visit_axis(FieldVisitor& v, AxisKeys& keys) {
  keys.where = v.pointer();
  v.key({.name = "name", .meaning = "the axis in tables", .default_text = "the last step of its pointer"}, keys.name);
  v.key({.name = "pointer", .meaning = "the key of the scenario that moves, such as /job/batch_per_gpu"}, keys.pointer);
  if (const auto pointers = v.words({.name = "pointers", .meaning = "or several keys that move together"}))
    keys.pointers = *pointers;
  v.json({.name = "values", .meaning = "what the key becomes; null leaves it as the base has it"},
         "list of JSON values; with \"pointers\" a list of lists, one value for each pointer", keys.values);
  if (const auto labels = v.words(
          {.name = "labels", .meaning = "the values in tables", .default_text = "the values of the first pointer"}))
    keys.labels = *labels;
  v.object({.name = "range", .meaning = "or numbers from one to another, instead of values"}, [&](FieldVisitor& in) {
    keys.has_range = true;
    in.json({.name = "from", .meaning = "the first", .required = true}, "number, or text of a number and a unit",
            keys.from);
    in.json({.name = "to", .meaning = "the last, in the same unit", .required = true},
            "number, or text of a number and a unit", keys.to);
    in.key({.name = "steps", .meaning = "how many, evenly spaced, both ends included", .min = 2, .max = 10000},
           keys.steps);
    in.key({.name = "factor", .meaning = "or each this many times the one before", .min = 1.0001, .max = 1e6},
           keys.factor);
  });
}

void visit_filter(FieldVisitor& v, FilterKeys& keys) {
  keys.where = v.pointer();
  if (const auto words = v.words({.name = "product",
                                  .meaning = "pointers of axes whose values, multiplied, are compared; one for itself",
                                  .required = true}))
    keys.product = *words;
  const char* form = "number, text, or the pointer of another axis";
  v.json({.name = "at_most", .meaning = "keeps points up to this"}, form, keys.at_most);
  v.json({.name = "at_least", .meaning = "keeps points from this on"}, form, keys.at_least);
  v.json({.name = "equal", .meaning = "keeps points of this value"}, form, keys.equal);
  v.json({.name = "unequal", .meaning = "keeps points of other values"}, form, keys.unequal);
}

void visit_constraint(FieldVisitor& v, ConstraintKeys& keys) {
  keys.where = v.pointer();
  v.key({.name = "metric", .meaning = "a metric of the report", .required = true}, keys.metric);
  const char* form = "quantity with its unit, or a number for counts and rates";
  v.json({.name = "at_most", .meaning = "the metric may not be above"}, form, keys.at_most);
  v.json({.name = "at_least", .meaning = "nor below"}, form, keys.at_least);
}

}  // namespace

void visit_study(FieldVisitor& v, StudyKeys& keys) {
  v.key({.name = "clustersim_study", .meaning = "version of this format", .required = true, .min = 1, .max = 1},
        keys.version);
  v.key({.name = "name", .meaning = "name in the answers", .default_text = "that of the file"}, keys.name);
  v.json({.name = "base", .meaning = "the scenario that the axes change", .required = true},
         "path of a scenario, from the study's folder; or the scenario itself, an object", keys.base);
  v.list({.name = "axes", .meaning = "what moves; the last axis moves fastest", .required = true},
         [&](FieldVisitor& in) { visit_axis(in, keys.axes.emplace_back()); });
  v.choice({.name = "sampling", .meaning = "which combinations are points", .default_text = "grid"}, kSamplingWords,
           keys.sampling);
  v.list({.name = "filters", .meaning = "points that fail one of these are left out", .default_text = "none"},
         [&](FieldVisitor& in) { visit_filter(in, keys.filters.emplace_back()); });
  v.object({.name = "objective", .meaning = "what the best point is best in"}, [&](FieldVisitor& in) {
    in.key({.name = "minimize", .meaning = "a metric of the report", .default_text = "time_to_train"}, keys.minimize);
    in.key({.name = "maximize", .meaning = "or one that should be large"}, keys.maximize);
  });
  v.list({.name = "constraints", .meaning = "a best point must keep these", .default_text = "none"},
         [&](FieldVisitor& in) { visit_constraint(in, keys.constraints.emplace_back()); });
}

const std::vector<KnownMetric>& known_metrics() {
  static const std::vector<KnownMetric> metrics = {
      {"step_time", "s", Dimension::time},
      {"throughput", "samples/s", {}},
      {"throughput_per_gpu", "samples/s", {}},
      {"tokens_per_s", "tokens/s", {}},
      {"forward_backward_time", "s", Dimension::time},
      {"exposed_communication_time", "s", Dimension::time},
      {"input_stall_time", "s", Dimension::time},
      {"optimizer_time", "s", Dimension::time},
      {"host_overhead_time", "s", Dimension::time},
      {"straggler_time", "s", Dimension::time},
      {"gpu_busy_share", "1", {}},
      {"steps_to_target", "1", {}},
      {"samples_to_target", "1", {}},
      {"epochs_to_target", "1", {}},
      {"time_to_train", "s", Dimension::time},
      {"time_to_train_cloud", "s", Dimension::time},
      {"first_epoch_time", "s", Dimension::time},
      {"evaluation_time", "s", Dimension::time},
      {"checkpoint_blocking_time", "s", Dimension::time},
      {"checkpoint_time", "s", Dimension::time},
      {"gpu_memory_required", "B", Dimension::bytes},
      {"sustained_gpu_clock", "Hz", Dimension::frequency},
      {"peak_gpu_temperature", "degC", Dimension::temperature},
      {"average_gpu_power", "W", Dimension::power},
      {"average_node_power", "W", Dimension::power},
      {"energy", "J", Dimension::energy},
      {"carbon", "g", Dimension::carbon_mass},
      {"cost_self_hosted", "money", Dimension::money},
      {"cost_cloud", "money", Dimension::money},
      {"break_even_utilization", "1", {}},
  };
  return metrics;
}

const KnownMetric* find_metric(const std::string& name) {
  for (const KnownMetric& metric : known_metrics())
    if (name == metric.name) return &metric;
  return nullptr;
}

std::optional<Bound> read_bound(const KnownMetric& metric, const std::string& json, const std::string& file,
                                const std::string& pointer, std::vector<Problem>& problems) {
  const JsonValue value = parse_json(json, file, problems);
  if (!metric.dimension) {
    if (value.kind == JsonValue::Kind::number) return Bound{value.number, "", value.text + " " + metric.unit};
    problems.push_back({file, pointer, "a number: " + std::string(metric.name) + " is in " + metric.unit, json, ""});
    return std::nullopt;
  }
  const std::string expected = expected_quantity(*metric.dimension);
  if (value.kind != JsonValue::Kind::text) {
    problems.push_back({file, pointer, expected, json, "a quantity is a text of number and unit, in quotes"});
    return std::nullopt;
  }
  const ParsedQuantity parsed = parse_quantity(value.text, *metric.dimension);
  if (parsed.base) return Bound{*parsed.base, parsed.currency, value.text};
  problems.push_back({file, pointer, expected, json, parsed.hint});
  return std::nullopt;
}

}  // namespace clustersim
