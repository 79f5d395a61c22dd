// A large JSON file read piece by piece: the elements of its lists, one small tree at a time, in constant memory.
//
//   {"traceEvents": [E, E, ...], "deviceProperties": [...]}    elements E of the lists named; other keys as members
//   [E, E, ...]                                                 elements of a bare list
// Mends what profilers get wrong: control characters and bytes that are no ASCII inside strings become blanks and "?",
// NaN becomes null, strings end after 64 KiB. Deeper than 24 levels or wider than 100,000 values an element is cut.
// A file that ends or breaks in the middle gives what came before, and says where.
// Checked by: tests/sim/import_trace_test.cc, tests/sim/import_fuzz_test.cc
#pragma once

#include <cstddef>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "sim/read/json_value.h"

namespace clustersim {

struct JsonStreamEnd {
  bool complete = false;
  std::string trouble;  // where and how it broke off; "" if complete
  std::size_t elements = 0;
};

struct JsonStreamUser {
  std::vector<std::string> lists;                                          // keys of the root
  std::function<void(const std::string& list, JsonValue& value)> element;  // list: "" of a bare list
  std::function<void(const std::string& key, JsonValue& value)> member;    // may be empty
};

JsonStreamEnd stream_json(std::istream& source, const JsonStreamUser& user);

// What a value says, or nothing where it is absent or of another kind. Numbers in quotes count as numbers.
const std::string* text_at(const JsonValue& object, const char* key);
std::optional<double> number_at(const JsonValue& object, const char* key);

}  // namespace clustersim
