#include "sim/read/calibration_file.h"

#include <algorithm>
#include <filesystem>

#include "sim/read/catalog_fields.h"
#include "sim/read/json_reader.h"

namespace clustersim {

namespace {

constexpr const char* kParts[] = {"gpu", "cpu", "nic", "pcie", "storage"};

template <class Spec>
void visit_part(FieldVisitor& v, const char* part, Spec& spec) {
  v.object({.name = part, .meaning = "measured numbers of it"}, [&](FieldVisitor& in) {
    in.skip("base");
    visit_fields(in, spec, false);
    std::erase_if(spec.estimated, [&](const EstimatedField& e) { return in.given(e.field); });
    std::erase_if(spec.unknown, [&](const std::string& key) { return in.given(key); });
  });
}

// " (clustersim-gpubench 0.1.0, 2026-12-01)" of the sources of a part: each program once, at most three.
std::string programs_of(const JsonValue* sources) {
  constexpr std::size_t most_programs = 3, longest = 80;
  const std::string said = "measured, ";
  std::vector<std::string> programs;
  if (sources != nullptr)
    for (const JsonValue& source : sources->items) {
      const JsonValue* what = source.find("what");
      if (what == nullptr || !what->text.starts_with(said)) continue;
      const std::string program = what->text.substr(said.size(), longest);
      if (programs.size() < most_programs && std::find(programs.begin(), programs.end(), program) == programs.end())
        programs.push_back(program);
    }
  std::string text;
  for (const std::string& program : programs) text += (text.empty() ? " (calibrated from " : "; ") + program;
  return text.empty() ? text : text + ")";
}

bool is_bookkeeping(const std::string& key) {
  return key == "base" || key == "name" || key == "sources" || key == "estimated" || key == "facts";
}

}  // namespace

void visit_calibration(FieldVisitor& v, std::vector<CollectiveKeys>& collectives) {
  int version = 0;
  v.key({.name = "clustersim_calibration", .meaning = "version of the format", .required = true, .min = 1, .max = 1},
        version);
  for (const char* more : {"name", "sources", "estimated", "facts"}) v.skip(more);
  GpuSpec gpu;
  CpuSpec cpu;
  NicSpec nic;
  LinkSpec pcie;
  StorageSpec storage;
  visit_part(v, "gpu", gpu);
  visit_part(v, "cpu", cpu);
  visit_part(v, "nic", nic);
  visit_part(v, "pcie", pcie);
  visit_part(v, "storage", storage);
  visit_collectives(v, collectives);
}

void CalibrationFile::check(std::vector<Problem>& problems) {
  JsonReader reader(document_, path_, problems);
  reader.read([&](FieldVisitor& v) { visit_calibration(v, collectives_); });
  for (CollectiveKeys& keys : collectives_) keys.pointer = "/cluster/calibration" + keys.pointer;
}

template <class Spec>
void CalibrationFile::change(const char* part, Spec& spec) const {
  const JsonValue* found = document_.find(part);
  if (found == nullptr) return;
  JsonValue only;
  only.kind = JsonValue::Kind::object;
  only.members.emplace_back(part, *found);
  std::vector<Problem> told;  // by check()
  const std::vector<std::string> unknown = spec.unknown;
  JsonReader reader(only, path_, told);
  reader.read([&](FieldVisitor& v) { visit_part(v, part, spec); });
  spec.unknown = unknown;
  std::erase_if(spec.unknown, [&](const std::string& key) { return found->find(key) != nullptr; });
}

void CalibrationFile::apply(GpuSpec& gpu) const { change("gpu", gpu); }
void CalibrationFile::apply(CpuSpec& cpu) const { change("cpu", cpu); }
void CalibrationFile::apply(NicSpec& nic) const { change("nic", nic); }

void CalibrationFile::apply(StorageArray& array) const {
  if (document_.find("storage") == nullptr) return;
  change("storage", array.tier);
  array.count = 1;
  array.raid = Raid::none;
  array.sequential_efficiency = 1;
}

void CalibrationFile::apply_slot(LinkSpec& slot, std::vector<PcieVertex>& tree) const {
  if (document_.find("pcie") == nullptr) return;
  change("pcie", slot);
  for (PcieVertex& vertex : tree)
    if (vertex.kind == "gpu" && vertex.link_id == slot.id) vertex.link = slot.achievable;
}

std::string CalibrationFile::summary() const {
  std::string text;
  for (const char* part : kParts) {
    const JsonValue* found = document_.find(part);
    if (found == nullptr) continue;
    std::string keys;
    for (const auto& [key, value] : found->members)
      if (!is_bookkeeping(key)) keys += (keys.empty() ? "" : ", ") + key;
    if (!keys.empty())
      text += (text.empty() ? "" : "; ") + std::string(part) + ": " + keys + programs_of(found->find("sources"));
  }
  if (!collectives_.empty())
    text += (text.empty() ? "" : "; ") + std::to_string(collectives_.size()) +
            (collectives_.size() == 1 ? " sweep of collectives" : " sweeps of collectives");
  return text.empty() ? "nothing" : text;
}

std::string CalibrationFile::ranges() const {
  const JsonValue *gpu = document_.find("gpu"), *facts = gpu == nullptr ? nullptr : gpu->find("facts"),
                  *fits = facts == nullptr ? nullptr : facts->find("calibration");
  std::string text;
  if (fits == nullptr) return text;
  for (const auto& [key, fit] : fits->members) {
    const JsonValue *from = fit.find("from"), *to = fit.find("to");
    if (from == nullptr || to == nullptr || gpu->find(key) == nullptr) continue;
    text += (text.empty() ? "" : ", ") + key + " from " + from->text.substr(0, 40) + " to " + to->text.substr(0, 40);
  }
  return text;
}

namespace {

// The faults from `first` on, as those of the scenario that holds the calibration in place, or names its file.
void retell(ReadContext& context, std::size_t first, bool in_place) {
  for (std::size_t i = first; i < context.lookup.problems.size(); ++i) {
    Problem& problem = context.lookup.problems[i];
    if (in_place)
      problem.pointer = "/cluster/calibration" + problem.pointer;
    else
      problem.hint +=
          (problem.hint.empty() ? "" : "; ") + ("named by " + context.lookup.file) + " /cluster/calibration";
  }
}

}  // namespace

std::optional<CalibrationFile> load_calibration(ReadContext& context, const std::string& json) {
  std::vector<Problem>& problems = context.lookup.problems;
  const std::size_t before = problems.size();
  JsonValue value = parse_json(json, context.lookup.file, problems);
  if (value.kind != JsonValue::Kind::text && value.kind != JsonValue::Kind::object) {
    context.fault("/cluster/calibration", "the name of a file of `clustersim calibrate`, or its content", json);
    return std::nullopt;
  }
  const bool in_place = value.kind == JsonValue::Kind::object;
  const std::string name = in_place ? "in place" : value.text;
  std::string path = context.lookup.file;
  if (!in_place) {
    const std::filesystem::path given(name);
    path = given.is_absolute() ? name : (std::filesystem::path(path).parent_path() / given).string();
    value = load_json(path, problems);
  }
  CalibrationFile file(std::move(value), path);
  if (problems.size() == before) file.check(problems);
  if (problems.size() > before) {
    retell(context, before, in_place);
    return std::nullopt;
  }
  context.remark("/cluster/calibration", name, "measured, and taken for every node: " + file.summary());
  if (const std::string ranges = file.ranges(); !ranges.empty())
    context.remark("/cluster/calibration/gpu", name, "fitted over what was swept, and carried on beyond it: " + ranges);
  return file;
}

}  // namespace clustersim
