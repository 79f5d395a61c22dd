#include "sim/sweep/axes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "sim/read/did_you_mean.h"
#include "sim/sweep/study.h"
#include "sim/write/readable.h"

namespace clustersim {

namespace {

using Kind = JsonValue::Kind;

constexpr std::size_t most_pointers = 64;  // of one axis

// "batch_per_gpu" of "/job/batch_per_gpu".
std::string last_step(const std::string& pointer) { return pointer.substr(pointer.rfind('/') + 1); }

std::string quoted(const std::string& text) { return to_text(JsonValue{Kind::text, false, 0, text, {}, {}}, 0); }

// The JSON text of a number with the unit of its ends.
std::string number_json(double number, const std::string& unit) {
  const double near = std::round(number);
  const std::string digits = shortest(std::abs(number - near) < 1e-9 * std::abs(near) ? near : number);
  return unit.empty() ? digits : quoted(digits + " " + unit);
}

class AxisReader {
 public:
  AxisReader(const JsonValue& base, const std::string& file, std::vector<Problem>& problems)
      : base_(base), file_(file), problems_(problems) {}

  StudyAxis read(const AxisKeys& keys) {
    StudyAxis axis;
    add_pointers(keys, axis);
    axis.name = keys.name.value_or(axis.pointers.empty() ? "" : last_step(axis.pointers.front()));
    if (keys.values.has_value() == keys.has_range)
      fault(keys.where, "one of values and range", keys.has_range ? "both" : "neither", "");
    else if (keys.values)
      add_values(keys, axis);
    else
      add_range(keys, axis);
    add_labels(keys, axis);
    return axis;
  }

 private:
  void fault(const std::string& pointer, const std::string& expected, const std::string& got, const std::string& hint) {
    problems_.push_back({file_, pointer, expected, got, hint});
  }

  void add_pointers(const AxisKeys& keys, StudyAxis& axis) {
    if (keys.pointer.has_value() == keys.pointers.has_value()) {
      fault(keys.where, "one of pointer and pointers", keys.pointer ? "both" : "neither", "");
      return;
    }
    axis.pointers = keys.pointer ? std::vector<std::string>{*keys.pointer} : *keys.pointers;
    const std::string where = keys.where + (keys.pointer ? "/pointer" : "/pointers");
    if (axis.pointers.empty() || axis.pointers.size() > most_pointers)
      fault(where, "from 1 to " + std::to_string(most_pointers) + " pointers", std::to_string(axis.pointers.size()),
            "");
    for (const std::string& pointer : axis.pointers) check_pointer(pointer, where);
  }

  void check_pointer(const std::string& pointer, const std::string& where) {
    if (!seen_.insert(pointer).second) fault(where, "a key that no other axis moves", quoted(pointer), "");
    if (pointer == "/clustersim" || pointer == "/name" || pointer.starts_with("/cost/currency"))
      fault(where, "a key that may differ between points", quoted(pointer),
            pointer[1] == 'c' ? "rows are compared in one currency and format" : "");
    JsonValue copy = base_;
    if (copy.kind != Kind::object) copy.kind = Kind::null;  // a base that cannot be read leaves the pointer to check
    std::vector<Problem> inside;
    apply_override(copy, pointer, "1", file_, inside);
    for (const Problem& p : inside) fault(where, p.expected, p.got, p.hint);
  }

  void add_values(const AxisKeys& keys, StudyAxis& axis) {
    const JsonValue list = parse_json(*keys.values, file_, problems_);
    const std::string where = keys.where + "/values";
    if (list.kind != Kind::list || list.items.empty()) {
      fault(where, "a list of values, [...]", to_text(list), "");
      return;
    }
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const JsonValue& item = list.items[i];
      if (!keys.pointers) {
        axis.values.push_back({text_of(item)});
        continue;
      }
      if (item.kind != Kind::list || item.items.size() != axis.pointers.size()) {
        fault(where + "/" + std::to_string(i),
              "a list of " + std::to_string(axis.pointers.size()) + " values, one for each pointer", to_text(item), "");
        continue;
      }
      std::vector<std::string> row;
      for (const JsonValue& value : item.items) row.push_back(text_of(value));
      axis.values.push_back(std::move(row));
    }
    const std::set<std::vector<std::string>> different(axis.values.begin(), axis.values.end());
    if (different.size() < axis.values.size()) fault(where, "each value once", "a value twice", "");
  }

  // Those given, or what the first pointer becomes; where that says too little, what every pointer becomes.
  void add_labels(const AxisKeys& keys, StudyAxis& axis) {
    if (keys.labels) axis.labels = *keys.labels;
    if (keys.labels && keys.labels->size() != axis.values.size())
      fault(keys.where + "/labels", "one label for each of " + std::to_string(axis.values.size()) + " values",
            std::to_string(keys.labels->size()), "");
    if (keys.labels) return;
    const auto distinct = [&] { return std::set<std::string>(axis.labels.begin(), axis.labels.end()).size(); };
    for (const auto& value : axis.values) axis.labels.push_back(value.empty() ? "" : plain(value.front()));
    if (distinct() == axis.values.size()) return;
    for (std::size_t v = 0; v < axis.values.size(); ++v)
      for (std::size_t p = 1; p < axis.values[v].size(); ++p) axis.labels[v] += " " + plain(axis.values[v][p]);
  }

  // A value without its quotes.
  static std::string plain(const std::string& json) {
    if (json.empty()) return "(base)";
    return json.size() > 1 && json.front() == '"' ? json.substr(1, json.size() - 2) : json;
  }

  static std::string text_of(const JsonValue& value) { return value.kind == Kind::null ? "" : to_text(value, 0); }

  void add_range(const AxisKeys& keys, StudyAxis& axis) {
    const std::string where = keys.where + "/range";
    if (!keys.from || !keys.to) return;  // said by the reader
    if (keys.pointers) fault(where, "values, where several keys move together", "a range", "");
    const auto from = written_number(*keys.from), to = written_number(*keys.to);
    if (!from) fault(where + "/from", "a number, or a text of a number and a unit", *keys.from, "");
    if (!to) fault(where + "/to", "a number, or a text of a number and a unit", *keys.to, "");
    if (!from || !to) return;
    if (from->unit != to->unit)
      fault(where + "/to", from->unit.empty() ? "a bare number, as from" : "the unit of from, \"" + from->unit + "\"",
            *keys.to, "");
    if (!(to->number > from->number)) fault(where + "/to", "more than from", *keys.to, "");
    if (keys.steps.has_value() == keys.factor.has_value()) {
      fault(where, "one of steps and factor", keys.steps ? "both" : "neither", "");
      return;
    }
    if (keys.factor && !(from->number > 0)) fault(where + "/from", "more than 0, to be multiplied", *keys.from, "");
    if (from->unit != to->unit || !(to->number > from->number) || (keys.factor && !(from->number > 0))) return;
    if (keys.steps) {
      for (int i = 0; i < *keys.steps; ++i) {
        const double share = static_cast<double>(i) / (*keys.steps - 1);
        axis.values.push_back({number_json(from->number + (to->number - from->number) * share, from->unit)});
      }
      return;
    }
    double value = from->number;
    for (int i = 0; value <= to->number * (1 + 1e-9); value = from->number * std::pow(*keys.factor, ++i)) {
      if (axis.values.size() > most_points) return;  // counted by the caller
      axis.values.push_back({number_json(value, from->unit)});
    }
  }

  const JsonValue& base_;
  const std::string& file_;
  std::vector<Problem>& problems_;
  std::set<std::string> seen_;
};

std::string point_text(std::size_t points) {
  return points > most_points ? "more than " + std::to_string(most_points) : std::to_string(points);
}

std::optional<double> product_of(const std::vector<StudyFilter::Key>& keys, const std::vector<StudyAxis>& axes,
                                 const std::vector<std::size_t>& values) {
  double product = 1;
  for (const StudyFilter::Key& key : keys) {
    const auto number = written_number(axes[key.axis].values[values[key.axis]][key.place]);
    if (!number) return std::nullopt;
    product *= number->number;
  }
  return product;
}

class FilterReader {
 public:
  FilterReader(const std::vector<StudyAxis>& axes, const std::string& file, std::vector<Problem>& problems)
      : axes_(axes), file_(file), problems_(problems) {}

  void read(const FilterKeys& keys, std::vector<StudyFilter>& filters) {
    StudyFilter filter;
    filter.axes = &axes_;
    if (!keys.product) return;  // said by the reader
    const std::size_t before = problems_.size();
    if (keys.product->empty()) fault(keys.where + "/product", "at least one pointer", "[]", "");
    for (const std::string& pointer : *keys.product)
      if (const auto key = find(pointer, keys.where + "/product")) filter.product.push_back(*key);
    int given = 0;
    const auto take = [&](const std::optional<std::string>& json, auto is, const char* name) {
      if (!json) return;
      ++given;
      filter.is = is;
      filter.value = *json;
      where_ = keys.where + "/" + name;
    };
    take(keys.at_most, StudyFilter::Is::at_most, "at_most");
    take(keys.at_least, StudyFilter::Is::at_least, "at_least");
    take(keys.equal, StudyFilter::Is::equal, "equal");
    take(keys.unequal, StudyFilter::Is::unequal, "unequal");
    if (given != 1)
      fault(keys.where, "one of at_most, at_least, equal and unequal", given == 0 ? "none" : "several", "");
    if (problems_.size() > before) return;
    const JsonValue value = parse_json(filter.value, file_, problems_);
    if (value.kind == Kind::text && value.text.starts_with("/")) filter.other = find(value.text, where_);
    if (problems_.size() == before && check_numbers(filter, keys)) filters.push_back(std::move(filter));
  }

 private:
  void fault(const std::string& pointer, const std::string& expected, const std::string& got, const std::string& hint) {
    problems_.push_back({file_, pointer, expected, got, hint});
  }

  std::optional<StudyFilter::Key> find(const std::string& pointer, const std::string& where) {
    std::vector<std::string> known;
    for (std::size_t a = 0; a < axes_.size(); ++a)
      for (std::size_t p = 0; p < axes_[a].pointers.size(); ++p) {
        if (axes_[a].pointers[p] == pointer) return StudyFilter::Key{a, p};
        known.push_back(axes_[a].pointers[p]);
      }
    fault(where, "the pointer of an axis", quoted(pointer), did_you_mean(pointer, known));
    return std::nullopt;
  }

  // Sizes are compared, and products formed, of numbers in one unit.
  bool check_numbers(const StudyFilter& filter, const FilterKeys& keys) {
    const bool texts = filter.is == StudyFilter::Is::equal || filter.is == StudyFilter::Is::unequal;
    if (texts && filter.product.size() == 1) return true;
    std::set<std::string> units;
    const auto note = [&](const std::string& json, const std::string& where) {
      const auto number = written_number(json);
      if (!number)
        fault(where, "numbers, or quantities in one unit, to compare", json.empty() ? "null" : json, "");
      else
        units.insert(number->unit);
      return number.has_value();
    };
    for (const StudyFilter::Key& key : filter.product)
      for (const auto& value : axes_[key.axis].values)
        if (!note(value[key.place], keys.where + "/product")) return false;
    if (filter.other) {
      for (const auto& value : axes_[filter.other->axis].values)
        if (!note(value[filter.other->place], where_)) return false;
    } else if (!note(filter.value, where_)) {
      return false;
    }
    if (units.size() == 1 && (filter.product.size() == 1 || units.count("") == 1)) return true;
    fault(where_, "one unit on both sides, and none in products", filter.value, "");
    return false;
  }

  const std::vector<StudyAxis>& axes_;
  const std::string& file_;
  std::vector<Problem>& problems_;
  std::string where_;
};

}  // namespace

std::optional<WrittenNumber> written_number(const std::string& json) {
  std::vector<Problem> quiet;
  const JsonValue value = parse_json(json, "", quiet);
  if (value.kind == Kind::number) return WrittenNumber{value.number, ""};
  if (value.kind != Kind::text) return std::nullopt;
  WrittenNumber out;
  const char* const end = value.text.data() + value.text.size();
  const auto [stop, error] = std::from_chars(value.text.data(), end, out.number);
  if (error != std::errc() || end - stop < 2 || *stop != ' ' || !std::isfinite(out.number)) return std::nullopt;
  out.unit = std::string(stop + 1, end);
  return out;
}

std::size_t count_points(const std::vector<StudyAxis>& axes, bool grid) {
  std::size_t points = axes.empty() ? 0 : 1;
  for (const StudyAxis& axis : axes) {
    if (!grid) return axis.values.size();
    if (axis.values.size() > most_points / std::max<std::size_t>(points, 1)) return most_points + 1;
    points *= axis.values.size();
  }
  return points;
}

std::vector<std::size_t> values_at(const std::vector<StudyAxis>& axes, bool grid, std::size_t point) {
  if (!grid) return std::vector<std::size_t>(axes.size(), point);
  std::vector<std::size_t> values(axes.size());
  for (std::size_t a = axes.size(); a-- > 0; point /= axes[a].values.size()) values[a] = point % axes[a].values.size();
  return values;
}

std::vector<StudyAxis> read_axes(const std::vector<AxisKeys>& keys, const JsonValue& base, bool grid,
                                 const std::string& file, std::vector<Problem>& problems) {
  const std::size_t before = problems.size();
  AxisReader reader(base, file, problems);
  std::vector<StudyAxis> axes;
  if (keys.size() > most_axes) {
    problems.push_back({file, "/axes", "at most " + std::to_string(most_axes) + " axes", std::to_string(keys.size()),
                        "keys that move together make one axis"});
    return axes;
  }
  for (const AxisKeys& axis : keys) axes.push_back(reader.read(axis));
  if (problems.size() > before) return axes;
  for (std::size_t a = 1; a < axes.size() && !grid; ++a)
    if (axes[a].values.size() != axes[0].values.size())
      problems.push_back(
          {file, keys[a].where, "as many values as the first axis, " + std::to_string(axes[0].values.size()),
           std::to_string(axes[a].values.size()), "with \"sampling\": \"list\" point i has value i of each axis"});
  const std::size_t points = count_points(axes, grid);
  if (points > most_points)
    problems.push_back({file, "/axes", "at most " + std::to_string(most_points) + " combinations", point_text(points),
                        "fewer values, or axes that move together"});
  return axes;
}

bool StudyFilter::keeps(const std::vector<std::size_t>& values) const {
  const auto text = [&](const Key& key) { return (*axes)[key.axis].values[values[key.axis]][key.place]; };
  const std::string right = other ? text(*other) : value;
  const auto left_number = product_of(product, *axes, values);
  const auto right_number = written_number(right);
  const bool numbers = left_number && right_number;
  const bool same = numbers ? *left_number == right_number->number : text(product.front()) == right;
  switch (is) {
    case Is::at_most:
      return numbers && *left_number <= right_number->number;
    case Is::at_least:
      return numbers && *left_number >= right_number->number;
    case Is::equal:
      return same;
    case Is::unequal:
      return !same;
  }
  return false;
}

std::vector<StudyFilter> read_filters(const std::vector<FilterKeys>& keys, const std::vector<StudyAxis>& axes,
                                      const std::string& file, std::vector<Problem>& problems) {
  FilterReader reader(axes, file, problems);
  std::vector<StudyFilter> filters;
  for (const FilterKeys& filter : keys) reader.read(filter, filters);
  return filters;
}

}  // namespace clustersim
