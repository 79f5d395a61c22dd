// What `clustersim calibrate` found, as text.
#include <algorithm>
#include <cstdio>

#include "clustersim/calibrate.h"

namespace clustersim {
namespace {

std::string percent(double share) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.1f %%", 100 * share);
  return digits;
}

std::string padded(const std::string& text, std::size_t width) {
  return text.size() < width ? text + std::string(width - text.size(), ' ') : text + " ";
}

std::string line_of(const FittedNumber& n, std::size_t width) {
  std::string line = "  " + padded(n.part + " " + n.key, width) + n.value + "\n      ";
  if (n.rows == 1) {
    line += "one row";
  } else {
    line += std::to_string(n.rows) + " rows, residuals " + percent(n.median_residual) + " (median) " +
            percent(n.worst_residual) + " (worst)";
  }
  if (!n.from.empty()) line += n.from == n.to ? "; at " + n.from : "; from " + n.from + " to " + n.to;
  line += "\n      " + n.source + "\n";
  if (!n.doubt.empty()) line += "      a guess: " + n.doubt + "\n";
  return line;
}

}  // namespace

std::string calibration_text(const Calibrated& calibrated) {
  std::string text = "Recognised\n";
  for (const RecognisedFile& file : calibrated.files) {
    text += "  " + file.file + ": " + file.format + ", " + std::to_string(file.values + file.collectives) + " values" +
            (file.gpu.empty() ? "" : ", " + file.gpu) + "\n";
    for (const auto& [line, why] : file.warnings)
      text += "      " + (line > 0 ? "line " + std::to_string(line) + ": " : std::string()) + why + "\n";
  }
  std::size_t width = 20;
  for (const FittedNumber& n : calibrated.numbers) width = std::max(width, n.part.size() + n.key.size() + 3);
  text += "\nFitted\n";
  bool curves = false;
  for (const FittedNumber& n : calibrated.numbers) {
    text += line_of(n, std::min<std::size_t>(width, 48));
    curves = curves || n.value.starts_with("its own curve");
  }
  if (curves)
    text +=
        "  The residuals of a curve are its own. A run fits the model of its cluster to the same points, and its\n"
        "  report says how well; calibrate --scenario S.json does so here.\n";
  if (!calibrated.notes.empty()) text += "\nNot used\n";
  for (const std::string& note : calibrated.notes) text += "  " + note + "\n";
  if (!calibrated.checks.empty()) text += "\nCompared, not fitted\n";
  for (const std::string& check : calibrated.checks) text += "  " + check + "\n";
  text +=
      "\nTo use it: name the file in a scenario, \"cluster\": {..., \"calibration\": \"FILE\"}, or copy a part into\n"
      "its place there, with \"base\": the id of the part. clustersim explain /cluster/calibration says more.\n";
  return text;
}

}  // namespace clustersim
