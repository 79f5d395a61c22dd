// Small helpers of the readers of benchmark output: words and numbers of a line, JSON documents in a noisy text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/read/json_value.h"

namespace clustersim {

// Split at blanks and tabs.
std::vector<std::string> words_of(const std::string& line);

// A finite decimal number that is the whole word; a trailing comma is allowed. "nan", "N/A" and "" are none.
std::optional<double> number_of(const std::string& word);
// A whole number of at most 1e18.
std::optional<double> integer_of(const std::string& word);

bool contains(const std::string& text, const std::string& part);
bool contains_any_case(const std::string& text, const std::string& part);  // `part` in small letters

struct FoundJson {
  int line = 1;  // where it starts
  JsonValue value;
};

// Every whole "{...}" at the outermost level, junk between them skipped; nan and inf count as null, of repeated keys
// the last is kept. At most 1000 documents; one that is cut off sets `cut_off` to its first line.
std::vector<FoundJson> json_documents(const std::string& text, int* cut_off = nullptr);

// Members of a path such as "end/sum_received/bits_per_second"; null where a step is missing.
const JsonValue* at_path(const JsonValue& value, const std::string& path);
std::optional<double> number_at(const JsonValue& value, const std::string& path);  // also of a text that is one
std::string text_at(const JsonValue& value, const std::string& path);              // "" where there is none

}  // namespace clustersim
