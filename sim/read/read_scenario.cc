// File -> resolved scenario, or all faults at once.
#include "sim/read/read_scenario.h"

#include <filesystem>
#include <set>
#include <tuple>

#include "clustersim/clustersim.h"
#include "sim/collective_correction.h"
#include "sim/read/calibration_file.h"
#include "sim/read/file_kind.h"
#include "sim/read/json_reader.h"
#include "sim/read/read_context.h"
#include "sim/read/resolve_cluster.h"
#include "sim/read/resolve_cost.h"
#include "sim/read/resolve_job.h"
#include "sim/read/scenario_keys.h"

namespace clustersim {

namespace {

// The same fault can be met twice, by two keys that lean on one catalog file.
void drop_repeats(std::vector<Problem>& problems) {
  std::set<std::tuple<std::string, std::string, std::string, std::string>> seen;
  std::erase_if(problems, [&](const Problem& p) {
    return !seen.insert({p.file, p.pointer, p.expected, p.got}).second;
  });
}

void throw_if_any(std::vector<Problem>& problems) {
  if (problems.empty()) return;
  drop_repeats(problems);
  throw InputError(problems);
}

void say_conversions(ReadContext& context, const std::vector<Conversion>& conversions) {
  for (const Conversion& c : conversions)
    context.assume(c.pointer, c.written, "converted at " + number_text(c.usd_per_unit) + " USD, rate of " + c.date);
}

Scenario resolve(JsonValue document, const std::string& path, const std::vector<Override>& overrides,
                 const Catalog& catalog, std::vector<Problem>& problems) {
  if (document.kind == JsonValue::Kind::null || is_another_kind(document, FileKind::scenario, path, problems))
    throw_if_any(problems);
  for (const auto& [pointer, value] : overrides) apply_override(document, pointer, value, path, problems);

  ReadContext context{{catalog, path, problems}, {}, nullptr};
  ExchangeRates rates = catalog.rates(context.at(""));
  add_exchange(document, path, rates, problems);
  ScenarioKeys keys;
  JsonReader reader(document, path, problems, &rates);
  reader.read([&](FieldVisitor& v) { visit_scenario(v, keys, context.lookup); });

  Scenario scenario;
  scenario.file = path;
  scenario.name = keys.name.value_or(std::filesystem::path(path).stem().string());
  scenario.seed = static_cast<std::uint64_t>(keys.seed.value_or(1));
  if (!keys.seed) context.assume("/seed", "1", "default");
  std::optional<CalibrationFile> calibration;
  if (keys.cluster.calibration) {
    calibration = load_calibration(context, *keys.cluster.calibration);
    if (calibration) context.calibration = &*calibration;
  }
  if (keys.cluster.present) scenario.cluster = resolve_cluster(context, keys.cluster);
  if (scenario.cluster.stragglers) scenario.cluster.stragglers->seed = scenario.seed;
  for (const Problem& p : problems)
    if (p.pointer == "/cluster") throw_if_any(problems);  // no cluster, or one too large to count
  context.calibration = nullptr;                          // what is rented for the same job is other hardware
  if (keys.job.present) scenario.job = resolve_job(context, keys.job, scenario.cluster);
  resolve_cost(context, keys, rates, reader.conversions(), scenario);
  say_conversions(context, reader.conversions());
  throw_if_any(problems);
  std::vector<CollectiveKeys> measured = keys.cluster.collectives;
  if (calibration)
    measured.insert(measured.end(), calibration->collectives().begin(), calibration->collectives().end());
  correct_collectives(context, measured, scenario.cluster);
  throw_if_any(problems);
  scenario.assumptions = std::move(context.assumptions);
  return scenario;
}

}  // namespace

Scenario read_scenario(const std::string& path, const std::vector<Override>& overrides) {
  std::vector<Problem> problems;
  return resolve(load_json(path, problems), path, overrides, Catalog(data_directory()), problems);
}

Scenario read_scenario_text(const std::string& text, const std::string& name, const std::vector<Override>& overrides) {
  std::vector<Problem> problems;
  return resolve(parse_json(text, name, problems), name, overrides, Catalog(data_directory()), problems);
}

Scenario read_scenario(const JsonValue& document, const std::string& name, const std::vector<Override>& overrides,
                       const Catalog& catalog) {
  std::vector<Problem> problems;
  return resolve(document, name, overrides, catalog, problems);
}

}  // namespace clustersim
