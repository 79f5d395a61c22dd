// Numbers as people write them, and text folded to a width.
#pragma once

#include <string>

#include "clustersim/report.h"

namespace clustersim {

// The fewest digits that read back to the same double: 0.1, 1e+22.
std::string shortest(double value);

// Three significant digits and a prefix that fits: (0.1183, "s") -> "118 ms", (10440, "s") -> "2.90 h",
// (1234, "USD") -> "1.23 kUSD", (5.4e9, "J") -> "1.50 MWh". Rates of things keep their unit: "8,653 samples/s".
std::string readable(double value, const std::string& unit);

// Within a sentence: three significant digits, whole numbers from a thousand on: "0.0102", "11456", "1e+15".
std::string rounded(double value);

// A cell of a CSV line, quoted where RFC 4180 asks for it.
std::string csv_cell(const std::string& text);

// "41 %" of 0.41; below 10 % one decimal.
std::string percent(double share);

// A whole number in groups: "16", "32,768".
std::string whole_number(double number);

// Characters of a UTF-8 text, and its first so many.
int columns_of(const std::string& text);
std::string cut(const std::string& text, int columns);

// `text` broken at spaces, and inside a word that is longer than a line, into lines of at most `width`, each after
// `indent` spaces; ends with a line feed.
std::string folded(const std::string& text, int indent, int width);

// Padded with spaces to `columns`; at least one space.
std::string left(const std::string& text, int columns);
std::string right(const std::string& text, int columns);

// The value as the table shows it: shares in per cent.
std::string metric_text(const Metric& metric);

// "46.1-56.0 USD" of a metric's two ends; "" where one is missing, or both look alike.
std::string range_text(const Metric* low, const Metric* high);

// A metric's CSV column: its name and its unit, "step_time_s".
std::string csv_column(const Metric& metric);

}  // namespace clustersim
