#include "tools/measurement/summary.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace clustersim::measurement {
namespace {

std::string text_of(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* count = std::get_if<std::int64_t>(&value)) return std::to_string(*count);
  char number[32];
  std::snprintf(number, sizeof number, "%.4g", std::get<double>(value));
  return number;
}

// Three digits and an SI prefix: 3.1e-4 s is 310 us.
std::string with_prefix(double value, const std::string& unit) {
  static constexpr std::array<const char*, 8> prefixes = {"n", "u", "m", "", "k", "M", "G", "T"};
  int thousands = value > 0 ? static_cast<int>(std::floor(std::log10(value) / 3)) : 0;
  thousands = std::min(4, std::max(-3, thousands));
  char number[64];
  std::snprintf(number, sizeof number, "%.3g %s%s", value / std::pow(1000.0, thousands), prefixes[thousands + 3],
                unit.c_str());
  return number;
}

}  // namespace

std::string to_text(const Record& record) {
  std::string line = record.benchmark;
  for (const auto& [name, value] : record.parameters) line += " " + name + "=" + text_of(value);
  if (record.outcome == Outcome::failed) return line + ": FAILED, " + record.reason;
  if (record.outcome == Outcome::skipped) return line + ": skipped, " + record.reason;
  char spread[32];
  std::snprintf(spread, sizeof spread, " +- %.1f %%", 100 * record.spread);
  line += ": " + with_prefix(record.median, record.unit) + spread;
  for (const auto& [name, value] : record.derived) line += ", " + name + " " + with_prefix(value, "");
  return line;
}

std::string to_text(const MeasurementFile& file) {
  std::string text;
  std::array<int, 3> count = {};
  for (const Record& record : file.records) {
    text += to_text(record) + "\n";
    ++count[static_cast<std::size_t>(record.outcome)];
  }
  return text + std::to_string(count[0]) + " measured, " + std::to_string(count[1]) + " failed, " +
         std::to_string(count[2]) + " skipped\n";
}

}  // namespace clustersim::measurement
