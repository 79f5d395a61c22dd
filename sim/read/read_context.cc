#include "sim/read/read_context.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sim/read/json_value.h"

namespace clustersim {

namespace {

// What the catalog's file says at a path, as text.
std::string written_value(const ReadContext& context, const std::string& kind, const std::string& id,
                          const std::string& path) {
  const auto document = context.catalog().document(kind, id);
  const JsonValue* value = document ? document->find(path) : nullptr;
  if (value == nullptr) return "";
  if (value->kind == JsonValue::Kind::list || value->kind == JsonValue::Kind::object) return "as the catalog has it";
  return value->kind == JsonValue::Kind::text ? value->text : to_text(*value);
}

}  // namespace

void note_estimates(ReadContext& context, const std::string& kind, const Entry& entry,
                    const std::vector<std::string>& fields) {
  if (entry.id.empty() || entry.id == kInPlace) return;
  for (const EstimatedField& e : entry.estimated) {
    if (!fields.empty() && std::find(fields.begin(), fields.end(), e.field) == fields.end()) continue;
    const std::string pointer = kind + "/" + entry.id + "/" + e.field;
    const bool said = std::any_of(context.assumptions.begin(), context.assumptions.end(),
                                  [&](const Assumption& a) { return a.pointer == pointer; });
    if (!said) context.estimate(pointer, written_value(context, kind, entry.id, e.field), e.why);
  }
}

void refuse_unknown(ReadContext& context, const std::string& pointer, const Entry& entry,
                    const std::vector<std::string>& dispensable) {
  std::string missing, example;
  for (const std::string& key : entry.unknown) {
    if (std::find(dispensable.begin(), dispensable.end(), key) != dispensable.end()) continue;
    missing += (missing.empty() ? "" : ", ") + key;
    example += ", \"" + key + "\": ...";
  }
  if (missing.empty()) return;
  context.fault(pointer, "a part of which this is known: " + missing, "\"" + entry.id + "\"",
                "give it in place: {\"base\": \"" + entry.id + "\"" + example + "}");
}

std::string number_text(double value) {
  char digits[40];
  const bool whole = value == std::floor(value) && std::fabs(value) < 1e15;
  std::snprintf(digits, sizeof digits, whole ? "%.0f" : "%.6g", value);
  return digits;
}

}  // namespace clustersim
