#include "sim/read/json_value.h"

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/read/source_file.h"

namespace clustersim {

namespace {

using nlohmann::json;

// Builds the tree from the parser's events; the path from the root to the open container is a stack.
class TreeBuilder : public json::json_sax_t {
 public:
  TreeBuilder(const std::string& text, const std::string& file, std::vector<Problem>& problems)
      : text_(text), file_(file), problems_(problems) {}

  JsonValue take_root() { return std::move(root_); }

  bool null() override { return add({}) != nullptr; }
  bool boolean(bool value) override {
    JsonValue v;
    v.kind = JsonValue::Kind::boolean;
    v.boolean = value;
    return add(std::move(v)) != nullptr;
  }
  bool number_integer(number_integer_t value) override {
    return number(static_cast<double>(value), std::to_string(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return number(static_cast<double>(value), std::to_string(value));
  }
  bool number_float(number_float_t value, const string_t& written) override { return number(value, written); }
  bool string(string_t& value) override {
    JsonValue v;
    v.kind = JsonValue::Kind::text;
    v.text = std::move(value);
    return add(std::move(v)) != nullptr;
  }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open(JsonValue::Kind::object); }
  bool start_array(std::size_t) override { return open(JsonValue::Kind::list); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Level& level = levels_.back();
    const bool again = is_repeated(level, name);
    level.key = std::move(name);
    if (again)
      problems_.push_back({file_, here(), "each key once", "\"" + level.key + "\" again", "remove one of the two"});
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const json::exception& error) override {
    std::size_t line = 1, column = 1;
    for (std::size_t i = 0; i + 1 < position && i < text_.size(); ++i) {
      if (text_[i] == '\n') {
        ++line;
        column = 1;
      } else {
        ++column;
      }
    }
    // The parser's sentence, without the part that names the exception and the place.
    std::string reason = error.what();
    if (const auto dash = reason.find(" - "); dash != std::string::npos) {
      reason = reason.substr(dash + 3);
    } else if (const auto bracket = reason.find("] "); bracket != std::string::npos) {
      reason = reason.substr(bracket + 2);
    }
    if (const auto last = reason.find("; last read: "); last != std::string::npos) {
      const auto stop = reason.find("; expected", last + 1);
      reason = reason.substr(0, last) + (stop == std::string::npos ? "" : reason.substr(stop));
    }
    problems_.push_back({file_, "", "JSON text",
                         "at line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + reason,
                         "look for a missing comma, quote or bracket there or just before"});
    return false;
  }

 private:
  struct Level {
    JsonValue* container;
    std::string key;             // of the value being read, in an object
    std::set<std::string> seen;  // keys so far, where there are many
  };

  // Also notes the key.
  static bool is_repeated(Level& level, const std::string& name) {
    constexpr std::size_t few = 16;
    const auto& members = level.container->members;
    if (members.size() < few) return level.container->find(name) != nullptr;
    if (members.size() == few)
      for (const auto& [key, value] : members) level.seen.insert(key);
    return !level.seen.insert(name).second;
  }

  std::string here() const {
    std::string pointer;
    for (const Level& level : levels_) {
      const bool inside = &level != &levels_.back();  // the element being read is already in the container
      if (level.container->kind == JsonValue::Kind::object) {
        pointer += "/" + pointer_step(inside ? level.container->members.back().first : level.key);
      } else {
        const std::size_t count = level.container->items.size();
        pointer += "/" + std::to_string(inside && count > 0 ? count - 1 : count);
      }
    }
    return pointer;
  }

  JsonValue* add(JsonValue value) {
    if (levels_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Level& level = levels_.back();
    if (level.container->kind == JsonValue::Kind::list) {
      level.container->items.push_back(std::move(value));
      return &level.container->items.back();
    }
    level.container->members.emplace_back(std::move(level.key), std::move(value));
    return &level.container->members.back().second;
  }

  bool number(double value, std::string written) {
    JsonValue v;
    v.kind = JsonValue::Kind::number;
    v.number = value;
    v.text = std::move(written);
    return add(std::move(v)) != nullptr;
  }

  bool open(JsonValue::Kind kind) {
    if (static_cast<int>(levels_.size()) >= kMaxNesting) {
      problems_.push_back(
          {file_, "", "at most " + std::to_string(kMaxNesting) + " levels of objects and lists", "deeper nesting", ""});
      return false;
    }
    JsonValue v;
    v.kind = kind;
    JsonValue* container = add(std::move(v));
    levels_.push_back({container, "", {}});
    return true;
  }

  bool close() {
    levels_.pop_back();
    return true;
  }

  const std::string& text_;
  const std::string& file_;
  std::vector<Problem>& problems_;
  JsonValue root_;
  std::vector<Level> levels_;
};

json to_json(const JsonValue& value) {
  switch (value.kind) {
    case JsonValue::Kind::null:
      return nullptr;
    case JsonValue::Kind::boolean:
      return value.boolean;
    case JsonValue::Kind::number:
      return json::parse(value.text, nullptr, false);
    case JsonValue::Kind::text:
      return value.text;
    case JsonValue::Kind::list: {
      json out = json::array();
      for (const auto& item : value.items) out.push_back(to_json(item));
      return out;
    }
    case JsonValue::Kind::object:
      break;
  }
  json out = json::object();
  for (const auto& [key, member] : value.members) out[key] = to_json(member);
  return out;
}

// Splits "/a/b~1c" into its steps; false where it is no JSON pointer.
bool split_pointer(const std::string& pointer, std::vector<std::string>& steps) {
  if (pointer.empty() || pointer[0] != '/') return false;
  for (const char c : pointer) {
    if (c == '/') {
      steps.emplace_back();
    } else {
      steps.back() += c;
    }
  }
  for (std::string& step : steps) {
    std::string plain;
    for (std::size_t i = 0; i < step.size(); ++i) {
      if (step[i] != '~') {
        plain += step[i];
        continue;
      }
      if (i + 1 == step.size() || (step[i + 1] != '0' && step[i + 1] != '1')) return false;
      plain += step[++i] == '0' ? '~' : '/';
    }
    step = plain;
  }
  return true;
}

}  // namespace

const JsonValue* JsonValue::find(const std::string& key) const {
  for (const auto& [name, value] : members)
    if (name == key) return &value;
  return nullptr;
}

JsonValue* JsonValue::find(const std::string& key) {
  return const_cast<JsonValue*>(static_cast<const JsonValue*>(this)->find(key));
}

JsonValue parse_json(const std::string& text, const std::string& file, std::vector<Problem>& problems) {
  if (text.size() > kMaxFileBytes) {
    problems.push_back({file, "", "a file of at most 16 MiB", std::to_string(text.size()) + " B", ""});
    return {};
  }
  TreeBuilder builder(text, file, problems);
  if (!json::sax_parse(text, &builder)) return {};
  return builder.take_root();
}

JsonValue load_json(const std::string& path, std::vector<Problem>& problems) {
  if (const std::string other = no_source(path, true); !other.empty()) {
    const bool missing = other.starts_with("no file");
    problems.push_back({path, "", missing ? "a file that exists" : "a JSON file", other,
                        missing ? "the path is taken from the current folder" : ""});
    return {};
  }
  std::ifstream stream(path, std::ios::binary);
  std::string text;
  char block[1 << 16];
  while (stream.read(block, sizeof block) || stream.gcount() > 0) {
    text.append(block, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > kMaxFileBytes) {
      problems.push_back({path, "", "a file of at most 16 MiB", "more", ""});
      return {};
    }
  }
  if (!stream.eof()) {
    problems.push_back({path, "", "a file that can be read", "the system refuses it", "check its permissions"});
    return {};
  }
  return parse_json(text, path, problems);
}

void apply_override(JsonValue& document, const std::string& pointer, const std::string& value, const std::string& file,
                    std::vector<Problem>& problems) {
  std::vector<std::string> steps;
  if (!split_pointer(pointer, steps)) {
    problems.push_back({file, pointer, "a JSON pointer, such as /job/batch_per_gpu", "\"" + pointer + "\"",
                        "it starts with \"/\"; \"~1\" stands for \"/\" and \"~0\" for \"~\" inside a key"});
    return;
  }
  if (static_cast<int>(steps.size()) > kMaxNesting) {
    problems.push_back(
        {file, pointer, "at most " + std::to_string(kMaxNesting) + " steps", std::to_string(steps.size()), ""});
    return;
  }
  JsonValue* at = &document;
  for (const std::string& step : steps) {
    if (at->kind == JsonValue::Kind::list) {
      std::size_t index = 0;
      const bool digits = !step.empty() && step.size() < 8 && step.find_first_not_of("0123456789") == std::string::npos;
      if (digits) index = static_cast<std::size_t>(std::stoul(step));
      if (!digits || index >= at->items.size()) {
        problems.push_back(
            {file, pointer, "an index below " + std::to_string(at->items.size()), "\"" + step + "\"", ""});
        return;
      }
      at = &at->items[index];
      continue;
    }
    if (at->kind == JsonValue::Kind::text) {  // an id becomes an object that starts from it
      JsonValue object;
      object.kind = JsonValue::Kind::object;
      object.members.emplace_back("base", std::move(*at));
      *at = std::move(object);
    } else if (at->kind == JsonValue::Kind::null) {
      at->kind = JsonValue::Kind::object;
    } else if (at->kind != JsonValue::Kind::object) {
      problems.push_back({file, pointer, "a pointer into objects and lists", to_text(*at) + " on the way", ""});
      return;
    }
    JsonValue* next = at->find(step);
    if (next == nullptr) {
      at->members.emplace_back(step, JsonValue{});
      next = &at->members.back().second;
    }
    at = next;
  }
  std::vector<Problem> not_json;
  JsonValue parsed = parse_json(value, file, not_json);
  if (not_json.empty()) {
    *at = std::move(parsed);
  } else {
    *at = {};
    at->kind = JsonValue::Kind::text;
    at->text = value;
  }
}

std::string to_text(const JsonValue& value, std::size_t limit) {
  std::string text = value.kind == JsonValue::Kind::number
                         ? value.text
                         : to_json(value).dump(-1, ' ', false, json::error_handler_t::replace);
  if (limit == 0 || text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80) --limit;  // not inside a character
  return text.substr(0, limit) + "...";
}

std::string pointer_step(const std::string& key) {
  std::string out;
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace clustersim
