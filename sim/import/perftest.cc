// perftest: ib_write_bw and its kin. Bandwidth rows are "bytes [sl] iterations peak average rate", in MB/sec or, of
// newer versions, MiB/sec (2^20 bytes both) or, with --report_gbits, Gb/sec; latency rows follow their header's names,
// in microseconds. A bidirectional run (-b) prints the sum of both directions, so half of it is kept. Of a latency test
// t_typical is taken: half a round trip.
#include <algorithm>
#include <optional>

#include "sim/import/measurement_formats.h"
#include "sim/import/measurement_text.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

constexpr double mebi = 1048576.0;

struct Banner {
  std::string test;  // "RDMA_Write BW Test"
  double queue_pairs = 1;
  bool both_ways = false;
  bool gpu = false;
};

// "Number of qps : 4" -> 4
std::optional<double> value_after(const std::string& line, const std::string& key) {
  const std::size_t at = line.find(key);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t colon = line.find(':', at);
  if (colon == std::string::npos) return std::nullopt;
  const auto words = words_of(line.substr(colon + 1));
  return words.empty() ? std::nullopt : number_of(words[0]);
}

void take_banner(const std::string& line, Banner& banner) {
  if (contains(line, " Test") && (contains(line, "BW") || contains(line, "Latency"))) {
    const bool gpu = banner.gpu;
    banner = Banner{trimmed(line), 1, contains(line, "Bidirectional"), gpu};
  }
  if (const auto qps = value_after(line, "Number of qps"); qps && *qps >= 1 && *qps <= 1e6) banner.queue_pairs = *qps;
  if (contains(line, "cuMem") || contains(line, "CUDA") || contains(line, "cuda")) banner.gpu = true;
}

enum class Table { none, bandwidth, latency };

struct Header {
  Table table = Table::none;
  double unit = mebi;      // B/s of one printed
  std::size_t column = 3;  // of the number that is taken
};

std::optional<Header> header_of(const std::string& line) {
  if (!contains(line, "#bytes")) return std::nullopt;
  Header header;
  if (contains(line, "BW average")) {
    header.table = Table::bandwidth;
    header.unit = contains(line, "Gb/sec") ? 1e9 / 8 : mebi;
    header.column = contains(line, "#sl") ? 4 : 3;
  } else if (contains(line, "t_typical") || contains(line, "t_avg")) {
    header.table = Table::latency;
    const auto words = words_of(line);
    const char* wanted = contains(line, "t_typical") ? "t_typical" : "t_avg";
    for (std::size_t i = 0; i < words.size(); ++i)
      if (words[i].starts_with(wanted)) header.column = i;
  } else {
    return std::nullopt;
  }
  return header;
}

std::string how_of(const Banner& banner) {
  std::string how = banner.test.empty() ? "perftest" : banner.test;
  if (banner.both_ways) how += ", half of both ways";
  if (banner.gpu) how += ", GPU memory";
  return how;
}

void take_row(const std::vector<std::string>& words, const Header& header, const Banner& banner, int line,
              MeasuredFile& out) {
  if (words.size() <= header.column) return;
  const auto bytes = integer_of(words[0]), iterations = integer_of(words[1]);
  const auto value = number_of(words[header.column]);
  if (!bytes || !iterations || !value || *bytes < 0) return;
  Measured measured;
  measured.bytes = *bytes, measured.streams = banner.queue_pairs, measured.line = line, measured.how = how_of(banner);
  if (header.table == Table::bandwidth) {
    measured.subject = Subject::rdma_rate;
    measured.value = *value * header.unit / (banner.both_ways ? 2 : 1);
  } else {
    measured.subject = Subject::rdma_latency;
    measured.value = *value * 1e-6;
  }
  out.add(measured);
}

void read_text(const std::string& text, MeasuredFile& out) {
  Banner banner;
  Header header;
  int number = 0;
  for (const std::string& raw : lines_of(text)) {
    ++number;
    const std::string line = without_prefix(raw);
    take_banner(line, banner);
    if (const auto found = header_of(line)) {
      header = *found;
      continue;
    }
    if (header.table != Table::none) take_row(words_of(line), header, banner, number, out);
  }
  if (!banner.test.empty()) out.program = "perftest " + banner.test;
}

// {"test_info": {..., "test": ...}, "results": {"MsgSize", "n_iterations", "BW_average", ...} or a list of such}.
void read_document(const FoundJson& found, MeasuredFile& out) {
  const JsonValue* results = at_path(found.value, "results");
  if (results == nullptr) return;
  Banner banner;
  banner.test = text_at(found.value, "test_info/test");
  banner.both_ways = contains(banner.test, "Bidirectional");
  banner.queue_pairs = std::clamp(number_at(found.value, "test_info/Number_of_qps").value_or(1), 1.0, 1e6);
  banner.gpu = at_path(found.value, "test_info/cuda_device") != nullptr ||
               text_at(found.value, "test_info/Use_ROCm_memory") == "ON";
  const bool gigabits = contains(to_text(found.value, 0), "Gb/sec") || contains(to_text(found.value, 0), "Gb\\/sec");
  std::vector<const JsonValue*> rows;
  if (results->kind == JsonValue::Kind::object) rows.push_back(results);
  for (const JsonValue& item : results->items) rows.push_back(&item);
  for (const JsonValue* row : rows) {
    Measured measured;
    measured.bytes = std::clamp(number_at(*row, "MsgSize").value_or(0), 0.0, 1e18);
    measured.streams = banner.queue_pairs, measured.line = found.line, measured.how = how_of(banner);
    const auto average = number_at(*row, "BW_average") ? number_at(*row, "BW_average") : number_at(*row, "bw_avg");
    if (average) {
      measured.subject = Subject::rdma_rate;
      measured.value = *average * (gigabits ? 1e9 / 8 : mebi) / (banner.both_ways ? 2 : 1);
      if (!gigabits) out.warn(found.line, "no unit beside BW_average: MB/sec of 2^20 bytes assumed");
      if (!gigabits) measured.confidence = Confidence::low;
      out.add(measured);
    } else if (const auto latency =
                   number_at(*row, "t_typical") ? number_at(*row, "t_typical") : number_at(*row, "t_avg")) {
      measured.subject = Subject::rdma_latency;
      measured.value = *latency * 1e-6;
      out.add(measured);
    }
  }
}

bool is_perftest_json(const std::string& text) {
  return contains(text, "\"MsgSize\"") && contains(text, "\"n_iterations\"");
}

}  // namespace

bool is_perftest(const std::string& text) {
  return is_perftest_json(text) ||
         (contains(text, "#bytes") &&
          (contains(text, "BW average[") || contains(text, "t_typical[") || contains(text, "t_avg[")));
}

void read_perftest(const std::string& text, const ReaderOptions&, MeasuredFile& out) {
  out.program = "perftest";
  if (is_perftest_json(text)) {
    int cut_off = 0;
    for (const FoundJson& found : json_documents(text, &cut_off)) read_document(found, out);
    if (cut_off > 0) out.warn(cut_off, "this document is cut off: left out");
  } else {
    read_text(text, out);
  }
  if (out.values.empty()) out.warn(0, "no rows: the test printed no data");
}

}  // namespace clustersim
