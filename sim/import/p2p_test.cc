// p2pBandwidthLatencyTest of the CUDA samples: matrices under titles "Unidirectional P2P=Enabled Bandwidth (P2P Writes)
// Matrix (GB/s)", "Bidirectional ...", "P2P=Enabled Latency ... Matrix (us)". The diagonal is a device's own memory,
// read and written; a bidirectional cell is the sum of both directions. Latency matrices come in two blocks, GPU and
// CPU; the GPU's counts. P2P=Enabled means that access was asked for: where the connectivity matrix says 0, a pair
// went through the host all the same.
#include <map>
#include <set>

#include "sim/import/measurement_formats.h"
#include "sim/import/measurement_text.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

struct Matrix {
  enum class Kind { none, connectivity, one_way, both_ways, latency } kind = Kind::none;
  bool enabled = false;
  bool gpu_block = true;
};

std::optional<Matrix> matrix_in(const std::string& line) {
  if (!contains(line, "Matrix")) return std::nullopt;
  Matrix matrix;
  matrix.enabled = contains(line, "P2P=Enabled");
  if (contains(line, "Connectivity"))
    matrix.kind = Matrix::Kind::connectivity;
  else if (contains(line, "Latency"))
    matrix.kind = Matrix::Kind::latency;
  else if (contains(line, "Unidirectional"))
    matrix.kind = Matrix::Kind::one_way;
  else if (contains(line, "Bidirectional"))
    matrix.kind = Matrix::Kind::both_ways;
  return matrix;
}

using Pairs = std::set<std::pair<int, int>>;

void take_cell(const Matrix& matrix, int row, int column, double value, int line, const Pairs& apart,
               MeasuredFile& out) {
  Measured measured;
  measured.line = line;
  const bool access = matrix.enabled && apart.count({row, column}) == 0;
  measured.how = access ? "peer access" : "no peer access";
  switch (matrix.kind) {
    case Matrix::Kind::one_way:
      measured.subject = row == column ? Subject::gpu_memory : access ? Subject::gpu_pair : Subject::gpu_pair_no_access;
      measured.value = value * 1e9;
      break;
    case Matrix::Kind::both_ways:
      if (row == column || !access) return;
      measured.subject = Subject::gpu_pair_both;
      measured.value = value * 1e9;
      break;
    case Matrix::Kind::latency:
      if (row == column || !access || !matrix.gpu_block) return;
      measured.subject = Subject::gpu_pair_latency;
      measured.value = value * 1e-6;
      break;
    default:
      return;
  }
  if (row == column) measured.how = "own memory";
  out.add(measured);
}

}  // namespace

bool is_p2p_test(const std::string& text) { return contains(text, "P2P=Disabled") || contains(text, "P2P=Enabled"); }

void read_p2p_test(const std::string& text, const ReaderOptions&, MeasuredFile& out) {
  out.program = "p2pBandwidthLatencyTest";
  Matrix matrix;
  Pairs apart;
  int number = 0;
  for (const std::string& raw : lines_of(text)) {
    ++number;
    const std::string line = without_prefix(raw);
    if (const auto found = matrix_in(line)) {
      matrix = *found;
      continue;
    }
    const auto words = words_of(line);
    if (words.empty()) continue;
    if (words[0] == "GPU" || words[0] == "CPU") matrix.gpu_block = words[0] == "GPU";
    if (words[0].starts_with("Device:") && out.gpu.empty()) {  // "Device: 0, NAME, pciBusID: 7, ..."
      const std::size_t from = line.find(','), to = line.find(',', from + 1);
      if (from != std::string::npos && to != std::string::npos) out.gpu = trimmed(line.substr(from + 1, to - from - 1));
    }
    const auto row = integer_of(words[0]);
    if (matrix.kind == Matrix::Kind::none || !row || *row < 0 || *row > 1000) continue;
    for (std::size_t i = 1; i < words.size() && i <= 1000; ++i) {
      const auto value = number_of(words[i]);
      const int r = static_cast<int>(*row), c = static_cast<int>(i) - 1;
      if (!value) continue;
      if (matrix.kind == Matrix::Kind::connectivity && *value < 0.5) apart.insert({r, c});
      take_cell(matrix, r, c, *value, number, apart, out);
    }
  }
  if (out.values.empty()) out.warn(0, "no matrix of rates or latencies");
}

}  // namespace clustersim
