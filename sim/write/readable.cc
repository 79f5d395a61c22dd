#include "sim/write/readable.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "clustersim/error.h"

namespace clustersim {
namespace {

struct Step {
  double from;  // smallest magnitude that is shown so
  double divisor;
  const char* unit;
};

std::string fixed(double value, int decimals) {
  std::array<char, 400> text;  // the largest double has 309 digits
  const auto written = std::to_chars(text.begin(), text.end(), value, std::chars_format::fixed, decimals);
  require(written.ec == std::errc(), "a number fits its text");
  return std::string(text.begin(), written.ptr);
}

// Three significant digits without an exponent, for 0.001 <= |value| < 1e15; integers above 100 are kept whole.
std::string three_digits(double value) {
  const double magnitude = std::abs(value);
  if (magnitude == 0) return "0";
  const int digits_before = static_cast<int>(std::floor(std::log10(magnitude))) + 1;
  return fixed(value, std::clamp(3 - digits_before, 0, 6));
}

std::string grouped(const std::string& number) {
  const std::size_t point = std::min(number.find('.'), number.size());
  const std::size_t first = number[0] == '-' ? 1 : 0;
  std::string text = number;
  for (std::size_t at = point; at > first + 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string scaled(double value, const Step* begin, const Step* end) {
  const Step* step = end - 1;
  for (const Step* s = begin; s != end; ++s)
    if (std::abs(value) >= s->from) {
      step = s;
      break;
    }
  return grouped(three_digits(value / step->divisor)) + " " + step->unit;
}

// Largest first; the last line takes what is smaller than all.
constexpr Step time_steps[] = {{3 * 86400.0, 86400, "d"}, {7200, 3600, "h"},  {120, 60, "min"}, {1, 1, "s"},
                               {1e-3, 1e-3, "ms"},        {1e-6, 1e-6, "us"}, {0, 1e-9, "ns"}};
constexpr Step energy_steps[] = {{3.6e9, 3.6e9, "MWh"}, {3.6e5, 3.6e6, "kWh"}, {1e3, 1e3, "kJ"}, {0, 1, "J"}};
constexpr Step power_steps[] = {{1e6, 1e6, "MW"}, {1e4, 1e3, "kW"}, {0, 1, "W"}};
constexpr Step byte_steps[] = {{1e12, 1e12, "TB"}, {1e9, 1e9, "GB"}, {1e6, 1e6, "MB"}, {1e3, 1e3, "kB"}, {0, 1, "B"}};
constexpr Step rate_steps[] = {{1e9, 1e9, "GB/s"}, {1e6, 1e6, "MB/s"}, {1e3, 1e3, "kB/s"}, {0, 1, "B/s"}};
constexpr Step clock_steps[] = {{1e6, 1e6, "MHz"}, {0, 1, "Hz"}};
constexpr Step mass_steps[] = {{1e6, 1e6, "t"}, {1e3, 1e3, "kg"}, {0, 1, "g"}};

template <std::size_t N>
std::string scaled(double value, const Step (&steps)[N]) {
  return scaled(value, steps, steps + N);
}

bool is_currency(const std::string& unit) {
  return unit.size() == 3 && std::all_of(unit.begin(), unit.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool is_share(const Metric& metric) {
  const bool plain = metric.unit.empty() || metric.unit == "1";
  return plain &&
         (metric.name.find("share") != std::string::npos || metric.name.find("utilization") != std::string::npos);
}

// "samples/s" -> "samples_per_s".
std::string unit_suffix(const std::string& unit) {
  std::string suffix;
  for (char c : unit) {
    if (c == '/')
      suffix += "_per_";
    else
      suffix += (c == ' ' || c == '-') ? '_' : c;
  }
  return suffix;
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

std::string shortest(double value) {
  std::array<char, 64> text;
  const auto end = std::to_chars(text.begin(), text.end(), value).ptr;
  return std::string(text.begin(), end);
}

std::string readable(double value, const std::string& unit) {
  const bool plain = unit.empty() || unit == "1";
  const std::string tail = plain ? "" : " " + unit;
  if (value == 0) return "0" + tail;
  if (unit == "s") return scaled(value, time_steps);
  if (unit == "J") return scaled(value, energy_steps);
  if (unit == "W") return scaled(value, power_steps);
  if (unit == "B") return scaled(value, byte_steps);
  if (unit == "B/s") return scaled(value, rate_steps);
  if (unit == "Hz") return scaled(value, clock_steps);
  if (unit == "g" || unit == "gCO2e") return scaled(value, mass_steps) + (unit == "g" ? "" : " CO2e");
  if (is_currency(unit)) {
    const std::string kilo = "k" + unit, mega = "M" + unit;
    const Step steps[] = {{1e6, 1e6, mega.c_str()}, {1e3, 1e3, kilo.c_str()}, {0, 1, unit.c_str()}};
    return scaled(value, steps);
  }
  if (std::abs(value) >= 1e7) return grouped(three_digits(value / 1e6)) + " M" + tail;
  if (std::abs(value) < 1e-3) {
    char text[24];  // three digits, with an exponent where that is shorter
    std::snprintf(text, sizeof text, "%.3g", value);
    return text + tail;
  }
  return grouped(three_digits(value)) + tail;
}

std::string rounded(double value) {
  char text[40];
  std::snprintf(text, sizeof text, std::abs(value) >= 1000 && std::abs(value) < 1e12 ? "%.0f" : "%.3g", value);
  return text;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string percent(double share) {
  const double value = 100.0 * share;
  return fixed(value, std::abs(value) < 10 && value != 0 ? 1 : 0) + " %";
}

std::string whole_number(double number) {
  std::string digits = std::to_string(std::llround(number));
  for (std::size_t at = digits.size(); at > (number < 0 ? 4 : 3);) digits.insert(at -= 3, ",");
  return digits;
}

int columns_of(const std::string& text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string cut(const std::string& text, int columns) {
  std::size_t end = 0;
  for (int taken = 0; end < text.size(); ++end)
    if ((text[end] & 0xc0) != 0x80 && ++taken > columns) break;
  return text.substr(0, end);
}

std::string folded(const std::string& text, int indent, int width) {
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  const int room = width - indent;
  std::istringstream words(text);
  std::string out, line, word;
  while (words >> word) {
    if (!line.empty() && columns_of(line) + 1 + columns_of(word) > room) {
      out += margin + line + "\n";
      line.clear();
    }
    for (; columns_of(word) > room; word.erase(0, cut(word, room).size())) out += margin + cut(word, room) + "\n";
    line += (line.empty() ? "" : " ") + word;
  }
  return out + margin + line + "\n";
}

std::string left(const std::string& text, int columns) {
  return text + std::string(static_cast<std::size_t>(std::max(1, columns - columns_of(text))), ' ');
}

std::string right(const std::string& text, int columns) {
  return std::string(static_cast<std::size_t>(std::max(1, columns - columns_of(text))), ' ') + text;
}

std::string metric_text(const Metric& metric) {
  return is_share(metric) ? percent(metric.value) : readable(metric.value, metric.unit);
}

std::string range_text(const Metric* low, const Metric* high) {
  if (!low || !high) return "";
  const std::string from = metric_text(*low), to = metric_text(*high);
  if (from == to) return "";
  const auto unit = from.rfind(' ');
  const bool same_unit = unit != std::string::npos && ends_with(to, from.substr(unit));
  return (same_unit ? from.substr(0, unit) : from) + "-" + to;
}

std::string csv_column(const Metric& metric) {
  const std::string suffix = unit_suffix(metric.unit);
  if (suffix.empty() || suffix == "1" || ends_with(metric.name, suffix)) return metric.name;
  return metric.name + "_" + suffix;
}

}  // namespace clustersim
