// nvbandwidth, text and JSON. Text: "Running TEST.", a title with the unit in brackets, a row of column numbers, rows;
// "SUM TEST v" closes. JSON: nvbandwidth.testcases[] with bandwidth_matrix, whose cells may be texts.
// Copies by the copy engine (_ce) are kept, since jobs copy that way; kernels' copies (_sm) and sums over many devices
// are not. Cells of 0.00 or N/A (a device with itself) hold nothing; a matrix in ns is never a rate. A bidirectional
// test prints the measured direction only, so it is no plain rate and is left out.
#include "sim/import/measurement_formats.h"
#include "sim/import/measurement_text.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

struct Test {
  std::string name;
  bool rate = false;  // its title says GB/s
};

std::optional<Subject> subject_of(const std::string& test) {
  const bool engine = test.ends_with("_ce"), plain = !contains(test, "bidirectional") && !contains(test, "all_to");
  if (!engine || !plain) return std::nullopt;
  if (test.starts_with("host_to_device_memcpy")) return Subject::host_to_gpu;
  if (test.starts_with("device_to_host_memcpy")) return Subject::gpu_to_host;
  if (test.starts_with("device_to_device_memcpy")) return Subject::gpu_pair;
  return std::nullopt;
}

void take_cell(const Test& test, double gb_per_s, int line, MeasuredFile& out) {
  const auto subject = subject_of(test.name);
  if (!subject || !test.rate) return;
  Measured measured;
  measured.subject = *subject;
  measured.value = gb_per_s * 1e9;
  measured.line = line;
  measured.how = test.name;
  out.add(measured);
}

void read_text(const std::string& text, MeasuredFile& out) {
  Test test;
  bool in_matrix = false;
  int number = 0;
  for (const std::string& raw : lines_of(text)) {
    ++number;
    const std::string line = without_prefix(raw);
    const auto words = words_of(line);
    if (words.empty()) {
      in_matrix = false;
      continue;
    }
    if (words[0] == "Running" && words.size() == 2 && words[1].ends_with(".")) {
      test = {words[1].substr(0, words[1].size() - 1), false};
      in_matrix = false;
    } else if (words[0] == "nvbandwidth" && words.size() == 3 && words[1] == "Version:" && words[2].size() < 24) {
      out.program = "nvbandwidth " + words[2];
    } else if (words[0] == "Waived:") {
      test = {};
    } else if (words[0] == "Device" && words.size() > 2 && words[1].ends_with(":") && out.gpu.empty()) {
      const std::string name = line.substr(line.find(':') + 1);
      out.gpu = trimmed(name.substr(0, name.find('(')));
    } else if (contains(line, "(GB/s)") || contains(line, "(ns)")) {
      test.rate = contains(line, "(GB/s)");
      in_matrix = false;
    } else if (!test.name.empty() && integer_of(words[0])) {
      if (!in_matrix) {  // the row of column numbers
        in_matrix = true;
        continue;
      }
      for (std::size_t i = 1; i < words.size(); ++i)
        if (const auto cell = number_of(words[i])) take_cell(test, *cell, number, out);
    }
  }
}

void read_json(const std::string& text, MeasuredFile& out) {
  int cut_off = 0;
  for (const FoundJson& found : json_documents(text, &cut_off)) {
    const JsonValue* cases = at_path(found.value, "nvbandwidth/testcases");
    if (cases == nullptr) continue;
    const JsonValue* devices = at_path(found.value, "nvbandwidth/GPU Device list");
    if (devices != nullptr && !devices->items.empty() && out.gpu.empty()) {  // "0: NAME (00000000:53:00)"
      const std::string& device = devices->items.front().text;
      const std::size_t name = device.find(": ");
      if (name != std::string::npos) out.gpu = trimmed(device.substr(name + 2, device.find(" (") - name - 2));
    }
    for (const JsonValue& item : cases->items) {
      const std::string status = text_at(item, "status");
      const Test test{text_at(item, "name"), contains(text_at(item, "bandwidth_description"), "(GB/s)")};
      if (!status.empty() && status != "Passed") {
        if (subject_of(test.name)) out.warn(found.line, test.name + " did not pass: left out");
        continue;
      }
      const JsonValue* matrix = at_path(item, "bandwidth_matrix");
      if (matrix == nullptr) continue;
      for (const JsonValue& row : matrix->items)
        for (const JsonValue& cell : row.items) {
          const auto value =
              cell.kind == JsonValue::Kind::number ? std::optional<double>(cell.number) : number_of(trimmed(cell.text));
          if (value) take_cell(test, *value, found.line, out);
        }
    }
  }
  if (cut_off > 0) out.warn(cut_off, "this document is cut off: left out");
}

bool is_json(const std::string& text) { return contains(text, "\"nvbandwidth\"") && contains(text, "\"testcases\""); }

}  // namespace

bool is_nvbandwidth(const std::string& text) {
  return is_json(text) || (contains(text, "Running ") && contains(text, "memcpy") &&
                           (contains(text, "SUM ") || contains(text, "bandwidth (GB/s)")));
}

void read_nvbandwidth(const std::string& text, const ReaderOptions&, MeasuredFile& out) {
  out.program = "nvbandwidth";
  if (is_json(text))
    read_json(text, out);
  else
    read_text(text, out);
  if (out.values.empty()) out.warn(0, "no copy between host and GPU or between GPUs by the copy engine");
}

}  // namespace clustersim
