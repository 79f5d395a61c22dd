#include "sim/import/text_source.h"

#include <algorithm>
#include <array>
#include <boost/iostreams/device/file.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <utility>

#include "clustersim/error.h"
#include "sim/read/source_file.h"

namespace clustersim {
namespace {

namespace io = boost::iostreams;

[[noreturn]] void refuse(const std::string& path, const std::string& expected, const std::string& got,
                         const std::string& hint = "") {
  throw InputError({{path, "", expected, got, hint}});
}

// Of gzip: texts of a user's pack at 5 to 40 to 1; 1,000 to 1 is a file of nothing made to fill a memory.
constexpr std::size_t most_inflation = 250, free_bytes = std::size_t{32} << 20;

// Passes bytes on and throws after the last allowed one.
class Limit {
 public:
  using char_type = char;
  struct category : io::multichar_input_filter_tag {};

  Limit(std::string path, std::size_t most, bool inflated)
      : path_(std::move(path)), most_(most), left_(most), inflated_(inflated) {}

  template <class Source>
  std::streamsize read(Source& source, char* buffer, std::streamsize wanted) {
    const std::streamsize got = io::read(source, buffer, wanted);
    if (got <= 0) return got;
    if (static_cast<std::size_t>(got) > left_) {
      const std::string most = "at most " + std::to_string(most_ >> 20) + " MiB of text";
      refuse(
          path_, inflated_ ? most + " of a gzip file of this size" : most, "more",
          inflated_ ? "it unpacks to over " + std::to_string(most_inflation) + " times its size: unpack it first" : "");
    }
    left_ -= static_cast<std::size_t>(got);
    return got;
  }

 private:
  std::string path_;
  std::size_t most_, left_;
  bool inflated_;  // the limit is that of how far a file may unpack
};

std::string first_bytes(const std::string& path, std::size_t count) {
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path, "a file that can be read", "none");
  std::string bytes(count, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

bool is_gzip(const std::string& start) { return start.starts_with("\x1f\x8b"); }

// Archives have their mark at this byte of the first member's head.
bool is_tar(const std::string& start) { return start.size() > 262 && start.compare(257, 5, "ustar") == 0; }

// Of gzip: what is inside it.
std::string first_unpacked(const std::string& path, std::size_t count) {
  io::filtering_istream stream;
  stream.push(io::gzip_decompressor());
  stream.push(io::file_source(path, std::ios::in | std::ios::binary));
  std::string bytes(count, '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
  return bytes;
}

void append_utf8(std::string& text, std::uint32_t code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | code >> 6);
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else {  // halves of a surrogate pair stand as three bytes each: never part of what is read
    text += static_cast<char>(0xE0 | code >> 12);
    text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  }
}

// What Windows PowerShell writes with ">".
std::string from_utf16(const std::string& text, bool big_endian) {
  std::string out;
  for (std::size_t i = 2; i + 1 < text.size(); i += 2) {
    const auto a = static_cast<unsigned char>(text[i]), b = static_cast<unsigned char>(text[i + 1]);
    append_utf8(out, big_endian ? static_cast<std::uint32_t>(a << 8 | b) : static_cast<std::uint32_t>(b << 8 | a));
  }
  return out;
}

// Where the escape that starts at `at` ends: CSI "ESC [ ... letter", OSC "ESC ] ... BEL or ESC \", else two bytes.
std::size_t after_escape(const std::string& text, std::size_t at) {
  std::size_t i = at + 1;
  if (i >= text.size()) return i;
  if (text[i] == '[') {
    for (++i; i < text.size() && text[i] != '\n'; ++i)
      if (text[i] >= '@' && text[i] <= '~') return i + 1;
    return i;
  }
  if (text[i] == ']') {
    for (++i; i < text.size() && text[i] != '\n'; ++i) {
      if (text[i] == '\a') return i + 1;
      if (text[i] == '\x1b') return std::min(i + 2, text.size());
    }
    return i;
  }
  return text[i] == '\n' ? i : i + 1;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
}

// Length of a prefix of this line that a launcher wrote; 0 for none.
std::size_t prefix_length(const std::string& line) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t from = i;
    while (i < line.size() && is_digit(line[i])) ++i;
    return i - from;
  };
  const auto skip = [&](const char* word) {
    const std::string text = word;
    if (line.compare(i, text.size(), text) != 0) return false;
    i += text.size();
    return true;
  };
  if (skip("[") && digits() > 0 && skip(",") && digits() > 0 && skip("]") &&
      (skip("<stdout>:") || skip("<stderr>:")))  // mpirun --tag-output
    return i;
  i = 0;
  if (skip("[pod/")) {  // kubectl logs --prefix
    const std::size_t end = line.find("] ", i);
    if (end != std::string::npos) return end + 2;
  }
  i = 0;
  if (digits() == 4 && skip("-") && digits() == 2 && skip("-") && digits() == 2 && i < line.size() &&
      (line[i] == 'T' || line[i] == ' ')) {  // a time stamp
    const std::size_t end = line.find(' ', ++i);
    const std::string time = line.substr(i, end == std::string::npos ? end : end - i);
    const bool clock = time.size() >= 8 && time[2] == ':' && time[5] == ':';
    if (clock && end != std::string::npos) return end + 1;
  }
  i = 0;
  if (digits() > 0 && skip(": ")) return i;  // srun --label
  return 0;
}

// "node7: ": one word with a digit or a dash, then a colon and a blank; titles such as "Legend:" have no text after.
std::size_t host_length(const std::string& line) {
  std::size_t i = 0;
  bool like_a_host = false;
  for (; i < line.size() && is_name(line[i]); ++i) like_a_host |= is_digit(line[i]) || line[i] == '-';
  const bool colon = i > 0 && like_a_host && line.compare(i, 2, ": ") == 0;
  const std::string word = line.substr(0, i);
  const bool ours = word.starts_with("GPU") || word.starts_with("NIC") || word.starts_with("mlx5");
  return colon && !ours ? i + 2 : 0;
}

}  // namespace

std::unique_ptr<std::istream> open_source(const std::string& path, std::size_t most_bytes) {
  std::error_code ignored;
  if (const std::string other = no_source(path, false); !other.empty() && !other.starts_with("no file"))
    refuse(path, "a file", other,
           other == "a folder" ? "" : "it is read more than once: write its text to a file first");
  constexpr std::size_t head = 512;
  const std::string start = first_bytes(path, head);
  if (start.empty()) refuse(path, "a file with content", "an empty file");
  if (start.starts_with("version https://git-lfs"))
    refuse(path, "the file itself", "a Git LFS pointer to it", "fetch it: git lfs pull");
  if (is_tar(is_gzip(start) ? first_unpacked(path, head) : start))
    refuse(path, "a file", "a tar archive of files", "unpack it first: tar -xf; names that begin with ._ are macOS's");
  auto stream = std::make_unique<io::filtering_istream>();
  std::size_t most = most_bytes;
  if (is_gzip(start)) {
    const auto packed = std::filesystem::file_size(path, ignored);
    if (!ignored) most = std::min(most_bytes, free_bytes + most_inflation * static_cast<std::size_t>(packed));
  }
  stream->push(Limit(path, most, most < most_bytes));
  if (is_gzip(start)) stream->push(io::gzip_decompressor());
  stream->push(io::file_source(path, std::ios::in | std::ios::binary));
  stream->exceptions(std::ios::badbit);
  return stream;
}

std::string read_source(const std::string& path, std::size_t most_bytes) {
  const auto stream = open_source(path, most_bytes);
  std::string text;
  std::array<char, 1 << 16> buffer;
  try {
    while (stream->read(buffer.data(), buffer.size()) || stream->gcount() > 0)
      text.append(buffer.data(), static_cast<std::size_t>(stream->gcount()));
  } catch (const io::gzip_error&) {
    refuse(path, "a whole gzip file", "damaged or cut off after " + std::to_string(text.size()) + " bytes of text");
  } catch (const std::ios::failure&) {
    refuse(path, "a file that can be read", "an error while reading");
  }
  if (text.empty()) refuse(path, "a file with content", "an empty file");
  return text;
}

std::string clean_text(std::string text) {
  if (text.starts_with("\xFF\xFE")) text = from_utf16(text, false);
  if (text.starts_with("\xFE\xFF")) text = from_utf16(text, true);
  std::size_t from = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  std::string out;
  out.reserve(text.size());
  while (from < text.size()) {
    const char c = text[from];
    if (c == '\x1b') {
      from = after_escape(text, from);
      continue;
    }
    const bool line_end = c == '\r' && (from + 1 == text.size() || text[from + 1] == '\n' || text[from + 1] == '\r');
    if (!line_end) out += c;
    ++from;
  }
  return out;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    lines.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return lines;
}

std::string beginning_of(const std::string& path, std::size_t most_bytes) {
  constexpr std::size_t of_any_file = std::size_t{1} << 40;
  const auto source = open_source(path, of_any_file);
  std::string text(most_bytes, '\0');
  try {
    source->read(text.data(), static_cast<std::streamsize>(text.size()));
  } catch (const std::ios::failure&) {  // of gzip too
    refuse(path, "a whole file that can be read", "a damaged one, or one that is cut off");
  }
  text.resize(static_cast<std::size_t>(source->gcount()));
  return clean_text(std::move(text));
}

bool next_line(std::istream& source, std::string& line, std::size_t most, bool& cut) {
  line.clear();
  cut = false;
  std::streambuf& buffer = *source.rdbuf();
  bool any = false;
  for (int c = buffer.sbumpc(); c != std::streambuf::traits_type::eof(); c = buffer.sbumpc()) {
    any = true;
    if (c == '\n') break;
    if (line.size() < most)
      line += static_cast<char>(c);
    else
      cut = true;
  }
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return any;
}

std::string without_prefix(const std::string& line) {
  std::size_t quotes = 0;  // "> " of a mail or a thread, "> > " of an answer to it
  while (quotes < line.size() && line[quotes] == '>' && (quotes + 1 == line.size() || line[quotes + 1] == ' '))
    quotes = std::min(quotes + 2, line.size());
  if (quotes > 0) return without_prefix(line.substr(quotes));
  std::size_t from = prefix_length(line);
  from += host_length(line.substr(from));
  return line.substr(from);
}

std::string trimmed(const std::string& text) {
  const std::size_t from = text.find_first_not_of(" \t\r\v\f");
  if (from == std::string::npos) return "";
  return text.substr(from, text.find_last_not_of(" \t\r\v\f") - from + 1);
}

std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

std::string shown(const std::string& text, std::size_t limit) {
  std::string out = text.substr(0, limit);
  for (char& c : out)
    if (c < ' ' || c > '~') c = '?';
  return "\"" + out + (text.size() > limit ? "..." : "") + "\"";
}

}  // namespace clustersim
