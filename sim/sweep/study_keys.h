// What a study file says, before it is checked against its base; JSON values as their text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clustersim/fields.h"

namespace clustersim {

struct AxisKeys {
  std::string where;  // JSON pointer of the axis
  std::optional<std::string> name, pointer, values;
  std::optional<std::vector<std::string>> pointers, labels;
  bool has_range = false;
  std::optional<std::string> from, to;
  std::optional<int> steps;
  std::optional<double> factor;
};

struct FilterKeys {
  std::string where;
  std::optional<std::vector<std::string>> product;
  std::optional<std::string> at_most, at_least, equal, unequal;
};

struct ConstraintKeys {
  std::string where, metric;
  std::optional<std::string> at_most, at_least;
};

enum class Sampling : std::uint8_t { grid, list };

struct StudyKeys {
  std::optional<int> version;
  std::optional<std::string> name, base;
  std::vector<AxisKeys> axes;
  Sampling sampling = Sampling::grid;
  std::vector<FilterKeys> filters;
  std::optional<std::string> minimize, maximize;
  std::vector<ConstraintKeys> constraints;
};

void visit_study(FieldVisitor& v, StudyKeys& keys);

// The metrics that a report may have, for objectives and constraints.
struct KnownMetric {
  const char* name;
  const char* unit;                    // "money" for the costs, whose unit is their currency
  std::optional<Dimension> dimension;  // empty: a bare number
};
const std::vector<KnownMetric>& known_metrics();
const KnownMetric* find_metric(const std::string& name);  // null if there is none

// A bound on a metric from its JSON text: a number, or a quantity with its unit.
struct Bound {
  double value = 0;
  std::string currency;  // of money
  std::string text;      // as it was written
};
std::optional<Bound> read_bound(const KnownMetric& metric, const std::string& json, const std::string& file,
                                const std::string& pointer, std::vector<struct Problem>& problems);

}  // namespace clustersim
