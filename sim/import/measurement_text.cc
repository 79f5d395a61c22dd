#include "sim/import/measurement_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace clustersim {
namespace {

constexpr std::size_t most_documents = 1000;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

char small(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Old iperf3 writes "-nan"; JSON knows none of these words. Same length, so that places stay.
void blank_out_no_numbers(std::string& text) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quoted) {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (small(c) == 'n' || small(c) == 'i')) {
      std::size_t end = i;
      while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end])) != 0) ++end;
      std::string word = text.substr(i, end - i);
      std::transform(word.begin(), word.end(), word.begin(), small);
      if (word == "nan" || word == "inf" || word == "infinity") {
        std::fill(text.begin() + static_cast<std::ptrdiff_t>(i), text.begin() + static_cast<std::ptrdiff_t>(end), ' ');
        text[i] = '0';
        if (i > 0 && text[i - 1] == '-') text[i - 1] = ' ';
        // A zero is dropped by MeasuredFile::add like any value that is not positive.
      }
      i = end > i ? end - 1 : i;
    }
  }
}

// One past the brace that closes the one at `from`, 0 where the text ends before.
std::size_t closing_brace(const std::string& text, std::size_t from) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return i + 1;
    }
  }
  return 0;
}

}  // namespace

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::size_t i = 0;
  while (i < line.size()) {
    while (i < line.size() && is_blank(line[i])) ++i;
    const std::size_t from = i;
    while (i < line.size() && !is_blank(line[i])) ++i;
    if (i > from) words.push_back(line.substr(from, i - from));
  }
  return words;
}

std::optional<double> number_of(const std::string& word) {
  std::size_t size = word.size();
  if (size > 0 && word[size - 1] == ',') --size;
  if (size == 0 || size > 40) return std::nullopt;
  const char* begin = word.data();
  const char* const end = begin + size;
  if (*begin == '+') ++begin;
  double value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> integer_of(const std::string& word) {
  if (word.empty() || word.size() > 19) return std::nullopt;
  for (std::size_t i = word[0] == '-' ? 1 : 0; i < word.size(); ++i)
    if (word[i] < '0' || word[i] > '9') return std::nullopt;
  const auto value = number_of(word);
  return value && std::fabs(*value) <= 1e18 ? value : std::nullopt;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bool contains_any_case(const std::string& text, const std::string& part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     [](char a, char b) { return small(a) == b; }) != text.end();
}

std::vector<FoundJson> json_documents(const std::string& text, int* cut_off) {
  std::vector<FoundJson> found;
  std::size_t at = 0, counted = 0;
  int line = 1;
  while (found.size() < most_documents) {
    at = text.find('{', at);
    if (at == std::string::npos) break;
    const std::size_t next = text.find_first_not_of(" \t\r\n", at + 1);
    if (next == std::string::npos || text[next] != '"') {  // a brace of the junk around
      ++at;
      continue;
    }
    line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                                        text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    counted = at;
    const std::size_t end = closing_brace(text, at);
    if (end == 0) {
      if (cut_off != nullptr) *cut_off = line;
      break;
    }
    std::string document = text.substr(at, end - at);
    blank_out_no_numbers(document);
    std::vector<Problem> ignored;
    FoundJson json{line, parse_json(document, "", ignored)};
    if (json.value.kind == JsonValue::Kind::object && !json.value.members.empty()) found.push_back(std::move(json));
    at = end;
  }
  return found;
}

const JsonValue* at_path(const JsonValue& value, const std::string& path) {
  const JsonValue* at = &value;
  for (std::size_t begin = 0; at != nullptr && begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string step = path.substr(begin, end - begin);
    const JsonValue* next = nullptr;
    for (const auto& [key, member] : at->members)
      if (key == step) next = &member;  // the last of repeated keys
    at = next;
    begin = end + 1;
  }
  return at;
}

std::optional<double> number_at(const JsonValue& value, const std::string& path) {
  const JsonValue* found = at_path(value, path);
  if (found == nullptr) return std::nullopt;
  if (found->kind == JsonValue::Kind::number && std::isfinite(found->number)) return found->number;
  if (found->kind == JsonValue::Kind::text) return number_of(found->text);
  return std::nullopt;
}

std::string text_at(const JsonValue& value, const std::string& path) {
  const JsonValue* found = at_path(value, path);
  return found != nullptr && found->kind == JsonValue::Kind::text ? found->text : "";
}

}  // namespace clustersim
