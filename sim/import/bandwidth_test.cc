// bandwidthTest of the CUDA samples. Text: sections "Host to Device Bandwidth, ...", "PINNED Memory Transfers", a
// header with the unit, rows of size and rate. CSV: "bandwidthTest-H2D-Pinned, Bandwidth = 12.3 GB/s, ..., Size = n
// bytes". GB/s is 1e9; MB/s, of older samples, 2^20 [published: the sample's source]. Device to device counts what is
// read and what is written. Pageable copies go through a buffer of the driver: low confidence.
#include "sim/import/measurement_formats.h"
#include "sim/import/measurement_text.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

double unit_in(const std::string& line) {
  return contains(line, "GB/s") ? 1e9 : contains(line, "MB/s") ? 1048576.0 : 0;
}

struct Section {
  std::optional<Subject> subject;
  bool pageable = false;
  double unit = 0;
};

std::optional<Subject> subject_in(const std::string& line) {
  if (contains(line, "Host to Device") || contains(line, "-H2D-")) return Subject::host_to_gpu;
  if (contains(line, "Device to Host") || contains(line, "-D2H-")) return Subject::gpu_to_host;
  if (contains(line, "Device to Device") || contains(line, "-D2D")) return Subject::gpu_memory;
  return std::nullopt;
}

void take(const Section& section, double rate, double bytes, int line, MeasuredFile& out) {
  if (!section.subject || section.unit <= 0) return;
  Measured measured;
  measured.subject = *section.subject;
  measured.value = rate * section.unit;
  measured.bytes = bytes > 0 ? bytes : 0;
  measured.line = line;
  measured.confidence = section.pageable ? Confidence::low : Confidence::high;
  measured.how = section.pageable ? "pageable" : "pinned";
  out.add(measured);
}

// The number after "Name = ".
std::optional<double> after(const std::string& line, const std::string& name) {
  const std::size_t at = line.find(name + " = ");
  if (at == std::string::npos) return std::nullopt;
  const auto words = words_of(line.substr(at + name.size() + 3));
  return words.empty() ? std::nullopt : number_of(words[0]);
}

}  // namespace

bool is_bandwidth_test(const std::string& text) {
  return contains(text, "bandwidthTest-") || contains(text, "[CUDA Bandwidth Test]") ||
         (contains(text, "Memory Transfers") && contains(text, "Transfer Size (Bytes)"));
}

void read_bandwidth_test(const std::string& text, const ReaderOptions&, MeasuredFile& out) {
  out.program = "bandwidthTest";
  Section section;
  int number = 0;
  for (const std::string& raw : lines_of(text)) {
    ++number;
    const std::string line = without_prefix(raw);
    if (contains(line, "bandwidthTest-") && contains(line, "Bandwidth = ")) {
      const auto rate = after(line, "Bandwidth");
      if (rate)
        take({subject_in(line), contains(line, "-Paged"), unit_in(line)}, *rate, after(line, "Size").value_or(0),
             number, out);
      continue;
    }
    if (const auto subject = subject_in(line); subject && contains(line, "Bandwidth,")) section = {subject, false, 0};
    if (contains(line, "PAGEABLE Memory")) section.pageable = true;
    if (contains(line, "Transfer Size")) section.unit = unit_in(line);
    if (contains(line, "Device 0: ") && out.gpu.empty()) out.gpu = trimmed(line.substr(line.find(':') + 1));
    const auto words = words_of(line);
    if (words.size() != 2) continue;
    const auto bytes = integer_of(words[0]);
    const auto rate = number_of(words[1]);
    if (bytes && rate) take(section, *rate, *bytes, number, out);
  }
  if (out.values.empty()) out.warn(0, "no rows: the test printed no data");
}

}  // namespace clustersim
