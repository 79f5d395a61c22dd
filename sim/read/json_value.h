// A JSON text as a plain tree that keeps the order of keys; how it is parsed is in json_value.cc.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "clustersim/error.h"

namespace clustersim {

struct JsonValue {
  enum class Kind { null, boolean, number, text, list, object };
  Kind kind = Kind::null;
  bool boolean = false;
  double number = 0;
  std::string text;  // of a text; of a number: as it was written
  std::vector<JsonValue> items;
  std::vector<std::pair<std::string, JsonValue>> members;

  const JsonValue* find(const std::string& key) const;
  JsonValue* find(const std::string& key);
};

inline constexpr std::size_t kMaxFileBytes = std::size_t{16} << 20;
inline constexpr int kMaxNesting = 64;

// Adds a Problem for each fault (malformed text with line and column in words, duplicate keys, too deep, too big) and
// then returns what could be read; a text that is not JSON gives null.
JsonValue parse_json(const std::string& text, const std::string& file, std::vector<Problem>& problems);
// The same for a file, which may be missing.
JsonValue load_json(const std::string& path, std::vector<Problem>& problems);

// Puts a value (JSON where it parses, else a text) at a JSON pointer, making the objects on the way.
void apply_override(JsonValue& document, const std::string& pointer, const std::string& value, const std::string& file,
                    std::vector<Problem>& problems);

// One line of JSON, cut after about `limit` characters; limit 0: whole.
std::string to_text(const JsonValue& value, std::size_t limit = 60);

// A key as a step of a JSON pointer ("~" and "/" escaped).
std::string pointer_step(const std::string& key);

}  // namespace clustersim
