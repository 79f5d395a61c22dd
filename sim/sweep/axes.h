// Axes and filters of a study, from what its file says.
#pragma once

#include <string>
#include <vector>

#include "clustersim/sweep.h"
#include "sim/read/json_value.h"
#include "sim/sweep/study_keys.h"

namespace clustersim {

// Sound axes only where `problems` has not grown. Refuses pointers that do not fit the base, keys that no axis may
// move, and more points than a study may have.
std::vector<StudyAxis> read_axes(const std::vector<AxisKeys>& keys, const JsonValue& base, bool grid,
                                 const std::string& file, std::vector<Problem>& problems);

std::size_t count_points(const std::vector<StudyAxis>& axes, bool grid);

// Keeps a point where the product of its values on some axes compares with a value, or with that on another axis.
struct StudyFilter {
  // By axis and value: the JSON text of that key.
  struct Key {
    std::size_t axis = 0, place = 0;  // place: of the pointer in the axis
  };
  const std::vector<StudyAxis>* axes = nullptr;
  std::vector<Key> product;
  enum class Is { at_most, at_least, equal, unequal } is = Is::equal;
  std::optional<Key> other;
  std::string value;  // JSON, where there is no other

  bool keeps(const std::vector<std::size_t>& values) const;
};
std::vector<StudyFilter> read_filters(const std::vector<FilterKeys>& keys, const std::vector<StudyAxis>& axes,
                                      const std::string& file, std::vector<Problem>& problems);

// The number of a JSON value: of 3, or of "100 Gbit/s" with the unit beside it; empty where there is none.
struct WrittenNumber {
  double number = 0;
  std::string unit;  // "" of a bare number
};
std::optional<WrittenNumber> written_number(const std::string& json);

}  // namespace clustersim
