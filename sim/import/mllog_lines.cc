#include "sim/import/mllog_lines.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "sim/import/json_stream.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

constexpr std::size_t longest_object = 1 << 16;
constexpr double ms_per_s = 1000;

// The object that begins at `from`, without what follows it; "" where it has no end.
std::string object_at(const std::string& line, std::size_t from) {
  int depth = 0;
  bool in_text = false, escaped = false;
  for (std::size_t i = from; i < line.size() && i - from < longest_object; ++i) {
    const char c = line[i];
    if (escaped) {
      escaped = false;
    } else if (in_text) {
      if (c == '\\') escaped = true;
      if (c == '"') in_text = false;
    } else if (c == '"') {
      in_text = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return line.substr(from, i - from + 1);
    }
  }
  return "";
}

JsonValue parsed(const std::string& text) {
  std::vector<Problem> ignored;
  return parse_json(text, "", ignored);
}

// Python's True and None, and words without quotes, beside JSON.
JsonValue value_of(const std::string& written) {
  const std::string text = trimmed(written);
  JsonValue value;
  if (text == "True" || text == "False") {
    value.kind = JsonValue::Kind::boolean;
    value.boolean = text == "True";
    return value;
  }
  if (text.empty() || text == "None") return value;
  value = parsed(text);
  if (value.kind != JsonValue::Kind::null) return value;
  value.kind = JsonValue::Kind::text;
  value.text = text;
  return value;
}

std::optional<MlLogEntry> json_entry(const std::string& line, std::size_t after_marker) {
  const std::size_t from = line.find('{', after_marker);
  if (from == std::string::npos) return std::nullopt;
  const JsonValue object = parsed(object_at(line, from));
  const std::string* key = text_at(object, "key");
  if (key == nullptr) return std::nullopt;
  MlLogEntry entry;
  entry.key = *key;
  entry.time_ms = number_at(object, "time_ms").value_or(-1);
  if (const JsonValue* value = object.find("value")) entry.value = *value;
  if (const JsonValue* metadata = object.find("metadata")) entry.metadata = *metadata;
  return entry;
}

// "resnet 1541710983.25 (file.py:12) key: value", "1558640134.4 key: {"value": V, "metadata": {...}}"
std::optional<MlLogEntry> word_entry(const std::string& line, std::size_t after_marker) {
  std::string rest = line.substr(after_marker);
  MlLogEntry entry;
  std::size_t at = 0;
  while (true) {  // words before the key: version, benchmark, time, place in the source
    at = rest.find_first_not_of(' ', at);
    if (at == std::string::npos) return std::nullopt;
    std::size_t end = rest.find(' ', at);
    if (rest[at] == '(') end = rest.find(')', at) == std::string::npos ? end : rest.find(')', at) + 1;
    const std::string word = rest.substr(at, end == std::string::npos ? end : end - at);
    double number = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool is_time = read.ec == std::errc() && read.ptr == word.data() + word.size() && number > 1e8;
    if (is_time) {
      entry.time_ms = number * ms_per_s;
      at = end;
      const std::size_t key = rest.find_first_not_of(' ', at == std::string::npos ? rest.size() : at);
      if (key == std::string::npos) return std::nullopt;
      at = key;
      if (rest[at] == '(') {
        const std::size_t close = rest.find(')', at);
        if (close == std::string::npos) return std::nullopt;
        at = rest.find_first_not_of(' ', close + 1);
        if (at == std::string::npos) return std::nullopt;
      }
      break;
    }
    if (end == std::string::npos) return std::nullopt;
    at = end;
  }
  const std::size_t colon = rest.find(':', at);
  entry.key = trimmed(rest.substr(at, colon == std::string::npos ? colon : colon - at));
  if (entry.key.empty() || entry.key.find(' ') != std::string::npos) return std::nullopt;
  if (colon == std::string::npos) return entry;
  entry.value = value_of(rest.substr(colon + 1));
  if (entry.value.kind != JsonValue::Kind::object) return entry;
  if (const JsonValue* metadata = entry.value.find("metadata")) entry.metadata = *metadata;
  if (entry.metadata.kind == JsonValue::Kind::null) entry.metadata = entry.value;  // {"epoch": 3, "value": 0.6}
  if (const JsonValue* value = entry.value.find("value")) {
    JsonValue inner = *value;
    entry.value = std::move(inner);
  }
  return entry;
}

}  // namespace

std::optional<MlLogEntry> mllog_entry(const std::string& line) {
  if (const std::size_t at = line.find(":::MLLOG"); at != std::string::npos) return json_entry(line, at);
  if (const std::size_t at = line.find(":::MLPv"); at != std::string::npos) {
    const std::size_t word = line.find(' ', at);
    return word == std::string::npos ? std::nullopt : word_entry(line, word);
  }
  if (const std::size_t at = line.find(":::MLL "); at != std::string::npos) return word_entry(line, at + 7);
  return std::nullopt;
}

}  // namespace clustersim
