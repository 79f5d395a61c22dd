// dd's last line: "1073741824 bytes (1.1 GB, 1.0 GiB) copied, 0.61 s, 1.8 GB/s", also "... bytes transferred in t
// secs". Rates are decimal. Nothing says whether the disk or the page cache answered: low confidence. What of and if
// were is taken from the command that stands before: of=/dev/null is a read, else a write. Without a command neither is
// known, and the line is left out.
#include "sim/import/measurement_formats.h"
#include "sim/import/measurement_text.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

std::optional<double> seconds_in(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i + 1] == "s," || words[i + 1] == "seconds," || words[i + 1] == "secs" || words[i + 1] == "s")
      if (const auto t = number_of(words[i]); t && *t > 0) return t;
  return std::nullopt;
}

bool is_line(const std::string& line) {
  return (contains(line, "bytes") && contains(line, "copied,")) || contains(line, "bytes transferred in");
}

}  // namespace

bool is_dd(const std::string& text) {
  for (const std::string& line : lines_of(text)) {
    const auto words = words_of(without_prefix(line));
    if (is_line(line) && !words.empty() && integer_of(words[0]) && seconds_in(words)) return true;
  }
  return false;
}

void read_dd(const std::string& text, const ReaderOptions&, MeasuredFile& out) {
  out.program = "dd";
  bool told = false, reading = false, direct = false;
  int number = 0;
  for (const std::string& raw : lines_of(text)) {
    ++number;
    const std::string line = without_prefix(raw);
    if (contains(line, "dd ") && contains(line, "of=")) {
      told = true;
      reading = contains(line, "of=/dev/null");
      direct = contains(line, "direct");
    }
    const auto words = words_of(line);
    if (!is_line(line) || words.empty()) continue;
    const auto bytes = integer_of(words[0]);
    const auto seconds = seconds_in(words);
    if (!bytes || *bytes <= 0 || !seconds) continue;
    if (!told) {
      out.warn(number, "reading or writing is not said: paste the command along (dd if=... of=...); left out");
      continue;
    }
    Measured measured;
    measured.subject = reading ? Subject::storage_read : Subject::storage_write;
    measured.value = *bytes / *seconds;
    measured.bytes = *bytes;
    measured.line = number;
    measured.confidence = Confidence::low;
    measured.how = direct ? "dd, direct" : "dd, perhaps the page cache";
    out.add(measured);
  }
  out.warn(0, "dd says little: one stream, perhaps the page cache, and the file's size may be small");
}

}  // namespace clustersim
