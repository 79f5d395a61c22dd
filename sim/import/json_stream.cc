#include "sim/import/json_stream.h"

#include <algorithm>
#include <array>
#include <boost/iostreams/filter/gzip.hpp>
#include <cctype>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <streambuf>
#include <utility>

#include "clustersim/error.h"

namespace clustersim {
namespace {

using nlohmann::json;

constexpr std::size_t longest_string = 64 << 10;
constexpr std::size_t longest_word = 1000;  // of a number
constexpr int deepest = 24;
constexpr std::size_t widest = 100000;  // values of one element

// The source with the faults of profilers mended.
class Mender : public std::streambuf {
 public:
  explicit Mender(std::istream& source) : source_(source) {}
  std::size_t position() const { return position_; }
  const std::string& trouble() const { return trouble_; }

 protected:
  int_type underflow() override {
    while (true) {
      const std::size_t got = fill();
      if (got == 0) return traits_type::eof();
      char* out = out_.data();
      for (std::size_t i = 0; i < got; ++i) out = mend(in_[i], out);
      if (out == out_.data()) continue;
      setg(out_.data(), out_.data(), out);
      return traits_type::to_int_type(out_[0]);
    }
  }

 private:
  std::size_t fill() {
    if (!trouble_.empty()) return 0;
    try {
      source_.read(in_.data(), static_cast<std::streamsize>(in_.size()));
    } catch (const boost::iostreams::gzip_error&) {
      trouble_ = "the gzip file is damaged or cut off";
    } catch (const std::ios::failure&) {
      trouble_ = "the file could not be read further";
    }
    const auto got = static_cast<std::size_t>(source_.gcount());
    if (position_ == 0 && got >= 3 && in_[0] == '\xEF' && in_[1] == '\xBB' && in_[2] == '\xBF')
      std::fill_n(in_.begin(), 3, ' ');  // byte order mark
    position_ += got;
    return got;
  }

  char* mend(char c, char* out) {
    const auto code = static_cast<unsigned char>(c);
    if (in_string_) {
      // Behind the limit only an escape that began before it goes on.
      bool keep = ++length_ <= longest_string || escape_left_ > 0;
      if (escape_left_ > 0) --escape_left_;
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
        keep = length_ <= longest_string;
        escape_left_ = keep ? 5 : 0;
      } else if (c == '"') {
        in_string_ = false;
        *out++ = c;
        return out;
      }
      if (keep) *out++ = code < 0x20 || code == 0x7F ? ' ' : code >= 0x80 ? '?' : c;
      return out;
    }
    if (in_word_) {
      if (std::isalpha(code)) return out;
      in_word_ = false;
    }
    if (c == '"') {
      in_string_ = true;
      length_ = 0;
      escape_left_ = 0;
    } else if (c == 'N') {
      in_word_ = true;
      return std::copy_n("null", 4, out);
    }
    const bool blank = code <= 0x20 || code >= 0x7F;
    word_ = std::isalnum(code) ? word_ + 1 : 0;
    if (word_ > longest_word) return out;
    if (!blank || !after_blank_) *out++ = blank ? ' ' : c;  // a run of blanks is one: the parser keeps them all
    after_blank_ = blank;
    return out;
  }

  std::istream& source_;
  std::array<char, 1 << 16> in_;
  std::array<char, 4 << 16> out_;
  std::size_t position_ = 0, length_ = 0, word_ = 0;
  std::string trouble_;
  int escape_left_ = 0;
  bool in_string_ = false, escaped_ = false, in_word_ = false, after_blank_ = false;
};

class Builder : public json::json_sax_t {
 public:
  explicit Builder(const JsonStreamUser& user) : user_(user) {}

  JsonStreamEnd end;

  bool null() override { return scalar({}); }
  bool boolean(bool value) override {
    JsonValue v;
    v.kind = JsonValue::Kind::boolean;
    v.boolean = value;
    return scalar(std::move(v));
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
    return scalar(std::move(v));
  }
  bool binary(binary_t&) override { return true; }
  bool key(string_t& name) override {
    if (ignored_ > 0) return true;
    if (open_.empty()) {
      root_key_ = std::move(name);
    } else {
      open_.back().key = std::move(name);
    }
    return true;
  }
  bool start_object(std::size_t) override { return start(JsonValue::Kind::object); }
  bool start_array(std::size_t) override { return start(JsonValue::Kind::list); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override { return false; }

 private:
  struct Open {
    JsonValue* value;
    std::string key;
  };

  bool number(double value, std::string written) {
    JsonValue v;
    v.kind = JsonValue::Kind::number;
    v.number = value;
    v.text = std::move(written);
    return scalar(std::move(v));
  }

  bool scalar(JsonValue value) {
    if (ignored_ > 0) return true;
    if (!open_.empty()) {
      add(std::move(value));
    } else if (depth_ > 0) {
      deliver(value);
    }
    return true;
  }

  JsonValue* add(JsonValue value) {
    Open& open = open_.back();
    ++width_;
    if (open.value->kind == JsonValue::Kind::list) return &open.value->items.emplace_back(std::move(value));
    return &open.value->members.emplace_back(std::move(open.key), std::move(value)).second;
  }

  bool start(JsonValue::Kind kind) {
    if (ignored_ > 0 || depth_ >= deepest || width_ > widest) {
      ++ignored_;
      return true;
    }
    ++depth_;
    if (depth_ == 1) {  // the root
      in_list_ = kind == JsonValue::Kind::list;
      return true;
    }
    const bool list_begins = depth_ == 2 && !in_list_ && kind == JsonValue::Kind::list && open_.empty() &&
                             std::find(user_.lists.begin(), user_.lists.end(), root_key_) != user_.lists.end();
    if (list_begins) {
      in_list_ = true;
      named_list_ = true;
      return true;
    }
    JsonValue v;
    v.kind = kind;
    if (open_.empty()) {
      tree_ = std::move(v);
      width_ = 0;
      open_.push_back({&tree_, {}});
    } else {
      open_.push_back({add(std::move(v)), {}});
    }
    return true;
  }

  bool close() {
    if (ignored_ > 0) {
      --ignored_;
      return true;
    }
    --depth_;
    if (!open_.empty()) {
      open_.pop_back();
      if (open_.empty()) deliver(tree_);
    } else if (named_list_) {
      in_list_ = named_list_ = false;
    }
    return true;
  }

  void deliver(JsonValue& value) {
    width_ = 0;
    if (in_list_) {
      ++end.elements;
      user_.element(named_list_ ? root_key_ : "", value);
    } else if (user_.member) {
      user_.member(root_key_, value);
    }
  }

  const JsonStreamUser& user_;
  JsonValue tree_;
  std::vector<Open> open_;  // from the root of the tree to where the parser stands
  std::string root_key_;
  int depth_ = 0, ignored_ = 0;
  std::size_t width_ = 0;
  bool in_list_ = false, named_list_ = false;
};

}  // namespace

JsonStreamEnd stream_json(std::istream& source, const JsonStreamUser& user) {
  Mender mender(source);
  std::istream mended(&mender);
  Builder builder(user);
  JsonStreamEnd end;
  const bool whole = json::sax_parse(mended, &builder, json::input_format_t::json, false);
  end = builder.end;
  end.complete = whole && mender.trouble().empty();
  if (!end.complete)
    end.trouble = (mender.trouble().empty() ? "no JSON any more" : mender.trouble()) + " after " +
                  std::to_string(end.elements) + " entries, near byte " + std::to_string(mender.position());
  return end;
}

const std::string* text_at(const JsonValue& object, const char* key) {
  for (const auto& [name, value] : object.members)
    if (value.kind == JsonValue::Kind::text && name == key) return &value.text;
  return nullptr;
}

std::optional<double> number_at(const JsonValue& object, const char* key) {
  for (const auto& [name, value] : object.members) {
    if (name != key) continue;
    if (value.kind == JsonValue::Kind::number && std::isfinite(value.number)) return value.number;
    if (value.kind != JsonValue::Kind::text) return std::nullopt;
    double number = 0;
    const char* const last = value.text.data() + value.text.size();
    const auto [end, fault] = std::from_chars(value.text.data(), last, number);
    if (fault == std::errc() && end == last && std::isfinite(number)) return number;
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace clustersim
