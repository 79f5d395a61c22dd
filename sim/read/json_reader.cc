#include "sim/read/json_reader.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "sim/read/did_you_mean.h"

namespace clustersim {

namespace {

using Kind = JsonValue::Kind;

std::string plain_number(double value) {
  char digits[40];
  const bool whole = value == std::floor(value) && std::fabs(value) < 1e15;
  std::snprintf(digits, sizeof digits, whole ? "%.0f" : "%.6g", value);
  return digits;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

// The last step of a pointer, to name an object by.
std::string object_name(const std::string& pointer) {
  return pointer.empty() ? "the file" : pointer.substr(pointer.rfind('/') + 1);
}

}  // namespace

JsonReader::JsonReader(const JsonValue& document, std::string file, std::vector<Problem>& problems,
                       const ExchangeRates* rates)
    : document_(document), file_(std::move(file)), problems_(problems), rates_(rates) {}

void JsonReader::read(const Body& fields) {
  if (document_.kind != Kind::object) {
    problems_.push_back({file_, "", "an object, {...}", to_text(document_), ""});
    return;
  }
  inside(document_, "", false, fields);
}

void JsonReader::inside(const JsonValue& object, const std::string& pointer, bool based, const Body& body) {
  frames_.push_back({&object, pointer, based, {}});
  body(*this);
  report_unknown_keys();
  frames_.pop_back();
}

void JsonReader::report_unknown_keys() {
  const Frame& frame = frames_.back();
  for (const auto& [key, value] : frame.object->members) {
    if (std::find(frame.known.begin(), frame.known.end(), key) != frame.known.end()) continue;
    const std::string page = manual_ + frame.pointer;
    const std::string where = page.empty() ? "" : " " + page;
    problems_.push_back({file_, frame.pointer + "/" + pointer_step(key),
                         "a known key of " + object_name(frame.pointer) + " (clustersim explain" + where + ")",
                         "\"" + key + "\"", did_you_mean(key, frame.known)});
  }
}

std::string JsonReader::pointer() const { return frames_.back().pointer; }

bool JsonReader::given(const std::string& name) const { return frames_.back().object->find(name) != nullptr; }

void JsonReader::skip(const std::string& name) { frames_.back().known.push_back(name); }

const JsonValue* JsonReader::take(const Field& field) {
  Frame& frame = frames_.back();
  frame.known.push_back(field.name);
  const JsonValue* value = frame.object->find(field.name);
  if (value == nullptr && field.required && !frame.based) {
    problems_.push_back({file_, frame.pointer + "/" + field.name, "this key: " + field.meaning, "nothing", "add it"});
  }
  return value;
}

void JsonReader::fault(const Field& field, const JsonValue& got, std::string expected, std::string hint) {
  problems_.push_back({file_, pointer() + "/" + field.name, std::move(expected), to_text(got), std::move(hint)});
}

bool JsonReader::check_range(const Field& field, const JsonValue& got, double value,
                             const std::optional<Dimension>& dimension) {
  if (value >= field.min && value <= field.max) return true;
  const auto shown = [&](double v) { return dimension ? format_quantity(v, *dimension, field.unit) : plain_number(v); };
  const bool low = std::isfinite(field.min), high = std::isfinite(field.max);
  const std::string range = field.min == field.max ? shown(field.min)
                            : low && high          ? "from " + shown(field.min) + " to " + shown(field.max)
                            : low                  ? "at least " + shown(field.min)
                                                   : "at most " + shown(field.max);
  fault(field, got, range, field.meaning);
  return false;
}

std::optional<double> JsonReader::read_number(const Field& field) {
  const JsonValue* value = take(field);
  if (value == nullptr) return std::nullopt;
  if (value->kind != Kind::number) {
    fault(field, *value, "a number",
          value->kind == Kind::text ? "counts and ratios stand without quotes and units" : "");
    return std::nullopt;
  }
  if (!check_range(field, *value, value->number, std::nullopt)) return std::nullopt;
  return value->number;
}

std::optional<int> JsonReader::read_integer(const Field& field) {
  const JsonValue* value = take(field);
  if (value == nullptr) return std::nullopt;
  if (value->kind != Kind::number || value->number != std::floor(value->number)) {
    fault(field, *value, "a whole number", value->kind == Kind::text ? "counts stand without quotes and units" : "");
    return std::nullopt;
  }
  Field bounded = field;
  bounded.min = std::max(field.min, static_cast<double>(std::numeric_limits<int>::min()));
  bounded.max = std::min(field.max, static_cast<double>(std::numeric_limits<int>::max()));
  const bool above = value->number > field.max || !std::isfinite(field.max);
  if (!check_range(above && value->number <= bounded.max ? field : bounded, *value, value->number, std::nullopt))
    return std::nullopt;
  return static_cast<int>(value->number);
}

std::optional<bool> JsonReader::read_flag(const Field& field) {
  const JsonValue* value = take(field);
  if (value == nullptr) return std::nullopt;
  if (value->kind == Kind::boolean) return value->boolean;
  fault(field, *value, "true or false", value->kind == Kind::text ? "without quotes" : "");
  return std::nullopt;
}

std::optional<std::string> JsonReader::read_text(const Field& field) {
  const JsonValue* value = take(field);
  if (value == nullptr) return std::nullopt;
  if (value->kind == Kind::text) return value->text;
  fault(field, *value, "a text", "");
  return std::nullopt;
}

const JsonValue* JsonReader::take_quantity(const Field& field, Dimension dimension) {
  const JsonValue* value = take(field);
  if (value == nullptr || value->kind == Kind::text) return value;
  fault(field, *value, expected_quantity(dimension),
        value->kind == Kind::number ? "a quantity is a text of number and unit, in quotes; zero too" : "");
  return nullptr;
}

std::optional<double> JsonReader::usd_for(const Field& field, const JsonValue& value, const std::string& currency,
                                          Dimension dimension) {
  if (currency.empty() || currency == "USD") return 1.0;
  const auto one = rates_ == nullptr ? std::nullopt : in_usd(1.0, currency, *rates_);
  if (one) {
    conversions_.push_back({pointer() + "/" + field.name, value.text, *one, rates_->date_of(currency), currency});
    return one;
  }
  std::string known = "USD";
  if (rates_ != nullptr)
    for (const auto& [code, rate] : rates_->usd_per_unit)
      if (code != "USD") known += ", " + code;
  fault(field, value, expected_quantity(dimension), "no exchange rate for " + currency + "; known: " + known);
  return std::nullopt;
}

std::optional<double> JsonReader::read_quantity(const Field& field, Dimension dimension) {
  const JsonValue* value = take_quantity(field, dimension);
  if (value == nullptr) return std::nullopt;
  const ParsedQuantity parsed = parse_quantity(value->text, dimension);
  if (!parsed.base) {
    fault(field, *value, expected_quantity(dimension), parsed.hint);
    return std::nullopt;
  }
  const auto rate = usd_for(field, *value, parsed.currency, dimension);
  if (!rate || !check_range(field, *value, *parsed.base * *rate, dimension)) return std::nullopt;
  return *parsed.base * *rate;
}

std::optional<RangeOf<double>> JsonReader::read_range(const Field& field, Dimension dimension) {
  const JsonValue* value = take_quantity(field, dimension);
  if (value == nullptr) return std::nullopt;
  const ParsedRange parsed = parse_range(value->text, dimension);
  if (!parsed.base) {
    fault(field, *value, expected_quantity(dimension) + ", or a range of it", parsed.hint);
    return std::nullopt;
  }
  const auto rate = usd_for(field, *value, parsed.currency, dimension);
  if (!rate) return std::nullopt;
  const RangeOf<double> range{parsed.base->low * *rate, parsed.base->likely * *rate, parsed.base->high * *rate};
  for (const double end : {range.low, range.high})
    if (!check_range(field, *value, end, dimension)) return std::nullopt;
  return range;
}

std::optional<std::size_t> JsonReader::read_choice(const Field& field, const std::vector<std::string>& names,
                                                   const std::vector<std::string>&) {
  const JsonValue* value = take(field);
  if (value == nullptr) return std::nullopt;
  if (value->kind == Kind::text) {
    const auto found = std::find(names.begin(), names.end(), value->text);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  }
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  fault(field, *value, "one of: " + joined(sorted), value->kind == Kind::text ? did_you_mean(value->text, names) : "");
  return std::nullopt;
}

void JsonReader::object(const Field& field, const Body& body) {
  const JsonValue* value = take(field);
  if (value == nullptr) return;
  if (value->kind != Kind::object) {
    fault(field, *value, "an object, {...}", "");
    return;
  }
  inside(*value, pointer() + "/" + field.name, frames_.back().based, body);
}

void JsonReader::list(const Field& field, const Body& body) {
  const JsonValue* value = take(field);
  if (value == nullptr) return;
  if (value->kind != Kind::list) {
    fault(field, *value, "a list of objects, [{...}]", "");
    return;
  }
  for (std::size_t i = 0; i < value->items.size(); ++i) {
    const std::string where = pointer() + "/" + field.name + "/" + std::to_string(i);
    if (value->items[i].kind == Kind::object) {
      inside(value->items[i], where, false, body);
    } else {
      problems_.push_back({file_, where, "an object, {...}", to_text(value->items[i]), ""});
    }
  }
}

std::vector<std::pair<std::string, std::string>> JsonReader::texts(const Field& field) {
  const JsonValue* value = take(field);
  std::vector<std::pair<std::string, std::string>> out;
  if (value == nullptr) return out;
  bool sound = value->kind == Kind::object;
  for (const auto& [key, member] : value->members) {
    sound = sound && member.kind == Kind::text;
    out.emplace_back(key, member.text);
  }
  if (sound) return out;
  fault(field, *value, "an object of texts, {\"...\": \"...\"}", "");
  return {};
}

std::optional<std::vector<std::string>> JsonReader::words(const Field& field) {
  const JsonValue* value = take(field);
  if (value == nullptr) return std::nullopt;
  std::vector<std::string> out;
  bool sound = value->kind == Kind::list;
  for (const auto& item : value->items) {
    sound = sound && item.kind == Kind::text;
    out.push_back(item.text);
  }
  if (sound) return out;
  fault(field, *value, "a list of texts, [\"...\"]", "");
  return std::nullopt;
}

void JsonReader::json(const Field& field, const std::string&, std::optional<std::string>& text) {
  if (const JsonValue* value = take(field)) text = to_text(*value, 0);
}

std::optional<std::string> JsonReader::known_id(const JsonValue& value, const std::string& where,
                                                const std::string& kind, const std::vector<std::string>& ids) {
  if (value.kind == Kind::text) {
    if (std::find(ids.begin(), ids.end(), value.text) != ids.end()) return value.text;
  }
  const std::string list_hint = "clustersim catalog " + kind + " lists them";
  const std::string near = value.kind == Kind::text ? did_you_mean(value.text, ids) : "";
  problems_.push_back(
      {file_, where, "an id of " + kind + ", or an object in place", to_text(value), near.empty() ? list_hint : near});
  return std::nullopt;
}

void JsonReader::part(const Field& field, const std::string& kind, const std::vector<std::string>& ids,
                      const std::function<void(const std::string& id)>& on_id,
                      const std::function<void(FieldVisitor&, const std::string& base)>& on_object) {
  const JsonValue* value = take(field);
  if (value == nullptr) return;
  const std::string where = pointer() + "/" + field.name;
  if (value->kind != Kind::object) {
    if (const auto id = known_id(*value, where, kind, ids)) on_id(*id);
    return;
  }
  std::string base;
  if (const JsonValue* named = value->find("base")) {
    const auto id = known_id(*named, where + "/base", kind, ids);
    if (!id) return;  // what the object leaves out is unknown, so the rest would only mislead
    base = *id;
  }
  inside(*value, where, !base.empty(), [&](FieldVisitor& v) {
    v.skip("base");
    on_object(v, base);
  });
}

void JsonReader::file_or_object(const Field& field, const std::function<void(const std::string& path)>& on_path,
                                const Body& on_object) {
  const JsonValue* value = take(field);
  if (value == nullptr) return;
  if (value->kind == Kind::object) {
    inside(*value, pointer() + "/" + field.name, false, on_object);
  } else if (value->kind == Kind::text && !value->text.empty()) {
    on_path(value->text);
  } else {
    fault(field, *value, "the name of a file, or an object", "");
  }
}

}  // namespace clustersim
